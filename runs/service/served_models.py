"""The scorers and encoders that one server answers with, loaded before it listens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, TypeVar

from embeddings.encoder import SentenceEncoder
from embeddings.formats.single_file import differ_by_language, languages_in
from embeddings.loading import BUNDLED, find_model, load_languages
from runs.scorer import Languages, Scorer, load
from runs.service.batch_queue import Work
from runs.service.feature_groups import LEGEND, RULES
from runs.service.request_bodies import Pair, RequestError
from runs.service.word_matches import match_words
from sts.errors import StsError
from sts.text.languages_found import AUTO
from sts.text.noticed import count_languages, warnings_of

T = TypeVar("T")


@dataclass(frozen=True)
class ServedEncoder:
    """An encoder by language.

    Attributes:
        name: as requests say it.
        by_language: under None what reads a sentence whose language is not given.
    """

    name: str
    by_language: dict[str | None, SentenceEncoder]

    def of(self, language: str | None) -> SentenceEncoder:
        """The encoder of a language; a :class:`RequestError` if there is none."""
        if language in self.by_language:
            return self.by_language[language]
        known = ", ".join(code for code in self.by_language if code) or "none to choose"
        raise RequestError(422, f"encoder {self.name!r} needs a language it knows: {known}")


class ServedModels:
    """What a server answers with.

    Args:
        models: names or folders of scorers, see :func:`runs.scorer.load`; the first is used
            where a request names none.
        encoders: names or files of encoders, the first likewise.

    Raises:
        StsError: one of them cannot be loaded, or two have one name.
    """

    def __init__(self, models: Sequence[str], encoders: Sequence[str]) -> None:
        self.scorers = {Path(model).name: load(model) for model in dict.fromkeys(models)}
        self.encoders = {Path(name).name: load_encoder(name) for name in dict.fromkeys(encoders)}
        for given, served in ((models, self.scorers), (encoders, self.encoders)):
            if len(served) < len(set(given)):
                raise StsError(f"two of {', '.join(given)} have the same name; rename one")
        self._works: dict[Any, Work] = {}

    def warm_up(self) -> None:
        """Score and explain once: code is compiled and tables are read before anyone waits."""
        for name in self.scorers:
            self.scoring(name, None)([("a dog", "a cat")])
            self.explaining(name)([("a dog", "a cat")])

    @cached_property
    def description(self) -> dict[str, Any]:
        """What is served, for ``/health``."""
        return {
            "models": [
                {
                    "name": name,
                    "features": len(scorer.features),
                    "languages": list(scorer.model.languages),
                }
                for name, scorer in self.scorers.items()
            ],
            "encoders": [
                {
                    "name": served.name,
                    "dim": next(iter(served.by_language.values())).dim,
                    "languages": [code for code in served.by_language if code],
                }
                for served in self.encoders.values()
            ],
        }

    def scoring(self, model: str | None, languages: Languages | None) -> Work:
        """From pairs to scores; NaN for a pair with a blank sentence."""
        name = model_name(self.scorers, model, "model")
        scorer = self.scorers[name]
        known = scorer.model.languages
        for code in languages or ():
            if code not in known and (code != AUTO or len(known) == 1):
                raise RequestError(
                    422, f"unknown language {code[:40]!r}; {name} knows: {', '.join(known)}"
                )

        key = ("score", name, languages)
        return self._works.setdefault(key, partial(_score, scorer, languages))

    def explaining(self, model: str | None) -> Work:
        """From pairs to explanations, as ``/explain`` answers them."""
        name = model_name(self.scorers, model, "model")
        return self._works.setdefault(
            ("explain", name), partial(_explain, name, self.scorers[name])
        )

    def warning(
        self, model: str | None, pairs: Sequence[Pair], languages: Languages | None = None
    ) -> str | None:
        """What a model cannot read of some pairs, or which languages it took them to be in."""
        name = model_name(self.scorers, model, "model")
        scorer = self.scorers[name]
        seen = scorer.watch()
        left, right = ([pair[side] for pair in pairs] for side in (0, 1))
        count_languages(seen, left, right, languages)
        instead, example = "a server with --model bitext-teacher", '"languages": ["{}", "{}"]'
        return "; ".join(warnings_of(seen, name, instead, example)) or None

    def encoder(self, model: str | None, language: str | None) -> tuple[str, SentenceEncoder]:
        """The name of an encoder, and that of a language in it."""
        name = model_name(self.encoders, model, "encoder")
        return name, self.encoders[name].of(language)


def model_name(served: dict[str, T], wanted: str | None, kind: str) -> str:
    """The name that is wanted, or the first; a :class:`RequestError` if it is not served."""
    if wanted is None:
        return next(iter(served))
    if wanted not in served:
        known = ", ".join(served)
        raise RequestError(422, f"unknown {kind} {wanted[:40]!r}; this server has: {known}")
    return wanted


def load_encoder(name: str) -> ServedEncoder:
    """An encoder with all its languages.

    Raises:
        StsError: see :func:`embeddings.loading.load_languages`.
    """
    path = find_model(name)
    codes = languages_in(path) or (BUNDLED[name].languages if name in BUNDLED else ())
    found: dict[str | None, SentenceEncoder] = {}
    if not languages_in(path) or not differ_by_language(path):
        found[None] = load_languages(name, [codes[0] if codes else None])[0]
    found.update(zip(codes, load_languages(name, codes), strict=True))
    return ServedEncoder(Path(name).name, found)


def _score(scorer: Scorer, languages: Languages | None, pairs: list[Pair]) -> list[float]:
    left, right = zip(*pairs, strict=True)
    # The count is not used: what is told of scripts is told to each request by itself.
    scores = scorer.score_counting(left, right, scorer.watch(), languages=languages, empty="nan")
    found: list[float] = scores.tolist()
    return found


def _explain(name: str, scorer: Scorer, pairs: list[Pair]) -> list[dict[str, Any]]:
    return [_explain_pair(name, scorer, *pair) for pair in pairs]


def _explain_pair(name: str, scorer: Scorer, left: str, right: str) -> dict[str, Any]:
    """The parts of a score; a cosine alone has a score, and neither base nor contributions."""
    words = {side: asdict(found) for side, found in match_words(left, right).items()}
    if not scorer.features:
        (score,) = _score(scorer, None, [(left, right)])
        return {"model": name, "score": score, "base": None, "contributions": [], "groups": {}} | {
            "words": words
        }
    (found,) = scorer.explain_counting([left], [right], scorer.watch())
    groups = sorted({part.group for part in found.contributions})
    return {
        "model": name,
        "score": found.score,
        "base": found.base,
        "contributions": [asdict(part) for part in found.contributions],
        "groups": {group: (LEGEND | RULES).get(group, group) for group in groups},
        "words": words,
    }
