"""``semaniacs warm``: compile the code for many pairs and sentences now."""

from __future__ import annotations

from contextlib import suppress

import click

from sts.command_line import examples


@click.command(
    short_help="Compile now, for example into an image.",
    epilog=examples("semaniacs warm", "RUN semaniacs warm          in a Dockerfile"),
)
def warm() -> None:
    """Compile the code for many pairs and sentences, and cache it beside the program.

    Otherwise it is compiled the first time that more than a hundred pairs, or thousands of
    sentences, are read. A few pairs need no compiled code.
    """
    import embeddings
    from embeddings.compiled.kernel import FEW, interpret_few
    from embeddings.loading import BUNDLED
    from runs.recipes.by_name import RUNS, shipped
    from sts.data.catalog import get_task
    from sts.data.fetch import load
    from sts.errors import MissingResourceError
    from sts.progress import track

    pairs = load(get_task("sample").datasets[0], None, with_gold=False)
    english = ["en"] * len(pairs)
    for name in track([*BUNDLED, *shipped()], "compiling", "models"):
        if name in BUNDLED:
            encoder = embeddings.load(name, BUNDLED[name].languages[0])
            encoder.encode(["Compile now."] * 8192)  # so many are encoded in compiled code
            continue
        with suppress(MissingResourceError), interpret_few(FEW + 1):
            RUNS[name].check(None)
            RUNS[name].load().predict(pairs, (english, english))
