"""``semaniacs evaluate``: official figures, rankings, gold of one's own, and what is refused."""

from __future__ import annotations

import gzip
import json
import math
import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from semaniacs.cli import semaniacs as command
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.errors import StsError

SETS = {"news": 30, "forum": 24}


def call(*arguments: object) -> str:
    words = ["evaluate", *map(str, arguments), "--resamples", "200"]
    ended = CliRunner().invoke(command, words, catch_exceptions=False)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def records(*arguments: object) -> list[dict]:
    return [json.loads(line) for line in call(*arguments, "--format", "jsonl").splitlines()]


def refused(*arguments: object) -> str:
    with pytest.raises(StsError) as error:
        call(*arguments)
    assert "\n" not in str(error.value)
    return str(error.value)


def lines_of(values: object) -> str:
    return "".join("\n" if math.isnan(v) else f"{v:.6f}\n" for v in np.asarray(values).tolist())


def gold_of(name: str) -> np.ndarray:
    gold = np.random.default_rng(SETS[name]).uniform(0.5, 4.5, SETS[name])
    gold[3] = np.nan
    return gold


def system(folder: Path, noise: float, beginning: str = "STS.output", seed: int = 0) -> Path:
    """Files of scores that follow the gold, more or less."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    for name, rows in SETS.items():
        scores = np.nan_to_num(gold_of(name), nan=2) + noise * rng.standard_normal(rows)
        (folder / f"{beginning}.{name}.txt").write_text(lines_of(np.clip(scores, 0, 5)))
    return folder


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """A folder of gold files."""
    folder = tmp_path / "gold"
    folder.mkdir()
    for name in SETS:
        (folder / f"STS.2031.gs.{name}.txt").write_text(lines_of(gold_of(name)))
    return folder


@pytest.fixture
def teams(tmp_path: Path) -> Path:
    """Three teams, one with two runs."""
    folder = tmp_path / "teams"
    system(folder / "weak", 3.0)
    system(folder / "good", 0.3)
    system(folder / "twice" / "first", 0.9)
    system(folder / "twice" / "second", 1.5, seed=1)
    return folder


# The figures


def test_a_submission_of_2016(sts_data: Path) -> None:
    folder = sts_data / "submissions" / "2016-LIPN-IIMAS"
    (found,) = records(folder, "--task", "sts2016", "--data", sts_data)
    assert (found["team"], found["run"]) == ("LIPN-IIMAS", "SOPA")
    figures = [round(one["pearson"], 5) for one in found["datasets"].values()]
    assert figures == [0.44901, 0.62411, 0.69109, 0.79864, 0.59779]
    assert round(found["weighted_mean"], 5) == 0.63087
    text = call(folder, "--task", "sts2016", "--data", sts_data)
    assert "headlines            1498     249   0.6241    0.6239\n" in text
    for average in (
        "weighted mean      0.6309  (",
        "mean               0.6321  (",
        "Spearman all ",
    ):
        assert average in text


def test_the_ranking_of_2015(sts_data: Path, tmp_path: Path) -> None:
    """The organisers' table has the baseline and the three runs of a team."""
    baseline = tmp_path / "baseline"
    baseline.mkdir()
    for dataset in get_task("sts2015").datasets:
        pairs = load(dataset, sts_data)
        sides = [({*a.split()}, {*b.split()}) for a, b in zip(pairs.left, pairs.right, strict=True)]
        scores = [len(a & b) / math.sqrt(len(a) * len(b)) for a, b in sides]
        (baseline / f"STS.output.{dataset.name}.txt").write_text(lines_of(scores))
    team = sts_data / "submissions" / "2015-MathLingBudapest"
    found = records(team, baseline, "--task", "sts2015", "--data", sts_data)
    published = {}
    for line in (sts_data / "2015/official-ranking.csv").read_text().splitlines()[1:]:
        run, *figures = (cell.strip() for cell in line.split("\t"))
        published[run.removeprefix("MathLingBudapest-")] = figures
    names = [f"{one['team']} {one['run']}".split("-")[-1].strip() for one in found]
    assert names == ["hybrid", "machines", "embedding", "baseline"]
    for name, one in zip(names, found, strict=True):
        row = published["Baseline-tokencos" if name == "baseline" else name]
        figures = [one["datasets"][d.name]["pearson"] for d in get_task("sts2015").datasets]
        expected = [float(figure) for figure in row[:6]]
        assert [*figures, one["weighted_mean"]] == pytest.approx(
            expected, abs=6e-5
        )  # four digits; 0.70385 is given as 0.7039


