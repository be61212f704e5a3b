"""Signs: by their names for a network without emoji, and as what two texts may differ in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

_FIRST = "\u2100"  # signs before it, such as ©, are in every vocabulary


def name_signs(text: str) -> str:
    """Return a text with emoji and other symbols replaced by their names: ``face with tears of joy``.

    Signs that colour the one before them are left out.
    """
    if text.isascii():
        return text
    return " ".join("".join(map(_named, text)).split())


def _named(sign: str) -> str:
    if sign < _FIRST:
        return sign
    name = f" {unicodedata.name(sign, '').lower()} "
    return {"So": name, "Sk": ""}.get(unicodedata.category(sign), sign)


# Signs that change the meaning of a text

_FIRST_PICTURE = "\u2190"  # symbols before it, such as © and ™, change nothing


class Sign(NamedTuple):
    """A sign and the word or number that it belongs to; ``of`` is empty if it is alone."""

    sign: str
    of: str


_NUMBER = r"\d(?:[\d.,]*\d)?"
_MONEY = "$€£¥₹"
_IONS = "A[gl]|B[ar]|C[alu]|Fe|Hg|Li|Mg|Na|OH|Pb|Zn"
_PATTERN = re.compile(
    rf"""
      (?<!\w)(?P<face>[:;=]['’]?-?[()\[\]DPp|/\\]|<3)(?=$|[\s.,!?])
    | (?:(?<==)|(?<==[ ]))(?P<quote>['"])(?=(?P<quoted>\w+)['"])
    | (?<![<>~=-])(?P<compared>[<>=!]=|=[<>]|[≤≥≠≈]|[<>=~](?=\s*[\d.{_MONEY}-])|(?<=\s)[<>=](?=\s))
    | (?<!\w)(?P<word>\w+)(?P<ending>\+\+|\#)(?![\w#])
     | (?<!\w)(?P<model>[^\W\d_]+\d+)(?P<plus>\+)(?![\w+])
    | (?<!\w)(?P<grade>[A-Z]|(?:{_IONS})\d?)(?P<mark>[+-])(?![\w+-])
    | (?:^|(?<=[\s(:=<>]))(?P<turn>[-−])(?=[{_MONEY}]?\.?(?P<turned>{_NUMBER}))
    | (?:^|(?<=[\s(=,]))(?P<minus>[-−])(?=(?P<negated>(?![AIaeoyà]\s+\w)[^\W\d_])(?![\w'’.-]\w|\w))
    | (?<![\w!])(?P<not>!)(?=(?P<denied>[a-z_]\w*))
    | (?:^|(?<=[\s("'=]))(?P<path>\.\.?/(?=\w)|~?/(?=\w+/))(?=(?P<root>\w+))
    | (?:^|(?<=\s))(?P<box>\[[ xX]?\])(?=\s)
    | (?P<list>[\[{{(])(?=\s*(?P<item>\d+)\s*,\s*\d[\d\s,.]*[\]}})])
    | (?<=\w)(?P<bracket>[\[{{(])(?=(?!s\))\w+[\]}})])
    | (?<=\d)(?P<prime>″|''|′′?|['’"”](?!\w))
    | (?<=\w)(?P<power>\^-?\w+)
    | (?<![<-])(?P<arrow>--?>|→)
    | (?<=[\w)\]])(?P<gap>[ ]?)(?P<between>//|[-+*×·⋅÷/:−])(?P=gap)(?=[\w(])
    | (?P<before>[{_MONEY}])[ ]?(?P<what>{_NUMBER})
    | (?<!\d)(?<!\d[.,])(?P<number>{_NUMBER})[ ]?(?P<after>[%‰{_MONEY}])
    | (?P<set>[∀-∑∓-∖√-∻∽-≇≉-≟≡-≣≦-⋄⋆-⋿])
    | (?P<ask>\?)["'”’)]*\s*$
    """,
    re.VERBOSE,
)
_TURNED_ALONE = re.compile(rf"(?:^|[:=])\s*(?:[-−]\s+|\()[{_MONEY}]?({_NUMBER})\)?\s?%?\s?\.?\s*$")
"""A number alone after a minus with a blank, or in the brackets of an accountant."""

_ASKING = re.compile(
    r"\W*(?:who|what|when|where|which|why|how|whose|whom|is|are|am|was|were|does?|did|can|could|will"
    r"|would|shall|should|may|might|must|has|have|had)\b",
    re.IGNORECASE,
)
_MAY_HOLD = re.compile(r"""[-+<>=!^~:;(\[{?#$%*/]|\d['"]|[^\x00-\x7f]""")
_WRITTEN = (
    "→ -> --> | ≤ <= =< | ≥ >= => | ≠ != | = == | - − | * × · ⋅ | / ÷ : | ' ′ ’ | \" ″ ′′ '' ” | ☐ [] | "
    "✓ ✔ ✅ ☑ [x] [X] | ✗ ✘ ❌ ✖ ☒ | <3 ❤ ♥ 💕 💖"
)
_ALIKE = {sign: some.split()[0] for some in _WRITTEN.split("|") for sign in some.split()}
"""Signs that are written in several ways, each with the first of them."""

_OF = "quoted word model grade turned negated denied root item what number".split()
"""Groups of the pattern that hold what a sign belongs to; the others hold the sign."""

_NAMES = [name for name in _PATTERN.groupindex if name not in (*_OF, "gap")]
_BEFORE, _BEHIND = re.compile(r"(\w*)[)\]]?\s*$"), re.compile(r"\s*[(\[]?(\w*)")
_FORMULA = re.compile(r"[=≈≠≤≥]")
_TURNED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
_QUOTED = re.compile(r"""(?:^|[\s(])['"‘“„]\w""")
_HAPPY = re.compile(r"[:;=]['’]?-?[)\]DPp]")


@lru_cache(maxsize=1 << 14)
def signs(text: str) -> frozenset[Sign]:
    """Return the signs of a text that change its meaning.

    They are the minus of a number, an accountant's brackets, comparison marks, what ends
    C++, C# and A-, powers, operators with blanks around, currencies, per cent, emoticons, emoji
    and other symbols, and the question mark of what does not begin like a question. Hyphens, dashes
    and the bullets of a list are none.
    """
    return frozenset(_signs(text)) if _MAY_HOLD.search(text) else frozenset()


def _signs(text: str) -> Iterator[Sign]:
    formula, quoted = bool(_FORMULA.search(text)) and "://" not in text, bool(_QUOTED.search(text))
    for found in _PATTERN.finditer(text):
        part = found.groupdict()
        sign = next(filter(None, map(part.get, _NAMES)))
        of = next(filter(None, map(part.get, _OF)), "")
        if part["face"]:
            yield Sign("<3" if sign == "<3" else ":)" if _HAPPY.match(sign) else ":(", "")
        elif part["compared"] or part["arrow"] or part["between"]:
            yield from _between(found, _ALIKE.get(sign, sign), formula)
        elif part["bracket"] or (part["prime"] and not quoted):
            yield Sign(_ALIKE.get(sign, sign), _operands(found)[0])
        elif not (part["prime"] or (part["ask"] and _ASKING.match(text))):
            sign = "“" if part["quote"] else sign.replace(" ", "")
            yield Sign(_ALIKE.get(sign, sign), of if part["grade"] else of.lower())
    if alone := _TURNED_ALONE.search(text):
        yield Sign("-", alone[1])
    if not text.isascii():
        yield from (Sign(_ALIKE.get(s, s), "") for s in text if _is_picture(s))


def _operands(found: re.Match[str]) -> tuple[str, str]:
    """Return the words before and behind a sign, in small letters."""
    text, (start, end) = found.string, found.span()
    words = _BEFORE.search(text[max(0, start - 24) : start]), _BEHIND.match(text[end : end + 24])
    one, other = (word[1].lower() if word else "" for word in words)
    return one, other


def _between(found: re.Match[str], sign: str, formula: bool) -> Iterator[Sign]:
    """Yield a sign between two operands, and if these cannot be exchanged, the first with it.

    A smaller number before a sign is turned: 5 < x is x > 5, and a < b is b > a.
    """
    one, other = _operands(found)
    named = not one[:1].isdigit() and other[:1].isalpha()
    if found["compared"]:
        if sign in _TURNED and other[:1].isalpha() and (not named or (one and sign in "<≤")):
            one, other, sign = other, one, _TURNED[sign]
        ordered = named and sign in _TURNED
    elif found["arrow"]:
        ordered = True
    elif _is_operator(found["between"], one, other, bool(found["gap"]), formula):
        ordered = sign in ("-", "/", "//") and (formula or named)
    else:
        return
    if not found["arrow"]:
        yield Sign(sign, "")
    if ordered and one:
        yield Sign(f" {sign}", one)


def _is_operator(sign: str, one: str, other: str, spaced: bool, formula: bool) -> bool:
    """Return whether a sign between two words calculates: not in and/or, 10:30 or 3-5."""
    letters = len(one) < 2 and len(other) < 2 and not (one + other).isdigit()
    if not spaced:
        return (sign == "//" and letters) or (formula and (letters or sign in "+*×"))
    if sign in "-−" and not formula:
        return (len(one) < 2 or one[-1].isdigit()) and (len(other) < 2 or other.isdigit())
    return sign in "+*×÷" or formula or letters


_SERIOUS = re.compile(
    "CHECK|CROSS|THUMBS|ANGRY|POUTING|CRYING|DISAPPOINTED|FROWN|PENSIVE|WEARY|BROKEN|SKULL|WARNING|"
    "NO ENTRY|PROHIBIT|ARROW|STAR"
)
"""Words in the names of pictures that say something of their own."""


def without_decoration(left: str, right: str) -> tuple[str, str]:
    """Return two texts without the pictures that decorate one of them, if the other has no picture."""
    plain = left.isascii() and right.isascii()
    adorned = [any(map(_is_picture, text)) for text in (left, right)] if not plain else [False] * 2
    if adorned[0] == adorned[1]:
        return left, right
    bare = ["".join(sign for sign in text if not _decorates(sign)) for text in (left, right)]
    return (left, right) if not (bare[0].strip() and bare[1].strip()) else (bare[0], bare[1])


def _is_picture(sign: str) -> bool:
    return _FIRST_PICTURE <= sign != "\ufffd" and unicodedata.category(sign) == "So"


@cache
def _decorates(sign: str) -> bool:
    """Whether it is a picture without a message of its own, or the colour of a picture."""
    if sign < _FIRST_PICTURE:
        return False
    colour = unicodedata.category(sign) == "Sk" and sign > "\uffff"
    return colour or (_is_picture(sign) and not _SERIOUS.search(unicodedata.name(sign, "")))
