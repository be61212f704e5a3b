"""Parts that every command line shares: exit codes, options with one name, and a lazy group.

A room defines a command in a file of its own, and ``semaniacs/cli.py`` adds a line to its table.
Imports at the top of such a file must be light. Errors are raised as :class:`semaniacs.sts.errors.StsError`.
"""

from __future__ import annotations

import difflib
import errno
import io
import math
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import click

from semaniacs.sts.errors import StsError, naming_missing_libraries
from semaniacs.sts.files import check_writable, format_of
from semaniacs.sts.progress import visible


def run_tool(main: Callable[[], None] | click.Command) -> None:
    """Run a function or a command with UTF-8 on stdout; an error is one line and exit code 2.

    An interrupt is exit code 130, SIGTERM 143; both leave no temporary file. A reader that closes a
    pipe, such as ``head``, is no error. Messages to a stderr that is closed or full are lost, and
    the work goes on.
    """
    _guard_standard_streams()
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # contexts end, files are removed
    code = _exit_code(partial(run_command, main) if isinstance(main, click.Command) else main)
    if code is not None:  # here no frame of the work is alive: its generators have ended
        sys.exit(code)


class _LossyStderr(io.FileIO):
    """Stderr that ignores what cannot be written."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def _guard_standard_streams() -> None:
    """Open the null device for closed streams, and make stderr a stream that never fails.

    Otherwise a file opened later gets the number 2, and a library that writes to stderr damages it.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(number)
    stderr = sys.stderr
    if stderr is None or (type(stderr) is io.TextIOWrapper and stderr.fileno() == 2):
        raw = io.BufferedWriter(_LossyStderr(2, "w", closefd=False))
        encoding = stderr.encoding if stderr else "utf-8"
        sys.stderr = io.TextIOWrapper(raw, encoding, "backslashreplace", line_buffering=True)


def _exit_code(main: Callable[[], None]) -> int | None:
    """Return the exit code of the work; None if it succeeded."""
    try:
        if sys.stdout is None:
            raise StsError("stdout is closed; send it to a file or to a pipe")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
            if sys.stdout.isatty():
                buffer = sys.stdout.buffer
                sys.stdout = _Terminal(buffer, "utf-8", "backslashreplace", line_buffering=True)
        with naming_missing_libraries():
            main()
        sys.stdout.flush()
    except (StsError, MemoryError) as error:
        short = "not enough memory: " if isinstance(error, MemoryError) else ""
        print(f"error: {short}{visible(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; no output is half-written", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        return _failed_file(error)
    return None


def _failed_file(error: OSError) -> int:
    """Report a file or a stdout that cannot be used; return the exit code."""
    if error.filename is not None:
        known = isinstance(error.filename, str | bytes | os.PathLike)
        name = visible(os.fsdecode(error.filename)) if known else "a file"
        advice = "check its permissions, or choose another file"
        print(f"error: {name}: {error.strerror}; {advice}", file=sys.stderr)
    elif error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG):
        print(f"error: stdout cannot be written ({error.strerror})", file=sys.stderr)
        # Python flushes stdout at exit.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    else:
        raise error
    return 2


class _Terminal(io.TextIOWrapper):
    """A terminal that no sentence can send commands to."""

    def write(self, text: str, /) -> int:
        super().write(visible(text))
        return len(text)


# Commands


class Verb(NamedTuple):
    """A command that is imported when it is typed.

    Attributes:
        target: where it is, as ``"module:command"``.
        heading, about: its heading in the list of commands, and one line for that list.
    """

    target: str
    heading: str
    about: str


