"""Planted tasks: the gold is parallel, nothing else is."""

from __future__ import annotations

import pytest

from semaniacs.embeddings.mining.synthetic_task import MiningTask, Split, make_task
from semaniacs.embeddings.training.corpora import SentencePair
from semaniacs.sts.errors import StsError


def pairs(name: str, count: int) -> list[SentencePair]:
    """Pairs that know where they come from."""
    return [
        (f"{name} number {i} in English", f"{name} número {i} en español") for i in range(count)
    ]


def origin(sentence: str) -> str:
    name, _, number, *_ = sentence.split()
    return f"{name} {number}"


def parallel(task: MiningTask) -> list[tuple[int, int]]:
    """The places of all that have their translation on the other side."""
    there = {origin(sentence): i for i, sentence in enumerate(task.second)}
    return [
        (i, there[origin(sentence)])
        for i, sentence in enumerate(task.first)
        if origin(sentence) in there
    ]


@pytest.mark.parametrize("split", [None, "dev", "test"])
def test_the_gold_is_all_that_is_parallel(split: Split | None) -> None:
    task = make_task(pairs("good", 100), [pairs("news", 700), pairs("talk", 301)], split=split)
    assert task.gold == parallel(task)
    assert all(task.first[i].startswith("good") for i, _ in task.gold)
    assert all("English" in sentence for sentence in task.first)
    assert all("español" in sentence for sentence in task.second)
    assert len(task.first) == len(task.second)
    assert len(set(task.first)) == len(task.first)
    share = len(task.gold) / len(task.first)
    assert 0.02 < share <= 0.025
    assert [x for x, _ in task.gold] != list(range(len(task.gold)))


def test_the_halves_have_nothing_in_common_and_are_drawn_the_same() -> None:
    material = pairs("good", 100), [pairs("news", 1000)]
    dev, test = (make_task(*material, split=split) for split in ("dev", "test"))  # type: ignore[arg-type]
    sentences = [{origin(s) for s in (*task.first, *task.second)} for task in (dev, test)]
    assert sentences[0].isdisjoint(sentences[1])
    assert make_task(*material, split="dev") == dev
    assert make_task(*material, split="dev", seed=1) != dev


def test_a_sentence_that_stands_twice_is_left_out() -> None:
    """Else its translation, in the other half, would make false gold or hide some."""
    news = pairs("news", 400)
    first, last = news[0], news[-1]
    news[200] = ("NEWS number 0, in English!", "algo muy diferente por aquí")
    news[300] = ("something quite different over here", last[1])
    news[100] = ("good number 1 in English", "algo distinto por aquí también")
    news[101] = ("untranslated as it stands here", "Untranslated as it stands here.")
    good = pairs("good", 30)
    task = make_task(good, [news], share=0.1)
    everything = {*task.first, *task.second}
    assert everything.isdisjoint({*first, *last, *news[200], *news[300], *news[100], *news[101]})
    assert everything.isdisjoint(good[1])
    assert task.gold == parallel(task)


def test_nothing_to_plant_is_told() -> None:
    with pytest.raises(StsError, match="0 usable pairs to plant among 20 usable unrelated"):
        make_task([("a", "b")], [pairs("news", 40)])
    with pytest.raises(StsError, match="3 usable pairs .* none is a share of 0.025"):
        make_task(pairs("good", 3), [pairs("news", 40)])
