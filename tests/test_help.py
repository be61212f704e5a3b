"""``--help`` of every verb and program: each option has a sentence, each verb an example."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from importlib import import_module
from unittest import mock

import click
import pytest
from click.testing import CliRunner

from docs.site.commands import programs
from docs.site.programs import parser_of
from runs.studies.__main__ import STUDIES
from semaniacs.cli import FACES, TYPED
from semaniacs.cli import semaniacs as command

MARKS = re.compile(r"``|:\w+:`")
"""Of reStructuredText."""


def parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every parser of the programs, those of their commands too, by name."""
    for module in ("run_submission", *programs()):
        if module == "runs.studies.__main__":
            for name, study in STUDIES.items():
                parser = parser_of(study)
                assert parser is not None, name
                yield f"{module} {name}", parser
            continue
        parser = parser_of(import_module(module).main)
        assert parser is not None, module
        yield module, parser
        yield from (
            (f"{module} {name}", inner)
            for action in parser._actions
            if isinstance(action, argparse._SubParsersAction)
            for name, inner in action.choices.items()
        )


PARSERS = dict(parsers())


def verbs(group: click.Group, *above: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command of a group, in depth, by the words that call it."""
    for name, inner in group.commands.items():
        yield (*above, name), inner
        if isinstance(inner, click.Group):
            yield from verbs(inner, *above, name)


OWN = {words: inner for words, inner in verbs(command) if words[0] not in FACES}
FORWARDED = [
    (verb, *below)
    for verb, face in FACES.items()
    for below in [
        (),
        *([(name,) for name in STUDIES] if verb == "study" else []),
        *(
            (name.partition(" ")[2],)
            for name in PARSERS
            if not face.begins and name.startswith(f"{face.module} ") and verb != "study"
        ),
    ]
]


def told(*words: str) -> str:
    """What ``semaniacs WORDS --help`` prints."""
    with mock.patch.object(sys, "argv", ["semaniacs"]):
        ended = CliRunner(env={"COLUMNS": "200"}).invoke(
            command, [*words, "--help"], prog_name="semaniacs"
        )
    assert ended.exit_code == 0, ended.output
    return ended.output


def test_there_is_something_to_look_at() -> None:
    assert len(PARSERS) > 45 and len(OWN) >= 5 and len(FORWARDED) > len(FACES)


def words_of(text: str | None) -> str:
    """A help text without the default that it names."""
    return re.sub(r"\(default: .*?\)", "", text or "").strip()


@pytest.mark.parametrize("name", PARSERS)
def test_every_option_of_a_program_says_what_it_does(name: str) -> None:
    actions = [a for a in PARSERS[name]._actions if not isinstance(a, argparse._SubParsersAction)]
    assert [a.option_strings or a.dest for a in actions if not words_of(a.help)] == []
    assert not MARKS.search(PARSERS[name].format_help())


@pytest.mark.parametrize("words", OWN, ids=" ".join)
def test_every_option_of_a_verb_says_what_it_does(words: tuple[str, ...]) -> None:
    options = [p for p in OWN[words].params if isinstance(p, click.Option)]
    assert [option.name for option in options if not option.help] == []


@pytest.mark.parametrize("words", [*OWN, *FORWARDED], ids=" ".join)
def test_every_verb_shows_how_it_is_typed(words: tuple[str, ...]) -> None:
    text = told(*words)
    typed = " ".join(["semaniacs", *words])
    if words != ("study",):  # which shows its studies
        assert text.lower().startswith(f"usage: {typed} ")
    assert re.search(rf"^ .*\b{re.escape(typed)}\b", text, re.MULTILINE), "no example"
    assert not MARKS.search(text)
    for program in TYPED:
        assert not re.search(rf"{re.escape(program)}(?![\w.-])", text)


def test_a_program_keeps_its_own_name() -> None:
    assert "python -m embeddings encode" in PARSERS["embeddings.__main__ encode"].format_help()
    assert "python run_submission.py --list" in PARSERS["run_submission"].format_help()


def refused(*words: str) -> str:
    """What ``semaniacs WORDS``, which is wrong, prints."""
    ended = CliRunner(env={"COLUMNS": "80"}).invoke(command, words, prog_name="semaniacs")
    assert ended.exit_code == 2 and not ended.stdout, ended.output
    return ended.stderr


@pytest.mark.parametrize("words", [w for w in [*OWN, *FORWARDED] if w != ("study",)], ids=" ".join)
def test_an_error_names_what_was_typed(words: tuple[str, ...]) -> None:
    said = refused(*words, "--foo=bar")
    typed = " ".join(["semaniacs", *words])
    assert said.lower().startswith(f"usage: {typed} ")
    assert f"'{typed} --help'" in said
    assert "--foo" in said or "required: " in said
    assert "python" not in said and len(said.splitlines()) < 8


@pytest.mark.parametrize(
    "verb",
    ["score", "explain", "fit", "evaluate", "compare", "study", "encode", "similar", "train",
     "export", "mine", "translate", "cache"],
)  # fmt: skip
def test_a_verb_that_lacks_its_arguments_shows_how_it_is_called(verb: str) -> None:
    said = refused(verb).lower()
    assert said.startswith(f"usage: semaniacs {verb} ")
    assert len(said.splitlines()) < 7
    assert "required" in said or "missing" in said


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("mine duplicats", "duplicates"),
        ("search querry", "query"),
        ("encode a.txt -o a.npy --modle raw", "--model"),
        ("info --langage es", "--language"),
        ("train a.tsv -o a --objective rankng", "ranking"),
        ("submit --teem=A", "--team"),
    ],
)
def test_the_nearest_word_is_named(typed: str, meant: str) -> None:
    assert f"Did you mean {meant!r}?" in refused(*typed.split())


def test_where_no_word_is_near_none_is_named() -> None:
    assert "Did you mean" not in refused("mine", "zzzzzz")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_completes(shell: str) -> None:
    ended = CliRunner(env={"_SEMANIACS_COMPLETE": f"{shell}_source"}).invoke(
        command, prog_name="semaniacs", complete_var="_SEMANIACS_COMPLETE"
    )
    assert "_semaniacs_completion" in ended.stdout
    assert f"_SEMANIACS_COMPLETE={shell}_source" in told()
    ended = CliRunner(
        env={
            "_SEMANIACS_COMPLETE": "bash_complete",
            "COMP_WORDS": "semaniacs ev",
            "COMP_CWORD": "1",
        }
    ).invoke(command, prog_name="semaniacs", complete_var="_SEMANIACS_COMPLETE")
    assert ended.stdout == "plain,evaluate\n"
