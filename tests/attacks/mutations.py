"""Bytes changed by chance: flipped, cut, repeated, and with what programs stumble over put in."""

from __future__ import annotations

from random import Random

TOKENS = (
    b"", b"\0", b"\n", b"\r\n", b"\t", b'"', b"'", b"\\", b",", b";", b"{", b"}", b"[", b"]", b"<", b">", b"&",
    b"null", b"true", b"NaN", b"-Infinity", b"1e999", b"-1", b"0", b"99", b'"99"', b"9" * 400, b"9" * 5000,
    b"2147483648", b"18446744073709551616", b"[" * 2000, b'{"a":' * 2000, b"<a>" * 200, b"\xff", b"\xfe\xff",
    b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b"\xc2\x9b2J", b"\x1b]0;x\x07", b"\xe2\x80\xa8",
    b"__metadata__", b"dtype", b"F64", b"I64", b"shape", b"../../etc/passwd", b"/dev/zero", b"\x1f\x8b", b"PK\3\4",
    b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80",
)  # fmt: skip
"""What is put in."""


def mutated(raw: bytes, random: Random) -> bytes:
    """``raw`` after one to four changes, most of them small."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        raw = random.choice(_CHANGES)(raw, random)
    return raw


def _place(raw: bytes, random: Random) -> int:
    """Somewhere, as often as not near the beginning, where headers are."""
    end = len(raw) if random.random() < 0.5 else min(len(raw), 200)
    return random.randrange(end + 1)


def _flip(raw: bytes, random: Random) -> bytes:
    place = _place(raw, random)
    if place >= len(raw):
        return raw
    return raw[:place] + bytes([raw[place] ^ 1 << random.randrange(8)]) + raw[place + 1 :]


def _put(raw: bytes, random: Random) -> bytes:
    place = _place(raw, random)
    return raw[:place] + random.choice(TOKENS) + raw[place + random.choice((0, 0, 1, 4)) :]


def _cut(raw: bytes, random: Random) -> bytes:
    return raw[: _place(raw, random)]


def _drop(raw: bytes, random: Random) -> bytes:
    place = _place(raw, random)
    return raw[:place] + raw[place + random.choice((1, 2, 8, 64)) :]


def _repeat(raw: bytes, random: Random) -> bytes:
    place = _place(raw, random)
    part = raw[place : place + random.choice((1, 8, 64, 512))]
    return raw[:place] + part * random.choice((2, 3, 9)) + raw[place:]


def _swap(raw: bytes, random: Random) -> bytes:
    """A word of the text, a number for example, replaced by something else."""
    words = raw.split(b":")
    if len(words) < 2:
        return _put(raw, random)
    place = random.randrange(1, len(words))
    inside = words[place].lstrip()
    end = next((i for i, byte in enumerate(inside) if byte in b",}]\n<"), len(inside))
    words[place] = random.choice(TOKENS) + inside[end:]
    return b":".join(words)


_CHANGES = (_flip, _flip, _put, _put, _cut, _drop, _repeat, _swap, _swap)
