"""Sentences that use almost the same words, where grammar decides whether they mean the same.

The frames are data, in `grammar_pairs_frames.tsv`. A frame begins with a line of three columns:
phenomenon, slots, and the slots to exchange. Each further line is one template: after `=` a way to
state the frame's meaning, after `-` a look-alike that means something else. If the frame names slots
to exchange, every `=` template filled with the exchanged words is a look-alike too.

Slots are `name=kind`, `name=kind|kind`, or `name=other` for a second name of another slot; `name?=kind`
is left out half of the time. ` / ` separates alternative fillings, and ` & ` alternative exchanges.
Templates are filled by `{name.form}`, or by `{name:other}` in the gender of another slot; `$` at the
end says that no full stop follows. Slot `m` is a modifier of time or place: it goes to `{m}` or to the
front, and to the front where a template has no `{m}`. Frames named `wrap` put a clause in reported speech.
"""

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path

from research.contrast.sources import Group, read_rows

SLOT = re.compile(r"\{(\w)((?:\.\w+)*)(?::(\w))?\}")
# Words that begin with a vowel letter and a consonant sound, or the reverse.
CONSONANT_SOUND = re.compile(r"(?:one|uni|use|usu|eu|ut[ei])", re.IGNORECASE)
SILENT_H = re.compile(r"(?:hour|honest|heir)", re.IGNORECASE)
PRONOUNS: Mapping[str, Mapping[str, str]] = {
    "f": {"he": "she", "him": "her", "his": "her", "self": "herself", "was": "was"},
    "m": {"he": "he", "him": "him", "his": "his", "self": "himself", "was": "was"},
    "n": {"he": "it", "him": "it", "his": "its", "self": "itself", "was": "was"},
    "p": {"he": "they", "him": "them", "his": "their", "self": "themselves", "was": "were"},
}
# Templates that have no room for a modifier in front.
NOT_FRONTED = re.compile(r"^(?:in|from|into|out|up|down|for|besides|next) |^\"|^\{m\}|[?$]$")
PRONOUN_SLOT = re.compile(r"\.(?:he|him|his|self)\}")
SENTENCE_MARKS = frozenset('?$!":;.')
WRAPPED_SHARE = 0.35
OPTIONAL_SHARE = 0.6
UNMOVED_SHARE = 0.25
DRAWS = 60


@dataclass(frozen=True)
class Word:
    """A filler with its irregular or related forms."""

    text: str
    forms: Mapping[str, str]
    gender: str = "m"


@dataclass
class Frame:
    """Templates that state one meaning, and templates that look alike and state another."""

    fillings: list[dict[str, str]]
    exchanges: list[list[tuple[str, str]]]
    right: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    @cached_property
    def can_be_embedded(self) -> bool:
        """Whether every template is one plain clause, which may follow `said that`."""
        clauses = [SLOT.sub("", text) for text in self.right + self.wrong]
        return not any(SENTENCE_MARKS & set(clause) for clause in clauses)

    @cached_property
    def has_pronouns(self) -> bool:
        """Whether a template has a pronoun, which could mean a person named around it."""
        return any(PRONOUN_SLOT.search(text) for text in self.right + self.wrong)


@cache
def words() -> Mapping[str, tuple[Word, ...]]:
    """Read the fillers by kind."""
    kinds: dict[str, list[Word]] = {}
    for kind, text, forms in read_rows("grammar_pairs_words.tsv"):
        pairs = dict(form.split("=", 1) for form in forms.split(";") if form)
        kinds.setdefault(kind, []).append(Word(text, pairs))
    return {kind: tuple(found) for kind, found in kinds.items()}


