"""One form for texts that are written in several ways, before anything reads them.

Characters are put into the compatible form of Unicode (NFKC), except for those whose plain form says
something else: powers, fractions, trademarks. HTML, terminal colours, and UTF-8 that was read in another
encoding are repaired; ".5" and "w/o" become "0.5" and "without". Quotes and dashes stay;
:func:`.tokenizer.normalise` folds them.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from semaniacs.sts.errors import warn_once
from semaniacs.sts.progress import example_of

VERSION = 2  # part of the keys of cached work on texts: raise it when a text gets another form
_PASSES = 4  # times that a text is repaired, such as ``&amp;lt;``, which is written twice over

# --- Unicode

KEPT = "™℠ªº¨¯´¸˘-˝ͺ΄΅᾽᾿-῁῍-῏῝-῟῭-\u1fef\u1ffd῾‗‾゛゜￣﹉-﹌"
"""Class of signs that stay: NFKC makes letters of the first ones, and a blank and a mark of the others."""

UNIT = "[cdkmn]?m|ft|in|yd|mi"
"""Units of length, whose ² and ³ stay: an area is not a power of a number."""

_POWERS = "⁰¹²³⁴-⁾ⁱⁿ"
POWER = f"(?<![{_POWERS}ʰ-ʸˡ-ˣᴬ-ᵪ])(?=[{_POWERS}]++(?![ʰ-ʸˡ-ˣᴬ-ᵪ]))"
"""Place before a power: of x² and 10⁻³, not of 2ⁿᵈ."""

_HELD = re.compile(rf"((?<![^\W\d_])(?:{UNIT})[²³](?!\w)|[{KEPT}])")
_POWER = re.compile(POWER)

INVISIBLE = (
    "\u00ad\u034f\u061c\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f"
    "\ufeff\ufff9-\ufffb\U000e0100-\U000e01ef"
)
"""Class of joiners, soft hyphens, marks of direction, and selectors of variants."""

VOWELS = (
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u08d3-\u08e1\u08e3-\u08ff\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
)
"""Class of Arabic vowel signs and the tatweel, and of Hebrew points: hardly anybody writes them."""

PLAIN = {
    "İ": "I",
    **{c: " " + unicodedata.normalize("NFKC", c).replace("⁄", "/") for c in "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞⅟↉"},
    **dict(zip("㎟㎠㎡㎢㎣㎤㎥㎦", "mm² cm² m² km² mm³ cm³ m³ km³".split(), strict=True)),
}
"""Characters with a plain form of their own. A fraction is apart from the number before it."""

_FIRST = str.maketrans(PLAIN)
_INVISIBLE, _VOWELS = re.compile(f"[{INVISIBLE}]+"), re.compile(f"[{VOWELS}{INVISIBLE}]+")


def _compatible(text: str) -> str:
    if text.isascii():
        return _spelled_out(text)
    parts = _HELD.split(_INVISIBLE.sub("", text).translate(_FIRST))
    parts[::2] = [unicodedata.normalize("NFKC", _POWER.sub("^", part)) for part in parts[::2]]
    composed = unicodedata.normalize("NFC", "".join(parts))
    plain = _VOWELS.sub("", composed).replace("⁄", "/").replace("İ", "I")
    return _spelled_out(unicodedata.normalize("NFC", plain))


# --- Short writings

_POINT = re.compile(
    rf"\.(?<![\w.,;!?)\]}}…]\.)(?=\d+(?:{UNIT}|[km]?g|m?l|%)?(?!\w|\.\d))", re.IGNORECASE
)
"""Point of a decimal without a digit before it: .5, -.12, $.50; not of v.5 or .7z."""

_WITH = re.compile(
    r"(?<![\w/])(?:[wW]/(?:(?P<out>[oO](?:[uU][tT])?)(?!\w|\s*\d)|\s)|w/(?=[a-z]{3}))"
)
"""With and without: w/ view, w/o view; not W/m or 5 % w/w."""


def _spelled_out(text: str) -> str:
    return _WITH.sub(lambda w: "without" if w["out"] else "with ", _POINT.sub("0.", text))


# --- HTML, terminal colours, and UTF-8 that was read in another encoding

_INLINE = (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp "
    "small span strike strong sub sup time tt u var wbr"
)
_BLOCKS = (
    "address article aside audio blockquote body br button canvas caption center col colgroup dd "
    "details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr "
    "html iframe img input legend li link main map meta nav noscript object ol option p param picture "
    "pre section select source summary svg table tbody td template textarea tfoot th thead title tr "
    "track ul video"
)


def _tags(names: str, inside: str) -> re.Pattern[str]:
    both = "|".join(
        f"{names} {names.upper()}".split()
    )  # <Object> is more often a type in a program
    return re.compile(rf"</?(?:{both}){inside}\s*/?>")


_VALUE = r"""(?:"[^"]*"|'[^']*'|[^\s"'<>=`]+)"""
_ATTRIBUTES = (
    rf"(?:\s+(?:[\w:-]+\s*=\s*{_VALUE}|async|checked|controls|defer|disabled|hidden|selected))*"
)
_MARKUP = (
    (re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])?"), ""),
    (re.compile(r"<!--(?:(?!<!--).)*?-->|<!(?:doctype|DOCTYPE)\b[^<>]*>", re.DOTALL), " "),
    (re.compile(r"<(script|style)\b[^<>]*>(?:(?!<\1).)*?</\1\s*>", re.DOTALL | re.IGNORECASE), " "),
    (_tags(_INLINE, _ATTRIBUTES), ""),
    (_tags(_BLOCKS, _ATTRIBUTES), " "),
    (re.compile(r"!?\[([^\[\]]+)\]\((?:https?://|mailto:|[./#])[^()\s]*\)"), r"\1"),
    (re.compile(r"(?<![\w*])(\*{2,3})(?=[^\s*])([^*]+)(?<=[^\s*])\1(?![\w*])"), r"\2"),
)
"""Colours, HTML, links and bold words of Markdown, and what stays of each."""
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z]\w{1,31});")
_SUP = re.compile(r"<sup>\s*([+-]?\d+)\s*</sup>", re.IGNORECASE)
_RAISED = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_MARKED = re.compile(r"&#?\w+;|<[/!A-Za-z]|\x1b|\]\(|\*\*")
_ENCODINGS = ("latin-1", "cp1252", "cp1251")
_SECOND = "".join(bytes([c]).decode(e, "ignore") for e in _ENCODINGS for c in range(0x80, 0xC0))
_MISREAD = "Â-ôРС√", re.escape(_SECOND)
"""Classes of the first and of the second character of a sign of UTF-8 that was read wrongly."""
_MOJIBAKE = re.compile("[{}][{}]".format(*_MISREAD))


