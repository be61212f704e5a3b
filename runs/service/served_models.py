"""Scorers and encoders of one server, loaded before it listens."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from semaniacs.embeddings.bitext.language_files import differ_by_language
from semaniacs.embeddings.encoder import SentenceEncoder
from semaniacs.embeddings.loading import BUNDLED, find_model, load_languages
from semaniacs.embeddings.single_file import languages_in
from semaniacs.features.registry import plain_name
from semaniacs.features.word_matches import match_words
from semaniacs.runs.pipeline.contradictions import contradictions_of, differences_of, or_words_apart
from semaniacs.runs.pipeline.score_columns import Calibration, ScoreColumns, calibrated_name
from semaniacs.runs.scorer import Languages, load
from semaniacs.runs.service.bodies import ScoreRequest
from semaniacs.sts.errors import StsError, UnknownNameError
from semaniacs.sts.text.languages_found import AUTO, Seen, warnings_of

T = TypeVar("T")

LEGEND: dict[str, str] = json.loads(
    (Path(__file__).parent / "web" / "feature_groups.json").read_text(encoding="utf-8")
)
"""One sentence for each group of :mod:`semaniacs.features.registry`, and for rules."""


class ServedModels:
    """Scorers and encoders of a server, by the names that requests use; the first are the defaults.

    ``aliases`` are other names of them, each as ``NAME=MODEL``; ``calibrations`` are files of
    ``semaniacs calibrate``. An StsError is raised if a model cannot be loaded, if two have the same
    name, or if an alias or a calibration has no model.
    """

    def __init__(
        self,
        models: Sequence[str],
        encoders: Sequence[str],
        aliases: Sequence[str] = (),
        calibrations: Sequence[str] = (),
    ) -> None:
        known = [Path(name).name for name in (*encoders, *models)]
        self.aliases: dict[str | None, str] = dict(one.partition("=")[::2] for one in aliases)
        for name, target in self.aliases.items():
            if name in ("", *known) or target not in known:
                expected = f"expected a new name, = and one of {', '.join(known)}"
                raise StsError(f"--alias {name}={target}: {expected}; see --encoder and --model")
        self.scorers = {Path(model).name: load(model) for model in dict.fromkeys(models)}
        self.encoders = {Path(name).name: load_encoder(name) for name in dict.fromkeys(encoders)}
        for given, served in ((models, self.scorers), (encoders, self.encoders)):
            if len(served) < len(set(given)):
                raise StsError(f"two of {', '.join(given)} have the same name; rename one")
        own = {calibrated_name(s.model, s.source): n for n, s in self.scorers.items()}
        self.calibrations = {Path(file).stem: load_calibration(file, own) for file in calibrations}

    def describe(self) -> dict[str, Any]:
        """Return the names and languages of all models, for ``/health``."""
        models, encoders = [], []
        for name, scorer in self.scorers.items():
            codes = list(scorer.model.languages)
            shown = {"name": name, "features": len(scorer.features), "languages": codes}
            models.append(shown | {"intervals": scorer.model.intervals is not None})
        for name, by_language in self.encoders.items():
            dim, codes = next(iter(by_language.values())).dim, list(filter(None, by_language))
            encoders.append({"name": name, "dim": dim, "languages": codes})
        calibrations = []
        for name, (model, own) in self.calibrations.items():
            score = np.array([own.threshold.score if own.threshold else np.nan])
            threshold = None if np.isnan(score[0]) else float((own.map or np.abs)(score)[0])
            shown = {"name": name, "model": model, "intervals": own.intervals is not None}
            calibrations.append(shown | {"threshold": threshold})
        return {"models": models, "encoders": encoders, "calibrations": calibrations}

    def score(
        self,
        model: str | None,
        left: Sequence[str],
        right: Sequence[str],
        languages: Languages | None = None,
    ) -> dict[str, Any]:
        """Return the scores, NaN for a pair with a blank sentence, and a warning or None."""
        name, scorer = choose(self.scorers, self.aliases.get(model, model), "model")
        seen = scorer.watch()
        scores = scorer.score_counting(left, right, seen, languages=languages, empty="nan")
        return {"model": name, "scores": scores.tolist(), "warning": _warning(name, seen)}

    def beside(self, scored: dict[str, Any], asked: ScoreRequest) -> dict[str, Any]:
        """Return what else is asked of scored pairs: calibrated scores, intervals, differences."""
        found: dict[str, Any] = {}
        model, scores, name = scored["model"], np.array(scored["scores"]), asked.calibration
        if asked.level is not None or name is not None:
            known = {n: own for n, (of, own) in self.calibrations.items() if of == model}
            own = None if name is None else choose(known, name, f"calibration of {model}")[1]
            columns = ScoreColumns.of(self.scorers[model].model, asked.level, own)
            named = columns.named("score", scores)
            found["scores"] = named["score"].tolist()
            for side in ("low", "high") if asked.level is not None else ():
                ends = named[f"score_{side}"].tolist()
                found[side] = [None if math.isnan(end) else end for end in ends]
        if asked.differences:
            own_model = self.scorers[model].model
            told = contradictions_of(own_model, *asked.sides, asked.languages)
            found["contradicts"] = [*map(bool, told)]
            found["differences"] = or_words_apart(told, own_model, *asked.sides)
        return found

    def explain(self, model: str | None, left: str, right: str) -> dict[str, Any]:
        """Return the parts of a score; a cosine has no base and no contributions."""
        name, scorer = choose(self.scorers, self.aliases.get(model, model), "model")
        answer = {"model": name, "words": match_words(left, right)}
        answer["sentences"] = differences_of(scorer.model, [left], [right])[0]
        seen = scorer.watch()
        (found,) = scorer.explain_counting([left], [right], seen)
        groups = sorted({part.group for part in found.contributions})
        return answer | {
            "score": found.score,
            "base": found.base if scorer.features else None,
            "contributions": found.contributions,
            "differences": found.differences,
            "decisive_words": found.decisive_words,
            "groups": {group: LEGEND.get(group, group) for group in groups},
            "names": {part.feature: plain_name(part.feature) for part in found.contributions},
            "warning": _warning(name, seen),
        }

    def embed(
        self, model: str | None, language: str | None, sentences: list[str], **options: Any
    ) -> tuple[str, Any, int]:
        """Return the name of the encoder, (n, dim) vectors, and the number of tokens."""
        name, by_language = choose(self.encoders, self.aliases.get(model, model), "encoder")
        if language not in by_language:
            known = [code for code in by_language if code]
            raise UnknownNameError(f"language of {name}", str(language)[:40], known)
        encoder = by_language[language]
        tokenizer: Any = encoder.tokenizer
        read = tokenizer.ids if hasattr(tokenizer, "ids") else tokenizer.encode
        tokens = sum(len(read(sentence)) for sentence in sentences)
        return name, encoder.encode(sentences, **options), tokens


def load_calibration(file: str, models: Mapping[str, str]) -> tuple[str, Calibration]:
    """Return the served model of a calibration, from names as :func:`calibrated_name` has them."""
    found = Calibration.load(Path(file))
    if found.model not in models:
        raise StsError(f"{file}: a calibration of {found.model}, which is not served; add --model")
    return models[found.model], found


def _warning(name: str, seen: Seen) -> str | None:
    """Return one line about unreadable sentences and identified languages, or None."""
    instead, example = "a server with --model multilingual", '"languages": ["{}", "{}"]'
    return "; ".join(warnings_of(seen, name, instead, example)) or None


def choose(served: dict[str, T], name: str | None, kind: str) -> tuple[str, T]:
    """Return the name and the model of that name; the first model if the name is None."""
    if name is None:
        return next(iter(served.items()))
    if name not in served:
        raise UnknownNameError(kind, name[:40], [*served])
    return name, served[name]


def load_encoder(name: str) -> dict[str | None, SentenceEncoder]:
    """Load an encoder by language; None stands for a language that nobody named."""
    path = find_model(name)
    codes = languages_in(path) or (BUNDLED[name].languages if name in BUNDLED else ())
    differ = bool(languages_in(path)) and differ_by_language(path)
    usual = AUTO if differ else codes[0] if codes else None
    return dict(zip([None, *codes], load_languages(name, [usual, *codes]), strict=True))
