"""The page as a person uses it, in a real browser."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.report.screenshot import browser
from runs.scorer import load
from runs.service.web_page import build_page
from tests.runs.made_files import PNG
from tests.runs.service.chromium import Person, person
from tests.runs.service.conftest import Running, running

DOG, DOGS = "A dog runs in the park.", "A dog is running through a park."
EVIL = """<img src=x onerror="window.ran = 1"> & a dog</textarea><script>window.ran = 1</script>"""
TAB, ENTER, RIGHT, CTRL = ("Tab", 9), ("Enter", 13), ("ArrowRight", 39), 2
TOKEN = "a token that nobody guesses"

needs_browser = pytest.mark.skipif(
    browser() is None, reason="no Chromium on this machine; apt-get install chromium"
)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running("--model", "fusion", "--model", "raw", "--token", TOKEN) as found:
        yield found
        found.process.send_signal(signal.SIGTERM)
        assert found.ended() == (0, "", "")


@pytest.fixture
def me(tmp_path: Path) -> Iterator[Person]:
    with person(tmp_path) as found:
        yield found


def enter(me: Person, server: Running) -> None:
    """Open the page; the token is asked for once."""
    me.open(server.url)
    me.wait("document.querySelectorAll('#models input').length === 2")
    me.see("the('compare').requestSubmit()")
    me.wait("!the('access').hidden")
    assert "token" in me.see("the('said').textContent")
    me.write("#token", TOKEN)
    me.press(*ENTER)
    me.wait("the('access').hidden")


@needs_browser
def test_a_person_compares_two_sentences_by_keyboard(me: Person, server: Running) -> None:
    me.look(390)
    enter(me, server)
    me.write("#left", DOG)
    me.press(*TAB)
    assert me.see("document.activeElement.id") == "right"
    me.write("#right", DOGS)
    me.press(*ENTER, CTRL)
    me.wait("the('said').textContent.includes('raw')")
    fusion, raw = (load(name).score(DOG, DOGS) for name in ("fusion", "raw"))
    expected = f"fusion: {fusion:.2f} of 5; raw: {raw:.2f} of 5"
    assert me.see("the('said').textContent") == expected
    assert me.see("the('said').getAttribute('aria-live')") == "polite"
    words = "[...document.querySelectorAll('.words .aligned')].map((e) => e.textContent)"
    assert {"dog", "runs", "running", "park"} <= set(me.see(words))
    assert me.see("document.querySelector('.words').textContent") == DOG
    first = load("fusion").explain(DOG, DOGS).contributions[0].feature
    assert me.see("document.querySelector('.bars dt').textContent") == first
    assert me.see("document.documentElement.scrollWidth") <= 390
    assert me.screenshot().startswith(PNG)


@needs_browser
def test_text_is_text(me: Person, server: Running) -> None:
    me.look(1280)
    enter(me, server)
    me.write("#left", EVIL)
    me.write("#right", EVIL)
    me.see("the('compare').requestSubmit()")
    me.wait("document.querySelector('.words') !== null")
    assert me.see("document.querySelector('.words').textContent") == EVIL
    assert me.see("window.ran") is None
    assert me.see("document.querySelectorAll('#found img, #found script').length") == 0
    refused = [line for line in me.said if "401" not in line]  # the token was asked for
    assert refused == []


@needs_browser
def test_a_person_scores_a_file_and_sorts_it(me: Person, server: Running, tmp_path: Path) -> None:
    lines = ["id,sentence1,sentence2", f'1,"{DOG}",{DOGS}', f"2,{DOG},Stocks fell.", "3,blank,"]
    lines += [f'{n},"A ""dog"", {n}",A cat {n}' for n in range(4, 500)]
    (tmp_path / "pairs.csv").write_text("\n".join(lines), encoding="utf-8")
    me.look(390)
    enter(me, server)
    me.see("document.querySelector('[aria-selected=true]').focus()")
    me.press(*RIGHT)
    assert me.see("document.activeElement.id") == "tab-file"
    me.choose_file("#chosen", tmp_path / "pairs.csv")
    me.wait("!the('begin').disabled")
    assert me.see("the('table-said').textContent") == "pairs.csv: 499 pairs"
    assert me.see("the('left-column').selectedOptions[0].text") == "sentence1"
    me.see("the('table-model').value = 'raw', the('table').requestSubmit()")
    me.wait("!the('scored').hidden")
    assert me.see("the('table-said').textContent").startswith("498 pairs scored, mean ")
    assert "1 without a score" in me.see("the('table-said').textContent")
    row = "[...document.querySelectorAll('#rows tr')][{}].innerText.split('\\t')"
    expected = load("raw").score(DOG, DOGS)
    assert me.see(row.format(0)) == ["1", f"{expected:.2f}", DOG, DOGS]
    assert me.see(row.format(2))[1] == "–"
    assert me.see(row.format(3))[2] == 'A "dog", 4'
    me.see("document.querySelector('[data-by=score]').click()")
    me.see("document.querySelector('[data-by=score]').click()")
    sorted_by = "document.querySelectorAll('th')[1].getAttribute('aria-sort')"
    assert me.see(sorted_by) == "descending"
    shown = me.see("[...document.querySelectorAll('#rows tr')].map((r) => r.cells[1].innerText)")
    numbers = [float(cell) for cell in shown[:-1]]
    assert numbers == sorted(numbers, reverse=True) and shown[-1] == "–"
    counts = (
        "[...document.querySelectorAll('.histogram span:first-child')].map((e) => +e.innerText)"
    )
    assert sum(me.see(counts)) == 498
    assert me.see("document.documentElement.scrollWidth") <= 390


@needs_browser
@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("one.tsv", b"alone\n", "one column; a pair needs two"),
        ("bad.csv", b'a,"b\n', "never closed"),
        ("bad.jsonl", b'{"a": "x", "b": "y"}\n{\n', "line 2 is not JSON"),
        ("bad.tsv", b"\xff\xfe\t\x80", "not UTF-8"),
        ("empty.csv", b"", "empty"),
    ],
)
def test_a_file_that_is_no_table(
    me: Person, server: Running, tmp_path: Path, name: str, text: bytes, said: str
) -> None:
    (tmp_path / name).write_bytes(text)
    me.open(server.url)
    me.choose_file("#chosen", tmp_path / name)
    me.wait("the('table-said').textContent !== ''")
    assert said in me.see("the('table-said').textContent")
    assert me.see("the('begin').disabled")


@needs_browser
def test_the_dark_page_is_dark(me: Person, server: Running) -> None:
    def brightness(of: str) -> float:
        colour = me.see(f"getComputedStyle(document.body).{of}")
        return sum(map(float, re.findall(r"\d+", colour)[:3])) / 3

    me.look(390)
    me.open(server.url)
    assert brightness("backgroundColor") - brightness("color") > 150
    me.look(390, dark=True)
    assert brightness("color") - brightness("backgroundColor") > 150


def test_the_page_needs_nothing_from_elsewhere() -> None:
    page = build_page()
    assert "{{" not in page.html
    assert re.findall(r"(?:https?:)?//[\w.]+\.\w+/", page.html) == []
    assert not re.search(r"\bstyle=|\bon\w+=|innerHTML|eval\(", page.html)
    assert "default-src 'none'" in page.policy and "unsafe" not in page.policy