@cache
def frames() -> Mapping[str, tuple[Frame, ...]]:
    """Read the frames by phenomenon."""
    found: dict[str, list[Frame]] = {}
    frame = Frame([], [])
    path = Path(__file__).with_name("grammar_pairs_frames.tsv")
    for line in path.read_text(encoding="utf-8").split("\n"):
        match line.split("\t"):
            case ["=", template]:
                frame.right.append(template)
            case ["-", template]:
                frame.wrong.append(template)
            case [phenomenon, slots, exchanges]:
                fillings = [dict(s.split("=") for s in one.split()) for one in slots.split(" / ")]
                some = filter(None, exchanges.split(" & "))
                pairs = [[(pair[0], pair[2]) for pair in one.split()] for one in some]
                frame = Frame(fillings, pairs)
                found.setdefault(phenomenon, []).append(frame)
    return {phenomenon: tuple(some) for phenomenon, some in found.items()}


@cache
def irregular() -> Mapping[str, Mapping[str, str]]:
    """Return the forms of irregular verbs by their base."""
    return {word.text: word.forms for word in words()["irregular"]}


def inflect(phrase: str, form: str) -> str:
    """Inflect the verb that begins a phrase: `base`, `s`, `past`, `pp` or `ing`."""
    verb, *rest = phrase.split(" ")
    forms = irregular().get(verb, {})
    regular = {
        "base": verb,
        "s": re.sub(r"(?<=[^aeiou])y$", "ie", re.sub(r"(s|x|z|ch|sh|o)$", r"\1e", verb)) + "s",
        "past": re.sub(r"(?<=[^aeiou])y$", "ie", verb).removesuffix("e") + "ed",
        "ing": re.sub(r"(?<=[^eo])e$", "", verb) + "ing",
    }
    regular["pp"] = forms.get("past", regular["past"])
    return " ".join([forms.get(form, regular[form]), *rest])


def inflected(word: Word, forms: list[str], owner: Word | None) -> str:
    """Return a word in a form, or in the gender of its owner; KeyError where it has no such form."""
    if owner:
        return word.forms["".join(forms) + owner.gender]
    text = word.text
    for form in forms:
        bare = re.sub(r"^(the|my|our) ", "", text)
        if form in word.forms:
            text = word.forms[form]
        elif form in {"base", "s", "past", "pp", "ing"}:
            text = inflect(text, form)
        elif form in PRONOUNS[word.gender]:
            text = PRONOUNS[word.gender][form]
        elif form == "bare":
            text = bare
        elif form == "a":
            text = text if bare[0].isupper() or text.startswith("my ") else f"a {bare}"
        else:
            raise KeyError(form)
    return text


def fill(template: str, values: Mapping[str, Word]) -> str:
    """Fill the slots of a template; a slot that was left out leaves nothing."""

    def one(match: re.Match[str]) -> str:
        name, forms, owner = match.groups()
        if name not in values:
            return ""
        return inflected(values[name], forms.split(".")[1:], values[owner] if owner else None)

    return SLOT.sub(one, template)


def article(found: re.Match[str]) -> str:
    """Return *a* or *an*, and a space, before the word of a match."""
    word = found[2]
    vowel = word[0] in "aeiouAEIOU" and not CONSONANT_SOUND.match(word)
    return found[1] + ("n " if vowel or SILENT_H.match(word) else " ")


def polished(text: str) -> str:
    """Return a sentence with spaces, articles, first capital and full stop put right."""
    text = re.sub(r"\s+([,.;?!])", r"\1", re.sub(r"\s+", " ", text).strip())
    text = re.sub(r"\b([Aa]) (?=([\w'-]+))", article, text)
    text = re.sub(r'^\W*\w|[:.] "?\w', lambda found: found[0].upper(), text)
    if text.endswith("$"):
        return text[:-1].strip()
    return text if text.endswith(("?", "!", ".", '"')) else text + "."


def spoken(template: str, values: Mapping[str, Word], wraps: list[str], rng: random.Random) -> str:
    """Fill a template, with its modifier in front or in place, inside one of the wraps."""
    text = template
    if "m" in values and (
        "{m}" not in template or (not NOT_FRONTED.search(template) and rng.random() < 0.5)
    ):
        comma = "" if wraps and template.startswith(("{", "the ", "a ", "it ")) else ","
        text = f"{{m}}{comma} " + template.replace("{m}", "")
    if wraps:
        text = rng.choice(wraps).replace("{x}", text)
    return polished(fill(text, values))


