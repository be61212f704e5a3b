"""The named encoders that are trained on bitext, and the recipe of each.

Every value was chosen on 2012–2015 and on the Spanish sets of 2014 and 2015. An epoch of trigrams
takes five times as long as the others; the LSTM gains nothing after the first epoch.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext.bitext_configuration import (
    BitextTraining,
    Levelling,
    Shape,
    Teaching,
)
from semaniacs.embeddings.bitext.corpus import (
    ENGLISH,
    Bitext,
    MachineTranslations,
    clean,
    read_bitext,
)
from semaniacs.embeddings.bitext.corpus import PARAPHRASES as CORPORA
from semaniacs.embeddings.bitext.language_files import save_shared, save_taught
from semaniacs.embeddings.bitext.multilingual import (
    Multilingual,
    scaled_by_frequency,
    without_repeated,
)
from semaniacs.embeddings.bitext.vocabularies import learned_start, starting_point
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.table import as_int4
from semaniacs.embeddings.training.corpora import distinct, read_corpus, without
from semaniacs.sts.errors import UnknownNameError

SPANISH = ("es",)
ALL = ("es", "de", "fr", "ru")


@dataclass(frozen=True)
class BitextRecipe:
    """Recipe of an encoder that is trained on bitext.

    Attributes:
        name: of the run and of the file.
        languages: the other sides of the bitext; English for paraphrases.
        shape: of the encoder; None for taught languages.
        training: None for random vectors, and for taught languages.
        smoothing: a of the inverse frequency that trained rows are scaled by; None for none.
        teaching: None but for taught languages.
        english: bundled name of the encoder that taught languages extend.
        machine: pairs of which a machine wrote one side, beside those that people wrote.
        start: bundled name of the averaging encoder that a network is trained from; None for
            random rows.
    """

    name: str
    languages: tuple[str, ...] = ALL
    shape: Shape | None = field(default_factory=Shape)
    training: BitextTraining | None = field(default_factory=BitextTraining)
    smoothing: float | None = None
    teaching: Teaching | None = None
    english: str = loading.DEFAULT
    machine: MachineTranslations | None = None
    start: str | None = None

    def with_seed(self, seed: int) -> BitextRecipe:
        """Return the recipe with another random seed."""
        names = ("shape", "training", "teaching", "machine")
        parts = {name: getattr(self, name) for name in names}
        drawn: Any = {name: part and replace(part, seed=seed) for name, part in parts.items()}
        return replace(self, **drawn)

    def as_json(self) -> str:
        """Return the recipe as it is stored in the metadata of the encoder's file."""
        described = asdict(self)
        for name in ("machine", "start"):  # files of before there were such do not name them
            if described[name] is None:
                del described[name]
        return json.dumps(described, sort_keys=True)


SP = BitextRecipe(
    "bitext-sp",
    shape=Shape(size=40_000),
    training=BitextTraining(epochs=6, dropout=0.3, megabatch=40, anneal=300),
    smoothing=1e-3,
    machine=MachineTranslations(
        (
            ("flickr30k-captions", 60_000),
            ("quora-duplicates", 60_000),
            ("twitter-url", 15_000),
            ("asset", 20_000),
            ("msrp-positives", 4_000),
            ("news.en-de", 50_000),
            ("news.en-ru", 50_000),
        )
    ),
)
TRIGRAM = BitextRecipe(
    "bitext-trigram",
    SPANISH,
    Shape("TRIGRAM", 200_000),
    BitextTraining(epochs=5, dropout=0.3),
    smoothing=1e-3,
)
WORD = BitextRecipe(
    "bitext-word", SPANISH, Shape("WORD", 200_000), BitextTraining(dropout=0.3), smoothing=1e-3
)
LSTM = BitextRecipe(
    "bitext-lstm",
    SPANISH,
    Shape("LSTM-SP", 40_000),
    BitextTraining(
        epochs=1,
        learning_rate=1e-4,
        final_rate=0.05,
        margin=0.2,
        megabatch=20,
        anneal=100,
        dropout=0.3,
    ),
    machine=SP.machine,
    start=SP.name,
)
TEACHER = BitextRecipe(
    "bitext-teacher", shape=None, training=None, teaching=Teaching(levelling=Levelling())
)
PARAPHRASES = BitextRecipe(
    "paraphrase-sp", (ENGLISH,), Shape(), BitextTraining(epochs=7, dropout=0.3)
)
"""Baseline of Table 1: the trainer of bitext on English paraphrases."""

