"""Model folders of others that once ended in a traceback, or in a message that fills the screen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from embeddings.transformer.fine_tuning.saved_tuning import load_tuning
from sts.errors import DataError, StsError
from sts.progress import visible
from sts.tensors import open_tensors, read_tensors, to_bytes
from tests.attacks.readers import READERS
from tests.embeddings.transformer.fine_tuning import tiny


def changed(folder: Path, reader: str, name: str, old: bytes, new: bytes) -> None:
    """The sample of a reader, with one change in one file."""
    sample = READERS[reader].sample()
    assert isinstance(sample, dict)
    assert old in sample[name]
    for own, raw in sample.items():
        (folder / own).parent.mkdir(exist_ok=True)
        (folder / own).write_bytes(raw.replace(old, new) if own == name else raw)


@pytest.mark.parametrize(
    ("reader", "name", "old", "new", "told"),
    [
        ("foreign_folder", "tokenizer.json", b'"1.0"', b'"' + b"9" * 5000 + b'"', "no tokenizer"),
        ("foreign_folder", "tokenizer.json", b'"1.0"', b'"1\xc2\x9b2J"', "no tokenizer"),
        ("foreign_folder", "tokenizer.json", b'"[UNK]":5', b'"[UNX]":5', "cannot read a text .*UNK"),
        ("sentence_folder", "modules.json", b'"path": ""', b'"path": "' + b"9" * 400 + b'"', "each with path"),
        ("pair_scorer", "network/tokenizer.json", b'n":"1.0"', b'n":"' + b"[" * 2000 + b'"', "no tokenizer"),
        ("pair_scorer", "network/tokenizer.json", b'ens":{"[CLS]":', b'ens":{"[CLX]":', "cannot read"),
    ],
)  # fmt: skip
def test_a_damaged_folder_is_refused_in_a_short_line(
    tmp_path: Path, reader: str, name: str, old: bytes, new: bytes, told: str
) -> None:
    changed(tmp_path, reader, name, old, new)
    with pytest.raises(DataError, match=told) as error:
        READERS[reader].read(tmp_path)
    message = str(error.value)
    assert len(message) < 600
    assert message == visible(message)
    assert "\n" not in message


def test_a_score_that_overflows_is_refused(tmp_path: Path) -> None:
    changed(tmp_path, "pair_scorer", "config.json", b"", b"")
    head = tmp_path / "head.safetensors"
    tensors, about = open_tensors(head)
    largest = np.float32(np.finfo(np.float32).max)
    numbers = {"slope": np.asarray(largest), "level": np.asarray(largest)}
    head.write_bytes(to_bytes({**tensors, **numbers}, about))
    with pytest.raises(StsError, match="no finite number; the weights are damaged"):
        READERS["pair_scorer"].read(tmp_path)


def test_a_tensor_of_a_tuning_named_with_controls_is_told_in_one_line(tmp_path: Path) -> None:
    save_file({"network/enc\x7fder\n": np.zeros((2, 2), np.float32)}, tmp_path / "t.safetensors")
    with pytest.raises(DataError, match=r"'enc\\x7fder\\n' \(2, 2\) does not fit"):
        load_tuning(tmp_path / "t.safetensors", tiny.network())


def test_a_type_of_numbers_with_a_control_is_told_as_it_is_written(tmp_path: Path) -> None:
    head = b'{"rows":{"dtype":"F\x7f2","shape":[1],"data_offsets":[0,4]}}'
    path = tmp_path / "t.safetensors"
    path.write_bytes(len(head).to_bytes(8, "little") + head + bytes(4))
    with pytest.raises(DataError, match=r"unknown variant `F\\x7f2`"):
        read_tensors(path, ("rows",))