def test_the_table_of_many(gold: Path, teams: Path) -> None:
    text = call(teams, "--gold", gold)
    rows = [line.split() for line in text.splitlines()[3:7]]
    assert [row[:3] for row in rows] == [
        ["1", "good", "-"],
        ["2", "twice", "first"],
        ["3", "twice", "second"],
        ["4", "weak", "-"],
    ]
    assert "corrected for 3 comparisons (Holm)." in text
    assert "good is better than every other." in text
    tsv = [line.split("\t") for line in call(teams, "--gold", gold, "--format", "tsv").splitlines()]
    assert tsv[0][-2:] == ["forum", "news"] and len({len(row) for row in tsv}) == 1
    for row, one in zip(tsv[1:], records(teams, "--gold", gold), strict=True):
        assert row[1] == one["team"] and float(row[3]) == one["weighted_mean"]
        assert one["low"] < one["weighted_mean"] < one["high"]


def test_every_two(gold: Path, teams: Path) -> None:
    text = call(teams, "--gold", gold, "--pairwise")
    assert text.count(" to ") == 6 and "corrected for 6 comparisons" in text
    found = records(teams, "--gold", gold, "--pairwise")
    assert (found[0]["a"], found[0]["b"]) == ("good", "twice first")
    assert all(one["p"] <= one["p_holm"] <= 1 for one in found)
    assert "name two or more" in refused(teams / "good", "--gold", gold, "--pairwise")


# What a submission may be


def test_zips_files_and_runs_in_one_folder(gold: Path, teams: Path, tmp_path: Path) -> None:
    expected = records(teams, "--gold", gold)
    zips = tmp_path / "zips"
    zips.mkdir()
    for team in teams.iterdir():
        shutil.make_archive(str(zips / team.name), "zip", team)
    assert records(zips, "--gold", gold) == expected
    assert records(*sorted(zips.iterdir()), "--gold", gold) == expected
    flat = tmp_path / "flat"
    for team, run, noise in (("ucam", "r1", 0.3), ("ucam", "r2", 0.9), ("dcu", "x", 3.0)):
        system(flat, noise, f"STS2031.OUTPUT.{team}.{run}")
    names = [(one["team"], one["run"]) for one in records(flat, "--gold", gold)]
    assert names == [("ucam", "r1"), ("ucam", "r2"), ("dcu", "x")]


def test_one_file_against_one_file(gold: Path, teams: Path, tmp_path: Path) -> None:
    (file,) = (teams / "good").glob("*.news.txt")
    other = shutil.copy(file, tmp_path / "anything.txt")
    news = gold / "STS.2031.gs.news.txt"
    one, two = records(file, "--gold", news), records(other, "--gold", news)
    assert one[0]["datasets"] == two[0]["datasets"]
    assert two[0]["team"] == "anything"
    packed = tmp_path / f"{news.name}.gz"
    packed.write_bytes(gzip.compress(news.read_bytes()))
    assert records(file, "--gold", packed) == one


def test_tables_find_their_pairs_by_name(tmp_path: Path) -> None:
    gold = gold_of("news")
    names = [f"q{row}" for row in range(len(gold))]
    cells = ["" if math.isnan(value) else repr(value) for value in (2 * gold).tolist()]
    rows = [f"{name},{cell}" for name, cell in zip(names, cells, strict=True)]
    (tmp_path / "gold.csv").write_text("\n".join(["id,similarity", *rows]) + "\n")
    scores = np.nan_to_num(gold, nan=1) + np.random.default_rng(0).standard_normal(len(gold))
    pairs = [*zip(names, scores.tolist(), strict=True)]
    teams = tmp_path / "teams"
    teams.mkdir()
    (teams / "a.csv").write_text("id,score\n" + "".join(f"{n},{s}\n" for n, s in pairs[::-1]))
    (teams / "b.tsv").write_text("score\tid\n" + "".join(f"{s}\t{n}\n" for n, s in pairs))
    lines = (json.dumps({"id": n, "score": s, "note": "x"}) for n, s in pairs)
    (teams / "c.jsonl").write_text("\n".join(lines))
    options = ("--gold", tmp_path / "gold.csv", "--gold-column", "similarity", "--id", "id")
    found = records(teams, *options)
    assert [one["team"] for one in found] == ["a", "b", "c"]
    scored = ~np.isnan(gold)
    expected = np.corrcoef(scores[scored], gold[scored])[0, 1]
    assert {one["weighted_mean"] for one in found} == {round(expected, 6)}
    (teams / "plain.txt").write_text(lines_of(scores))
    (one,) = records(teams / "plain.txt", *options[:4])
    assert one["weighted_mean"] == round(expected, 6)

    assert "a.csv: its column id is in another order" in refused(teams / "a.csv", *options[:4])
    said = refused(teams / "plain.txt", *options)
    assert "no column 'id'" in said
    (teams / "a.csv").write_text("id,score\n" + "".join(f"{n},{s}\n" for n, s in pairs[2:]))
    assert "a.csv: no score for id 'q0' and 1 more" in refused(teams / "a.csv", *options)
    (teams / "a.csv").write_text("id,score\nx,1\n" + "".join(f"{n},{s}\n" for n, s in pairs))
    assert "a.csv:2: id 'x' is not in gold.csv" in refused(teams / "a.csv", *options)
    assert "name the column of its gold" in refused(teams, "--gold", tmp_path / "gold.csv")