RANDOM = tuple(
    replace(made, name=f"random-{made.name.removeprefix('bitext-')}", training=None, smoothing=None)
    for made in (replace(SP, languages=SPANISH, shape=Shape(), machine=None), TRIGRAM, WORD)
)
"""Untrained: the baselines of Table 2."""

RECIPES = {made.name: made for made in (SP, TRIGRAM, WORD, LSTM, TEACHER, PARAPHRASES, *RANDOM)}


def get_recipe(name: str) -> BitextRecipe:
    """Return the recipe of a name; :class:`UnknownNameError` lists the known names."""
    if name not in RECIPES:
        raise UnknownNameError("recipe", name, tuple(RECIPES))
    return RECIPES[name]


def read_bitexts(
    made: BitextRecipe, folder: Path, held_out: Collection[str], work: Path
) -> list[Bitext]:
    """Read the bitext of a recipe, see :func:`~semaniacs.embeddings.bitext.corpus.read_bitext`.

    Paraphrases, and what a machine translates, are in folders beside ``folder``. ``work`` is a folder
    that machine translations are cached in. Raises an StsError if the translator is not installed.
    """
    data, found = folder.parent, []
    for language in made.languages:
        if language == ENGLISH:
            found.append(read_paraphrases(data / "paraphrases", held_out))
            continue
        bitext = read_bitext(folder, language, held_out)
        if made.machine is not None:
            more = made.machine.of(data, language, held_out, work)
            bitext = Bitext(bitext.languages, tuple(clean([*bitext.pairs, *more])))
        found.append(bitext)
    return found


def read_paraphrases(folder: Path, held_out: Collection[str]) -> Bitext:
    """Read all pairs of the paraphrase corpora, as if English were translated to English."""
    corpora = (read_corpus(folder / f"{name}.tsv.gz") for name in CORPORA)
    pairs = [pair for corpus in corpora for pair in distinct(without(corpus, held_out))]
    return Bitext((ENGLISH, ENGLISH), pairs)


def make(made: BitextRecipe, bitexts: list[Bitext], path: Path, work: Path | None = None) -> None:
    """Train an encoder by its recipe and write it to ``path``; ``work`` is a folder for checkpoints."""
    about = {"recipe": made.as_json(), "pairs": " ".join(str(len(b)) for b in bitexts)}
    if made.teaching is None:
        assert made.shape is not None
        model = _train(made, made.shape, bitexts, work and work / f"{path.stem}.checkpoint")
        save_shared(path, model, made.shape.encoder, "int4", **about)
        return
    from semaniacs.embeddings.bitext.teaching import teach_language

    english = loading.load_static(made.english)
    taught = {}
    for bitext in bitexts:
        language = bitext.languages[1]
        checkpoint = work and work / f"{path.stem}.{language}.checkpoint"
        label = f"{made.name}, {ENGLISH}-{language}"
        learned = teach_language(english, bitext, made.teaching, checkpoint=checkpoint, label=label)
        taught[language] = without_repeated(learned, english)
    save_taught(path, taught, made.english, english, "int4", **about)


def _train(
    made: BitextRecipe, shape: Shape, bitexts: list[Bitext], checkpoint: Path | None
) -> Multilingual:
    if made.start is None:
        start = starting_point(bitexts, shape)
    else:
        start = learned_start(made.start, (ENGLISH, *made.languages), shape.encoder)
    if made.training is None:
        return start
    from semaniacs.embeddings.bitext.bitext_training import train_on_bitext

    model = train_on_bitext(start, bitexts, made.training, checkpoint=checkpoint, label=made.name)
    if not made.smoothing:
        return model
    # Rounded before they are scaled, so that a file that is read can be scaled to the same.
    rounded = model.mapped(lambda encoder: Encoder(encoder.tokenizer, as_int4(encoder.rows)))
    return scaled_by_frequency(rounded, bitexts, made.smoothing)
