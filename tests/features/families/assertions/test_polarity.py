"""Denial by scope and opposites: pairs of which one denies the other, and pairs that agree."""

from __future__ import annotations

import pytest

from features.families.assertions.polarity import conflicts
from tests.features.support import Value, sentence_of


def pairs(table: str) -> list[tuple[str, str]]:
    return [
        (left, right)
        for left, _, right in (row.partition(" | ") for row in table.strip().splitlines())
    ]


CONFLICTING = """
The wind came from the north. | The wind came from the south.
Tom sold a horse to Ann. | Tom bought a horse from Ann.
The book is useful. | The book is not useful.
This tool is helpful. | This tool isn't helpful at all.
He can swim. | He cannot swim.
She has finished the report. | She has not finished the report yet.
They won the match. | They lost the match.
The company accepted the offer. | The company rejected the offer.
Nobody came to the meeting. | Everybody came to the meeting.
He never fails to call his mother. | He always fails to call his mother.
The patient is alive. | The patient is dead.
There is a cat on the roof. | There is no cat on the roof.
She drinks coffee with sugar. | She drinks coffee without sugar.
He refused to sign the contract. | He signed the contract.
He was able to open the door. | He was unable to open the door.
Tom and Mary like tea. | Neither Tom nor Mary likes tea.
I think he came. | I don't think he came.
He admitted that he stole the money. | He denied that he stole the money.
The suspect confessed that he was there. | The suspect did not confess that he was there.
Prices rose sharply last year. | Prices fell sharply last year.
The door was open. | The door was closed.
He said he was ill. | He said he was not ill.
She is happy with the result. | She is unhappy with the result.
It is possible to repair it. | It is impossible to repair it.
The shop sells fresh bread. | The shop doesn't sell fresh bread.
They found evidence of fraud. | They found no evidence of fraud.
The plane landed safely. | The plane did not land safely.
You should take this medicine. | You should not take this medicine.
He stopped smoking. | He did not stop smoking.
He quit drinking. | He kept drinking.
The law forbids it. | The law allows it.
The film was interesting. | The film was boring.
I agree with you. | I disagree with you.
He remembered to lock the door. | He forgot to lock the door.
She managed to escape. | She failed to escape.
The water is hot. | The water is cold.
The vote was not unanimous. | The vote was unanimous.
👍 | 👎
Great game 😀 | Great game 😢
❤️ | 💔
He did it legally. | He did it illegally.
The results were not significant. | The results were significant.
None of the guests arrived late. | All of the guests arrived late.
The team lacks experience. | The team has experience.
The policy prevented companies from hiring abroad. | The policy let companies hire abroad.
John is not a doctor. | John is a doctor.
We won't be attending the wedding. | We will be attending the wedding.
It isn't raining. | It is raining.
The lights were turned on. | The lights were turned off.
No one knows the answer. | Someone knows the answer.
He ate the apple, not the pear. | He ate the pear, not the apple.
The minister supports the bill. | The minister opposes the bill.
The ball went up. | The ball went down.
The exam was easy. | The exam was difficult.
He avoided answering the question. | He answered the question.
She isn't married. | She is married.
The committee approved the plan. | The committee did not approve the plan.
The painting is genuine. | The painting is fake.
The road is safe at night. | The road is not safe at night.
A man is playing a guitar. | There is no man playing a guitar.
He came with his wife. | He came without his wife.
She doesn't have a car. | She has a car.
I have no doubt that he will win. | I doubt that he will win.
The government lowered taxes. | The government raised taxes.
The museum is closed on Mondays. | The museum isn't closed on Mondays.
It is not true that he lied. | It is true that he lied.
The cat was never found. | The cat was found.
The manager hired her. | The manager fired her.
"""

