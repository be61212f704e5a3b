"""Masked language modelling: what is hidden, its loss beside that of transformers, and ``adapt``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import embeddings
from embeddings.pretraining.masked_language_model.adapt import (
    frequency_loss,
    report,
    vocabulary_of,
)
from embeddings.pretraining.masked_language_model.masked_texts import MaskedTexts, Vocabulary
from embeddings.pretraining.masked_language_model.masked_training import MaskedModel
from embeddings.pretraining.masked_language_model.output_layer import output_layer
from embeddings.training import loop
from embeddings.training.checkpoint import Checkpoint
from embeddings.transformer.bert_folder import load_bert
from embeddings.transformer.fine_tuning.transformer_folder import save_transformer
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.transformer_encoder import Transformer
from semaniacs.cli import run as main
from sts.errors import DataError
from tests.embeddings.conftest import Command
from tests.embeddings.transformer import tiny_models
from tests.embeddings.transformer.fine_tuning import tiny

QUICK = "--batch 16 --learning-rate 0.01 --dropout 0"


def text(n: int) -> str:
    """Lines in which a token says which one follows it."""
    rng = np.random.default_rng(0)
    starts = rng.integers(0, 4, (n, 5))
    return "".join(
        " ".join(f"{tiny.KNOWN[a]} {tiny.KNOWN[a + 4]}" for a in row) + "\n" for row in starts
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny BERT whose mask is "bb", and text to learn from; they are in the working folder."""
    monkeypatch.chdir(tmp_path)
    tiny.save(tmp_path / "start")
    named = json.loads(Path("start/tokenizer_config.json").read_text())
    Path("start/tokenizer_config.json").write_text(json.dumps(named | {"mask_token": "[UNK]"}))
    Path("text.txt").write_text(text(300))
    return tmp_path


def masked_texts(network: Transformer, texts: list[str], batch: int = 4) -> MaskedTexts:
    words = np.array([tiny.WORDS.index(word) for word in tiny.KNOWN], np.int32)
    return MaskedTexts.of(network, texts, Vocabulary(1, words), FineTuning(batch=batch, seed=3))


# What is hidden


def test_the_shares_are_those_of_bert_and_marks_stay() -> None:
    network = tiny.network()
    texts = masked_texts(network, text(400).splitlines(), 400)
    chosen = np.arange(400)
    hidden = texts.hidden(chosen, 0, 0)
    there = hidden.tokens >= 0
    assert there.sum() == round(0.15 * 4000)
    now = hidden.texts.tokens.reshape(-1)[hidden.places[there]]
    before = hidden.tokens[there]
    assert set(before) <= set(texts.vocabulary.words)
    assert len(set(hidden.places[there])) == there.sum()
    assert abs((now == 1).mean() - 0.8) < 0.05
    changed = (now != 1) & (now != before)
    assert abs(changed.mean() - 0.1 * 7 / 8) < 0.04  # one of eight random tokens is the same
    restored = hidden.texts.tokens.reshape(-1).copy()
    restored[hidden.places[there]] = before
    np.testing.assert_array_equal(
        restored, texts.lower.batch(chosen).tokens.reshape(-1)
    )  # nothing else was touched


def test_what_is_hidden_is_drawn_anew_and_from_seed_epoch_and_round_alone() -> None:
    texts = masked_texts(tiny.network(), text(20).splitlines())
    chosen = np.arange(4)

    def places(epoch: int, number: int) -> list[int]:
        return list(texts.hidden(chosen, epoch, number).places)

    assert places(0, 1) == places(0, 1)
    assert len({tuple(places(*at)) for at in ((0, 1), (1, 1), (0, 2))}) == 3


def test_a_long_text_is_read_in_pieces_and_one_without_words_is_not() -> None:
    network = Transformer(tiny.random_weights(), tiny.SHAPE, tiny.tokenizer(), longest=40)
    long = " ".join(["aa bb cc"] * 30)
    texts = masked_texts(network, [long, "", "dd"])
    assert texts.lower.tokens.lengths.tolist() == [40, 40, 16, 3]
    assert [tiny.WORDS[token] for token in texts.words] == [*long.split(), "dd"]
    assert network.cut == 0


# The loss, and the output layer in files


