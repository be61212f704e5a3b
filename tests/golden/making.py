"""Write small model files of every format in this version, and what they give.

    python -m tests.golden.making

They are kept for ever: test_golden.py loads the files of every version. They are written once per
version, before its release; a folder that exists is refused.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from semaniacs import __version__, embeddings
from semaniacs.embeddings.bitext.language_files import save_shared
from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.formats.folder import save_folder
from semaniacs.embeddings.formats.word2vec import write_word2vec
from semaniacs.embeddings.loading import load_static
from semaniacs.embeddings.search import SearchIndex
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.tokenizers.subwords import SentencePieceTokenizer, TrigramTokenizer
from semaniacs.features.registry import FeatureColumns
from semaniacs.features.resources import Resources
from semaniacs.runs.pipeline.tuning.encoders import name_encoders
from semaniacs.runs.scorer import Scorer, load
from semaniacs.sts.command_line import run_tool
from semaniacs.sts.errors import StsError
from tests.embeddings.models import learned

HERE = Path(__file__).parent
WORDS = "the a dog cat runs is running fell stocks on friday naïve слово n't".split()
SENTENCES = ["The dog runs.", "A cat isn't running", "Stocks fell on Friday", "xyzzy слово", ""]
PAIRS = [
    ("A dog runs in the park.", "A dog is running through a park."),
    ("A dog runs in the park.", "Stocks fell on Friday."),
    ("He buys 3 apples.", "He buys 4 apples."),
]
LANGUAGES = {
    "words.safetensors": None,
    "folder": None,
    "words.txt": None,
    "trigram.safetensors": "es",
    "sp.safetensors": "es",
}
"""The encoders, and the language that each is loaded in."""

SCORER = "fusion-gbr"
"""The recipe of the fitted scorer: the paper's, which stays as it is."""


def main() -> None:
    """Write the folder of this version."""
    folder = HERE / __version__
    if folder.exists():
        raise StsError(f"{folder} is there; golden files are written once")
    folder.mkdir()
    write_encoders(folder)
    write_scorer(folder / "scorer")
    write_index(folder, folder / "index")
    models = {name: language for name, language in LANGUAGES.items() if (folder / name).exists()}
    expected = {
        "sentences": SENTENCES,
        "vectors": {name: vectors_of(folder / name, code) for name, code in models.items()},
        "pairs": PAIRS,
        "scores": scores_of(folder / "scorer"),
        "hits": hits_of(folder, folder / "index"),
    }
    text = json.dumps(expected, ensure_ascii=False, indent=1) + "\n"
    (folder / "expected.json").write_text(text, encoding="utf-8")


def vectors_of(model: Path, language: str | None) -> list[list[float]]:
    """The vectors of the sentences."""
    return embeddings.load(model, language).encode(SENTENCES).tolist()


def scores_of(folder: Path) -> list[float]:
    """The scores of the pairs."""
    return load(folder).score(*zip(*PAIRS, strict=True)).tolist()


def hits_of(folder: Path, index: Path) -> list[list[str | float]]:
    """Id, text and cosine of what the index finds for the first sentence."""
    query = embeddings.load(folder / "words.safetensors").encode(SENTENCES[0])
    found = SearchIndex.load(index).query(query, k=3)
    return [[hit.id, hit.text, float(hit.score)] for hit in found]


def write_encoders(folder: Path) -> None:
    """A file or folder of each format that holds an encoder."""
    words = make(WordTokenizer(WORDS, buckets=8), 1)
    save_encoder(folder / "words.safetensors", words)
    save_folder(folder / "folder", words)
    write_word2vec(folder / "words.txt", words, binary=False)
    trigrams = make(TrigramTokenizer([" th", "the", "dog", "run"], buckets=4), 2)
    pieces = make(SentencePieceTokenizer(learned(), buckets=4), 3)
    for name, encoder in (("TRIGRAM", trigrams), ("SP", pieces)):
        model = Multilingual({"en": encoder, "es": encoder})
        save_shared(folder / f"{name.lower()}.safetensors", model, name)


def make(tokenizer: Any, seed: int) -> Encoder:
    """An encoder of drawn rows."""
    rows = np.random.default_rng(seed).standard_normal((len(tokenizer), 4)).astype(np.float32)
    return Encoder(tokenizer, rows)


def write_scorer(folder: Path) -> None:
    """A folder that ``semaniacs fit`` writes; its encoders differ from the bundled one in one row each."""
    start = load_static()
    tuned = []
    for row in (1, 2):
        table = start.table.copy()
        table[row] *= 2
        tuned.append(Encoder(start.tokenizer, table))
    shipped = load(SCORER).model
    features = FeatureColumns(shipped.columns.features.names, Resources(name_encoders(tuned)))
    scorer = Scorer(replace(shipped, head=replace(shipped.columns, features=features)))
    left = [f"A dog sees {i} cats." for i in range(40)] + [
        f"He buys {i} apples." for i in range(40)
    ]
    right = [f"A dog saw {i} cats." for i in range(40)] + [f"Stocks fell {i} %." for i in range(40)]
    scorer.fit(left, right, [5.0 - i % 3 for i in range(40)] + [0.0] * 40).save(folder)


def write_index(folder: Path, index: Path) -> None:
    """An index of the sentences, by vectors, with ids."""
    vectors = embeddings.load(folder / "words.safetensors").encode(SENTENCES)
    ids = [f"s{number}" for number in range(len(SENTENCES))]
    SearchIndex.from_vectors(vectors, SENTENCES, ids=ids, folder=index)


if __name__ == "__main__":
    run_tool(main)
