"""The studies of a run: what its features, epochs, words and languages contribute.

    python -m runs.studies ablation         --data DIR   features without a group, alone, group by group
    python -m runs.studies behaviour                same words, other meaning: triples by phenomenon
    python -m runs.studies importance       --data DIR   Gini, gain, splits, permutation, Shapley
    python -m runs.studies epochs           --data DIR   the score after each epoch of tuning
    python -m runs.studies model-selection  --data DIR   the table of docs/fusion.md
    python -m runs.studies language-overlap --data DIR   which language stands beside English
    python -m runs.studies translation-retrieval --data ALL  how often the nearest is the translation
    python -m runs.studies paws-across      --data DIR   PAWS-X within a language and across two
    python -m runs.studies round-trips      --data DIR   what fitting without round trips costs
    python -m runs.studies unknown-words    --data DIR   words out of vocabulary
    python -m runs.studies interval-coverage --data DIR  whether intervals hold what they say
    python -m runs.studies conflict-weights  --data DIR  how much a conflict may take from a score
    python -m runs.studies duplicate-thresholds --data ALL   which cosine makes a duplicate
    python -m runs.studies partial-paraphrases --data ALL    ranking of partial paraphrases
    python -m runs.studies poolings        --data DIR   five poolings, three losses
    python -m runs.studies hard-negatives  --data DIR   margin, scale and mega-batches

Each has a --help of its own.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

from embeddings import loading
from runs.options import new_parser
from runs.studies import duplicate_thresholds, epochs, round_trip_cost
from runs.studies.contribution.prepare import study_from, study_options
from runs.studies.languages import language_overlap, paws_across, translation_retrieval
from runs.studies.ledger import Ledger
from runs.studies.partial_paraphrases import ranking_study
from runs.studies.scores import conflict_weights, interval_coverage
from runs.tables.format import text_table
from sts.command_line import help_text, run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.errors import UnknownNameError


def ablation() -> None:
    """Ablation: the fusion without each group of features, with it alone, and group by group.

    Each fusion is compared with the whole one on the same resampled pairs. Writes ablation.csv,
    ablation.json and ablation.png to OUTPUT/TASK/RUN, beside matrices.safetensors and
    ablation.jsonl, which hold what need not be computed again, and prints the tables. Stopped
    and started again, the command goes on where it was.
    """
    from runs.studies.contribution.ablation import ablate
    from runs.studies.contribution.outputs import ablation_tables, write_ablation

    options = study_options("ablation", ablation.__doc__, parallel=True)
    study, folder = study_from(options)
    found = ablate(study, Ledger(folder / "ablation.jsonl"), options.jobs)
    write_ablation(study, found, folder)
    print(f"{study.run.name} on {study.task}\n\n{ablation_tables(study, found)}\n")
    print("difference: weighted mean minus that of all features, with its 95 % interval")


def behaviour() -> None:
    """Same words, other meaning: the triples of the behaviour suite."""
    from runs.studies.behaviour_suite import main

    main()


def importance() -> None:
    """Feature importance by five measures side by side, and which features are alike.

    Gini importance (the paper's Table 4) is of scikit-learn's booster, gain and splits are of
    LightGBM's, all learned from the training pairs; permutation is the loss of the weighted
    mean of the run's fusion when a feature is shuffled among the test pairs, and shapley is how
    many points the feature moves a score, up or down, on average. Writes
    importance.csv, importance.json, importance.png, correlation.csv and correlation.png to
    OUTPUT/TASK/RUN, beside matrices.safetensors and importance.jsonl, which hold what need not
    be computed again, and prints the table. Stopped and started again, the command goes on
    where it was.
    """
    from runs.studies.contribution.importance import measure_importance
    from runs.studies.contribution.outputs import importance_table, write_importance

    options = study_options("importance", importance.__doc__, parallel=True)
    study, folder = study_from(options)
    found = measure_importance(study, Ledger(folder / "importance.jsonl"), options.jobs)
    write_importance(study, found, folder)
    print(f"{study.run.name} on {study.task}: weighted mean {found.whole:.4f}\n")
    print(importance_table(found))


def unknown_words() -> None:
    """The rate of words out of vocabulary by data set (Hokamp and Arora, 2016, Table 5).

    With the paper's vocabulary of 42,091 words, 0.81 % to 4.9 % of the running words of 2016
    have no vector.
    """
    parser = new_parser(
        "runs.studies unknown-words", unknown_words.__doc__, example="--task sts2016 --data DIR"
    )
    parser.add_argument("--task", default="sts2016", help="data sets (default: sts2016)")
    parser.add_argument("--vectors", default=loading.DEFAULT, help="bundled name or file")
    options = parser.parse_args()
    vocabulary = loading.load_static(options.vectors).tokenizer
    rows = []
    for dataset in get_task(options.task).datasets:
        pairs = load(dataset, options.data, with_gold=False)
        rate = vocabulary.unknown_rate((*pairs.left, *pairs.right))
        rows.append((dataset.name, f"{100 * rate:.2f} %"))
    print(text_table(("data set", "unknown"), rows))


def model_selection() -> None:
    """The choice of the fusion's parts and weights."""
    from runs.studies.model_selection import main

    main()


def poolings() -> None:
    """Which pooling, with which loss."""
    from runs.studies.sentence_training.poolings_study import main

    main()


def hard_negatives() -> None:
    """Margin, scale and hard negatives of the additive margin scale loss."""
    from runs.studies.sentence_training.negatives_study import main

    main()


STUDIES: dict[str, Callable[[], None]] = {
    "ablation": ablation,
    "behaviour": behaviour,
    "conflict-weights": conflict_weights.main,
    "hard-negatives": hard_negatives,
    "importance": importance,
    "epochs": epochs.main,
    "model-selection": model_selection,
    "duplicate-thresholds": duplicate_thresholds.main,
    "interval-coverage": interval_coverage.main,
    "language-overlap": language_overlap.main,
    "paws-across": paws_across.main,
    "poolings": poolings,
    "round-trips": round_trip_cost.main,
    "partial-paraphrases": ranking_study.main,
    "translation-retrieval": translation_retrieval.main,
    "unknown-words": unknown_words,
}


def main() -> None:
    """Run the study that is named first; the rest of the command line is its own."""
    first = sys.argv[1:2]
    if first in (["-h"], ["--help"]):
        print(help_text(__doc__))
        return
    if not first:
        parser = new_parser("runs.studies", None, data=False)
        parser.add_argument("STUDY")
        parser.error(f"the name of a study is required: {', '.join(STUDIES)}")
    if first[0] not in STUDIES:
        raise UnknownNameError("study", first[0], list(STUDIES))
    del sys.argv[1]
    STUDIES[first[0]]()


if __name__ == "__main__":
    run_tool(main)