def loss_there(model: Any, texts: MaskedTexts) -> np.ndarray:
    """(n, 2) as :meth:`MaskedModel.losses`, by the library transformers, of each text alone."""
    import torch

    found = np.zeros((len(texts), 2))
    for number in range(texts.rounds(0)):
        hidden = texts.hidden(np.arange(len(texts))[4 * number : 4 * number + 4], 1 << 11, number)
        owners, ids = (rows.reshape(-1) for rows in (hidden.texts.texts, hidden.texts.tokens))
        labels = np.full(ids.shape, -100)
        there = hidden.tokens >= 0
        labels[hidden.places[there]] = hidden.tokens[there]
        for owner in range(1, owners.max() + 1):
            own = owners == owner
            count = (labels[own] >= 0).sum()
            if count:
                given = {"input_ids": ids[own], "labels": labels[own]}
                batch = {name: torch.tensor(row[None]).long() for name, row in given.items()}
                with torch.no_grad():
                    mean = model(**batch).loss.item()
                found[4 * number + owner - 1] = mean * count, count
    return found


@pytest.mark.parametrize("kind", ["bert", "camembert"])  # named as BERT's, and as RoBERTa's
def test_the_loss_is_that_of_transformers(tmp_path: Path, kind: str) -> None:
    settings = {"hidden_act": "relu"} if kind == "bert" else {"tie_word_embeddings": True}
    model = tiny_models.save_model(tmp_path, kind, "ForMaskedLM", **settings)
    network = load_bert(tmp_path)
    words = np.arange(4, len(tiny_models.WORDS), dtype=np.int32)
    sentences = ["the dog runs", "a man plays the guitars", "the cat", "the red house " * 8]
    vocabulary = Vocabulary(tiny_models.WORDS.index("one"), words)
    texts = MaskedTexts.of(network, sentences, vocabulary, FineTuning(batch=4, seed=1))
    output = output_layer(tmp_path, network)
    assert not output.new
    found = MaskedModel(network, output).losses(texts)
    expected = loss_there(model, texts)
    assert expected[:, 1].sum() >= 5
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    tensors = output.tensors()
    save_transformer(tmp_path / "written", network, tmp_path, tensors)
    model = tiny_models.transformers_library().AutoModelForMaskedLM.from_pretrained(
        tmp_path / "written"
    )
    np.testing.assert_allclose(loss_there(model.eval(), texts), expected, rtol=1e-6)


def test_an_output_layer_of_its_own_matrix_is_left_aside(tmp_path: Path) -> None:
    tiny_models.save_model(tmp_path, "roberta", "ForMaskedLM")
    network, path = load_bert(tmp_path), tmp_path / "model.safetensors"
    held = load_file(path)
    words = held["roberta.embeddings.word_embeddings.weight"]
    save_file(held | {"lm_head.decoder.weight": words.copy()}, path)
    assert not output_layer(tmp_path, network).new
    save_file(held | {"lm_head.decoder.weight": words + 1}, path)
    assert output_layer(tmp_path, network).new
    del held["lm_head.dense.bias"]
    save_file(held, path)
    with pytest.raises(DataError, match="no tensor lm_head.dense.bias"):
        output_layer(tmp_path, network)


# The command


def adapted(command: Command, arguments: str = "") -> str:
    """Train with quick settings; returns what is printed."""
    ended = command(main, f"adapt text.txt --from start {QUICK} -o adapted {arguments}")
    assert ended.code == 0, ended.err
    return ended.out


def test_a_network_learns_from_text_and_is_read_elsewhere(command: Command, folder: Path) -> None:
    told = adapted(command, "--epochs 12 --curve curve")
    first, verdict, new, by_frequency = told.splitlines()
    lines = len(set(text(300).splitlines()))
    assert f" hidden tokens in {round(lines / 10)} held-out texts: " in first
    before, after = (float(part.split()[0]) for part in first.split(": ")[1].split(", ")[:2])
    assert verdict == "a gain" and "the output layer is new" in new
    assert before > float(by_frequency.rpartition(" ")[2]) > 1.9 > after  # log 8 is 2.08
    points = Path("curve.csv").read_text().splitlines()
    assert float(points[-1].split(",")[3]) == pytest.approx(after, abs=1e-4)
    again = adapted(command, "--epochs 1 --from adapted --overwrite --learning-rate 1e-9")
    assert "new" not in again and f"{after:.4f} before" in again

    tiny_models.transformers_library()
    library = pytest.importorskip("sentence_transformers")
    expected = library.SentenceTransformer("adapted", device="cpu").encode(["aa ee", "hh"])
    found = embeddings.load("adapted").encode(["aa ee", "hh"])
    np.testing.assert_allclose(found, expected, atol=1e-5)
    start = embeddings.load("start").encode(["aa ee", "hh"])
    assert np.abs(found - start).max() > 0.01
    network = load_bert(Path("adapted"))
    texts = masked_texts(network, text(20).splitlines())
    model = tiny_models.transformers_library().AutoModelForMaskedLM.from_pretrained("adapted")
    found = MaskedModel(network, output_layer(Path("adapted"), network)).losses(texts)
    np.testing.assert_allclose(found, loss_there(model.eval(), texts), rtol=1e-5, atol=1e-5)


