"""The report in a real browser: what it shows, on a phone, in the dark, in a picture."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runs.pipeline.run import Run
from runs.pipeline.task_run import predict
from runs.report import __main__ as report
from runs.report import screenshot
from runs.report.findings import Findings, collect
from runs.report.page import page
from runs.report.screenshot import browser, run_browser, take_screenshot
from runs.studies.contribution.study import Loss, StudySummary
from sts.errors import MissingResourceError, StsError
from tests.runs.made_files import PNG

EVIL = """</p><script>parent.ran = 1</script><img src=x onerror="parent.ran = 1"> & so on"""

needs_browser = pytest.mark.skipif(
    browser() is None, reason="no Chromium on this machine; apt-get install chromium"
)

LOOK = """
<!DOCTYPE html><meta charset="utf-8"><iframe width="{width}" height="800" srcdoc="{page}"></iframe>
<pre id="seen"></pre>
<script>
const frame = document.querySelector("iframe");
const look = () => {{
  const page = frame.contentDocument, root = page.documentElement;
  const colour = (name) => frame.contentWindow.getComputedStyle(page.querySelector(name));
  const wide = [...page.querySelectorAll("body *")].filter((e) =>
    !e.closest(".scroll, nav ul, svg") && e.getBoundingClientRect().right > root.clientWidth + 1);
  document.getElementById("seen").textContent = JSON.stringify({{
    width: root.clientWidth,
    scrolls: root.scrollWidth,
    wide: wide.map((e) => e.outerHTML.slice(0, 80)),
    smallest: Math.min(...[...page.querySelectorAll("svg text")].map((e) =>
      e.getBoundingClientRect().height)),
    headings: [...page.querySelectorAll("h1, h2")].map((e) => e.textContent),
    dots: [...page.querySelectorAll("#predicted figure")].map((e) =>
      e.querySelectorAll("circle.dot").length),
    said: page.querySelector("blockquote p").innerText,
    open: page.querySelector("details").open,
    cut: [...page.querySelectorAll(".scroll")].filter((e) => e.scrollWidth > e.clientWidth)
      .map((e) => frame.contentWindow.getComputedStyle(e).backgroundImage.includes("gradient")),
    broken: [...page.querySelectorAll("td:not(.words)")].filter((e) =>
      e.getBoundingClientRect().height > 45).length,
    paper: colour("body").backgroundColor,
    ink: colour("body").color,
    dot: colour("circle.dot").fill,
    ran: window.ran ?? 0,
  }}).replace(/[<&]/g, (c) => "\\\\u00" + c.charCodeAt(0).toString(16));
}};
frame.contentDocument.readyState === "complete" && frame.contentDocument.body.children.length
  ? look() : frame.addEventListener("load", look);
</script>
"""
"""A page that holds another one in a frame and writes down what it looks like."""

Seen = dict[str, Any]
See = Callable[..., Seen]


MADE: list[Findings] = []
"""Findings do not change, and fitting takes seconds: they are made once."""


@pytest.fixture
def findings(toy: Any, toy_runs: dict[str, Run]) -> Findings:
    if not MADE:
        MADE.append(make_findings(toy, toy_runs["toy-fusion"]))
    return MADE[0]


def make_findings(toy: Any, run: Run) -> Findings:
    """A fusion on the toy task, with sentences that are hard to show."""
    studies = StudySummary(
        "toy",
        "0",
        without=(Loss("paraphrases", 0.02, 0.01, 0.03), Loss("numbers", -0.01, -0.02, 0.0)),
        alone=(("paraphrases", 0.7), ("numbers", 0.1)),
        cumulative=(("paraphrases", 0.7), ("numbers", 0.71)),
        permutation=(Loss("paraphrase1", 0.05, 0.04, 0.06),),
    )
    found = collect(predict(run, toy.task, toy.data), toy.data, studies)
    first, second, *others = found.errors
    first = replace(first, explained=replace(first.explained, left=EVIL))
    second = replace(second, explained=replace(second.explained, left="unbroken" * 40))
    task = replace(found.task, name="sts2016")  # for the widest table
    return replace(found, errors=[first, second, *others], task=task)


@pytest.fixture
def see(findings: Findings, tmp_path: Path) -> See:
    """What a browser sees of the report in a frame of a width."""

    def look(width: int, *options: str) -> Seen:
        target = tmp_path / "look.html"
        inner = html.escape(page(findings, "make it"))
        target.write_text(LOOK.lstrip().format(width=width, page=inner), encoding="utf-8")
        dom = run_browser(target, tmp_path, "--virtual-time-budget=5000", "--dump-dom", *options)
        (found,) = re.findall(r'<pre id="seen">(.*?)</pre>', dom, re.DOTALL)
        seen: Seen = json.loads(html.unescape(found))
        return seen

    return look


@needs_browser
@pytest.mark.parametrize("width", [320, 380, 800, 1280])
def test_what_is_seen(width: int, see: See, findings: Findings) -> None:
    seen = see(width)
    assert seen["width"] == pytest.approx(width, abs=20)  # less a scroll bar
    assert seen["scrolls"] <= seen["width"]
    assert seen["wide"] == []
    assert seen["smallest"] >= 9
    assert seen["headings"] == [
        "toy-fusion on sts2016",
        "Scores",
        "Predicted against gold",
        "Feature importance",
        "Ablation",
        "Largest errors",
        "Words out of vocabulary",
        "Signature",
    ]
    assert seen["dots"] == [score.scored for score in findings.score.datasets.values()]
    assert seen["said"] == EVIL
    assert seen["broken"] == 0
    assert all(seen["cut"])  # a shadow shows that the table goes on
    assert seen["cut"] or width > 500
    assert seen["ran"] == 0
    assert not seen["open"]


def brightness(colour: str) -> float:
    """Mean of the channels of rgb(r, g, b), from 0 to 255."""
    channels = [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]
    return sum(channels) / 3


@needs_browser
def test_the_dark_page_is_dark(see: See) -> None:
    light = see(375, "--blink-settings=preferredColorScheme=1")
    dark = see(375, "--blink-settings=preferredColorScheme=0")
    assert brightness(light["paper"]) - brightness(light["ink"]) > 150
    assert brightness(dark["ink"]) - brightness(dark["paper"]) > 150
    assert brightness(dark["dot"]) > brightness(light["dot"])


@needs_browser
def test_a_picture_is_taken(findings: Findings, tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text(page(findings, "make it"), encoding="utf-8")
    image = take_screenshot(target, width=640, height=480)
    assert image.startswith(PNG)
    assert [int.from_bytes(image[at : at + 4], "big") for at in (16, 20)] == [640, 480]


# --- without one


def test_a_missing_browser_is_named(
    toy: Any, toy_runs: dict[str, Run], cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screenshot, "BROWSERS", ("no-such-browser",))
    monkeypatch.chdir(tmp_path)
    options = ("--run", "toy-raw", "--task", "toy", "--data", toy.data, "--picture", "a.png")
    cli(*options, main=report.main).refused("no-such-browser", "apt-get install chromium")
    assert not (tmp_path / "a.png").exists()


def test_a_browser_that_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, said in (("false", "cannot open"), ("true", "took no screenshot")):
        monkeypatch.setattr(screenshot, "BROWSERS", (name,))
        with pytest.raises(StsError, match=said):
            take_screenshot(tmp_path / "page.html", width=640, height=480)
    monkeypatch.setattr(screenshot, "BROWSERS", ())
    with pytest.raises(MissingResourceError):
        take_screenshot(tmp_path / "page.html", width=640, height=480)
