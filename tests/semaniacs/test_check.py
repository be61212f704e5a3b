"""Translations that contradict each other: flagged, explained word by word, and scored lower."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import semaniacs
from semaniacs.cli import semaniacs as command
from semaniacs.features.cross_language import contradictions
from semaniacs.sts.errors import DataError, StsError

UNITS = (
    ("en", "de", "The price is 15 euros.", "Der Preis beträgt 50 Euro.", "numbers: 15 ↔ 50"),
    ("en", "es", "It was not signed by Maria.", "Fue firmado.", "negated: left only; names: Maria"),
    ("en", "fr", "Yes.", "Oui, mais il faut que tout le monde soit d'accord.", "length: 4 and 50"),
    ("en", "es", "The dog sleeps in Germany.", "El perro duerme en Alemania.", ""),
    ("en", "de", "Not yet done.", "", None),
    ("en", "de", "Hello {name}!", "Hallo {Name}!", "placeholders: {name} ↔ {Name}"),
    ("en", "de", "Please restart now.", "Please restart now", "not translated"),
    ("en", "de", "Copyright Acme Tools", "Copyright Acme Tools", ""),
    ("en", "de", "www.example.com/foo/bar", "www.example.com/foo/bar", ""),
    ("en", "de", "Settings", "Settings", "not translated"),
    ("en", "de", "Software", "Software", ""),
    ("en", "de", "Row {1} of [[all]]", "Zeile von [[all]]", "placeholders: {1} ↔ none"),
    ("en", "de", "Seen on 4 May.", "Gesehen am 4. Mai.", ""),
)


def read(name: str) -> list[list[str]]:
    """Rows of a table beside this file."""
    lines = Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines[1:]]


def call(*arguments: object) -> str:
    ended = CliRunner().invoke(command, [*map(str, arguments)], catch_exceptions=False)
    assert ended.exit_code == 0
    return ended.stdout


def test_the_worst_translations_come_first_with_their_flags(tmp_path: Path) -> None:
    units = "".join(
        f'<tu tuid="m{n}"><tuv xml:lang="{one}"><seg>{left}</seg></tuv>'
        f'<tuv xml:lang="{other}"><seg>{right}</seg></tuv></tu>'
        for n, (one, other, left, right, _) in enumerate(UNITS, 1)
    )
    (tmp_path / "m.tmx").write_text(f'<tmx><header srclang="en"/>{units}</tmx>')
    call("check", tmp_path / "m.tmx", "-o", tmp_path / "worst.json")
    found = json.loads((tmp_path / "worst.json").read_text())
    assert [row["flags"] for row in found[:2]] == ["not translated"] * 2
    ranks = [row["score"] - len([*filter(None, row["flags"].split("; "))]) for row in found[2:]]
    assert ranks == sorted(ranks)
    flags = {row["unit"]: row["flags"] for row in found}
    wanted = {number: flag for number, (*_, flag) in enumerate(UNITS, 1) if flag is not None}
    assert flags.keys() == wanted.keys()
    assert all(flags[unit].startswith(flag) for unit, flag in wanted.items())
    assert flags[4] == ""
    (tmp_path / "m.dat").write_bytes(gzip.compress((tmp_path / "m.tmx").read_bytes()))
    asked = "--input-format", "tmx", "--top", 1, "--languages", "en-GB", "es"
    people = call("check", tmp_path / "m.dat", *asked)
    assert "  unit 2 m2  negated: left only; names: Maria" in people.splitlines()[0]


def test_xliff_names_its_languages_and_keeps_its_codes(tmp_path: Path) -> None:
    sides = [
        ('Hello <ph id="1">%d</ph>', "Hallo"), ('Press <x id="2"/> now', "Jetzt drücken"),
        ("The lamp blinks", "The lamp blinks"), ("Not yet", ""),
    ]  # fmt: skip
    units = "".join(
        f'<trans-unit id="u{n}"><source>{one}</source><target>{other}</target></trans-unit>'
        for n, (one, other) in enumerate(sides)
    )
    text = f'<xliff><file source-language="en-GB"><body>{units}</body></file></xliff>'
    (tmp_path / "m.xlf").write_text(text.replace("<target>", '<target xml:lang="de">'))
    call("check", tmp_path / "m.xlf", "-o", tmp_path / "worst.json")
    found = {row["id"]: row for row in json.loads((tmp_path / "worst.json").read_text())}
    assert next(iter(found)) == "u2"
    assert found["u2"]["flags"] == "not translated"
    assert found["u0"]["flags"] == "placeholders: %d ↔ none"
    assert found["u1"]["left"] == "Press <x 2> now"
    assert len(found) == 3


def test_a_report_of_a_table_keeps_its_lines_and_columns(tmp_path: Path) -> None:
    table = tmp_path / "m.csv"
    table.write_text("id,en,de\na,,Ja\nb,<b>Two</b> dogs,Drei Hunde\n")
    sides = "--left", "en", "--right", "de", "--languages", "en", "de", "--missing", "skip"
    call("check", table, *sides, "-o", tmp_path / "worst.json")
    (found,) = json.loads((tmp_path / "worst.json").read_text())
    assert (found["line"], found["id"], found["en"]) == (3, "b", "<b>Two</b> dogs")
    assert found["flags"].startswith("numbers: two ↔ drei; ")
    assert found["flags"].endswith("; placeholders: <b>, </b> ↔ none")
    ended = CliRunner().invoke(command, ["check", str(table), "-o", str(table)])
    assert "are the same" in str(ended.exception)


ROWS = (
    ("Store it in a dry place.", "Store it in a dry place.", "not translated"),
    ("Wash your hands before eating.", "Lávese las manos antes de comer.", "language: es, not de"),
    ("The lid must be shut.", "Il coperchio deve essere chiuso.", "language: other, not de"),
    ("Use the remote now.", "Bitte use the remote control now jetzt hier sofort bei Ihnen zu Hause "
     "und in Ihrem Garten.", "language: en in “use the remote control now”"),
    ("The seller pays.", "Der Käufer zahlt.", "opposite: seller ↔ Käufer"),
    ("It opens next year.", "Es hat letztes Jahr eröffnet.", "opposite: next year ↔ letztes Jahr"),
    ("He flew to Austria.", "Er flog nach Australien.", "opposite: Austria ↔ Australien"),
    ("Please tell the customer about any delay.", "Bitte sagen Sie dem Kunden bei der", "cut: der …"),
    ("Please tell the customer about any delay.", "Bitte sagen Sie", "cut: Sie …"),
    ("He was sent to Beijing and Hungary.", "Er wurde nach Peking und Ungarn geschickt.", ""),
    ("The VAT was paid in the Ivory Coast.", "Die MwSt. wurde an der Elfenbeinküste gezahlt.", ""),
    ("The museum is closed on Mondays.", "Das Museum ist montags geschlossen.", ""),
    ("The door is not open.", "Die Tür ist geschlossen.", "negated: left only"),
    ("The engine runs.", "Le moteur tourne.", "language: fr, not de"),
    ("The engine is on.", "Il motore è acceso.", "language: other, not de"),
    ("User manual", "User manual", "not translated"),
    ("The New York Times", "The New York Times", ""),
    ("The cafÃ© is open.", "Das Café ist geöffnet.", "damaged: cafÃ©"),
    ("The kids are happy.", "Die Kinder sind gl?cklich.", "damaged: gl?cklich."),
    ("Is it? Yes, see www.a.de/?q=1", "Ist es so? Ja, siehe www.a.de/?q=1", ""),
    *[("The dog sleeps in the garden.", "Der Hund schläft im Garten.", "")] * 20,
)  # fmt: skip


def test_a_report_is_written_as_its_table_is(tmp_path: Path) -> None:
    table, report = tmp_path / "m.csv", tmp_path / "worst.csv"
    table.write_bytes("Nr;Englisch;Deutsch\n1;A dog;Ein Hündchen\n".encode("cp1252"))
    sides = "--left", "Englisch", "--right", "Deutsch", "--languages", "en", "de"
    call("check", table, *sides, "--encoding", "cp1252", "-o", report)
    header, row = report.read_text("cp1252").splitlines()
    assert header == "line;score;flags;Englisch;Deutsch;Nr"
    assert re.fullmatch(r"2;\d,\d{4};.*;A dog;Ein Hündchen;1", row)


def test_a_report_does_not_overwrite_a_column(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("source,target,score\nA dog.,Ein Hund.,3\n")
    with pytest.raises(StsError, match="the report has a column 'score' too"):
        call("check", table, "-o", tmp_path / "b.csv")


def test_xml_in_another_encoding_than_it_says(tmp_path: Path) -> None:
    texts = (("en", "A café"), ("de-DE", "Ein Café"))
    unit = "".join(f'<tuv xml:lang="{c}"><seg>{text}</seg></tuv>' for c, text in texts)
    memory = tmp_path / "m.tmx"
    memory.write_bytes(f"<tmx><body>\n<tu>{unit}</tu></body></tmx>".encode("latin-1"))
    with pytest.raises(DataError, match=r"m\.tmx:2: byte 0xe9 is not UTF-8; .*--encoding cp1252"):
        call("check", memory)
    assert "A café\nEin Café\n" in call("check", memory, "--encoding", "latin-1")
    call("mine", "duplicates", memory, "--encoding", "latin-1", "--text", "de-DE")


def test_a_table_is_checked_by_the_usual_languages_of_its_sides(tmp_path: Path) -> None:
    table = "".join(f"{n}\t{one}\t{other}\n" for n, (one, other, _) in enumerate(ROWS))
    (tmp_path / "m.tsv").write_text(f"id\tSource (en)\tTarget (de)\n{table}")
    ended = CliRunner().invoke(
        command, ["check", f"{tmp_path}/m.tsv", "-o", f"{tmp_path}/worst.json"]
    )
    assert "--languages en de\n" in ended.stderr
    found = json.loads((tmp_path / "worst.json").read_text())
    assert {int(row["id"]) for row in found[:7]} == {0, 1, 2, 3, 13, 14, 15}
    flags = {int(row["id"]): row["flags"].split("; ") for row in found}
    apart = "names", "meaning", "length"
    said = {n: "; ".join(f for f in some if not f.startswith(apart)) for n, some in flags.items()}
    assert said == {number: flag for number, (*_, flag) in enumerate(ROWS)}


@pytest.mark.parametrize(("codes", "left", "right", "said"), read("contradictions.tsv"))
def test_contradictions_are_seen_across_languages(
    codes: str, left: str, right: str, said: str
) -> None:
    one, other = codes.split()
    assert str(contradictions(left, right, (one, other))) == said


def test_a_contradiction_lowers_the_score_across_languages() -> None:
    left = ["It was signed.", "It was not signed.", "It costs 50 euros.", "It costs 15 euros."]
    right = ["Fue firmado.", "Fue firmado.", "Cuesta 50 euros.", "Cuesta 50 euros."]
    scores = semaniacs.load("multilingual").score(left, right, languages=("en", "es"))
    assert (scores[1::2] < 0.6 * scores[::2]).all()


OPPOSED = (
    ("de", "Microsoft bought GitHub.", "Microsoft kaufte GitHub.", "GitHub kaufte Microsoft."),
    ("fr", "Wash before use.", "Laver avant utilisation.", "Laver après utilisation."),
    ("ru", "The door is open.", "Дверь открыта.", "Дверь закрыта."),
    ("es", "He lives in Madrid.", "Vive en Madrid.", "Vive en Barcelona."),
    ("fr", "Invalid e-mail address", "Adresse e-mail non valide", "Adresse e-mail valide"),
    ("es", "Disable", "Desactivar", "Activar"),
)


@pytest.mark.parametrize("language", ["de", "es", "fr", "ru"])
def test_what_only_a_reader_of_both_sentences_sees_lowers_the_score(language: str) -> None:
    texts, same, other = zip(*(row[1:] for row in OPPOSED if row[0] == language), strict=True)
    for model in ("multilingual", "reader-any"):
        score = semaniacs.load(model).score
        assert (score(texts, same, languages=("en", language)) >
                score(texts, other, languages=("en", language)) + 0.5).all()  # fmt: skip


def test_a_reader_that_is_sure_is_a_flag(tmp_path: Path) -> None:
    rows = [(one, other) for _, one, *others in OPPOSED for other in others]
    (tmp_path / "m.tsv").write_text("".join(f"{one}\t{other}\n" for one, other in rows))
    call("check", tmp_path / "m.tsv", "-o", tmp_path / "worst.json")
    found = json.loads((tmp_path / "worst.json").read_text())
    flagged = {row["line"] for row in found if "meaning:" in row["flags"]}
    assert len(flagged) >= 3 and not any(line % 2 for line in flagged)
    explained = semaniacs.load("multilingual").explain(*rows[-1], languages=("en", "es"))
    assert explained.differences == ("meaning: read together, they differ",)


def test_words_alone_are_compared_by_what_they_mean_alone() -> None:
    scorer, labels = semaniacs.load("multilingual"), ["Guardar", "Cancelar", "Eliminar", "Abrir"]
    for own, label in (("Save", 0), ("Cancel", 1), ("Delete", 2), ("Open", 3)):
        found = scorer.score([own] * 4, labels, languages=("en", "es"))
        assert int(np.argmax(found)) == label


def test_negation_and_numbers_count_in_every_two_languages() -> None:
    """Forty sentences, each with a translation and one that says something else."""
    rows, scorer = read("across_languages.tsv"), semaniacs.load("multilingual")
    for code in ("de", "es", "fr", "ru"):
        own = [row for row in rows if row[0] == code]
        texts, same, other = ([row[column] for row in own] for column in (1, 2, 3))
        languages = (code, "en")
        right = scorer.score(texts, same, languages=languages) > scorer.score(
            texts, other, languages=languages
        )
        assert right.sum() >= 9, [row for row, one in zip(own, right, strict=True) if not one]


@pytest.mark.parametrize("model", ["paragram", "raw", "gte", "bitext-sp", "multilingual"])
def test_vectors_are_explained_word_by_word(model: str) -> None:
    languages = ("--languages", "en", "en") if model.startswith("bitext") else ()
    pair = "The 15 dogs do not run", "The 50 dogs run"
    table = call("explain", *pair, "--model", model, *languages)
    across = model in ("bitext-sp", "multilingual")
    assert "\ndogs   dogs" in table
    assert ("negated: left only" if across else "Denied on one side only: run.") in table
    record = json.loads(call("explain", *pair, "--model", model, *languages, "--format", "jsonl"))
    assert record["nearest_words"][2]["nearest"] == "dogs"
