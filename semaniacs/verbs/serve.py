"""``semaniacs serve``: a page and an API on this machine."""

from __future__ import annotations

import click

from sts.extras import require


@click.command(
    short_help="Serve a web page and an API on this machine.",
    epilog="""\b
Examples:
  semaniacs serve
  semaniacs serve --port 9000 --model fusion --model contextual
  SEMANIACS_TOKEN=$(openssl rand -hex 16) semaniacs serve --host 0.0.0.0""",
)
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Address to listen on; one that others reach needs a token.")  # fmt: skip
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65535),
              help="0 takes one that is free.")  # fmt: skip
@click.option("-m", "--model", "models", multiple=True, default=("fusion", "raw"),
              show_default=True, help="A run that ships, or a folder that fit wrote; repeatable.")  # fmt: skip
@click.option("--encoder", "encoders", multiple=True, default=("paragram",), show_default=True,
              help="A bundled encoder, or a file or folder of one; repeatable.")  # fmt: skip
@click.option("--token", envvar="SEMANIACS_TOKEN", show_envvar=True,
              help="Token that every request must send.")  # fmt: skip
@click.option("--name", "names", multiple=True,
              help="Another host name by which the server is reached; repeatable.")  # fmt: skip
def serve(
    host: str, port: int, models: tuple[str, ...], encoders: tuple[str, ...],
    token: str | None, names: tuple[str, ...],
) -> None:  # fmt: skip
    """Serve a web page and a JSON API of scores, explanations and vectors on this machine."""
    require("fastapi", "fastapi_offline", "uvicorn")
    from runs.service.guards import Access
    from runs.service.server import serve as listen

    listen(Access(host, tuple(map(str.lower, names)), token), port, models, encoders)
