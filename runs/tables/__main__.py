"""Keep results, and write the tables and figures of the README and docs from them.

python -m runs.tables --record output --data DIR    keep every result found in output
python -m runs.tables                               write tables and figures anew
python -m runs.tables --check                       fail if one is not up to date, or if a recipe
                                                    has changed since its result was recorded
"""

from __future__ import annotations

from pathlib import Path

from runs.options import new_parser
from runs.tables import kept_results, pages, results_tables
from runs.tables.pages import STUDIES, between, read_json, with_figures
from sts.command_line import run_tool
from sts.errors import StsError
from sts.files import read_text, write_bytes, write_text


def blocks() -> dict[Path, dict[str, str]]:
    """The text of every block, by document and name."""
    from runs.benchmarks import bitext_encoders, search_cost
    from runs.studies import behaviour_suite, duplicate_thresholds, round_trip_cost
    from runs.studies.languages import language_overlap, translation_retrieval
    from runs.studies.partial_paraphrases import ranking_study
    from runs.studies.scores import conflict_weights, interval_coverage

    results = kept_results.read_results()
    behaviour = read_json(behaviour_suite.RECORDED)
    mining = read_json(STUDIES / "mining.json")
    return {
        pages.README: {"peers": results_tables.peers_table(read_json(pages.PEERS))},
        pages.ALL_RESULTS: {
            "summary": results_tables.summary_table(results),
            "results": results_tables.results_tables(results),
        },
        pages.BITEXT: {
            "similarity": results_tables.similarity_table(results),
            "retrieval": translation_retrieval.retrieval_table(
                read_json(translation_retrieval.RECORDED)
            ),
            "mining": results_tables.mining_table(mining["quality"]),
            "search": search_cost.table(mining["speed"]),
            "speed": bitext_encoders.speed_table(read_json(STUDIES / "speed.json")),
            "overlap": language_overlap.overlap_tables(read_json(STUDIES / "overlap.json")),
        },
        pages.DUPLICATES: {
            "duplicates": duplicate_thresholds.duplicates_table(
                read_json(duplicate_thresholds.RECORDED)
            )
        },
        pages.MEANING: {
            "weights": conflict_weights.weights_table(
                read_json(conflict_weights.RECORDED)["settings"]
            ),
            "coverage": interval_coverage.coverage_table(read_json(interval_coverage.RECORDED)),
            "behaviour": behaviour_suite.phenomena_table(behaviour),
            "invariances": behaviour_suite.invariances_table(behaviour),
            "ranking": ranking_study.ranking_table(read_json(ranking_study.RECORDED)),
        },
        pages.FUSION: dict(read_json(STUDIES / "model_selection.json"))
        | {"round-trips": round_trip_cost.round_trips_table(read_json(pages.ROUND_TRIPS))},
    }


def chart() -> tuple[Path, bytes]:
    """The picture that is drawn from recorded figures."""
    from runs.benchmarks.peers import draw

    return pages.README.parent / "docs" / "quality-speed.png", draw(read_json(pages.PEERS))


def fresh_pages() -> dict[Path, str]:
    """Every document with its blocks and figures as they were recorded last."""
    texts = {}
    for path, named in blocks().items():
        text = read_text(path)
        for name, block in named.items():
            text = between(text, name, block, path)
        texts[path] = with_figures(text, path)
    for path in sorted((pages.README.parent / "docs").glob("*.md")):
        texts.setdefault(path, with_figures(read_text(path), path))
    return texts


def check() -> None:
    """Refuse pages that are not up to date, and results of recipes that have changed since.

    Raises:
        StsError: with the command to type.
    """
    for path, text in fresh_pages().items():
        if text != read_text(path):
            raise StsError(f"{path.name} is not up to date; write it with: python -m runs.tables")
    path, drawn = chart()
    if not path.exists() or drawn != path.read_bytes():
        raise StsError(f"{path.name} is not up to date; draw it with: python -m runs.tables")
    kept_results.check_recipes()


def main() -> None:
    """Record, write or check."""
    parser = new_parser("runs.tables", __doc__)
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="keep the results in it")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 2 if stale")
    options = parser.parse_args()
    pages.check_checkout()
    if options.record:
        for path in kept_results.record(options.record, options.data):
            print(path.name)
    if options.check:
        check()
        return
    for path, text in fresh_pages().items():
        if text != read_text(path):
            write_text(path, text)
    write_bytes(*chart())


if __name__ == "__main__":
    run_tool(main)
