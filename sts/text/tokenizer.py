"""Normalisation, tokenization, comparison and scripts of texts, the same for encoders and features."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.text.normalisation import normalise_all, plain_text
from semaniacs.sts.text.signs import signs

_SAME_CHARACTER = str.maketrans(
    {
        "‘": "'", "’": "'", "‛": "'", "ʼ": "'", "´": "'", "`": "'",
        "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-",
        "\u00ad": "", "\u200b": "", "\ufeff": "",
    }
)  # fmt: skip

_TOKEN = re.compile(
    r"""
      \d+(?:[.,]\d+)+                  # 1  a number with decimal point or thousands marks: 1.5|bn
    | (?<![^\W_])(?:[^\W\d_]\.){2,}      # 2  an abbreviation with dots: U.S., e.g.
    | (?<![\w.])(?-i:\.[A-Z]{2,})(?![\w'])  # 3  a stock index symbol: .DJI
    | [^\W_]+?(?=n't\b)                  # 4  the verb before a negation: do|n't, ca|n't
    | n't\b                              # 5  the negation
    | '(?:s|re|ve|ll|d|m)\b              # 6  a clitic: 's, 're, 've, 'll, 'd, 'm
    | [^\W_]+                            # 7  a word: letters and digits of any script
    | [^\w\s]|_                          # 8  one mark of punctuation, one symbol, one emoji
    """,
    re.VERBOSE | re.IGNORECASE,
)

STOP_WORDS = frozenset(
    """
    a an the this that these those
    i you he she it we they me him her us them my your his its our their
    am is are was were be been being do does did have has had
    will would shall should can could may might must
    's 're 've 'll 'd 'm n't not no
    of in on at by for from to with as about into over after under between through during
    and or but if so than then there here
    who what when where which how why
    """.split()
)
"""English function words, chosen by hand from the closed word classes."""


def normalise(text: str) -> str:
    """Compose the characters (NFC), fold typographic quotes and dashes, drop invisible marks."""
    if text.isascii():  # it is composed, and of the marks it has the backquote alone
        return text.replace("`", "'")
    return unicodedata.normalize("NFC", text).translate(_SAME_CHARACTER)


def tokenize(text: str) -> list[str]:
    """Return the tokens of a sentence, punctuation included, in their original case."""
    return _TOKEN.findall(normalise(text))


def token_ends(text: str) -> list[int]:
    """Return where each token of a text ends."""
    return [found.end() for found in _TOKEN.finditer(text.translate(_SAME_CHARACTER))]


def parts(text: str) -> list[str]:
    """Return the parts of a text between blanks, normalised.

    No pattern of a token looks beyond a blank: the tokens of the parts are those of the text.
    """
    return normalise(text).split()


def tokens_of_part(part: str) -> list[str]:
    """Return the tokens of one of :func:`parts`."""
    return [part] if part.isalpha() else _TOKEN.findall(part)


def is_word(token: str) -> bool:
    """Return whether a token holds a letter or a digit."""
    return token[:1].isalnum() or any(character.isalnum() for character in token)


def words(text: str) -> list[str]:
    """Return the lower-cased words of a sentence, without punctuation unless it has nothing else."""
    return words_of(tokenize(text))


def words_of(tokens: Sequence[str]) -> list[str]:
    """Return the :func:`words` of a sentence from its tokens."""
    return [as_word(token) for token in tokens if is_word(token)] or list(tokens)


def as_word(token: str) -> str:
    """Return a token that is a word in lower case."""
    # The dot of a stock index symbol marks its kind and is not a part of its name: .DJI, dji.
    return token.lower().lstrip(".")


def fold(text: str) -> str:
    """Return a key that is equal for texts that differ in width, case, punctuation or spacing only."""
    return " ".join(words(unicodedata.normalize("NFKC", text)))


# Sentences that are the same text: equal but for width, case, punctuation and spacing

_MARK = re.compile(r"(?P<of_number>(?<=\d)[^\w\s](?=\d)|(?<![\w.])[-.](?=\d))|[^\w\s]|_")
"""A mark; that of a number is a point, a comma, a colon or a sign: 1.5, 10:30, -3."""

_SILENT = re.compile(
    r"""^(?:\s*(?:\.{3,}|[-*•·]+(?=\s)))+|(?<![\s.,:;!?…。।؟])[\s.,:;!?…。।؟]++(?=["')\]]*+\s*+$)"""
    r"|(?<=\b(?:mr|ms|dr|jr|sr|st|vs))\.|(?<=\bmrs)\.|(?<=([.,:;!?]))\1+(?=\s)|[¿¡]"
)
"""Marks that say nothing: those of a list, at the end, of Mr., and a second one."""

_ALIKE = (
    (re.compile(r"''|(?<!\w)'(?=\S)|(?<=[^\s\d])'(?!\w)"), '"'),
    (re.compile(r'^\s*"([^"]*)"\s*$'), r"\1"),
    (re.compile(r'([.,])\s*"'), r'"\1'),
    (re.compile(r"(?<=\w)--(?=\w)|--(?=\s)"), "-"),
    (re.compile(r"[<>!]=|[≤≥≠]|--?>|→"), " "),  # they are among the signs
)
"""Patterns of quotes and dashes, and one shape for them."""

_NAMES = re.compile(
    r"\b(?:AIDS|ICE|IT|LED|PET|PIN|RAM|SAT|SIM|US|WHO)\b"
    r"|(?:(?<=\d)|(?<=\d\s))(?:[mM](?:A|Hz|J|Pa|V|W|Ω)|[kKMGT]b)\b"
)
_CODE = re.compile(r"`[^`]+`|\b\w+(?=\()|\b\w+_\w+|(?<!\S)--?[A-Za-z]\b")
"""Where another case may mean something else: IT, 5 mW and 5 MW, bits, names and options of programs."""

_ASCII_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())


def same_text_key(text: str) -> str:
    """Return a key that is equal for texts that differ in width, case, spacing or silent marks alone.

    Case is folded as in Unicode: Straße is STRASSE, but IT is not it, and 5 mW are not 5 MW. Unlike
    :func:`.fold`, it keeps whatever may change the meaning: vowel signs, symbols, emoji, marks inside
    the text, :func:`.signs`. Quotes of any shape are alike, and so are dashes.
    """
    return _key_of(plain_text(text))


def _key_of(text: str) -> str:
    names = names_in_case(text)
    text = normalise(text)
    folded = unicodedata.normalize("NFC", text.casefold())
    plain = _SILENT.sub("", folded).strip() or folded
    for pattern, shape in _ALIKE:
        plain = pattern.sub(shape, plain)
    key = " ".join(_MARK.sub(_seen, plain).split())
    return " ".join([key, *names, *sorted(map("".join, signs(text)))])


def names_in_case(text: str) -> list[str]:
    """Return the parts of a text whose case means something, but for a capital before small letters."""
    code = _CODE.findall(text) if any(mark in text for mark in "`(_-") else []
    names = [] if text.isupper() else _NAMES.findall(text) + code
    return [name.lower() if name[1:].islower() else name for name in names]


def _seen(mark: re.Match[str]) -> str:
    """Return a mark with its number or letter, or alone."""
    inside = mark["of_number"] or unicodedata.category(mark[0])[0] == "M"
    return mark[0] if inside else f" {mark[0]} "


def same_text(left: str, right: str) -> bool:
    """Return whether two texts have one key, see :func:`same_text_key`; a blank one equals none."""
    return bool(same_texts([left], [right])[0])


def _same_plain_text(left: str, right: str) -> bool:
    if left == right:
        return bool(left.strip())
    if left.isascii() and right.isascii() and _ascii_letters(left) != _ascii_letters(right):
        return False  # this tells most pairs apart
    return _key_of(left) == _key_of(right)


def _ascii_letters(text: str) -> bytes:
    return text.encode("ascii").translate(None, _ASCII_MARKS).lower()


def same_texts(left: Sequence[str], right: Sequence[str]) -> NDArray[np.bool_]:
    """Return (n,) whether the two sides of each pair are the same text."""
    sides = normalise_all(left), normalise_all(right)
    return np.fromiter(map(_same_plain_text, *sides), bool, len(left))


# Scripts

LATIN = frozenset({"LATIN"})


@cache
def script_of(letter: str) -> str:
    """Return the script of a letter, such as ``LATIN`` or ``CYRILLIC``; Chinese characters are ``CJK``.

    It is the first word of the letter's Unicode name, once full-width and ornamental forms have
    become the plain ones.
    """
    plain = unicodedata.normalize("NFKC", letter)[0]
    return re.split("[ -]", unicodedata.name(plain, ""))[0]


_FORMULA = re.compile(r"(?<![^\W\d_])[\u0370-\u03ff]{1,2}(?![^\W\d_])")
"""One or two Greek letters alone, as in a formula."""


def is_mostly_outside(text: str, scripts: Collection[str] = LATIN) -> bool:
    """Return whether more than half of the letters, without Greek symbols, are in none of the scripts."""
    if text.isascii() and "LATIN" in scripts:
        return False
    letters = [letter for letter in _FORMULA.sub("", text) if letter.isalpha()]
    return 2 * sum(script_of(letter) not in scripts for letter in letters) > len(letters)
