"""The commands serve and warm."""

from __future__ import annotations

from contextlib import suppress

import click

from semaniacs.sts.command_line import examples
from semaniacs.sts.errors import require


@click.command(
    epilog=examples(
        "semaniacs serve",
        "semaniacs serve --port 9000 --model fusion --model my-scorer",
        "semaniacs serve --alias text-embedding-3-small=paragram    for a client of OpenAI",
        "SEMANIACS_TOKEN=$(openssl rand -hex 16) semaniacs serve --host 0.0.0.0",
    )
)
@click.option(
    "--host",
    default="127.0.0.1",
    help="Address to listen on; an address that other machines reach needs a token.",
)
@click.option("--port", default=8765, type=click.IntRange(0, 65535), help="Port; 0 is a free one.")
@click.option(
    "-m",
    "--model",
    "models",
    multiple=True,
    default=("contextual", "fusion", "raw"),
    help="Model: a run that ships fitted, or a folder that fit wrote; repeatable. Requests that name "
    "no model get the first one.",
)
@click.option(
    "--calibration",
    "calibrations",
    multiple=True,
    metavar="FILE",
    help="File that semaniacs calibrate wrote for one of the models; repeatable.",
)
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    default=("paragram",),
    help="Encoder: a bundled name, a file or a folder; repeatable.",
)
@click.option(
    "--alias",
    "aliases",
    multiple=True,
    metavar="NAME=MODEL",
    help="Another name of a model or an encoder in requests; repeatable.",
)
@click.option("--token", envvar="SEMANIACS_TOKEN", show_envvar=True, help="Token of all requests.")
@click.option(
    "--name",
    "names",
    multiple=True,
    help="Host name under which clients reach the server; repeatable.",
)
def serve(
    host: str,
    port: int,
    models: tuple[str, ...],
    calibrations: tuple[str, ...],
    encoders: tuple[str, ...],
    aliases: tuple[str, ...],
    token: str | None,
    names: tuple[str, ...],
) -> None:
    """Serve a web page and a JSON API of scores, explanations and vectors on this machine."""
    require("fastapi", "fastapi_offline", "uvicorn")
    from semaniacs.runs.service.guards import Access
    from semaniacs.runs.service.server import serve as listen

    access = Access(host, tuple(map(str.lower, names)), token)
    listen(access, port, models, encoders, aliases, calibrations)


@click.command(epilog=examples("semaniacs warm", "RUN semaniacs warm          in a Dockerfile"))
def warm() -> None:
    """Compile the code for many pairs and sentences, and cache it beside the program.

    Otherwise it is compiled the first time that more than a hundred pairs, or thousands of
    sentences, are read. A few pairs need no compiled code.
    """
    from semaniacs import embeddings
    from semaniacs.embeddings.compiled import FEW, interpret_few
    from semaniacs.embeddings.loading import BUNDLED, NETWORK
    from semaniacs.runs.recipes import shipped
    from semaniacs.runs.scorer import load as load_scorer
    from semaniacs.sts.data.catalog import get_task
    from semaniacs.sts.data.fetch import load
    from semaniacs.sts.errors import MissingResourceError, naming_missing_libraries
    from semaniacs.sts.progress import track

    pairs = load(get_task("sample").datasets[0], None, with_gold=False)
    english = ["en"] * len(pairs)
    averaging = BUNDLED.keys() - {NETWORK}  # the network's code is compiled by its own run
    for name in track([*sorted(averaging), *shipped()], "compiling", "models"):
        if name in averaging:
            encoder = embeddings.load(name, BUNDLED[name].languages[0])
            encoder.encode(["Compile now."] * 8192)  # so many are encoded in compiled code
            continue
        few = interpret_few(FEW + 1)
        with suppress(MissingResourceError), naming_missing_libraries(), few:
            load_scorer(name).model.predict(pairs, (english, english))
