"""``semaniacs warm``: compile now what many pairs and sentences need."""

from __future__ import annotations

from contextlib import suppress

import click


@click.command(
    short_help="Compile what work on many pairs needs, for example into an image.",
    epilog="""\b
Examples:
  semaniacs warm
  RUN semaniacs warm          in a Dockerfile""",
)
def warm() -> None:
    """Compile what work on many pairs and sentences needs, and keep it beside the program.

    Without it the first work on more than a hundred pairs, or on thousands of sentences, does so.
    A few pairs need no compiled code.
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
