"""Measure how well vectors alone order the classes of ParaPhraser (Vatolin et al., 2021).

The vectors learned from no label. The figure is Spearman's ρ of cosine and class, as benchmarks of
sentence vectors report it.
"""

from __future__ import annotations

from pathlib import Path

import click

from research.study import run_study, study
from semaniacs.embeddings.encoder import cosine
from semaniacs.embeddings.mining.corpus_vectors import mining_encoder
from semaniacs.sts.command_line import data_option
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load, load_gold
from semaniacs.sts.scoring.correlation import spearman


@study(__doc__, "--data DIR")
@data_option()
def russian_news(data: Path | None) -> None:
    """Print a table."""
    loose, strict = map(get_task, ("paraphraser", "paraphraser-strict"))
    sets = []
    for one, other in ((loose.train[0], strict.train[0]), (loose.datasets[0], strict.datasets[0])):
        pairs = load(one, data)
        sets.append((pairs, pairs.gold + load_gold(other, data, len(pairs))))
    click.echo(f"{'vectors':14}  {'training set':>12}  {'test set':>8}")
    for name in ("bitext-sp", "multilingual"):
        encoder = mining_encoder(name, "ru")
        training, test = (
            spearman(cosine(encoder.encode(pairs.left), encoder.encode(pairs.right)), classes)
            for pairs, classes in sets
        )
        click.echo(f"{name:14}  {training:12.4f}  {test:8.4f}")


if __name__ == "__main__":
    run_study(russian_news)