class LazyGroup(click.Group):
    """A group that lists its commands under headings, and imports only the one that is typed.

    Args:
        verbs: the commands by name, in the order of the help.
        aliases: other names that people try, and the command that each one runs.
    """

    def __init__(
        self, *args: Any, verbs: Mapping[str, Verb], aliases: Mapping[str, str], **settings: Any
    ) -> None:
        super().__init__(*args, **settings)
        self.verbs, self.aliases = verbs, aliases

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of this name."""
        if cmd_name not in self.verbs:
            return None
        module, _, name = self.verbs[cmd_name].target.partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was typed, by its name or by an alias."""
        typed = args[0]
        if name := self.aliases.get(typed):
            print(f"note: {typed} is an alias of: {ctx.command_path} {name}", file=sys.stderr)
            args = [*name.split(), *args[1:]]
        elif typed not in self.verbs and not typed.startswith("-") and not ctx.resilient_parsing:
            near = difflib.get_close_matches(typed, [*self.verbs, *self.aliases], n=1)
            question = f". Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"No such command {typed!r}{question}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings."""
        for heading in dict.fromkeys(verb.heading for verb in self.verbs.values()):
            with formatter.section(heading):
                formatter.write_dl(
                    [(name, v.about) for name, v in self.verbs.items() if v.heading == heading]
                )


def run_command(command: click.Command, name: str | None = None) -> None:
    """Parse the command line and run ``command``, inside :func:`run_tool`.

    A wrong option, argument or command prints the usage, the nearest name and the next command to
    type, and exits with code 2. What the user types is ``name``; None is the name of the program.
    """
    try:
        command.main(prog_name=name, standalone_mode=False)
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show()
        if isinstance(error, click.NoSuchOption) and (line := _with_dashes(error)):
            print(f"If it is a text and not an option, type: {visible(line)}", file=sys.stderr)
        sys.exit(2)


def _with_dashes(error: click.NoSuchOption) -> str:
    """Return the command line with ``--`` before a text that begins with a minus; "" if none does."""
    typed = sys.argv[1:]
    at = next((i for i, word in enumerate(typed) if word.startswith(error.option_name)), None)
    known = error.ctx.command.params if error.ctx else []
    takes_texts = any(isinstance(parameter, click.Argument) for parameter in known)
    if at is None or not takes_texts or not re.search(r"\s|^-\W*\d", typed[at]):
        return ""
    later = (i for i in range(at, len(typed)) if re.fullmatch(r"--?[a-zA-Z]\S*", typed[i]))
    end = next(later, len(typed))
    return shlex.join(["semaniacs", *typed[:at], *typed[end:], "--", *typed[at:end]])


def moved(command: str) -> NoReturn:
    """Say which command replaces an old program, and exit with code 2."""
    print(f"error: this program is now a command; type: {command} --help", file=sys.stderr)
    sys.exit(2)


def examples(*lines: str) -> str:
    """Return the end of a help text: lines that a user can type."""
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])


# Types of options


class Finite(click.types.FloatParamType):
    """A finite number: nan and inf are refused; errors call it by ``name``."""

    def __init__(self, name: str = "number") -> None:
        self.name = name

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Parse a number."""
        if not math.isfinite(number := float(super().convert(value, param, ctx))):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class Number(click.FloatRange, Finite):
    """A finite number in a range."""

    name = "number"


class Whole(click.IntRange):
    """A whole number from a lowest one to :data:`HIGHEST`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Parse a whole number."""
        number = int(super().convert(value, param, ctx))
        if number > HIGHEST:
            self.fail(f"{value:.40}; expected at most {HIGHEST:,}", param, ctx)
        return number


HIGHEST = 2**31 - 1  # largest whole number that an option accepts
LONGEST = 1e6  # largest number of seconds that an option accepts

COUNT = Whole(1)
SEED = Whole(0)
FINITE = Finite()
POSITIVE = Number(0, min_open=True)
SECONDS = Number(0, LONGEST, min_open=True)
SHARE = Number(0, 1, min_open=True, max_open=True)