AGREEING = """
Tom sold a horse to Ann. | Ann bought a horse from Tom.
Steel is harder than gold. | Gold is softer than steel.
The shop is not open. | The shop is closed.
He can't go. | He cannot go.
He can not go. | He can't go.
I dont like it. | I do not like it.
It is not true that he did not go. | He went.
He not only sings but also dances. | He sings and dances.
No one but John came. | Only John came.
She can't help but laugh. | She laughs.
It is not uncommon. | It is common.
He never fails to call. | He always calls.
I don't think he came. | I think he didn't come.
He is unhappy. | He is not happy.
The soldier is dead. | The soldier is not alive.
He did not remember to lock the door. | He forgot to lock the door.
She refused to sign. | She did not sign.
They lack money. | They have no money.
He left without saying goodbye. | He left and did not say goodbye.
The plan is not without problems. | The plan has problems.
He failed to arrive. | He did not arrive.
The jewel is invaluable. | The jewel is valuable.
There is no evidence of a crime. | There isn't any evidence of a crime.
No charges were filed. | Charges were not filed.
He owns no car. | He does not own a car.
Neither Tom nor Mary likes tea. | Tom and Mary don't like tea.
The film wasn't boring. | The film was interesting.
He won't be able to come. | He will be unable to come.
I can't wait to see you. | I want to see you.
He doubts that it works. | He does not believe that it works.
It is impossible to fix this. | It is not possible to fix this.
She rarely goes out. | She seldom goes out.
The results were insignificant. | The results were not significant.
There's no doubt that he is guilty. | He is guilty.
Not only did he win, he broke the record. | He won and broke the record.
He did nothing but complain. | He only complained.
Nobody failed the exam. | Everybody passed the exam.
The light was off. | The light was not on.
They did not win. | They lost.
He denied stealing the car. | He said he did not steal the car.
The company did not accept the offer. | The company rejected the offer.
Unless it rains, we will go. | If it does not rain, we will go.
I couldn't agree more. | I agree.
It was far from perfect. | It was not perfect.
He no longer lives here. | He doesn't live here anymore.
He is by no means stupid. | He is not stupid.
The room was anything but clean. | The room was not clean.
She didn't deny that she was there. | She admitted that she was there.
The road was impassable, so they did not travel. | They did not travel because the road was impassable.
He was too tired to walk. | He was so tired that he could not walk.
You must not smoke here. | Smoking is not allowed here.
He is the homeless man. | The man has no home.
The weather was bad, not good. | The weather was bad.
John, not Peter, won the race. | John won the race.
He ate rice instead of bread. | He ate rice, not bread.
Isn't it a nice day? | It's a nice day.
The bridge is unsafe. | The bridge is not safe.
I have never been to Paris. | I haven't ever been to Paris.
It's a wireless phone. | It's a phone without wires.
She stopped working there. | She doesn't work there any more.
They did not leave until noon. | They left at noon.
He doesn't dislike it. | He likes it.
The dog didn't stop barking. | The dog kept barking.
It is not illegal. | It is legal.
They were prevented from entering. | They could not enter.
No fewer than ten people died. | At least ten people died.
The glass is not full. | The glass isn't full.
He did not buy the house because it was expensive. | He didn't buy the house since it was expensive.
Prices went up. | Prices rose.
"""

COLUMNS = ("polarity_conflict", "opposite_words")


@pytest.mark.parametrize(("left", "right"), pairs(CONFLICTING))
def test_a_conflict_is_found_and_said(value: Value, left: str, right: str) -> None:
    assert max(value(name, left, right) for name in COLUMNS) > 0
    assert conflicts(sentence_of(left), sentence_of(right))


@pytest.mark.parametrize(("left", "right"), pairs(AGREEING))
def test_no_conflict_where_there_is_none(value: Value, left: str, right: str) -> None:
    assert max(value(name, left, right) for name in COLUMNS) == 0
    assert conflicts(sentence_of(left), sentence_of(right)) == []


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("It is useful", "It is not useful", ["denied on one side only: useful"]),
        ("The door is open", "The door is closed", ["opposites: open ↔ closed"]),
        ("The door is open", "The door is not closed", []),
        ("He is happy", "He is unhappy", ["opposites: happy ↔ unhappy"]),
    ],
)
def test_conflicts_in_words(left: str, right: str, said: list[str]) -> None:
    assert conflicts(sentence_of(left), sentence_of(right)) == said
