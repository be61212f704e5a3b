"""Numbers in words, against a plain generator for each language."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from semaniacs.features.measures.number_words import NUMERALS, in_digits

EN = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
EN_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
DE = "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn".split()
DE_TENS = "- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
ES = "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve".split()
ES_TENS = "- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
ES_HUNDREDS = "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos".split()
FR = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf".split()
FR_TENS = "- - vingt trente quarante cinquante soixante".split()
RU = "ноль один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать".split()
RU_TENS = "- - двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто".split()
RU_HUNDREDS = "- сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот".split()


def english(n: int) -> str:
    if n < 100:
        return EN[n] if n < 20 else f"{EN_TENS[n // 10]}-{EN[n % 10]}".removesuffix("-zero")
    size, word = (1000, "thousand") if n >= 1000 else (100, "hundred")
    joint = " and" * (n % size < 100)
    return f"{english(n // size)} {word}" + (f"{joint} {english(n % size)}" if n % size else "")


def german(n: int) -> str:
    if n < 100:
        units = f"{DE[n % 10]}und" if n % 10 else ""
        return DE[n] if n < 20 else units + DE_TENS[n // 10]
    size, word = (1000, "tausend") if n >= 1000 else (100, "hundert")
    rest = n % size
    return german(n // size) + word + ("eins" if rest == 1 else german(rest) if rest else "")


def spanish(n: int) -> str:
    if n < 100:
        return ES[n] if n < 30 else f"{ES_TENS[n // 10]} y {ES[n % 10]}".removesuffix(" y cero")
    if n >= 1000:
        return f"{spanish(n // 1000) if n >= 2000 else ''} mil {spanish(n % 1000)}".strip()
    return "cien" if n == 100 else f"{ES_HUNDREDS[n // 100]} {spanish(n % 100)}"


def french(n: int) -> str:
    if n >= 100:
        size, word = (1000, "mille") if n >= 1000 else (100, "cent")
        return f"{french(n // size) if n // size > 1 else ''} {word} {french(n % size)}".strip()
    tens = n // 20 * 20 if n >= 60 else n // 10 * 10
    joint = " et " if n in (21, 31, 41, 51, 61, 71) else "-"
    name = "quatre-vingt" if tens == 80 else FR_TENS[tens // 10]
    return FR[n] if n < 20 else name + (joint + FR[n - tens] if n > tens else "")


def russian(n: int) -> str:
    if n < 100:
        return RU[n] if n < 20 else f"{RU_TENS[n // 10]} {RU[n % 10]}"
    return (
        f"{RU_HUNDREDS[n // 100]} {russian(n % 100)}"
        if n < 1000
        else f"{RU[n // 1000]} тысяч {russian(n % 1000)}"
    )


@pytest.mark.parametrize(
    ("code", "spell"),
    [("en", english), ("de", german), ("es", spanish), ("fr", french), ("ru", russian)],
)
def test_all_numbers_are_read(code: str, spell: Callable[[int], str]) -> None:
    zero = spell(0)
    for n in (*range(2, 1000), *range(1001, 10_000, 89)):
        words = spell(n).removesuffix(zero).strip()
        assert in_digits(words, code) == (words if words in NUMERALS else str(n)), words


@pytest.mark.parametrize(
    ("code", "text", "read"),
    [
        ("en", "nineteen eighty-four, twenty or thirty", "1984, twenty or thirty"),
        ("en", "hundreds, two million three hundred thousand", ""),
        ("en", "a hundred and five; one, two three; at half past three", "105; one, two three; at 3:30"),
        ("de", "Neunzehnhundertachtundsechzig um halb vier", "1968 um 3:30"),
        ("de", "Hundertwasser, die zehnten, ein paar hundert", ""),
        ("es", "veintiún días, treinta y una doscientas", "21 días, treinta y una doscientas"),
        ("es", "doscientas treinta y una, a las cuatro y media", "231, a las 4:30"),
        ("fr", "septante et un, huitante-deux, nonante et un", "71, 82, 91"),
        ("fr", "quatre-vingts, deux cents, vers quatre heures et demie", "80, 200, vers 4:30"),
        ("ru", "две тысячи тринадцатый год, без двадцати девять", ""),
        ("pl", "dwadzieścia two hundred", ""),
    ],
)  # fmt: skip
def test_only_what_makes_a_number_is_read(code: str, text: str, read: str) -> None:
    assert in_digits(text, code) == (read or text)
