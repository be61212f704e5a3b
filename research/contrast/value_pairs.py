"""Generator of look-alike sentences about values: numbers, dates, names, negation, modality.

Frames are rows of `value_pairs_frames.tsv`. A frame gives the forms of one meaning, which all say
the same, and perhaps the forms of another meaning; without them, marked slots change their value.
    {who}         slot, with the same word in every sentence of a group
    {act.past}    slot, in a grammatical form of the word
    {thing#2}     second word of the kind, other than the first
    {!date}       slot whose value the other meaning changes or exchanges
    [a|b]         free choice, made anew in every sentence
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from research.contrast.sources import Group, read_rows
from research.contrast.value_kinds import KINDS, Value

_SLOT = re.compile(r"\{(!?)(\w+)(#\d)?(?:\.(\w+))?\}")
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_A_VOWEL = re.compile(
    r"\b([Aa]) (?=[aeiou8]|11\b|18\b|hones|[AEIO](?!ne|ur))(?!uni[^n]|use|one\b|eu)"
)
_CLAUSE = re.compile(r"[;:?]|, |\b(?:that|who|when|if|because|but|after|before|without|and)\b")
_ADVERBIAL = re.compile(r"(?:in|on|at|for|from|into|to|of|before|because|after|by|with) ")
_DRAWN_ONCE = {"obj", "noun"}  # forms that list words to choose from, not notations
_FREE_WRAPPINGS = ("{S}",)
_SHARE_WRAPPED = 0.6
_SHARE_EXCHANGED = 0.6
_SHARE_OF_CLOSE_FORMS = 0.6  # how often one of each side keeps the form of the anchor

Words = dict[str, Mapping[str, tuple[str, ...]]]  # notations by form, by slot
Slots = Mapping[str, tuple[str, bool]]  # kind, and whether the value changes, by slot


class _Frame(NamedTuple):
    tense: str  # past, any, whole (takes no wrapping) or note (no capital and no full stop)
    forms: tuple[str, ...]
    others: tuple[str, ...]  # of one other meaning, so that the two may change sides
    mixed: tuple[str, ...]  # of several other meanings


def _read_frames() -> dict[str, list[_Frame]]:
    frames = defaultdict(list)
    for phenomenon, tense, *meanings in read_rows("value_pairs_frames.tsv"):
        forms = (tuple(filter(None, meaning.split(" || "))) for meaning in meanings)
        frames[phenomenon].append(_Frame(tense, *forms))
    return dict(frames)


_FRAMES = _read_frames()
_WRAPPINGS = _FRAMES.pop("wrap")


def _slots(forms: tuple[str, ...]) -> dict[str, tuple[str, bool]]:
    """Return the kind of every slot, and whether it is marked as changing."""
    slots: dict[str, tuple[str, bool]] = {}
    for mark, kind, number, _ in _SLOT.findall(" ".join(forms)):
        name = kind + (number if number != "#1" else "")
        slots[name] = (kind, bool(mark) or slots.get(name, ("", False))[1])
    return slots


def _draw_values(slots: Slots, rng: random.Random) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, (kind, _) in slots.items():
        taken = [values[other] for other in values if slots[other][0] == kind]
        value = KINDS[kind].draw(rng)
        while value in taken:
            value = KINDS[kind].draw(rng)
        values[name] = value
    return values


def _write(values: Mapping[str, Value], slots: Slots, rng: random.Random) -> Words:
    """Return the notations of all values; words that hold slots are filled, once for all sentences."""
    words: Words = {}
    for name, value in values.items():
        forms = dict(KINDS[slots[name][0]].write(value))
        for form in sorted(_DRAWN_ONCE & forms.keys()):
            forms[form] = (rng.choice(forms[form]),)
        inner = _slots(forms.get("", ()))
        if inner:
            filling = _write(_draw_values(inner, rng), inner, rng)
            forms[""] = tuple(_fill(text, filling, rng) for text in forms[""])
        words[name] = forms
    return words


def _change(words: Words, values: Mapping[str, Value], slots: Slots, rng: random.Random) -> Words:
    """Exchange the words of the pairs of marked slots, or change the value of one marked slot."""
    marked = [name for name, (_, is_marked) in slots.items() if is_marked]
    pairs = [(name, f"{name}#2") for name in marked if f"{name}#2" in marked]
    if pairs and rng.random() < _SHARE_EXCHANGED:
        swapped = {name: words[other] for pair in pairs for name, other in (pair, pair[::-1])}
        return {**words, **swapped}
    name = rng.choice(marked)
    value = KINDS[slots[name][0]].change(values[name], rng)
    return {**words, **_write({name: value}, slots, rng)}


def _notations(words: Words) -> list[set[str]]:
    return [set(forms.get("", next(iter(forms.values())))) for forms in words.values()]


def _are_apart(words: Words) -> bool:
    """Return whether no two slots share a notation."""
    notations = _notations(words)
    return sum(map(len, notations)) == len(set().union(*notations))


def _are_changed(words: Words, others: Words) -> bool:
    """Return whether a slot has changed, and none shares a notation with its change."""
    both = zip(_notations(words), _notations(others), strict=True)
    common = [old & new for old, new in both if old != new]
    return bool(common) and not any(common)


def _fill(form: str, words: Words, rng: random.Random) -> str:
    def word(match: re.Match[str]) -> str:
        _, kind, number, name = match.groups()
        forms = words[kind + (number or "").replace("#1", "")]
        return rng.choice(forms.get(name or "") or forms[""])

    chosen = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), form)
    return re.sub(r"\s+", " ", _SLOT.sub(word, chosen)).strip()


def _finish(text: str, tense: str) -> str:
    """Put a capital, articles, commas and the full stop right."""
    text = _A_VOWEL.sub(r"\1n ", re.sub(r",+(?=[,.?:;])", "", text).replace(" ,", ","))
    text = text[0].upper() + text[1:]
    return text if tense == "note" or text.endswith((".", "?")) else f"{text.removesuffix(',')}."


class _Writer:
    """Writer of the sentences of one group: same words, same wrapping, other forms and notations."""

    def __init__(self, frame: _Frame, rng: random.Random) -> None:
        self.frame, self.rng = frame, rng
        wrappings = [w for w in _WRAPPINGS if w.tense == "any" or frame.tense == "past"]
        if any("{city" in form for form in frame.forms):
            wrappings = [w for w in wrappings if "{city}" not in w.forms[0]]
        is_wrapped = frame.tense in ("past", "any") and rng.random() < _SHARE_WRAPPED
        self.wrapping = rng.choice(wrappings).forms if is_wrapped else _FREE_WRAPPINGS
        slots = _slots(tuple(form.replace("{S}", "") for form in self.wrapping))
        self.outer = _write(_draw_values(slots, rng), slots, rng)

    def sentence(self, form: str, words: Words) -> str:
        """Return a sentence; time and place come first if they could belong to a clause inside."""
        wrapping = self.rng.choice(self.wrapping)
        if self.wrapping[-1] in ("{S} {pasttime}", "{S} in {city}"):
            if _ADVERBIAL.match(form):
                wrapping = self.wrapping[-1]
            elif _CLAUSE.search(form):
                wrapping = self.wrapping[0]
        core = _fill(form, words, self.rng)
        whole = _fill(wrapping.replace("{S}", "\0"), self.outer, self.rng).replace("\0", core)
        return _finish(whole, self.frame.tense)

    def new_sentence(self, form: str, words: Words, known: list[str]) -> str:
        """Return a sentence that is not known yet, or an empty one after some tries."""
        drawn = (self.sentence(form, words) for _ in range(12))
        return next((sentence for sentence in drawn if sentence not in known), "")


def _make(phenomenon: str, rng: random.Random) -> Group:
    """Draw a group of a phenomenon: two sentences of the same meaning and two of another one."""
    while True:
        frame = rng.choice(_FRAMES[phenomenon])
        slots = _slots(frame.forms + frame.others + frame.mixed)
        values = _draw_values(slots, rng)
        words = _write(values, slots, rng)
        others, forms = words, frame.forms
        other_forms = frame.others or frame.mixed or forms
        if other_forms is forms:
            others = _change(words, values, slots, rng)
        elif frame.others and rng.random() < 0.5:
            forms, other_forms = other_forms, forms
        if not _are_apart(words) or (others is not words and not _are_changed(words, others)):
            continue
        writer = _Writer(frame, rng)
        start = rng.randrange(len(forms))
        texts = [writer.sentence(forms[start], words)]
        for side, side_words in ((forms, words), (other_forms, others)):
            close = side[start % len(side)]
            far = [form for form in side if form != close]
            first = close if rng.random() < _SHARE_OF_CLOSE_FORMS else rng.choice(far)
            for form in (first, rng.choice([form for form in far if form != first] or far)):
                texts.append(writer.new_sentence(form, side_words, texts))
        if all(texts):
            return Group(phenomenon, texts[0], tuple(texts[1:3]), tuple(texts[3:]))


MAKERS: Mapping[str, Callable[[random.Random], Group]] = {
    phenomenon: partial(_make, phenomenon) for phenomenon in _FRAMES
}
