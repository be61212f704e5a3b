"""TMX files of other programs are read with care."""

from __future__ import annotations

from pathlib import Path

import pytest

from semaniacs.sts.errors import DataError
from semaniacs.sts.translation import Translation
from semaniacs.sts.translation.memory import Entry
from semaniacs.sts.translation.tmx import read


def write(folder: Path, text: str) -> Path:
    path = folder / "theirs.tmx"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_tmx_of_another_program_is_understood(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4">\n'
        '<header srclang="EN-US" creationtool="other"><prop type="x">y</prop></header><body>\n'
        "<tu><note>n</note>\n"
        '<tuv xml:lang="fr"><seg>La <ph x="1">&lt;br/><sub>x</sub></ph>maison</seg></tuv>\n'
        '<tuv xml:lang="EN-GB"><seg>The <hi>house</hi></seg></tuv>\n'
        '<tuv lang="es"><seg>La casa</seg></tuv></tu>\n'
        '<tu srclang="*all*"><tuv xml:lang="es"><seg>uno</seg></tuv>'
        '<tuv xml:lang="en"><seg>one</seg></tuv></tu>\n</body></tmx>\n',
    )
    assert list(read(path, "other")) == [
        Entry("other", "imported", "en", "fr", "The house", Translation("La maison")),
        Entry("other", "imported", "en", "es", "The house", Translation("La casa")),
        Entry("other", "imported", "es", "en", "uno", Translation("one")),
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8-sig"])
def test_a_tmx_file_may_be_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "all.tmx"
    name = encoding.removesuffix("-sig")
    text = (
        f'<?xml version="1.0" encoding="{name}"?><tmx><tu srclang="es">'
        '<tuv xml:lang="es"><seg>el año</seg></tuv>'
        '<tuv xml:lang="en"><seg>the &amp; year</seg></tuv></tu></tmx>'
    )
    path.write_bytes(text.encode(encoding))
    expected = Entry("deepl", "imported", "es", "en", "el año", Translation("the & year"))
    assert list(read(path, "deepl")) == [expected]


ENTITY = (
    '<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]><tmx><tu><tuv>&a;</tuv></tu></tmx>'
)
BOMB = (
    "<!DOCTYPE tmx ["
    + f'<!ENTITY a0 "{"ha" * 500}">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9))
    + ']><tmx><tu><tuv xml:lang="es"><seg>&a8;</seg></tuv></tu></tmx>'
)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"theirs\.tmx:1: not well-formed XML \(no element found"),
        ("<tmx>\n<body><tu></body></tmx>", r"theirs\.tmx:2: not well-formed XML \(mismatched tag"),
        ("<html></html>", r"theirs\.tmx: the file begins with <html>; expected <tmx>"),
        ('<?xml version="1.0" encoding="none"?><tmx/>', r"theirs\.tmx:1: not well-formed"),
        ("<tmx><tu><tuv><seg>a</seg></tuv></tu></tmx>", r"<tu> 1: a <tuv> without xml:lang"),
        ('<tmx><tu><tuv xml:lang="es"/></tu></tmx>', r"<tu> 1: .* without <seg>"),
        (ENTITY, "undefined entity &a"),
        (BOMB, "limit on input amplification"),
    ],
)
def test_a_bad_tmx_file_is_refused(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        list(read(write(tmp_path, text), "fake"))


def test_units_in_one_language_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path, '<tmx><tu><tuv xml:lang="es"><seg>a</seg></tuv></tu></tmx>')
    with pytest.warns(UserWarning, match=r"theirs\.tmx: 1 units have no translation"):
        assert list(read(path, "fake")) == []
