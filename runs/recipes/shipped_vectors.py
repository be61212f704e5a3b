"""The recipe of the shipped vectors, paragram and paragram-small.

    apt-get install wordnet-base apertium apertium-eng-spa
    python -m semaniacs.runs.pipeline.tuning.held_out --data DIR -o held-out.txt
    python -m semaniacs.runs.recipes.shipped_vectors --data DIR --held-out held-out.txt \\
        --teacher gte-small

DIR holds paraphrases/, bitext/, paraphraser/ and sts/, whose sentences are held out. The teacher,
gte-small (thenlper/gte-small), encodes English sentences and small changes to them. Word rows start
from the teacher's vector of each word alone; a hard tanh follows their mean. They are trained until
the vectors have the neighbours that the teacher finds, and then on pairs that mean the same, machine
translations among them. A smaller encoder is cut out of the result and distilled once more.

No gold score is read, and no held-out sentence is used. The work folder keeps the teacher's vectors
and checkpoints, so that a run that was stopped goes on from there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext.corpus import PARAPHRASES, headlines
from semaniacs.embeddings.bitext.teaching import choose_pieces
from semaniacs.embeddings.configuration import Training
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.formats.word2vec import hashed_rows
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.table import Vectors, quantize_columns
from semaniacs.embeddings.tokenizers.row_numbers import INSIDE, WordTokenizer
from semaniacs.embeddings.training.corpora import (
    SentencePair,
    distinct,
    read_corpus,
    read_held_out,
    without,
)
from semaniacs.embeddings.training.distillation import Distillation, centred, distil, nearest_centre
from semaniacs.embeddings.training.losses import MarginScale
from semaniacs.embeddings.training.pair_training import Corpus, train
from semaniacs.embeddings.transformer.bert_folder import load_bert
from semaniacs.embeddings.transformer.cached_teacher import CachedTeacher
from semaniacs.sts.command_line import data_option, option, output_option, run_command, run_tool
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import check_writable, read_text
from semaniacs.sts.progress import note, track
from semaniacs.sts.text.tokenizer import fold, words
from semaniacs.sts.translation.apertium import Apertium
from semaniacs.sts.translation.memory import CachedTranslator, TranslationMemory
from semaniacs.sts.translation.translator import Translator

BITEXT = (
    *(f"news.en-{language}" for language in ("de", "es", "ru")),
    *(f"tatoeba.en-{language}" for language in ("de", "es", "fr", "ru")),
)
"""Bitext whose English side is read."""

SPANISH = ("news.en-es", "tatoeba.en-es")
"""Bitext whose Spanish side is translated."""

LONGEST = 64
"""Words beyond which a sentence is left out."""


@dataclass(frozen=True)
class Pretraining:
    """The settings; every value was chosen on 2012–2015.

    Attributes:
        changed: number of small changes to sentences that are tried.
        words: most probable words, which have rows of their own; all others are spelled from
            ``pieces`` stretches of letters and from single characters.
        buckets: rows shared by words that cannot be spelled.
        dim: dimensions.
        smoothing: a of a / (a + p(word)), Arora et al. (2017), eq. 3, which scales the start.
        limit: largest number of a mean, as a multiple of their root mean square at the start.
        distillation: settings of the distillation.
        paraphrases: corpora of the training on pairs, with the number of pairs of each.
        translated: pairs of English sentences and Apertium's English of their Spanish.
        paragram: settings of the training on pairs.
        small_words, small_distillation: words of the smaller encoder, and its distillation.
        seed: random seed.
    """

    changed: int = 100_000
    words: int = 84_000
    pieces: int = 4_000
    buckets: int = 256
    dim: int = 256
    smoothing: float = 1e-3
    limit: float = 2.0
    distillation: Distillation = field(default_factory=Distillation)
    paraphrases: tuple[tuple[str, int], ...] = tuple(
        zip(PARAPHRASES, (30_000, 10_000, 23_000, 30_000, 3_000), strict=True)
    )
    translated: int = 60_000
    paragram: Training = field(
        default_factory=lambda: Training(
            epochs=1,
            batch=256,
            objective=MarginScale(angular=False, both=True),
            l2_to_init=0.0,
            optimizer="adam",
            learning_rate=1e-4,
        )
    )
    small_words: int = 35_500
    small_distillation: Distillation = field(
        default_factory=lambda: Distillation(epochs=2, learning_rate=1.25e-4)
    )
    seed: int = 0


# The material


def read_sentences(data: Path, wordnet: Path, held_out: Collection[str]) -> list[str]:
    """Return distinct sentences of all sources, in order, without those held out."""
    pairs = [data / "paraphrases" / f"{name}.tsv.gz" for name in PARAPHRASES]
    bitext = [data / "bitext" / f"{name}.tsv.gz" for name in BITEXT]
    sources: list[Iterable[str]] = [
        *((side for pair in read_corpus(path) for side in pair) for path in pairs),
        *((english for english, _ in read_corpus(path)) for path in bitext),
        *(read_glosses(wordnet / f"data.{part}") for part in ("noun", "verb", "adj", "adv")),
        (text for texts in headlines(data).values() for text in texts),
    ]
    found: dict[str, None] = {}
    for sentences in track(sources, "reading", "corpora"):
        found |= dict.fromkeys(
            text
            for text in sentences
            if text not in found and 0 < len(text.split()) <= LONGEST and fold(text) not in held_out
        )
    return list(found)


def read_glosses(path: Path) -> Iterator[str]:
    """Yield definitions and examples of one of WordNet's data files.

    A gloss follows a bar: definitions, then examples in quotes, all separated by semicolons.
    """
    if not path.exists():
        raise DataError(f"{path}: no such file; get it with: apt-get install wordnet-base")
    for line in read_text(path).split("\n"):
        if line and not line.startswith("  "):  # the licence comes before the data
            for part in line.partition("|")[2].split("; "):
                yield part.strip().strip('"').strip()


def vary(
    sentences: Sequence[str],
    topics: NDArray[np.int64],
    count: int,
    seed: int,
    held_out: Collection[str] = (),
) -> list[str]:
    """Return small changes to ``count`` of n sentences with their topics (n,).

    A third leaves words out, a third exchanges words with another sentence on the same topic, and a
    third keeps a stretch of the sentence: so high similarities have degrees.
    """
    rng = np.random.default_rng(seed)
    same_topic = np.argsort(topics, kind="stable")
    begins = np.searchsorted(topics[same_topic], np.arange(int(topics.max(initial=0)) + 2))
    known = set(sentences)
    varied: dict[str, None] = {}
    long_enough = [i for i, sentence in enumerate(sentences) if len(sentence.split()) >= 5]
    for place in rng.permutation(long_enough)[:count].tolist():
        own = sentences[place].split()
        way = rng.integers(3)
        if way == 0:
            left = rng.permutation(len(own))[: rng.choice([1, 1, 2, 3, max(1, len(own) // 3)])]
            changed = [word for i, word in enumerate(own) if i not in left]
        elif way == 1:
            first, last = begins[topics[place]], begins[topics[place] + 1]
            other = sentences[same_topic[rng.integers(first, last)]].split()
            changed = list(own)
            for _ in range(rng.choice([1, 1, 2, 3])):
                changed[rng.integers(len(changed))] = other[rng.integers(len(other))]
        else:
            begin = rng.integers(len(own) // 2)
            changed = own[begin : rng.integers(begin + 3, len(own) + 1)]
        if (text := " ".join(changed)) not in known and fold(text) not in held_out:
            varied[text] = None
    return list(varied)


def read_pairs(
    data: Path, translator: Translator, held_out: Collection[str], recipe: Pretraining
) -> list[SentencePair]:
    """Return the pairs that mean the same: paraphrases, and translations of one text."""
    rng = np.random.default_rng(recipe.seed)
    drawn: list[SentencePair] = []
    for name, count in recipe.paraphrases:
        corpus = read_corpus(data / "paraphrases" / f"{name}.tsv.gz")
        drawn += _some(rng, distinct(without(corpus, held_out)), count)
    bitext = [
        pair
        for name in SPANISH
        for pair in without(read_corpus(data / "bitext" / f"{name}.tsv.gz"), held_out)
        if len(pair[0].split()) >= 5
    ]
    chosen = _some(np.random.default_rng(recipe.seed), bitext, recipe.translated)
    english = translator.translate([spanish for _, spanish in chosen], "es", "en")
    translated = ((one, found.text) for (one, _), found in zip(chosen, english, strict=True))
    drawn += distinct(without(translated, held_out))
    by_system = zip(*headlines(data).values(), strict=True)
    told = ([text for text in versions if len(text.split()) >= 3] for versions in by_system)
    two_of_each = (pair for texts in told for pair in combinations(texts, 2))
    return drawn + distinct(without(two_of_each, held_out))


def _some(
    rng: np.random.Generator, pairs: Iterable[SentencePair], count: int
) -> list[SentencePair]:
    listed = list(pairs)
    chosen = np.sort(rng.permutation(len(listed))[:count])
    return [listed[i] for i in chosen.tolist()]


# The start


def word_probabilities(sentences: Iterable[str]) -> dict[str, float]:
    """Return p(word) in English by wordfreq, or in the sentences where that is higher.

    Words that the sentences hold once are left out unless wordfreq lists them.
    """
    from wordfreq import get_frequency_dict

    counts = Counter(word for sentence in sentences for word in words(sentence))
    total = counts.total()
    probabilities = {word: n / total for word, n in counts.items() if n > 1}
    for listed, p in get_frequency_dict("en", wordlist="large").items():
        if len(split := words(listed)) == 1:
            probabilities[split[0]] = max(p, probabilities.get(split[0], 0.0))
    return probabilities


def principal_components(vectors: Vectors, dim: int) -> NDArray[np.float64]:
    """Return the strongest principal components (n, dim) of n vectors.

    Of a direction and its opposite, the one whose largest component is positive is taken.
    """
    centred = vectors.astype(np.float64) - vectors.mean(axis=0, dtype=np.float64)
    _, directions = np.linalg.eigh(centred.T @ centred)
    strongest = directions[:, ::-1][:, :dim]
    largest = strongest[np.argmax(np.abs(strongest), axis=0), np.arange(strongest.shape[1])]
    components: NDArray[np.float64] = centred @ (strongest * np.sign(largest))
    return components


def make_start(sentences: Sequence[str], teacher: CachedTeacher, recipe: Pretraining) -> Encoder:
    """Return the encoder before any training: the teacher's words, and a hard tanh after the mean.

    Their principal components, less the mean of running text, are scaled by inverse frequency.
    """
    probabilities = word_probabilities(sentences)
    ranked = sorted(probabilities, key=lambda word: (-probabilities[word], word))
    known = ranked[: recipe.words]
    pieces = choose_pieces(known, probabilities, recipe.pieces)
    p = np.array([probabilities[word] for word in known])
    scale = recipe.smoothing / (recipe.smoothing + p)
    taught = teacher.encode(known).astype(np.float32)
    rows = principal_components(taught, recipe.dim)
    rows = (rows - np.average(rows, axis=0, weights=p * scale)) * scale[:, None]
    length = float(np.linalg.norm(rows, axis=1).mean()) / 2
    hashed = hashed_rows(recipe.buckets, recipe.dim, length)
    table = np.vstack([rows, np.zeros((len(pieces), recipe.dim)), hashed]).astype(np.float32)
    encoder = Encoder(WordTokenizer([*known, *pieces], recipe.buckets), table)
    lengths = np.linalg.norm(encoder.encode(sentences[:2000]), axis=1)
    limit = recipe.limit * float(lengths.mean()) / encoder.dim**0.5
    return Encoder(encoder.tokenizer, encoder.table, limit)


# The end


def with_untrained(encoder: Encoder) -> Encoder:
    """Return the encoder with a random direction for every row that is still zero.

    Such rows are pieces that no sentence held: letters of scripts that were not learned. They are
    as long as the hashed rows.
    """
    table = encoder.table.copy()
    untrained = np.flatnonzero(~table.any(axis=1))
    length = float(np.linalg.norm(table[len(encoder.tokenizer.known) :], axis=1).mean())
    table[untrained] = hashed_rows(len(untrained), encoder.dim, length, seed=1)
    return encoder.with_table(table)


def shrink(encoder: Encoder, count: int) -> Encoder:
    """Return a smaller encoder: the first ``count`` words, all pieces and all hashed rows."""
    vocabulary = encoder.tokenizer
    kept = [
        row
        for row, word in enumerate(vocabulary.known)
        if row < count or word.startswith(INSIDE) or len(word) == 1
    ]
    rows = [*kept, *range(len(vocabulary.known), len(vocabulary))]
    tokenizer = WordTokenizer([vocabulary.known[row] for row in kept], vocabulary.buckets)
    return Encoder(tokenizer, encoder.table[rows], encoder.limit)


def make(
    sentences: list[str],
    pairs: list[SentencePair],
    teacher: CachedTeacher,
    held_out: Collection[str],
    work: Path,
    recipe: Pretraining,
) -> tuple[Encoder, Encoder]:
    """Train both encoders; the work folder keeps checkpoints and curves."""
    taught = teacher.encode(sentences)
    mean = taught.mean(axis=0, dtype=np.float64)
    taught = centred(taught, mean)
    order = np.random.default_rng(recipe.seed).permutation(len(sentences))
    topics = nearest_centre(taught, np.sort(order[: recipe.distillation.topics]))
    changed = vary(sentences, topics, recipe.changed, recipe.seed, held_out)
    targets = np.concatenate([taught, centred(teacher.encode(changed), mean)])

    def teach(encoder: Encoder, settings: Distillation, name: str) -> Encoder:
        return distil(
            encoder,
            sentences + changed,
            targets,
            replace(settings, seed=recipe.seed),
            checkpoint=work / f"{name}.checkpoint",
            keep=True,
            curve=work / name,
            label="learning from the teacher",
        )

    encoder = teach(make_start(sentences, teacher, recipe), recipe.distillation, "distillation")
    encoder = train(
        encoder,
        [Corpus(pairs)],
        replace(recipe.paragram, seed=recipe.seed),
        checkpoint=work / "paragram.checkpoint",
        keep=True,
        curve=work / "paragram",
        label="learning from paraphrases",
    )
    small = teach(shrink(encoder, recipe.small_words), recipe.small_distillation, "small")
    trained = with_untrained(encoder)
    return trained.with_table(quantize_columns(trained.table)), with_untrained(small)


FOLDER = click.Path(path_type=Path)


@click.command()
@data_option(required=True, help="Folder with paraphrases/, bitext/ and paraphraser/.")
@option("--held-out", required=True, metavar="FILE", help="Sentences to learn nothing from.")
@option("--teacher", type=FOLDER, required=True, help="Folder of the teacher.")
@option("--wordnet", type=FOLDER, default=Path("/usr/share/wordnet"), help="Folder with data.noun.")
@option("--work", type=FOLDER, default=Path("output/pretrain"), help="Folder for checkpoints.")
@output_option(default=loading.PRETRAINED, help="Folder to write both encoders to.")
def main(data: Path, held_out: str, teacher: Path, wordnet: Path, work: Path, output: Path) -> None:
    """Train the shipped vectors."""
    for folder in (output, work):
        check_writable(folder)
    recipe, reserved = Pretraining(), read_held_out(held_out)
    teaching = CachedTeacher(load_bert(teacher), work / "teacher")
    sentences = read_sentences(data, wordnet, reserved)
    memory = TranslationMemory(work / "translations.jsonl")
    pairs = read_pairs(data, CachedTranslator(Apertium(), memory), reserved, recipe)
    large, small = make(sentences, pairs, teaching, reserved, work, recipe)
    about = {"recipe": json.dumps(asdict(recipe)), "pairs": str(len(pairs))}
    save_encoder(output / "paragram.safetensors", large, "int8", **about)
    save_encoder(output / "paragram-small.safetensors", small, "int4", **about)
    for checkpoint in work.glob("*.checkpoint"):
        checkpoint.unlink()
    note(f"paragram and paragram-small written to {output}")


if __name__ == "__main__":
    run_tool(lambda: run_command(main, "python -m semaniacs.runs.recipes.shipped_vectors"))