# Options

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _Option(click.Option):
    """An option with old names, which work and are not shown in help."""

    def __init__(
        self,
        *args: Any,
        old: Sequence[str] = (),
        old_flags: Mapping[str, Any] = MappingProxyType({}),
        **settings: Any,
    ) -> None:
        super().__init__(*args, **{"show_default": True} | settings)
        self.old, self.old_flags = old, old_flags

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Accept the names that are shown, and the old ones."""
        shown = self.opts
        self.opts = [*shown, *self.old]
        try:
            super().add_to_parser(parser, ctx)
        finally:
            self.opts = shown
        for flag, value in self.old_flags.items():
            parser.add_option(
                obj=self, opts=[flag], dest=self.name, action="store_const", const=value
            )


def option(*names: str, **settings: Any) -> Decorator:
    """Return the decorator of an option, as :func:`click.option` does.

    Args:
        names: as click's; the first ones are shown in help.
        settings: as click's, and ``old``: names that work and are not shown; ``old_flags``: flags
            without a value and the value that each one means, such as ``{"--json": "jsonl"}``.
    """
    return click.option(*names, cls=_Option, **settings)


def removed(flag: str, command: str) -> Decorator:
    """Return a hidden option that is gone; typed, it is an error that names the new command."""

    def refuse(_: click.Context, __: click.Parameter, typed: bool) -> None:
        if typed:
            raise StsError(f"{flag} is gone; type: {command}")

    return click.option(
        flag, is_flag=True, hidden=True, is_eager=True, expose_value=False, callback=refuse
    )


def _shared(*names: str, **usual: Any) -> Callable[..., Decorator]:
    """Return a shared option; a command calls it, and may name its parameter and change its help."""
    return lambda *more, **changes: option(*names, *more, **(usual | changes))


def given(context: click.Context, option_: click.Parameter, value: Any) -> Any:
    """Return the value of an option whose default is None, and that is required."""
    if value is None:
        raise click.MissingParameter(ctx=context, param=option_)
    return value


model_option = _shared(
    "--model",
    "-m",
    default="contextual",
    help="Model: a run that ships fitted (see: semaniacs list), or a folder that fit wrote. fusion is "
    "about ten times faster than contextual, and less accurate.",
)
left_option = _shared("--left", metavar="COLUMN", help="Column of the left sentences.")
right_option = _shared("--right", metavar="COLUMN", help="Column of the right sentences.")
text_option = _shared("--text", metavar="COLUMN", help="Column of the sentences.")
query_option = _shared(
    "--query", old=("--query-text",), metavar="COLUMN", help="Column of the queries."
)
languages_option = _shared(
    "--languages",
    old=("--language",),
    metavar="LANG",
    help="Language of the sentences, for a model of several languages, such as es.",
)
input_format_option = _shared(
    "--input-format", old=("--from",), help="Format of the input (default: from the file name)."
)
format_option = _shared("--format", old=("--to",), help="Format of the output.")


def output_option(*more: str, writes: str | None = None, **changes: Any) -> Decorator:
    """Return the option for the output; ``writes``: see :func:`.format_of`, None for any name."""

    def check(ctx: click.Context, parameter: click.Parameter, path: Any) -> Any:
        if str(path) == "-" and parameter.required:
            raise StsError("--output -: this cannot be written to stdout; name a file")
        if path is not None and writes is not None:
            format_of(path, writes, lenient=any("--format" in p.opts for p in ctx.command.params))
            if writes and str(path) != "-":
                check_writable(Path(path).absolute().parent)
        return None if str(path) == "-" else path

    about = "Output file (default: stdout)."
    usual = {"type": click.Path(path_type=Path), "help": about, "callback": check}
    return option("--output", "-o", *more, **(usual | changes))


threshold_option = _shared("--threshold", type=FINITE, help="Lowest score to write.")
top_k_option = _shared("--top-k", old=("-k",), type=COUNT, help="Number of results per query.")
seed_option = _shared("--seed", type=SEED, default=0, help="Random seed.")
jobs_option = _shared("--jobs", type=COUNT, default=1, help="Number of processes.")
data_option = _shared(
    "--data",
    type=click.Path(path_type=Path),
    help="Folder with the official files (also: STS_DATA).",
)
