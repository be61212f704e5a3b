"""Translations that contradict each other: flagged, explained word by word, and scored lower."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import semaniacs
from semaniacs.cli import semaniacs as command
from semaniacs.features.cross_language import contradictions

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


def call(*arguments: object) -> str:
    ended = CliRunner().invoke(command, [*map(str, arguments)], catch_exceptions=False)
    assert ended.exit_code == 0
    return ended.stdout


def test_the_worst_translations_come_first_with_their_flags(tmp_path: Path) -> None:
    units = "".join(
        f'<tu><tuv xml:lang="{one}"><seg>{left}</seg></tuv>'
        f'<tuv xml:lang="{other}"><seg>{right}</seg></tuv></tu>'
        for one, other, left, right, _ in UNITS
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
    assert "  unit 2  negated: left only; names: Maria" in people.splitlines()[0]


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
    assert (found["line"], found["id"], found["left"]) == (3, "b", "<b>Two</b> dogs")
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
    *[("The dog sleeps in the garden.", "Der Hund schläft im Garten.", "")] * 20,
)  # fmt: skip


def test_a_table_is_checked_by_the_usual_languages_of_its_sides(tmp_path: Path) -> None:
    table = "".join(f"{n}\t{one}\t{other}\n" for n, (one, other, _) in enumerate(ROWS))
    (tmp_path / "m.tsv").write_text(f"id\tSource (en)\tTarget (de)\n{table}")
    ended = CliRunner().invoke(
        command, ["check", f"{tmp_path}/m.tsv", "-o", f"{tmp_path}/worst.json"]
    )
    assert "--languages en de\n" in ended.stderr
    found = json.loads((tmp_path / "worst.json").read_text())
    assert {int(row["id"]) for row in found[:4]} == {0, 1, 2, 3}
    flags = {int(row["id"]): row["flags"].split("; ") for row in found}
    apart = "names", "meaning", "length"
    said = {n: "; ".join(f for f in some if not f.startswith(apart)) for n, some in flags.items()}
    assert said == {number: flag for number, (*_, flag) in enumerate(ROWS)}


@pytest.mark.parametrize(
    ("codes", "left", "right", "said"),
    [
        ("en es", "He paid 1,500.50 dollars", "Pagó 1.500,50 dólares", ""),
        ("en es", "2 billion people", "2.000 millones de personas", ""),
        ("en de", "at 3 pm", "um 15 Uhr", ""),
        ("en es", "at 12:30 a.m.", "a las 0:30", ""),
        ("en es", "at 12:30 a.m.", "a las 12:30", "numbers: 0 ↔ 12"),
        ("en de", "a 5-day trip", "eine fünftägige Reise", ""),
        ("en de", "Whether or not he comes", "Ob er kommt oder nicht", ""),
        ("en fr", "It's nice, isn't it?", "C'est beau, n'est-ce pas ?", ""),
        ("en es", "It's nice, isn't it?", "Es bonito, ¿no?", ""),
        ("en es", "Be careful", "Ten cuidado", ""),
        ("en es", "ten dogs", "Ten cuidado", "numbers: ten ↔ none"),
        ("en es", "Who is No 6?", "¿Quién es el 6?", ""),
        ("en fr", "Hands off!", "Pas touche !", ""),
        ("en fr", "Isn't it nice?", "N'est-ce pas beau ?", ""),
        ("en es", "Three dogs", "3 perros", ""),
        ("en ru", "Two dogs", "Три собаки", "numbers: two ↔ три"),
        ("en de", "He left on 15 June 2024", "Er ging am 15.06.2024", ""),
        ("en de", "4 May 2023", "4. Juni 2023", "numbers: May ↔ Juni"),
        ("en es", "3 April 2024", "4 de marzo de 2024", "numbers: 3, April ↔ 4, marzo"),
        ("en es", "3 April 2024", "2024-04-03", ""),
        ("en de", "on 3 October 2024", "am 10.03.2024", "numbers: 3, October ↔ 10, 03"),
        ("en es", "3/4/2024", "4 de marzo de 2024", ""),
        ("en ru", "March 15", "15 марта", ""),
        (
            "en es",
            "3 million euros",
            "3.000 millones de euros",
            "numbers: 3 million ↔ 3.000 millones",
        ),
        ("en es", "two weeks", "durante dos semanas", ""),
        ("en es", "twenty days", "treinta días", "numbers: twenty ↔ treinta"),
        ("en de", "25 people", "Fünfundzwanzig Leute", ""),
        ("en fr", "more than 95", "plus de quatre-vingt-quinze", ""),
        ("en de", "It is 20 °F", "Es sind 20 °C", "units: °F ↔ °C"),
        ("en es", "two hours", "dos días", "units: hours ↔ days"),
        ("en de", "The shop is out of milk", "Der Laden hat keine Milch mehr", ""),
        ("en es", "Don't forget it", "Recuérdalo", ""),
        ("en ru", "Don't worry", "Не волнуйтесь.", ""),
        ("en de", "The door is not closed", "Die Tür ist geschlossen", "negated: left only"),
        ("en de", "Take 5 to 10 mg", "Nehmen Sie 5 mg bis 10 mg", ""),
        ("en fr", "Open May 5 to 7", "Ouvert du 5 au 7 mai", ""),
        ("en fr", "31 July and 5 May 2020", "31 juil. et 5 mai 2020", ""),
        ("en es", "He is 31", "Tiene treinta y un años", ""),
        ("en es", "Half of the 20", "El 50 % de los 30", "numbers: 20 ↔ 50, 30"),
        ("en es", "1.5 billion euros", "1500 millones de euros", ""),
        (
            "en ru",
            "3.5 million people",
            "3,5 миллиарда человек",
            "numbers: 3.5 million ↔ 3,5 миллиарда",
        ),
        ("en es", "It costs $20", "Cuesta 20 €", "units: dollars ↔ euros"),
        ("en de", "10 kg of flour", "10 g Mehl", "units: kg ↔ g"),
        ("en de", "5m euros", "5 Mio. Euro", ""),
        ("en fr", "20 books for 20 euros", "20 livres pour 20 euros", ""),
        ("ru ru", "В 2020 г. он ушёл", "В 2020 году он ушёл", ""),
        ("en fr", "a 5 km walk, twice a day", "une marche de 5 km, deux fois par jour", ""),
        ("fr en", "Il n'a pas payé", "He has paid", "negated: left only"),
        ("fr en", "Il n'y a que lui", "He is the one", ""),
        ("ru de", "Он не придёт", "Er kommt", "negated: left only"),
        ("en de", "It is impossible", "Es ist nicht möglich", ""),
        ("en de", "Minimum: -40 °C", "Minimum: 40 °C", "numbers: -40 ↔ 40"),
        ("en es", "down to -20 °C", "hasta 20 grados bajo cero", ""),
        ("en de", "pages 5-10", "Seiten 5-10", ""),
        ("en de", "the 1960s", "die 60er Jahre", ""),
        ("en es", "the 1970s", "los años setenta", ""),
        ("en ru", "the 1930s", "30-е годы", ""),
        ("en de", "the eighties", "die siebziger Jahre", "numbers: eighties ↔ siebziger"),
        ("en fr", "the 16th century", "le XVIe siècle", ""),
        ("en es", "the 18th century", "el siglo XVII", "numbers: 18 ↔ 17"),
        ("en de", "half past seven", "halb acht", ""),
        ("en ru", "9 am till 9 pm", "с 9:00 до 21:00", ""),
        ("en fr", "at 2:30 pm", "à 14h30", ""),
        ("en fr", "at 14:30", "à 15h30", "numbers: 14 ↔ 15"),
        ("en de", "on Tuesday", "am Donnerstag", "numbers: Tuesday ↔ Donnerstag"),
        ("en fr", "See you Monday", "À lundi", ""),
        ("en fr", "Non-refundable", "Non remboursable", ""),
        ("en de", "Keep off the grass", "Den Rasen nicht betreten", ""),
        ("en de", "No", "Nein", ""),
        ("en es", "180 degrees Celsius", "180 grados Fahrenheit", "units: °C ↔ °F"),
        ("en es", "the 3rd floor", "el tercer piso", ""),
        ("en ru", "a 5-storey house", "пятиэтажный дом", ""),
        ("en de", "3 billion people", "3 Billionen", "numbers: 3 billion ↔ 3 Billionen"),
        ("en es", "3 trillion people", "3 billones de personas", ""),
        ("en ru", "two miners", "двое шахтёров", ""),
        ("en ru", "two miners", "трёх шахтёров", "numbers: two ↔ трёх"),
        ("en de", "three quarters of them", "75 % von ihnen", ""),
        ("en de", "90 minutes", "eineinhalb Stunden", ""),
        ("en de", "90 minutes", "1,5 Stunden", ""),
        ("en fr", "two weeks", "quinze jours", ""),
        ("en de", "one in ten children", "jedes zehnte Kind", ""),
        ("en de", "half of them", "ein Drittel", "numbers: half ↔ Drittel"),
        ("en de", "thousands of birds", "Hunderte Vögel", "numbers: thousands ↔ Hunderte"),
        ("en fr", "dozens of birds", "des dizaines d'oiseaux", ""),
        ("en de", "a dozen eggs", "zehn Eier", "numbers: dozen ↔ zehn"),
        ("en de", "half a dozen eggs", "sechs Eier", ""),
        ("en de", "at 3:30 p.m.", "um 3:30 Uhr", "numbers: 15 ↔ 3"),
        ("en de", "at 3:30 p.m.", "um 15:30 Uhr", ""),
        ("en de", "at 3 p.m.", "um 3 Uhr", ""),
        ("en de", "80 cm wide", "80 m breit", "units: cm ↔ m"),
        ("en ru", "5 km", "5000 м", ""),
        ("en fr", "5 miles", "8 km", ""),
        ("en de", "5 MW", "5 kW", "units: MW ↔ kW"),
        ("en de", "3·10^8 m/s", "300.000.000 m/s", ""),
        ("ru en", "в 2020 г.", "in 2020", ""),
        ("en de", "Not valid until it is signed", "Erst gültig, wenn es signiert ist", ""),
        ("en fr", "Do not enter until noon", "N'entrez qu'après midi", ""),
        ("en fr", "Leave before it rains", "Partez avant qu'il ne pleuve", ""),
        (
            "en fr",
            "I know that he has gone",
            "Je sais qu'il n'est pas parti",
            "negated: right only",
        ),
        ("en de", "Store below 25 °C", "Nicht über 25 °C lagern", ""),
        ("en ru", "The key is missing", "Ключа нет", ""),
        ("en ru", "The key is here", "Ключа нет", "negated: right only"),
        ("en de", "It is void", "Es gilt nicht mehr", ""),
        ("en es", "You are tired, aren't you?", "Estás cansado, ¿verdad?", ""),
        ("en es", "Nothing moved", "Todo se movió", "negated: left only"),
    ],
)
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
    path = Path(__file__).with_name("across_languages.tsv")
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    scorer = semaniacs.load("multilingual")
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
    assert "\ndogs   dogs" in table and "they differ: numbers: 15 ↔ 50; negated: left only" in table
    record = json.loads(call("explain", *pair, "--model", model, *languages, "--format", "jsonl"))
    assert record["nearest_words"][2]["nearest"] == "dogs"
