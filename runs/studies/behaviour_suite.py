"""The behaviour suite: what a score notices, and what it should not notice.

    python -m runs.studies behaviour
    python -m runs.studies behaviour --half held_out --runs fusion contextual
    python -m runs.studies behaviour --triples MINE.tsv

Each triple is a sentence, one that means nearly the same in other words (closer), and one that
means something else in nearly the same words (farther). A score is right if it puts the closer one
nearer; a tie is wrong. The overall figure is the mean of the phenomena, with a 95 % bootstrap
interval. Beside them: identity, the share of sentences that score exactly 5 with themselves;
symmetry, to the last bit; and by rewriting (a typo, capitals and so on) the share of sentences
whose rewriting stays as near to them as it must.

The cosines of MiniLM and WordLlama stand beside our runs if they are installed. Writes
behaviour.md, behaviour.json and scores.tsv, which holds the scores of every triple, to
OUTPUT/behaviour/HALF, and prints the table. One's own triples are a tab-separated file with the
header phenomenon, anchor, closer, farther.

Do not look at the held-out half while you build features or choose parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.encoder import cosine
from embeddings.transformer.weights import INSTALL, find_transformer
from runs.options import new_parser
from runs.recipes.by_name import DEFAULT, RUNS
from runs.scorer import load
from runs.tables.format import json_text, markdown_table
from runs.tables.pages import MEANING, STUDIES, check_checkout, show, write_json
from sts.data.behaviour.suite import KEPT, MOST, Behaviour, ScorePairs, try_behaviour
from sts.data.behaviour.triples import HALVES, Triple, read_triples, shipped_triples
from sts.data.pairs import HIGHEST, Scores
from sts.errors import MissingResourceError, StsError
from sts.files import write_text
from sts.progress import note

RECORDED = STUDIES / "behaviour.json"

Figures = dict[str, Any]


def main() -> None:
    """Try each system, write and print."""
    parser = new_parser("runs.studies behaviour", __doc__, data=False)
    parser.add_argument(
        "--runs",
        nargs="+",
        metavar="RUN",
        help="names or folders (default: English runs that ship)",
    )
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument("--half", choices=HALVES, default=HALVES[0], help=f"default: {HALVES[0]}")
    chosen.add_argument("--triples", type=Path, metavar="FILE", help="one's own triples")
    parser.add_argument("--no-peers", action="store_true", help="without MiniLM and WordLlama")
    parser.add_argument(
        "--output", type=Path, default=Path("output"), help="folder (default: output)"
    )
    parser.add_argument("--write", action="store_true", help=f"keep it, for docs/{MEANING.name}")
    options = parser.parse_args()
    if options.write:
        check_checkout()
        if options.triples or options.half == HALVES[0]:
            raise StsError(f"--write keeps the half nobody looks at: pass --half {HALVES[1]}")
        if options.runs or options.no_peers:
            raise StsError("--write keeps all runs and peers; leave out --runs and --no-peers")
    triples = read_triples(options.triples) if options.triples else shipped_triples(options.half)
    systems = {str(run): score_of_run(run) for run in options.runs or english_runs()}
    peers, notes = ({}, []) if options.no_peers else peer_scores()
    if options.write and notes:
        raise StsError(f"--write keeps all peers: {notes[0]}")
    found = {name: try_behaviour(triples, score) for name, score in (systems | peers).items()}
    name = options.triples.stem if options.triples else options.half
    folder = options.output / "behaviour" / name
    figures = behaviour_figures(found, name)
    text = "\n\n".join([behaviour_text(figures, len(triples)), *notes])
    write_text(folder / "behaviour.md", f"{text}\n")
    write_text(folder / "behaviour.json", json_text(figures))
    write_text(folder / "scores.tsv", scores_text(triples, found))
    print(text)
    note(f"written to {folder}")
    if options.write:
        write_json(RECORDED, figures)
        show(MEANING, "behaviour", phenomena_table(figures))
        show(MEANING, "invariances", invariances_table(figures))


def english_runs() -> list[str]:
    """The runs that ship and read English alone, the default one first; what lacks a resource is
    left out, and told."""
    found = []
    for name in sorted((n for n, run in RUNS.items() if run.ships()), key=lambda n: n != DEFAULT):
        try:
            if load(name).model.languages == ("en",):
                found.append(name)
        except MissingResourceError as error:
            note(f"{name} is left out: {error}")
    return found


def score_of_run(run: str) -> ScorePairs:
    """The scores of a run, or of the scorer in a folder, without warnings.

    Raises:
        StsError: as :func:`runs.scorer.load`.
    """
    scorer = load(run)

    def score(left: Sequence[str], right: Sequence[str]) -> Scores:
        return scorer.score_counting(left, right, scorer.watch(), progress=True)

    return score


def peer_scores() -> tuple[dict[str, ScorePairs], list[str]]:
    """The scores of MiniLM and WordLlama, and a line for each of them that is not installed."""
    peers: dict[str, ScorePairs] = {}
    notes = []
    weights = find_transformer()
    if weights is None:
        notes.append(f"MiniLM is left out, as it is not installed: {INSTALL}")
    else:
        from embeddings.transformer.bert_folder import read_transformer

        peers["MiniLM-cosine"] = cosine_score(read_transformer(weights).encode)
    if find_spec("wordllama") is None:
        notes.append("WordLlama is left out, as it is not installed: pip install wordllama")
    else:
        from runs.benchmarks.peers import word_llama

        peers["WordLlama"] = cosine_score(word_llama().encode)
    return peers, notes


def cosine_score(encode: Callable[[list[str]], Any]) -> ScorePairs:
    """Five times the cosine of an encoder's vectors, not below 0."""

    def score(left: Sequence[str], right: Sequence[str]) -> Scores:
        distinct = {sentence: row for row, sentence in enumerate(dict.fromkeys([*left, *right]))}
        vectors = np.asarray(encode([*distinct]), np.float64)
        one, other = (vectors[[distinct[sentence] for sentence in side]] for side in (left, right))
        scores: Scores = HIGHEST * np.clip(cosine(one, other), 0.0, 1.0)
        return scores

    return score