def drawn(filling: Mapping[str, str], rng: random.Random) -> dict[str, Word]:
    """Draw a word for every slot, no word twice."""
    values: dict[str, Word] = {}
    for slot, kinds in filling.items():
        name = slot[0]
        if len(kinds) == 1:
            values[name] = values[kinds]
            continue
        if slot.endswith("?") and rng.random() > OPTIONAL_SHARE:
            continue
        used = {word.text for word in values.values()}
        pool = words()[rng.choice(kinds.split("|"))]
        word = rng.choice([word for word in pool if word.text not in used])
        gender = word.forms.get("gender") or rng.choice("fm")
        values[name] = Word(word.text, word.forms, gender)
    return values


def exchanged(values: Mapping[str, Word], pairs: list[tuple[str, str]]) -> dict[str, Word]:
    """Return the values with the words of each pair of slots exchanged."""
    swapped = dict(values)
    for one, other in pairs:
        swapped[one], swapped[other] = values[other], values[one]
    return swapped


def is_fillable(template: str, values: Mapping[str, Word]) -> bool:
    """Whether every word has the form that the template asks for."""
    try:
        fill(template, values)
    except KeyError:
        return False
    return True


def attempt(frame: Frame, rng: random.Random) -> tuple[str, list[str], list[str]] | None:
    """Return anchor, same and different of one drawing; None if they are not all distinct."""
    values = drawn(rng.choice(frame.fillings), rng)
    wraps: list[str] = []
    if frame.can_be_embedded and rng.random() < WRAPPED_SHARE:
        apart = [wrap for wrap in frames()["wrap"] if wrap.fillings[0]["n"] == "source"]
        wrap = rng.choice(apart if frame.has_pronouns else frames()["wrap"])
        values |= drawn(wrap.fillings[0], rng)
        wraps = wrap.right
    swapped = exchanged(values, rng.choice(frame.exchanges)) if frame.exchanges else {}

    def usable(templates: list[str]) -> list[str]:
        able = [
            t for t in templates if is_fillable(t, values) and is_fillable(t, swapped or values)
        ]
        return rng.sample(able, k=len(able))

    def say(template: str, filled: Mapping[str, Word] = values) -> str:
        return spoken(template, filled, wraps, rng)

    right, wrong = usable(frame.right), usable(frame.wrong)
    if len(right) < 2:
        return None
    first, second, third = right[0], right[1], right[2 % len(right)]
    anchor = say(first)
    moved = next((text for text in (say(first) for _ in range(6)) if text != anchor), "")
    nearest = first if moved or rng.random() < UNMOVED_SHARE else third
    same = [moved or say(third), say(second)]
    different = [say(nearest, swapped), say(second, swapped)] if swapped else []
    different += [say(template) for template in wrong]
    if len(different) < 2:
        return None
    different = rng.sample(different, k=2)
    is_usable = len({anchor, *same, *different}) == 5 and len(set(values)) == len(values)
    return (anchor, same, different) if is_usable else None


def make(phenomenon: str, rng: random.Random) -> Group:
    """Draw a group of a phenomenon."""
    some = frames()[phenomenon]
    sizes = [len(frame.right) + len(frame.wrong) for frame in some]
    for _ in range(DRAWS):
        (frame,) = rng.choices(some, weights=sizes)
        if found := attempt(frame, rng):
            anchor, same, different = found
            return Group(phenomenon, anchor, tuple(same), tuple(different))
    raise AssertionError(f"{phenomenon}: no frame gives five distinct sentences")


PHENOMENA = """
questions feelings tense roles voice converses attachment pronouns time_order cause direction
attributes comparatives possession word_order
""".split()
MAKERS: Mapping[str, Callable[[random.Random], Group]] = {
    phenomenon: partial(make, phenomenon) for phenomenon in PHENOMENA
}
