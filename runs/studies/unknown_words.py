"""The rate of words out of vocabulary by data set (Hokamp and Arora, 2016, Table 5).

    python -m runs.studies unknown-words --task sts2016 --data DIR

With the paper's vocabulary of 42,091 words, 0.81 % to 4.9 % of the running words of 2016 have no
vector.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from embeddings import loading
from runs.tables.format import text_table
from sts.command_line import run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load


def main() -> None:
    """Print the rate of each data set of a task."""
    parser = argparse.ArgumentParser(
        prog="python -m runs.studies unknown-words",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--task", default="sts2016")
    parser.add_argument("--data", type=Path, help="STS data folder; otherwise STS_DATA")
    parser.add_argument("--vectors", default=loading.DEFAULT, help="bundled name or file")
    options = parser.parse_args()
    vocabulary = loading.load_static(options.vectors).tokenizer
    rows = []
    for dataset in get_task(options.task).datasets:
        pairs = load(dataset, options.data, with_gold=False)
        rate = vocabulary.unknown_rate((*pairs.left, *pairs.right))
        rows.append((dataset.name, f"{100 * rate:.2f} %"))
    print(text_table(("data set", "unknown"), rows))


if __name__ == "__main__":
    run_tool(main)
