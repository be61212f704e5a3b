"""TMX files of other programs are read with care."""

from __future__ import annotations

from pathlib import Path

import pytest

from sts.errors import DataError
from sts.translation import Translation
from sts.translation.memory import Entry
from sts.translation.tmx import read


def test_another_programs_tmx_is_understood(tmp_path: Path) -> None:
    path = tmp_path / "theirs.tmx"
    path.write_text(
        '<?xml version="1.0"?>\n<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx version="1.4">\n'
        '<header srclang="EN-US" creationtool="other"><prop type="x">y</prop></header><body>\n'
        "<tu><note>n</note>\n"
        '<tuv xml:lang="fr"><seg>La <ph x="1">&lt;br/></ph>maison</seg></tuv>\n'
        '<tuv xml:lang="EN-GB"><seg>The <hi>house</hi></seg></tuv>\n'
        '<tuv lang="es"><seg>La casa</seg></tuv></tu>\n'
        '<tu srclang="*all*"><tuv xml:lang="es"><seg>uno</seg></tuv>'
        '<tuv xml:lang="en"><seg>one</seg></tuv></tu>\n</body></tmx>\n'
    )
    assert list(read(path, "other")) == [
        Entry("other", "imported", "en", "fr", "The house", Translation("La maison")),
        Entry("other", "imported", "en", "es", "The house", Translation("La casa")),
        Entry("other", "imported", "es", "en", "uno", Translation("one")),
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8-sig"])
def test_a_tmx_file_may_be_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "all.tmx"
    name = "utf-8" if encoding == "utf-8-sig" else encoding
    text = (
        f'<?xml version="1.0" encoding="{name}"?><tmx><tu srclang="es">'
        '<tuv xml:lang="es"><seg>el año</seg></tuv>'
        '<tuv xml:lang="en"><seg>the &amp; year</seg></tuv></tu></tmx>'
    )
    path.write_bytes(text.encode(encoding))
    expected = Entry("deepl", "imported", "es", "en", "el año", Translation("the & year"))
    assert list(read(path, "deepl")) == [expected]


BOMB = (
    '<!DOCTYPE tmx [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<tmx version="1.4"><body>'
    '<tu><tuv xml:lang="es"><seg>&b;</seg></tuv></tu></body></tmx>'
)


@pytest.mark.parametrize(
    "text",
    [
        BOMB,
        BOMB.replace('"ha"', 'SYSTEM "file:///etc/passwd"'),
        BOMB.replace("<!ENTITY a", "<!ENTITY % a"),
        '<!DOCTYPE tmx SYSTEM "http://example.com/tmx14.dtd">\n<tmx version="1.4"><body>'
        '<tu><tuv xml:lang="es"><seg>&nbsp;</seg></tuv></tu></body></tmx>',
    ],
)
def test_entities_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bomb.tmx"
    path.write_text(text)
    with pytest.raises(DataError, match=r"bomb\.tmx:[12]: the file declares or uses entities"):
        list(read(path, "fake"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"bad\.tmx:1: not well-formed XML \(no element found"),
        ("<tmx>\n<body><tu></body></tmx>", r"bad\.tmx:2: not well-formed XML \(mismatched tag"),
        ("<html></html>", r"bad\.tmx:1: the file begins with <html>; expected <tmx>"),
        ('<?xml version="1.0" encoding="none"?><tmx/>', r"bad\.tmx:1: not well-formed"),
        ("<tmx>\n\n<tu><tuv><seg>a</seg></tuv></tu></tmx>", r"bad\.tmx:3: a <tuv> without xml:l"),
        ('<tmx>\n<tu><tuv xml:lang="es"/></tu></tmx>', r"bad\.tmx:2: .* without <seg>"),
    ],
)
def test_a_bad_tmx_file_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.tmx"
    path.write_text(text)
    with pytest.raises(DataError, match=says):
        list(read(path, "fake"))


def test_units_in_one_language_are_left_out_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "lone.tmx"
    path.write_text('<tmx><tu><tuv xml:lang="es"><seg>a</seg></tuv></tu></tmx>')
    with pytest.warns(UserWarning, match=r"lone\.tmx: 1 units have no translation"):
        assert list(read(path, "fake")) == []
