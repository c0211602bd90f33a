"""The main job from the command line, as a newcomer runs it, and what it must show."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from gamecommbench.qualify import qualify
from gamecommbench.schema import candidate_of_row, iter_records
from gamecommbench.tace.scores import METRICS, Judgement, summary

COMMAND = [sys.executable, "-c", "from gamecommbench.cli import main; main()"]
PGN = """[Event "Club evening"]
[Site "Leeds"]
[Date "2024.05.01"]
[White "Ann Ash"]
[Black "Ben Birch"]
[Result "1-0"]

1. e4 {The king's pawn goes to e4. Ann won this game.} e5 2. Qh5 {The queen comes out to h5 and attacks the pawn on e5.}
Nc6 3. Bc4 {The bishop develops to c4. White threatens mate on f7.} Nf6 {The knight attacks the queen, but it is a blunder because White can mate.} 4. Qxf7# {Queen takes f7, checkmate.} 1-0
"""


def call(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess:
    "Run the command line."
    return subprocess.run([*COMMAND, *arguments], cwd=cwd, capture_output=True, text=True, env=os.environ | environment, timeout=600)


def one_line(done: subprocess.CompletedProcess) -> str:
    "The single line of an error; fails where there is a traceback or more."
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(lines) == 1 and "Traceback" not in done.stderr, (done.returncode, done.stderr)
    return lines[0]


@pytest.fixture(scope="session")
def sample_run(tmp_path_factory) -> tuple[Path, str]:
    "The sample benchmark run once, without an engine so that every machine gives the same."
    place = tmp_path_factory.mktemp("main")
    done = call("run", "--engine", "none", "--out", "runs/sample", cwd=place)
    assert done.returncode == 0, done.stderr
    return place / "runs" / "sample", done.stdout


@pytest.fixture()
def pgn(tmp_path: Path) -> Path:
    path = tmp_path / "my.pgn"
    path.write_text(PGN)
    return path


def test_it_leaves_what_the_design_says(sample_run):
    folder, printed = sample_run
    for name in ("config.yaml", "manifest.json", "records.jsonl", "judgements.jsonl", "scores.parquet", "tables/main.csv", "tables/main.md", "figures/heatmap.png", "figures/heatmap.svg", "report/index.html"):
        assert (folder / name).stat().st_size > 0, name
    assert {path.stem for path in (folder / "candidates").iterdir()} == {"template", "human", "shuffled", "empty", "verbose"}
    for metric in METRICS:
        assert metric in printed.lower()
    assert "heatmap" in printed and "index.html" in printed and "offline" in printed


def test_the_sample_is_large_and_typed(sample_run):
    records = list(iter_records(sample_run[0] / "records.jsonl"))
    assert len({record.match_id for record in records}) >= 4 and len(records) >= 40
    kinds = [unit.category for record in records for unit in record.commentary.commentary_category]
    assert all(kinds.count(kind) >= 20 for kind in ("descriptive", "analytical", "background"))


def test_everything_written_fits_its_schema(sample_run):
    folder = sample_run[0]
    records = {record.No for record in iter_records(folder / "records.jsonl")}
    for path in (folder / "candidates").iterdir():
        rows = [candidate_of_row(json.loads(line)) for line in path.read_text().splitlines()]
        assert {row.No for row in rows} == records and {row.commentator for row in rows} == {path.stem}
    judgements = [Judgement.model_validate_json(line) for line in (folder / "judgements.jsonl").read_text().splitlines()]
    assert {judgement.record_id for judgement in judgements} == records
    scores = pl.read_parquet(folder / "scores.parquet")
    assert scores.columns == ["game", "record_id", "match_id", "commentator", "metric", "value", "state", "reason"]
    assert scores.filter((pl.col("state") == "scored") != pl.col("value").is_not_null()).is_empty()
    assert scores.filter((pl.col("state") != "scored") & (pl.col("reason") == "")).is_empty()
    assert scores.filter(pl.col("metric").is_in(list(METRICS)) & pl.col("value").is_not_null() & ~pl.col("value").is_between(0, 1)).is_empty()


def test_the_controls_rank_as_they_must(sample_run):
    scores = pl.read_parquet(sample_run[0] / "scores.parquet")
    failed = [f"{demand.text} ({demand.figures})" for demand in qualify(scores) if not demand.holds]
    assert not failed, failed
    means = {(who, metric): mean for who, metric, mean in summary(scores).select("commentator", "metric", "mean").iter_rows()}
    for metric in ("correctness", "completeness"):
        ranked = sorted((name for name, known in means if known == metric), key=lambda name: -means[name, metric])
        assert ranked[0] == "human" and ranked[-1] == "empty"


def test_names_do_not_decide(sample_run, tmp_path: Path):
    "The same texts under swapped names get the same scores: the judge reads texts."
    folder = sample_run[0]
    rows = {name: [json.loads(line) for line in (folder / "candidates" / f"{name}.jsonl").read_text().splitlines()] for name in ("human", "empty")}
    for name, other in (("human", "zero"), ("empty", "best")):
        (tmp_path / f"{other}.jsonl").write_text("".join(json.dumps({"No": row["No"], f"commentary_by_{other}": row[f"commentary_by_{name}"]}) + "\n" for row in rows[name]))
    done = call("evaluate", str(folder / "records.jsonl"), "--candidates", "zero.jsonl", "--candidates", "best.jsonl", "--scope", "descriptive", "--engine", "none", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    new, old = pl.read_parquet(tmp_path / "out" / "scores.parquet"), pl.read_parquet(folder / "scores.parquet")
    for name, other in (("human", "zero"), ("empty", "best")):
        values = [frame.filter((pl.col("commentator") == who) & (pl.col("metric") == "correctness")).sort("record_id")["value"].to_list() for frame, who in ((old, name), (new, other))]
        assert values[0] == values[1]


def test_reruns_give_the_same_values(sample_run, tmp_path: Path):
    done = call("run", "--engine", "none", "--out", "again", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "again" / "scores.parquet").read_bytes() == (sample_run[0] / "scores.parquet").read_bytes()
    assert (tmp_path / "again" / "figures" / "heatmap.svg").read_bytes() == (sample_run[0] / "figures" / "heatmap.svg").read_bytes()


def test_existing_runs_are_refused_resumed_replaced(tmp_path: Path, pgn: Path):
    first = call("run", "-r", str(pgn), "-c", "template", "-c", "human", "--engine", "none", "--out", "one", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    before = (tmp_path / "one" / "scores.parquet").read_bytes()
    same = ["run", "-r", str(pgn), "-c", "template", "-c", "human", "--engine", "none", "--out", "one"]
    assert "exists already" in one_line(call(*same, cwd=tmp_path))
    lines = (tmp_path / "one" / "judgements.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "one" / "judgements.jsonl").write_text("".join(lines[:7]) + lines[7][:40])
    assert call(*same, "--resume", cwd=tmp_path).returncode == 0
    assert (tmp_path / "one" / "scores.parquet").read_bytes() == before
    assert len((tmp_path / "one" / "judgements.jsonl").read_text().splitlines()) >= len(lines)
    assert "asked something else" in one_line(call(*same, "-c", "empty", "--resume", cwd=tmp_path))
    assert call(*same, "--overwrite", cwd=tmp_path).returncode == 0


def test_separate_verbs_meet_at_files(tmp_path: Path, pgn: Path):
    assert call("build", "chess", str(pgn), "--out", "b/records.jsonl", "--rejects", "b/no.jsonl", cwd=tmp_path).returncode == 0
    assert "valid" in call("validate", "b/records.jsonl", cwd=tmp_path).stdout
    assert call("generate", "b/records.jsonl", "-c", "template", "-c", "empty", "--out", "b/candidates", cwd=tmp_path).returncode == 0
    for scope in ("segmentation", "descriptive", "analytical", "background", "all"):
        done = call("evaluate", "b/records.jsonl", "--candidates", "b/candidates", "--scope", scope, "--engine", "none", "--out", f"e-{scope}", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
    branches = {json.loads(line)["branch"] for line in (tmp_path / "e-background" / "judgements.jsonl").read_text().splitlines()}
    assert branches == {"segmentation", "background"}
    shutil.rmtree(tmp_path / "e-all" / "report"); (tmp_path / "e-all" / "scores.parquet").unlink()
    assert call("report", "e-all", cwd=tmp_path).returncode == 0 and (tmp_path / "e-all" / "report" / "index.html").exists()


@pytest.mark.parametrize("arguments, said", [
    (["run", "-r", "missing.pgn"], "no such file"), (["run", "-r", "empty.pgn"], "empty"), (["run", "-r", "prose.pgn"], "not a PGN"), (["run", "-r", "binary.pgn"], "binary"),
    (["run", "-r", "illegal.pgn"], "illegal"), (["run", "-r", "my.pgn", "-c", "poet"], "unknown commentator"), (["run", "-r", "my.pgn", "--judge", "oracle"], "unknown judge"),
    (["run", "-r", "broken.jsonl"], "line 2"), (["run", "-r", "field.jsonl"], "game_state.modality"), (["run", "-r", "my.pgn", "--prompts", "nowhere"], "prompt folder"),
    (["run", "-r", "my.pgn", "--engine", "/no/such/engine"], "engine"), (["validate", "field.jsonl"], "line 1"), (["report", "."], "not a run folder"), (["generate", "missing.jsonl", "--out", "g"], "no such file"),
    (["evaluate", "ok/records.jsonl", "--candidates", "strange.jsonl"], "fit no record"), (["evaluate", "ok/records.jsonl", "--candidates", "nothing"], "no such file"),
    (["evaluate", "ok/records.jsonl", "--candidates", "bad.jsonl"], "line 1")])
def test_bad_input_is_one_line(arguments: list[str], said: str, tmp_path: Path, pgn: Path):
    from gamecommbench.build import build_chess
    build_chess([pgn], tmp_path / "ok" / "records.jsonl")
    good = (tmp_path / "ok" / "records.jsonl").read_text()
    for name, text in {"empty.pgn": "", "prose.pgn": "Dear diary, I lost.\n", "illegal.pgn": PGN.replace("2. Qh5", "2. Qh6"), "broken.jsonl": good.splitlines()[0] + '\n{"No": ', "bad.jsonl": '{"No": "x", "text": "y"}\n',
                       "field.jsonl": good.replace('"pgn"', '"clay"'), "strange.jsonl": '{"No": "nobody", "commentary_by_me": "hello"}\n'}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "binary.pgn").write_bytes(bytes(range(256)) * 20)
    before = set(tmp_path.rglob("*"))
    line = one_line(call(*arguments, *([] if arguments[0] in ("validate", "report", "generate") else ["--out", "out"]), cwd=tmp_path))
    assert said in line, line
    assert not [path for path in set(tmp_path.rglob("*")) - before if path.name == "scores.parquet" or path.suffix == ".part"]


def test_usage_errors_exit_with_2(tmp_path: Path):
    for arguments in (["run", "--evidence", "guess"], ["run", "--limit", "0"], ["sing"], ["build", "chess"]):
        assert call(*arguments, cwd=tmp_path).returncode == 2


def test_verbose_adds_the_traceback(tmp_path: Path):
    done = call("-v", "run", "-r", "missing.pgn", "--out", "x", cwd=tmp_path)
    assert done.returncode == 1 and "Traceback" in done.stderr and done.stderr.strip().splitlines()[-1].startswith("gamecommbench: ")


def test_interrupt_is_resumable(tmp_path: Path, pgn: Path):
    "An interrupt in the middle of judging leaves whole lines, and the resumed run equals an undisturbed one."
    script = """
import os, signal, sys
from gamecommbench import pipeline, runs
add, count = runs.JudgementLog.add, [0]
def stop(self, judgements):
    add(self, judgements); count[0] += 1
    if count[0] == 5: os.kill(os.getpid(), signal.SIGINT)
runs.JudgementLog.add = stop
from gamecommbench.cli import main
main()
"""
    options = ["run", "-r", str(pgn), "-c", "template", "-c", "human", "--engine", "none", "--out"]
    done = subprocess.run([sys.executable, "-c", script, *options, "cut"], cwd=tmp_path, capture_output=True, text=True)
    assert "interrupted" in one_line(done)
    assert all(json.loads(line) for line in (tmp_path / "cut" / "judgements.jsonl").read_text().splitlines())
    assert call(*options, "cut", "--resume", cwd=tmp_path).returncode == 0 and call(*options, "whole", cwd=tmp_path).returncode == 0
    assert (tmp_path / "cut" / "scores.parquet").read_bytes() == (tmp_path / "whole" / "scores.parquet").read_bytes()


def test_full_disk_is_one_line_and_resumable(tmp_path: Path, pgn: Path):
    "The disk fills while judgements are written: one line, and what was judged is kept."
    script = """
import builtins, errno
from gamecommbench.cli import main
real = builtins.open
class Full:
    def __init__(self, file): self.file, self.left = file, 3000
    def __enter__(self): return self
    def __exit__(self, *error): self.file.close()
    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")
def opened(name, mode="r", *more, **options):
    file = real(name, mode, *more, **options)
    return Full(file) if str(name).endswith("judgements.jsonl") and "a" in mode else file
builtins.open = opened
main()
"""
    options = ["run", "-r", str(pgn), "-c", "template", "--engine", "none", "--out", "full"]
    line = one_line(subprocess.run([sys.executable, "-c", script, *options], cwd=tmp_path, capture_output=True, text=True))
    assert "no space left" in line and "--resume" in line
    assert call(*options, "--resume", cwd=tmp_path).returncode == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission_is_one_line(tmp_path: Path, pgn: Path):
    (tmp_path / "closed").mkdir(mode=0o500)
    assert "permission denied" in one_line(call("run", "-r", str(pgn), "--out", "closed/run", cwd=tmp_path))


def test_output_that_cannot_be_made_is_one_line(tmp_path: Path, pgn: Path):
    (tmp_path / "file").write_text("x")
    assert "file" in one_line(call("run", "-r", str(pgn), "--out", "file/run", cwd=tmp_path))
    assert (tmp_path / "file").read_text() == "x"


def test_help_loads_nothing_heavy(tmp_path: Path):
    "`--help` loads none of the heavy libraries."
    script = "import sys; sys.argv = ['gamecommbench', '--help']\nfrom gamecommbench.cli import app\ntry: app()\nexcept SystemExit: pass\nprint(','.join(sorted(sys.modules)))"
    loaded = set(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path).stdout.splitlines()[-1].split(","))
    assert not loaded & {"pandas", "polars", "matplotlib", "seaborn", "litellm", "openai", "cv2", "torch"}


def test_missing_engine_is_said_once(tmp_path: Path, pgn: Path):
    "Where there is no Stockfish one line says how to get it, and the commentator `engine` is left out."
    done = call("run", "-r", str(pgn), "--out", "x", cwd=tmp_path, PATH="/nonexistent", GAMECOMMBENCH_STOCKFISH="")
    if Path("/usr/games/stockfish").exists():
        pytest.skip("a Stockfish stands in its usual place and is found there")
    assert done.returncode == 0 and len(re.findall(r"apt-get install stockfish", done.stdout)) == 1


def test_rejections_make_exit_code_3(tmp_path: Path, pgn: Path):
    "Done, but something was dropped: the account says what, and the exit code says that."
    pgn.write_text(PGN + "\n" + PGN.replace("2. Qh5", "2. Qh6"))
    done = call("run", "-r", str(pgn), "-c", "template", "--engine", "none", "--out", "x", cwd=tmp_path)
    assert done.returncode == 3 and "illegal" in done.stdout and (tmp_path / "x" / "report" / "index.html").exists()


def test_a_run_that_achieved_nothing_leaves_no_folder(tmp_path: Path, pgn: Path):
    done = call("run", "-r", str(pgn), "--judge", "openai/gpt-5.4-mini", "-c", "template", "--out", "x", cwd=tmp_path, OPENAI_API_KEY="")
    assert "no key" in one_line(done) and not (tmp_path / "x").exists()
