"""TMX and TSV: what goes out comes back, and what comes from others is read with care."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts.errors import DataError, StsError
from sts.translation import Translation
from sts.translation.memory.exchange import read_entries, write_entries
from sts.translation.memory.store import Entry
from tests.sts.translation.fakes import entry

NASTY = [
    "",
    " a  b ",
    "tab\there",
    "two\nlines\r\nthree\rfour",
    "back\\slash \\t \\u0000 \\",
    "<b>&amp;</b> \"quoted\" 'single' ]]> <!-- -->",
    "nul\0 bell\x07 escape\x1b",
    "half \ud800 of a pair, \udfff and \\ too",
    "\ufffe\uffff\ufdd0",
    "\x85\u2028\u2029\x7f",
    "año 😀 汉字",
]

any_text = st.one_of(st.text(st.characters(codec=None), max_size=20), st.sampled_from(NASTY))
any_entry = st.builds(
    Entry,
    provider=any_text.filter(bool),
    version=any_text,
    source=st.sampled_from(["es", "zh-CN"]),
    target=st.sampled_from(["en", "pt-BR"]),
    text=any_text,
    translation=st.builds(Translation, any_text, st.lists(any_text, max_size=3).map(tuple)),
)


@pytest.mark.parametrize("ending", [".tmx", ".tsv", ".TMX"])
@given(entries=st.lists(any_entry, max_size=5))
def test_any_entry_comes_back_exactly(
    tmp_path_factory: pytest.TempPathFactory, ending: str, entries: list[Entry]
) -> None:
    path = tmp_path_factory.mktemp("exchange") / f"all{ending}"
    write_entries(path, entries)
    assert read_entries(path) == entries


@pytest.mark.parametrize("ending", [".tmx", ".tsv"])
def test_nasty_texts_come_back_exactly(tmp_path: Path, ending: str) -> None:
    entries = [entry(text, text[::-1], *text.split(" ")) for text in NASTY]
    write_entries(tmp_path / f"all{ending}", entries)
    assert read_entries(tmp_path / f"all{ending}") == entries


def test_a_tmx_file_says_what_the_standard_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "all.tmx"
    write_entries(path, [entry("El zorglub & yo.", "The zorglub & I.", "zorglub")])
    root = ElementTree.parse(path).getroot()
    assert (root.tag, root.get("version")) == ("tmx", "1.4")
    header = root.find("header")
    assert header is not None
    assert set(header.keys()) == set(
        "creationtool creationtoolversion segtype o-tmf adminlang srclang datatype".split()
    )
    (unit,) = root.iterfind("body/tu")
    assert unit.get("srclang") == "es"
    assert [child.tag for child in unit] == ["prop", "prop", "prop", "tuv", "tuv"]
    assert [prop.text for prop in unit.iter("prop")] == ["fake", "1", "zorglub"]
    language = "{http://www.w3.org/XML/1998/namespace}lang"
    assert [variant.get(language) for variant in unit.iter("tuv")] == ["es", "en"]
    assert [seg.text for seg in unit.iter("seg")] == ["El zorglub & yo.", "The zorglub & I."]


def test_what_xml_cannot_hold_is_spelt_out(tmp_path: Path) -> None:
    path = tmp_path / "all.tmx"
    write_entries(path, [entry("a\0\\b \ud800", "x"), entry("a\\b", "x")])
    texts = [seg.text for seg in ElementTree.parse(path).iter("seg")]
    assert texts == ["a\\u0000\\\\b \\ud800", "x", "a\\b", "x"]


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
    assert read_entries(path, "other") == [
        Entry("other", "imported", "en", "fr", "The house", Translation("La maison")),
        Entry("other", "imported", "en", "es", "The house", Translation("La casa")),
        Entry("other", "imported", "es", "en", "uno", Translation("one")),
    ]
    with pytest.raises(DataError, match=r"theirs\.tmx:5: an entry names no provider; .*--provider"):
        read_entries(path)


@pytest.mark.parametrize("encoding", ["utf-16", "iso-8859-1", "utf-8-sig"])
def test_a_tmx_file_may_be_in_another_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "all.tmx"
    name = "utf-8" if encoding == "utf-8-sig" else encoding
    write_entries(path, [entry("el año", "the year")])
    text = path.read_text(encoding="utf-8").replace('encoding="UTF-8"', f'encoding="{name}"')
    path.write_bytes(text.encode(encoding))
    assert read_entries(path) == [entry("el año", "the year")]


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
        read_entries(path, "fake")


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
        read_entries(path, "fake")


def test_units_in_one_language_are_left_out_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "lone.tmx"
    path.write_text('<tmx><tu><tuv xml:lang="es"><seg>a</seg></tuv></tu></tmx>')
    with pytest.warns(UserWarning, match=r"lone\.tmx: 1 units have no translation"):
        assert read_entries(path, "fake") == []


def test_a_tsv_file_has_one_line_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "all.tsv"
    write_entries(path, [entry("a\tb\nc\\", "d\ud800", "x", "y"), entry("e", "f")])
    assert path.read_text(encoding="utf-8") == (
        "provider\tversion\tsource\ttarget\ttext\ttranslation\tuntranslated\n"
        "fake\t1\tes\ten\ta\\tb\\nc\\\\\td\\ud800\tx\ty\n"
        "fake\t1\tes\ten\te\tf\n"
    )


def test_a_tsv_file_may_have_fewer_columns(tmp_path: Path) -> None:
    path = tmp_path / "some.tsv"
    path.write_text("text\ttranslation\tsource\ttarget\nuno\tone\tes\ten\n")
    expected = Entry("deepl", "imported", "es", "en", "uno", Translation("one"))
    assert read_entries(path, "deepl") == [expected]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"bad\.tsv:1: the header is ''; expected the columns provider, version, source"),
        ("source\ttext\n", r"bad\.tsv:1: the header"),
        ("source\ttarget\ttext\ttranslation\tuntranslated\tversion\n", r":1: the header"),
        ("source\ttarget\ttext\ttranslation\tmore\n", r"bad\.tsv:1: the header"),
        ("source\ttarget\ttext\ttranslation\nes\ten\ta\n", r"bad\.tsv:2: 3 columns; expected 4"),
        ("source\ttarget\ttext\ttranslation\nes\ten\ta\tb\tc\n", r":2: 5 columns; expected 4"),
        ("source\ttarget\ttext\ttranslation\nes\ten\ta\\x\tb\n", r":2: a backslash before 'x'"),
        ("source\ttarget\ttext\ttranslation\nes\ten\ta\\\tb\n", r":2: a backslash before ''"),
    ],
)
def test_a_bad_tsv_file_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.tsv"
    path.write_text(text)
    with pytest.raises(DataError, match=says):
        read_entries(path, "fake")


def test_the_ending_tells_the_format(tmp_path: Path) -> None:
    with pytest.raises(StsError, match=r"all\.txt: .* name a \.tmx or a \.tsv file"):
        write_entries(tmp_path / "all.txt", [])
    with pytest.raises(DataError, match=r"none\.tmx: no such file"):
        read_entries(tmp_path / "none.tmx")
    with pytest.raises(DataError, match=r"cannot be read"):
        (tmp_path / "folder.tmx").mkdir()
        read_entries(tmp_path / "folder.tmx")
