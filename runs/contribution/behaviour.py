"""The behaviour suite: which differences in meaning a score notices, and what must not change it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from semaniacs.embeddings.encoder import SentenceEncoder
from semaniacs.embeddings.loading import load_network
from semaniacs.runs.recipes import DEFAULT, RUNS
from semaniacs.runs.scorer import load
from semaniacs.runs.tables.format import json_text, markdown_table
from semaniacs.sts.behaviour.suite import KEPT, MOST, Behaviour, ScorePairs, try_behaviour
from semaniacs.sts.behaviour.triples import Triple, read_triples, shipped_triples
from semaniacs.sts.data.pairs import HIGHEST, Scores
from semaniacs.sts.errors import MissingResourceError
from semaniacs.sts.files import write_text
from semaniacs.sts.progress import note

Systems = Mapping[str, Behaviour]


def measure_behaviour(
    runs: Sequence[str], half: str, triples_file: Path | None, output: Path
) -> str:
    """Test runs on triples, write the files and return the tables in Markdown.

    Args:
        runs: names, or folders of models; none: all that ship and read English, and the cosine of gte.
        half: of the triples that ship.
        triples_file: the user's own triples instead; None for those that ship.
        output: behaviour.md, behaviour.json and scores.tsv go to ``output/behaviour/NAME``.

    Raises:
        DataError: the file of triples is missing or damaged.
        StsError: as :func:`semaniacs.runs.scorer.load`.
    """
    triples = read_triples(triples_file) if triples_file else shipped_triples(half)
    scores = {name: score_of_run(name) for name in runs or english_runs()}
    if not runs:
        scores["gte-cosine"] = cosine_score(load_network())
    found = {name: try_behaviour(triples, score) for name, score in scores.items()}
    name = triples_file.stem if triples_file else half
    folder = output / "behaviour" / name
    text = (
        f"{len(triples)} triples, {name}: share with the closer sentence nearer than the farther "
        f"one\n\n{phenomena_table(found)}\n\nWhat must not change the score: share of the sentences "
        f"of which this holds\n\n{invariances_table(found)}"
    )
    figures = {system: asdict(behaviour) for system, behaviour in found.items()}
    for one in figures.values():
        del one["closer"], one["farther"]
    write_text(folder / "behaviour.md", f"{text}\n")
    write_text(folder / "behaviour.json", json_text({"triples": name, "systems": figures}))
    write_text(folder / "scores.tsv", scores_text(triples, found))
    note(f"written to {folder}")
    return text


def english_runs() -> list[str]:
    """Return the runs that ship and read only English, the default one first.

    A run that lacks a resource is left out with a note.
    """
    found = []
    for name in sorted((n for n, run in RUNS.items() if run.ships()), key=lambda n: n != DEFAULT):
        try:
            if load(name).model.languages == ("en",):
                found.append(name)
        except MissingResourceError as error:
            note(f"{name} is left out: {error}")
    return found


def score_of_run(run: str) -> ScorePairs:
    """Return the scores of a run, or of the model in a folder, without warnings."""
    scorer = load(run)

    def score(left: Sequence[str], right: Sequence[str]) -> Scores:
        return scorer.score_counting(left, right, scorer.watch(), progress=True)

    return score


def cosine_score(encoder: SentenceEncoder) -> ScorePairs:
    """Return five times the cosine of an encoder's vectors, not below 0."""

    def score(left: Sequence[str], right: Sequence[str]) -> Scores:
        scores: Scores = HIGHEST * np.clip(encoder.similarity_pairwise(left, right), 0.0, 1.0)
        return scores

    return score


def phenomena_table(found: Systems) -> str:
    """Return the accuracy of several systems by phenomenon, in Markdown."""
    systems = [*found.values()]
    rows = [
        [phenomenon, *(_figure(system.phenomena[phenomenon].value) for system in systems)]
        for phenomenon in systems[0].phenomena
    ]
    rates = [system.overall for system in systems]
    rows.append(["**mean of phenomena**", *(f"**{_figure(rate.value)}**" for rate in rates)])
    rows.append(["95 % interval", *(f"{_figure(r.low)}–{_figure(r.high)}" for r in rates)])
    return markdown_table(("phenomenon", *found), rows)


def invariances_table(found: Systems) -> str:
    """Return the share of sentences whose score is unchanged, in Markdown."""
    systems = [*found.values()]
    rows = [
        ["identity: exactly 5", *(_figure(system.identity) for system in systems)],
        ["symmetry: the same to the last bit", *(_figure(system.symmetry) for system in systems)],
    ]
    for name, first in systems[0].invariances.items():
        label = f"{name} ({first.sentences} sentences): at least {KEPT.get(name, MOST):g} kept"
        rows.append([label, *(_figure(system.invariances[name].share) for system in systems)])
    return markdown_table(("invariance", *found), rows)


def scores_text(triples: Sequence[Triple], found: Systems) -> str:
    """Return each triple with the scores of every system, tab-separated under a header."""
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
