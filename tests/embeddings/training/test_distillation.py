"""Distillation: the cosines of an encoder move towards a teacher's, and a stop changes no byte."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings.bitext.corpus import PARAPHRASES, SYSTEMS
from semaniacs.embeddings.encoder import Encoder, unit
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.training.distillation import Distillation, distil
from semaniacs.runs.recipes import shipped_vectors
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import write_text
from tests.embeddings.stopping import check_resumed
from tests.sts.translation.fakes import FakeProvider

WORDS = [f"w{i}" for i in range(20)]
HOW = Distillation(epochs=3, batch=24, neighbours=16, topics=4, learning_rate=0.05, rare=1)


def material() -> tuple[Encoder, list[str], np.ndarray]:
    rng = np.random.default_rng(0)
    encoder = Encoder(WordTokenizer(WORDS, 2), rng.standard_normal((22, 8)).astype(np.float32))
    sentences = sorted({" ".join(rng.choice(WORDS, 3)) for _ in range(60)})
    taught = rng.standard_normal((20, 12)).astype(np.float32)
    places = [[WORDS.index(word) for word in text.split()] for text in sentences]
    teacher = unit(np.array([taught[row].mean(axis=0) for row in places]))
    return encoder, sentences, teacher.astype(np.float16)


def disagreement(encoder: Encoder, sentences: Sequence[str], teacher: np.ndarray) -> float:
    own = unit(encoder.encode(sentences))
    return float(np.abs(own @ own.T - teacher.astype(np.float32) @ teacher.T).mean())


def test_cosines_come_closer_to_a_teacher_and_a_stop_changes_no_byte(tmp_path: Path) -> None:
    encoder, sentences, teacher = material()
    train = partial(distil, encoder, sentences, teacher, HOW)
    whole = train(checkpoint=tmp_path / "whole", keep=True)
    before = disagreement(encoder, sentences, teacher)
    assert disagreement(whole, sentences, teacher) < before
    check_resumed(train, lambda found: found.table.tobytes(), tmp_path / "c", at=2)
    with pytest.raises(StsError, match="teacher"):
        distil(encoder, sentences, -teacher, HOW, checkpoint=tmp_path / "whole")


def test_the_recipe_of_the_shipped_vectors_runs_on_little(tmp_path: Path) -> None:
    names = [f"paraphrases/{name}" for name in PARAPHRASES]
    names += [f"bitext/{name}" for name in shipped_vectors.BITEXT]
    files = {
        f"{name}.tsv.gz": "".join(
            f"the w{j} dog number {i} runs far\tw{j} and {i} run a long way\n" for j in range(4)
        )
        for i, name in enumerate(names)
    }
    for system in SYSTEMS:
        rows = f"id\ttext_1\ttext_2\n1\t{system} tells us so\tthe held out one here\n"
        files[f"paraphraser/train.en.{system}.tsv.gz"] = rows
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))
    for part in ("noun", "verb", "adj", "adv"):
        write_text(tmp_path / f"data.{part}", "0001 03 n | a gloss of a word; another gloss  \n")
    quick = Distillation(epochs=1, batch=72, neighbours=64, topics=4)
    recipe = shipped_vectors.Pretraining(
        changed=8,
        words=20,
        pieces=4,
        buckets=3,
        dim=4,
        distillation=quick,
        small_distillation=quick,
        paraphrases=(("asset", 3),),
        translated=3,
        small_words=8,
    )
    held_out = {"the held out one here"}
    sentences = shipped_vectors.read_sentences(tmp_path, tmp_path, held_out)
    assert len(sentences) == len(set(sentences)) and "the held out one here" not in sentences
    assert {"a gloss of a word", "another gloss"} <= set(sentences)
    pairs = shipped_vectors.read_pairs(tmp_path, FakeProvider(), held_out, recipe)
    assert len(pairs) >= 6 and all(one != other for one, other in pairs)

    def encode(texts: Sequence[str]) -> np.ndarray:
        rows = [np.random.default_rng(len(text)).standard_normal(6) for text in texts]
        return unit(np.array(rows, np.float32)).astype(np.float16)

    teacher: Any = SimpleNamespace(encode=encode)
    large, small = shipped_vectors.make(sentences, pairs, teacher, held_out, tmp_path, recipe)
    assert large.rows.by_column and large.dim == small.dim == 4
    assert len(small.tokenizer) < len(large.tokenizer)