def _repaired(text: str) -> str:
    if not _MARKED.search(text):
        return _decoded(text)
    text = _SUP.sub(lambda found: found[1].translate(_RAISED), text)
    for pattern, instead in _MARKUP:
        text = pattern.sub(instead, text)
    text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    return _decoded(text)


def _decoded(text: str) -> str:
    """Return a text whose UTF-8 was read in another encoding as it was."""
    if _MOJIBAKE.search(text):
        from ftfy import badness, fix_encoding

        text = fix_encoding(text) if badness.is_bad(text) else text
    return text


def is_misread(text: str) -> bool:
    """Return whether a text is UTF-8 that was read in another encoding."""
    return _decoded(text) != text


def plain_text(text: str) -> str:
    """Return a text in its one form, see :func:`normalise_all`."""
    plain = not _places(text) and (text.isascii() or not _SUSPECT.search(text))
    return text if plain else _both_forms(text)[1]


def _both_forms(text: str) -> tuple[str, str]:
    """Return a text as it is after repairs alone, and in its one form."""
    first = now = _repaired(text)
    for _ in range(_PASSES):
        if (after := _compatible(_repaired(now))) == now:
            break
        now = after
    return first, now


# --- Many texts

_ORDINARY = (
    "\x00-\x7f¡-§©-¬®-±¶·»ª¨¯´¸º¿-įĴ-ľŁ-ňŊ-žƀ-ǃǍ-ǰǴ-ʯͰ-ͳ\u0376\u0377ͻ-ͽΆΈ-ϏϗϘ-ϯЀ-҂Ҋ-ԯ"
    "א-ת،؛؟ء-ؿف-ي٠-٭ٮٯٱ-ٴٹ-ۓ۰-ۿぁ-ゖァ-ヺー、-〕一-鿯가-힣ḁ-ẙẞ-ỿ‐‒-―‖‘-•‰-′‹›※₠-₧₩-₿™℠←-⇿∀-∫∮∱-⋿─-➿�\U0001f300-\U0001faff\U00020000-\U0002f7ff"
)
"""Class of characters that stay whatever is beside them."""

_EASY = "\x00-\x7fÀ-įĴ-ľŁ-ňŊ-őΑ-ΩΈ-ώА-Яа-яא-תぁ-ゖァ-ヺ一-鿯가-힣"
"""Class of the most frequent of these, for speed, without the second ones of ``_MISREAD``."""

_SUSPECT = re.compile(rf"[^{_EASY}](?:(?<=[^{_ORDINARY}])|(?<=[{_MISREAD[0]}][{_MISREAD[1]}]))")

_CUES = [
    (re.compile(cue), pattern)
    for pattern, cues in ((_POINT, r"\.\d"), (_WITH, "w/ W/"), (_MARKED, r"& < \x1b \]\( \*\*"))
    for cue in cues.split()
]
"""How each thing that changes begins, which is found fast, and its pattern."""

DOUBTFUL = (rf"[{_MISREAD[0]}.wW\]*]", rf"[{_MISREAD[1]}\d/(*]", rf"[&<\x1b]|[^{_ORDINARY}]")
"""As classes what _CUES and _SUSPECT find: the first and the second of two characters, and one alone."""


def _places(text: str) -> list[int]:
    """Return the places, in any order, at which a text of plain characters may change."""
    return [m.start() for cue, p in _CUES for m in cue.finditer(text) if p.match(text, m.start())]


def normalise_all(texts: Sequence[str]) -> Sequence[str]:
    """Return texts in the form in which all models read them; the sequence itself if none changes.

    A second time changes nothing. A warning names the first text with HTML, Markdown, colours or
    misread UTF-8, once per process.
    """
    try:
        places = _places("\0".join(texts))
    except TypeError:  # whoever needs strings says which value is none
        return texts
    rows = {n for n, text in enumerate(texts) if not text.isascii() and _SUSPECT.search(text)}
    ends = [*accumulate(len(text) + 1 for text in texts)] if places else []
    rows.update(bisect_right(ends, place) for place in places)
    changed = [*texts] if rows else []
    for row in sorted(rows):
        repaired, changed[row] = _both_forms(texts[row])
        if repaired != texts[row]:
            _warn(texts[row], repaired)
    return changed or texts


def _warn(text: str, repaired: str) -> None:
    both = enumerate(zip(text, repaired, strict=False))
    begin = max(0, next((place for place, (a, b) in both if a != b), 0) - 20)
    warn_once(
        "repaired",
        "some texts hold HTML, Markdown, terminal colours or misread UTF-8, repaired before they are "
        f"compared: {example_of(text[begin:])} is read as {example_of(repaired[begin:])}",
    )