def phenomena_table(figures: Figures) -> str:
    """The accuracy of several systems in Markdown, by phenomenon."""
    systems = [*figures["systems"].values()]
    rows = [
        [phenomenon, *(_figure(s["phenomena"][phenomenon]["value"]) for s in systems)]
        for phenomenon in systems[0]["phenomena"]
    ]
    overall = [s["overall"] for s in systems]
    rows.append(["**all**", *(f"**{_figure(rate['value'])}**" for rate in overall)])
    bounds = (f"{_figure(rate['low'])}–{_figure(rate['high'])}" for rate in overall)
    rows.append(["95 % interval", *bounds])
    return markdown_table(("phenomenon", *figures["systems"]), rows)


def invariances_table(figures: Figures) -> str:
    """In Markdown: of which share of the sentences a score is as it was."""
    systems = [*figures["systems"].values()]
    rows = [
        ["identity: exactly 5", *(_figure(s["identity"]) for s in systems)],
        ["symmetry: the same to the last bit", *(_figure(s["symmetry"]) for s in systems)],
    ]
    for name, first in systems[0]["invariances"].items():
        what = f"{name} ({first['sentences']} sentences): at least {KEPT.get(name, MOST):g} kept"
        rows.append([what, *(_figure(s["invariances"][name]["share"]) for s in systems)])
    return markdown_table(("invariance", *figures["systems"]), rows)


def behaviour_text(figures: Figures, count: int) -> str:
    """Both tables, and what they say."""
    return "\n\n".join(
        [
            f"{count} triples, {figures['triples']}: share with the closer sentence nearer than the "
            "farther one",
            phenomena_table(figures),
            "What must not change the score: share of the sentences of which this holds",
            invariances_table(figures),
        ]
    )


def behaviour_figures(found: Mapping[str, Behaviour], name: str) -> Figures:
    """The same for JSON, without the scores of single triples."""
    systems = {}
    for system, behaviour in found.items():
        systems[system] = asdict(behaviour)
        del systems[system]["closer"], systems[system]["farther"]
    return {"triples": name, "systems": systems}


def scores_text(triples: Sequence[Triple], found: Mapping[str, Behaviour]) -> str:
    """Each triple with the scores of every system, tab-separated under a header."""
    header = ["phenomenon", "anchor", "closer", "farther"]
    header += [f"{name} {side}" for name in found for side in ("closer", "farther")]
    columns = [scores for s in found.values() for scores in (s.closer, s.farther)]
    lines = [
        [t.phenomenon, t.anchor, t.closer, t.farther, *(f"{scores[row]:.4f}" for scores in columns)]
        for row, t in enumerate(triples)
    ]
    return "".join("\t".join(line) + "\n" for line in [header, *lines])


def _figure(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"
