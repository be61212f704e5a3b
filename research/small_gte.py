"""Write the transformer that ships, `gte`: gte-small in four bits a weight.

FOLDER holds gte-small (Li et al., 2023; MIT licence): a copy of thenlper/gte-small, or of the same
weights made from another format.
"""

from __future__ import annotations

from pathlib import Path

import click

from research.study import run_study, study
from semaniacs.embeddings.loading import BUNDLED
from semaniacs.embeddings.transformer.bert_folder import load_bert
from semaniacs.embeddings.transformer.small_file import save_small

ABOUT = {"made_from": "gte-small (Li et al., 2023)", "licence": "MIT"}


@study(__doc__, "gte-small")
@click.argument("folder", type=Path)
def small_gte(folder: Path) -> None:
    """Write it where the encoders that ship are."""
    network = load_bert(folder)
    kept = {n: w for n, w in network.weights.items() if n.startswith(("embeddings.", "encoder."))}
    save_small(BUNDLED["gte"].path, network.with_weights(kept), ABOUT)


if __name__ == "__main__":
    run_study(small_gte)