def test_a_column_of_the_gold_divides_it(tmp_path: Path) -> None:
    gold = gold_of("news")
    kept = np.flatnonzero(~np.isnan(gold))
    genres = np.where(np.arange(len(kept)) % 3 == 0, "forum", "news")
    cells = zip(genres.tolist(), gold[kept].tolist(), strict=True)
    table = tmp_path / "gold.csv"
    table.write_text("genre,gold\n" + "".join(f"{genre},{value}\n" for genre, value in cells))
    scores = gold[kept] + np.random.default_rng(0).standard_normal(len(kept))
    (tmp_path / "a.csv").write_text("score\n" + lines_of(scores))
    options = (tmp_path / "a.csv", "--gold", table, "--gold-column", "gold")
    (one,) = records(*options, "--by", "genre")
    for name, found in one["datasets"].items():
        rows = genres == name
        expected = np.corrcoef(scores[rows], gold[kept][rows])[0, 1]
        assert (found["pairs"], found["pearson"]) == (rows.sum(), round(expected, 6))
    assert [*one["datasets"]] == ["forum", "news"]
    assert "no column 'kind' for --by; it has genre" in refused(*options, "--by", "kind")
    table.write_text("genre,gold\n" + "".join(f"{n},{v}\n" for n, v in enumerate(gold[kept])))
    assert "no value of genre has two different" in refused(*options, "--by", "genre")
    table.write_text(table.read_text().replace("\n1,", "\n2,").replace("\n3,", "\n2,"))
    (one,) = records(*options, "--by", "genre")
    assert [*one["datasets"]] == ["2"]


# What is refused, and what is said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-2], ":28: 28 scores for 30 pairs"),
        (lambda lines: [*lines[:3], "", *lines[4:]], ":4: '', expected a number"),
        (lambda lines: ["2"] * 30, "every scored pair of 'news' has the score 2"),
    ],
)
def test_a_broken_file(change, said: str, gold: Path, teams: Path) -> None:
    path = teams / "good" / "STS.output.news.txt"
    path.write_text("".join(f"{line}\n" for line in change(path.read_text().splitlines())))
    assert said in refused(teams / "good", "--gold", gold)


def test_a_submission_in_another_encoding(gold: Path, teams: Path) -> None:
    options = (teams / "good", "--gold", gold)
    scored = records(*options)
    for path in (*(teams / "good").iterdir(), *gold.iterdir()):  # one has a mark
        path.write_text(path.read_text(), "utf-16" if path.match("*put.news*") else "utf-16-be")
    assert "txt:1: a NUL byte" in refused(*options)
    assert records(*options, "--encoding", "utf-16-be") == scored