def test_frozen_layers_stay(command: Command, folder: Path) -> None:
    adapted(command, "--frozen 2")
    before, after = load_bert(Path("start")).weights, load_bert(Path("adapted")).weights
    changed = {name for name in before if not np.array_equal(before[name], after[name])}
    assert changed == {name for name in before if name.startswith("encoder.layer.2.")}


def test_a_training_that_was_stopped_goes_on_to_the_same_bytes(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StoppedError(Exception):
        pass

    saved, save = [0], Checkpoint.save

    def save_and_stop(self: Checkpoint, *state: Any) -> None:
        save(self, *state)
        saved[0] += 1
        if saved[0] == 3:
            raise StoppedError

    line = f"adapt text.txt --from start {QUICK} --epochs 2 -o adapted --dropout 0.1"
    with monkeypatch.context() as patched, pytest.raises(StoppedError):
        patched.setattr(Checkpoint, "save", save_and_stop)
        patched.setitem(loop.train_encoder.__kwdefaults__, "seconds", 0.0)
        command(main, line)
    assert Path("adapted.checkpoint.safetensors").exists() and not Path("adapted").exists()
    Path("more.txt").write_text("aa bb cc\n")
    other = command(main, line.replace("text.txt", "text.txt more.txt")).error
    assert "another texts" in other
    adapted(command, "--epochs 2 --dropout 0.1")
    resumed = {p: p.read_bytes() for p in Path("adapted").rglob("*") if p.is_file()}
    adapted(command, "--epochs 2 --dropout 0.1 --overwrite")
    assert resumed == {p: p.read_bytes() for p in Path("adapted").rglob("*") if p.is_file()}


def test_frequencies_and_the_claim_by_hand() -> None:
    network = tiny.network()
    learned, compared = masked_texts(network, ["aa aa bb"]), masked_texts(network, ["aa cc"])
    expected = -np.log([3 / 11, 1 / 11]).mean()  # eight words, each counted once more
    assert frequency_loss(learned, compared) == pytest.approx(expected)
    counts = np.ones(50)
    noise = np.random.default_rng(0).standard_normal(50)
    same, worse = (np.stack([base + noise, counts], axis=1) for base in (5, 6))
    assert report(worse, same, 0).endswith("\na gain")
    assert report(same, worse, 0).endswith("\ntraining did harm")
    assert report(same, same, 0).endswith("\nno gain is claimed: the interval contains 0")


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ("", "", "text.txt: empty"),
        ("\n \n", "", "text.txt: 0 distinct lines with text"),
        ("aa bb\naa bb\n", "", "text.txt: 1 distinct lines with text"),
        ("aa bb\ncc dd\n", "", "text.txt: 2 tokens to learn from; expected 100 or more"),
        (text(40), "--held-out 0.01", "text.txt: 10 tokens held out; expected 100 or more"),
        (text(40), "--held-out 1", "expected a share between 0 and 1"),
        (text(40), "--frozen 4", "the network has 3 layers"),
        (text(40), "-o start", "start: stands there"),
        (text(40), "--from bare", "bare: its tokenizer has no mask"),
        (text(40), "--from none", "none"),
    ],
)
def test_what_is_refused(
    command: Command, folder: Path, given: str, options: str, message: str
) -> None:
    tiny.save(Path("bare"))
    Path("text.txt").write_text(given)
    refused = command(main, f"adapt text.txt --from start -o adapted {options}")
    assert refused.code == 2 and message in refused.err and "Traceback" not in refused.err
    assert not Path("adapted").exists()


def test_the_mask_is_found_by_its_usual_name(folder: Path) -> None:
    network = load_bert(Path("start"))
    assert vocabulary_of(Path("start"), network).mask == 1
    network.tokenizer.add_special_tokens(["<mask>"])
    assert vocabulary_of(Path("start"), network).mask == 1
    tiny.save(Path("other"))
    found = vocabulary_of(Path("other"), network)
    assert found.mask == len(tiny.WORDS) and found.mask not in found.words
