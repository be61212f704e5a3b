"""The contract of the command line: help, names of options, old names, aliases and errors."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections import defaultdict

import click
import pytest
from click.testing import CliRunner, Result

from docs.site.commands import commands, parse
from semaniacs.cli import ALIASES, VERBS
from semaniacs.cli import semaniacs as command
from tests.layout import RIDDLE

MARKS = re.compile(r"``|:\w+:`")
"""Marks of reStructuredText."""

COMMANDS = dict(commands())
OPTIONS = [
    (words, option)
    for words, found in COMMANDS.items()
    for option in found.params
    if isinstance(option, click.Option) and not option.hidden
]


def call(*words: str, width: str = "80") -> Result:
    runner = CliRunner(env={"COLUMNS": width})
    return runner.invoke(command, words, prog_name="semaniacs")


def refused(*words: str) -> str:
    """Return what a wrong command line prints on stderr."""
    ended = call(*words)
    assert ended.exit_code == 2 and not ended.stdout, ended.output
    return ended.stderr


# Help


def test_help_lists_every_command_under_a_heading_and_imports_none() -> None:
    text = call("--help").stdout
    headings = re.findall(r"^(\w+):$", text, re.MULTILINE)
    assert headings == ["Options", "Scores", "Tasks", "Vectors", "Help"]
    for name, verb in VERBS.items():
        assert re.search(rf"^  {name} +{re.escape(verb.about[:40])}", text, re.MULTILINE)
    code = (
        "import sys\nfrom semaniacs.cli import main\nsys.argv[1:] = ['--help']\n"
        "try: main()\nfinally: print({'numpy', 'semaniacs.embeddings', 'semaniacs.runs'} & {*sys.modules})"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.endswith("set()\n")


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_shows_examples_that_parse_and_names_an_error(words: tuple[str, ...]) -> None:
    text = call(*words, "--help", width="200").stdout
    typed = " ".join(["semaniacs", *words])
    assert text.startswith(f"Usage: {typed} ")
    assert re.search(rf"^ .*\b{re.escape(typed)}\b", text, re.MULTILINE), "no example"
    assert not MARKS.search(text) and "<=None" not in text
    if not isinstance(COMMANDS[words], click.Group):
        for line in re.sub(r" *\\\n *", " ", COMMANDS[words].epilog or "").splitlines():
            if found := re.search(rf"\b{typed}\b[^|]*", line):
                example = re.split(r"(?<=\S) {3,}| > ", found[0])[0]  # a comment may follow
                parse(shlex.split(example)[1:])
    error = refused(*words, "--foo=bar")
    assert error.startswith(f"Usage: {typed} ") and f"'{typed} --help'" in error
    assert "--foo" in error and "Traceback" not in error and len(error.splitlines()) < 8


def test_every_option_says_what_it_does() -> None:
    bad = [
        f"{words}: {option.name}" for words, option in OPTIONS if not (option.help or "").strip()
    ]
    assert bad == []
    assert [o.help for _, o in OPTIONS if RIDDLE.match(o.help or "")] == []


# One name for one option

REPLACED = {
    "--from": "--input-format", "--to": "--format", "--json": "--format", "-k": "--top-k",
    "--language": "--languages", "--query-text": "--query",
}  # fmt: skip
"""Old names, which no help text shows, and the names that replace them."""


def test_no_help_text_shows_an_old_name() -> None:
    shown = [
        f"{words}: {name}"
        for words, option in OPTIONS
        for name in option.opts
        if name in REPLACED and words[0] != "translate"  # --from es --to en are languages
    ]
    assert shown == []


def test_an_option_has_one_type_and_one_short_name_in_all_commands() -> None:
    types, short = defaultdict(set), defaultdict(set)
    for _, option in OPTIONS:
        long = next(name for name in option.opts if name.startswith("--"))
        if long in ("--seed", "--top-k", "--jobs", "--data", "--delimiter"):
            types[long].add(type(option.type))
        short[long] |= {name for name in option.opts if not name.startswith("--")}
    assert {name: found for name, found in types.items() if len(found) > 1} == {}
    letters = [letter for found in short.values() for letter in found]
    assert sorted(letters) == sorted({*letters})
    assert (short["--output"], short["--model"]) == ({"-o"}, {"-m"})


@pytest.mark.parametrize(
    "typed", ["score a.tsv --from csv --to jsonl", "search query index text -k 3 --language en"]
)
def test_old_names_are_accepted(typed: str) -> None:
    parse(typed.split())


@pytest.mark.parametrize(("alias", "runs"), ALIASES.items())
def test_an_alias_runs_the_command_and_names_it_once(alias: str, runs: str) -> None:
    ended = call(alias, "--help")
    assert ended.exit_code == 0
    assert ended.stderr == f"note: {alias} is an alias of: semaniacs {runs}\n"
    assert ended.stdout == call(*runs.split(), "--help").stdout
    assert f"  {alias} " not in call("--help").stdout


# Errors


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("search querry", "'query'"),
        ("dedupe a.txt", "'dedup'"),
        ("score a b --modle raw", "--model"),
    ],
)
def test_the_nearest_word_is_named(typed: str, meant: str) -> None:
    assert re.search(f"[Dd]id you mean.*{meant}", refused(*typed.split()))


def test_no_word_is_named_if_none_is_near() -> None:
    error = refused("zzzzzz")
    assert "No such command 'zzzzzz'" in error and "Did you mean" not in error


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("score a b c", "give two sentences, or one FILE"),
        ("score a.csv --digits 99", "99 is not in the range 0<=x<=17"),
        ("score a.csv --jobs 9999999999", "expected at most 2,147,483,647"),
        ("score a.csv --interval nan", "'nan' is not a finite number"),
        ("fit a.csv -o x", "Missing option '--gold'"),
    ],
)
def test_a_wrong_value_is_named_with_what_is_expected(typed: str, expected: str) -> None:
    assert expected in refused(*typed.split())


# Completion


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_the_shell_completes(shell: str) -> None:
    complete = {"complete_var": "_SEMANIACS_COMPLETE", "prog_name": "semaniacs"}
    ended = CliRunner(env={"_SEMANIACS_COMPLETE": f"{shell}_source"}).invoke(command, **complete)
    assert "_semaniacs_completion" in ended.stdout
    assert f"_SEMANIACS_COMPLETE={shell}_source" in call("--help").stdout
    asked = {
        "_SEMANIACS_COMPLETE": "bash_complete",
        "COMP_WORDS": "semaniacs ev",
        "COMP_CWORD": "1",
    }
    assert CliRunner(env=asked).invoke(command, **complete).stdout == "plain,evaluate\n"