def test_every_broken_submission_is_named(
    gold: Path, teams: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (teams / "good" / "STS.output.news.txt").write_text("1\n")
    (teams / "weak" / "STS.output.forum.txt").rename(teams / "weak" / "STS.output.forums.txt")
    runner = CliRunner()
    words = ["evaluate", str(teams), "--gold", str(gold), "--resamples", "200"]
    ended = runner.invoke(command, words)
    assert "2 of 4 submissions cannot be scored" in str(ended.exception)
    assert ended.stderr.count("error: ") == 2
    assert "STS.output.news.txt:1: 1 scores for 30 pairs" in ended.stderr
    assert (
        "weak has no file for forum (*.forum.txt); it has STS.output.forums.txt, " in ended.stderr
    )
    ended = runner.invoke(command, [*words, "--keep-going", "--format", "tsv"])
    assert ended.exit_code == 0 and ended.stderr.count("warning: left out: ") == 2
    assert len(ended.stdout.splitlines()) == 3


def test_what_is_not_there(gold: Path, teams: Path, tmp_path: Path) -> None:
    assert "either --task NAME or --gold FILE" in refused(teams)
    assert "either --task NAME or --gold FILE" in refused(teams, "--gold", gold, "--task", "sample")
    assert "no such file or folder" in refused(tmp_path / "no", "--gold", gold)
    assert "no file is called *.gs.NAME.txt" in refused(teams, "--gold", teams)
    assert "expected *.forum.txt or *.news.txt" in refused(gold, "--gold", gold)
    assert "are for --gold with a table" in refused(teams, "--gold", gold, "--id", "id")
    (tmp_path / "x.zip").write_bytes(b"no")
    assert "not a zip" in refused(tmp_path / "x.zip", "--gold", gold)
    system(teams / "more", 1.0, "STS.OUTPUT.good.-")
    system(teams / "other", 1.0, "STS.OUTPUT.good.-")
    assert "are both called 'good -'" in refused(teams, "--gold", gold)
    (gold / "STS.2031.gs.news.txt").write_text("3\n3\n")
    assert "fewer than two different gold scores" in refused(teams, "--gold", gold)


def test_a_zip_cannot_write_anything(gold: Path, teams: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "team.zip", "w") as packed:
        for path in sorted((teams / "good").iterdir()):
            packed.write(path, f"../../{path.name}")
            packed.writestr(f"__MACOSX/._{path.name}", "x")
    (found,) = records(tmp_path / "team.zip", "--gold", gold)
    assert found["weighted_mean"] == records(teams / "good", "--gold", gold)[0]["weighted_mean"]


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """A folder with labels and the scores of two systems, as tables."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 50)
    (tmp_path / "gold.csv").write_text(
        "id,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels))
    )
    for name, noise in (("good", 0.5), ("weak", 5.0)):
        scores = -3 * (1 - labels) + noise * rng.standard_normal(50)  # not from 0 to 5
        lines = [f"{i},{score:.4f}\n" for i, score in enumerate(scores)]
        (tmp_path / f"{name}.csv").write_text("id,score\n" + "".join(lines))
    return tmp_path


def test_labels_are_ranked_by_auc(labelled: Path, capfd: pytest.CaptureFixture[str]) -> None:
    teams = [labelled / f"{name}.csv" for name in ("weak", "good")]
    gold = ("--gold", labelled / "gold.csv", "--gold-column", "label", "--id", "id")
    best, other = records(*teams, *gold, "--labels", "--threshold", -1.5)
    assert (best["team"], other["team"]) == ("good", "weak")
    assert best["auc"] == best["datasets"]["gold"]["auc"] > 0.95 > other["auc"]
    assert best["datasets"]["gold"]["accuracy"] > 0.95
    assert other["behind"] == pytest.approx(best["auc"] - other["auc"], abs=1e-5)
    assert "accuracy" not in records(*teams, *gold, "--labels")[0]["datasets"]["gold"]
    assert "good is better than every other." in call(*teams, *gold, "--labels")
    assert "of the AUC" in call(*teams, *gold, "--labels", "--pairwise")
    header, line, *_ = call(*teams, *gold, "--labels", "--format", "tsv").splitlines()
    row = dict(zip(header.split("\t"), line.split("\t"), strict=True))
    assert row["gold"] == row["auc"]
    assert "average precision" in call(teams[1], *gold, "--labels", "--threshold", -1.5)
    assert capfd.readouterr().err == ""  # labels have no scale that scores should keep to


def test_scores_off_the_scale_are_counted(gold: Path, teams: Path) -> None:
    before = records(teams / "good", "--gold", gold)
    path = teams / "good" / "STS.output.news.txt"
    path.write_text(lines_of(100 * np.loadtxt(path) - 50))
    ended = CliRunner().invoke(command, ["evaluate", str(teams / "good"), "--gold", str(gold)])
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"warning: {path}:1: ") and "is not from 0 to 5" in line
    assert "of 30 scores" in line
    after = records(teams / "good", "--gold", gold)
    assert after[0]["weighted_mean"] == pytest.approx(before[0]["weighted_mean"], abs=1e-6)
