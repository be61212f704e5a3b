"""Sentences a second from raw strings, next to other static encoders over the same table.

    pip install -r requirements-peers.txt
    python -m runs.benchmarks.encode --data DIR

All encode the same 128,000 sentences with the bundled vectors and take turns; ours also from
their bytes. Then the share of the memory's bandwidth that this is, the cold start of a fresh
process, its first call of many sentences with and without compiled code on disk, and the memory
that a million sentences take.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from embeddings import loading
from embeddings.encoder import Encoder, threads
from embeddings.formats.folder import save_folder
from embeddings.tokenizers.wordpiece import to_wordpiece
from embeddings.tokenizers.words import WordTokenizer
from embeddings.training.pairs.corpora import read_corpus
from runs.benchmarks.timing import PRINT_PEAK, run_python, take_turns
from runs.options import new_parser, require_peers
from runs.tables.format import text_table
from sts.command_line import run_tool
from sts.files import write_lines

SENTENCES, ROUNDS, COLD_STARTS = 128_000, 5, 7
CORPORA = ("quora-duplicates", "asset", "flickr30k-captions", "msrp-positives", "twitter-url")
COLD = "import embeddings; embeddings.load().encode(['A dog runs.']); "
MANY = (
    "import time, embeddings; e = embeddings.load(); s = ['A dog runs.'] * 8192; "
    "begin = time.perf_counter(); e.encode(s); print(time.perf_counter() - begin)"
)
STREAM = (
    "import embeddings; e = embeddings.load(); "
    "lines = (f'A man number {i} is playing a guitar on the street .' for i in range(1_000_000)); "
    "n = sum(len(part) for part in e.encode_stream(lines)); assert n == 1_000_000; "
)


def read_sentences(data: Path) -> list[str]:
    """Distinct sentences of all kinds, in random order."""
    corpora = [read_corpus(data / "paraphrases" / f"{name}.tsv.gz") for name in CORPORA]
    distinct = list(dict.fromkeys(side for pairs in corpora for pair in pairs for side in pair))
    chosen = np.random.default_rng(0).permutation(len(distinct))[:SENTENCES]
    return [distinct[i] for i in chosen]


def encoders_in_turn(
    encoder: Encoder, sentences: list[str], folder: Path
) -> dict[str, Callable[[], Any]]:
    """Everyone who encodes, by name; the others read our own export."""
    import pyarrow
    from model2vec import StaticModel
    from sentence_transformers import SentenceTransformer

    assert isinstance(encoder.tokenizer, WordTokenizer)
    save_folder(folder / "model", encoder, dtype="float32")
    static = StaticModel.from_pretrained(folder / "model")
    transformer = SentenceTransformer(str(folder / "model"), device="cpu")
    tokenizer = to_wordpiece(encoder.tokenizer)
    dense = encoder.with_table(encoder.table)
    bert = bert_tokenizer(encoder.tokenizer)
    # Its vocabulary is ours, so that the table is too; only the way to find words differs.
    natural = StaticModel(static.embedding, bert)
    file, column = folder / "sentences.txt", pyarrow.array(sentences)
    write_lines(file, sentences)
    return {
        "ours, int8": lambda: encoder.encode(sentences),
        "ours, int8, from Arrow": lambda: encoder.encode(column),
        "ours, int8, from a file": lambda: encoder.encode_file(file),
        "ours, float32": lambda: dense.encode(sentences),
        "model2vec": lambda: static.encode(sentences),
        "model2vec, BERT's tokenizer": lambda: natural.encode(sentences),
        "StaticEmbedding": lambda: transformer.encode(sentences, batch_size=2048),
        "(tokenizers alone)": lambda: tokenizer.encode_batch_fast(sentences),
        "(BERT's tokenizer alone)": lambda: bert.encode_batch_fast(sentences),
    }


def bert_tokenizer(vocabulary: WordTokenizer) -> Any:
    """What these libraries are used with: BERT's normaliser and splitter over the same words.

    It is quicker than our pattern run by the same library, and finds other words.
    """
    from tokenizers import Tokenizer, normalizers, pre_tokenizers

    tokenizer = to_wordpiece(vocabulary)
    natural = Tokenizer(tokenizer.model)
    natural.normalizer = normalizers.BertNormalizer()
    natural.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return natural


def bandwidth() -> float:
    """Bytes a second that all cores together read and write while copying."""
    cores = threads()
    blocks = [(np.ones(1 << 25), np.empty(1 << 25)) for _ in range(cores)]

    def copy(block: tuple[Any, Any]) -> None:
        np.copyto(block[1], block[0])

    with ThreadPoolExecutor(cores) as pool:
        seconds = take_turns({"copy": lambda: list(pool.map(copy, blocks))}, ROUNDS)["copy"]
    return 2 * sum(source.nbytes for source, _ in blocks) / seconds


def bytes_a_sentence(encoder: Encoder, sentences: Sequence[str]) -> float:
    """Rows read, characters read and vectors written, on average."""
    words = float(encoder.ids(sentences).lengths.mean())
    characters = statistics.fmean(map(len, sentences))
    return words * encoder.dim * encoder.rows.values.itemsize + 4 * characters + 4 * encoder.dim


def fresh(code: str, **environment: str) -> str:
    """What a new Python process prints that runs this code, with more in its environment."""
    return run_python("-c", code, environment=environment)


def peak_mebibytes(code: str) -> float:
    """The most memory that a new Python process holds to run this code."""
    return int(fresh(code + PRINT_PEAK)) / 1024


def main() -> None:
    """Time, and print one table and four lines."""
    parser = new_parser("runs.benchmarks.encode", __doc__, data=False)
    parser.add_argument("--data", type=Path, required=True, help="folder with paraphrases/")
    parser.add_argument("--model", default="paragram", help="a bundled name, a file or a folder")
    options = parser.parse_args()
    require_peers("model2vec", "sentence_transformers", "pyarrow")
    encoder = loading.load_static(options.model)
    sentences = read_sentences(options.data)
    with tempfile.TemporaryDirectory() as folder:
        seconds = take_turns(encoders_in_turn(encoder, sentences, Path(folder)), ROUNDS)
    best = seconds["ours, int8"]
    rows = [(name, f"{len(sentences) / s:,.0f}", f"{s / best:.1f}") for name, s in seconds.items()]
    print(text_table((f"{encoder.dim} dimensions", "sentences/s", "times ours, int8"), rows))
    share = bytes_a_sentence(encoder, sentences) * len(sentences) / best / bandwidth()
    imported = fresh(COLD + "import sys; print('jax' in sys.modules)").strip()
    print(f"\nshare of the memory bandwidth: {share:.0%}")
    cold = take_turns({code: partial(fresh, code) for code in (COLD, "")}, COLD_STARTS)
    print(f"cold start: {cold[COLD]:.2f} s, of which Python alone {cold['']:.2f} s")
    print(f"jax imported by then: {imported}")
    with tempfile.TemporaryDirectory() as compiled:
        first, later = (float(fresh(MANY, NUMBA_CACHE_DIR=compiled)) for _ in range(2))
    print(f"first call of 8,192 sentences: {first:.1f} s, in later processes {later:.2f} s")
    print(f"peak memory, one sentence: {peak_mebibytes(COLD):.0f} MiB")
    print(f"peak memory, a stream of a million: {peak_mebibytes(STREAM):.0f} MiB")


if __name__ == "__main__":
    run_tool(main)
