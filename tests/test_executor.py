"""A run whose judging is spread over a local Dask cluster: the same scores as the local loop, one ledger, a worker killed midway, clear refusals."""
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import polars as pl
import pytest

from test_model_runs import COMMAND, arguments, bill_of, call, environment, no_key_in, one_line, serving


def test_what_a_cluster_cannot_do_is_refused_in_a_line(tmp_path: Path):
    given = arguments(tmp_path, "http://127.0.0.1:9/v1", "--executor", "dask")
    assert "cannot keep a --budget" in one_line(call(tmp_path, *given, "--budget", "1"))
    assert "leave it out for the offline judge" in one_line(call(tmp_path, "run", "--executor", "dask", "--engine", "none", "--out", "runs/x"))
    assert not (tmp_path / "runs").exists()


def test_a_cluster_gives_the_same_scores_and_one_ledger(tmp_path: Path):
    pytest.importorskip("distributed", reason="distributed (extra cluster) is not installed")
    with serving("--latency", "0.01") as server:
        local = call(tmp_path, *arguments(tmp_path, server.url, games=2, out="runs/local"))
        requests = server.stats()["requests"]
        spread = call(tmp_path, *arguments(tmp_path, server.url, "--executor", "dask", games=2, out="runs/dask"))
        assert local.returncode == spread.returncode == 0 and spread.stderr == "", spread.stderr
        assert requests < server.stats()["requests"] <= 2.2 * requests  # equal questions of different parts may be asked by each
        folders = [tmp_path / "runs" / name for name in ("local", "dask")]
        one, other = (pl.read_parquet(folder / "scores.parquet").sort("record_id", "commentator", "metric") for folder in folders)
        assert one.equals(other) and not (one["state"] == "failed").any()
        assert bill_of(local)[3:] == bill_of(spread)[3:] and not list(folders[1].glob("ledger.parts*"))
        assert sum(row["calls"] for row in json.loads((folders[1] / "manifest.json").read_text())["usage"]) == requests
        before = server.stats()["requests"]
        again = call(tmp_path, *arguments(tmp_path, server.url, "--executor", "dask", "--overwrite", games=2, out="runs/dask"))
        assert again.returncode == 0 and server.stats()["requests"] == before and bill_of(again)[0] == 0
    assert no_key_in(tmp_path / "runs")


MOVES = ("e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6")


def different_games(place: Path, count: int) -> Path:
    "Games with a comment on every move, no two alike, so that no question is asked by two parts."
    path = place / "different.pgn"
    path.write_text("".join(f'[Event "Round {number}"]\n[White "Ann"]\n[Black "Ben"]\n[Result "*"]\n\n' + " ".join(
        f"{'' if ply % 2 else f'{ply // 2 + 1}. '}{move} {{{move} is played at move {ply} of round {number}.}}" for ply, move in enumerate(MOVES)) + " *\n\n" for number in range(count)))
    return path


def test_a_killed_worker_loses_its_calls_in_flight_and_nothing_else(tmp_path: Path):
    distributed = pytest.importorskip("distributed", reason="distributed (extra cluster) is not installed")
    concurrency, workers = 8, 2
    games = different_games(tmp_path, 3)
    with serving("--latency", "0.05") as server, distributed.LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
        given = ["run", "--records", str(games), "--engine", "none", "--judge", "openai/gpt-5.4-mini", "--commentator", "human", "--api-base", server.url, "--concurrency", str(concurrency)]
        local = call(tmp_path, *given, "--out", "runs/local")
        asked = server.stats()["requests"]
        run = subprocess.Popen([*COMMAND, *given, "--executor", "dask", "--scheduler", cluster.scheduler_address, "--out", "runs/dask"], cwd=tmp_path, env=environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        n_records = 3 * len(MOVES)
        begun, victim = time.monotonic(), cluster.workers[0].pid
        while server.stats()["requests"] < asked + n_records + (asked - n_records) // 3:  # typing the units is not spread; a third of the rest is done
            assert run.poll() is None and time.monotonic() - begun < 60 and time.sleep(0.01) is None
        os.kill(victim, signal.SIGKILL)
        out, errors = run.communicate(timeout=60)
        stats = server.stats()
    assert local.returncode == run.returncode == 0, errors
    one, other = (pl.read_parquet(tmp_path / "runs" / name / "scores.parquet").sort("record_id", "commentator", "metric") for name in ("local", "dask"))
    assert one.equals(other) and not (one["state"] == "failed").any()
    usage = json.loads((tmp_path / "runs" / "dask" / "manifest.json").read_text())["usage"]
    assert sum(row["calls"] for row in usage) == asked  # one ledger with everything, each question once
    assert stats["requests"] - asked <= asked + concurrency // workers and not list((tmp_path / "runs" / "dask").glob("ledger.parts*"))


def test_a_run_that_stops_on_a_cluster_says_why_in_a_line(tmp_path: Path):
    pytest.importorskip("distributed", reason="distributed (extra cluster) is not installed")
    with serving("--latency", "0.01") as server:
        assert call(tmp_path, *arguments(tmp_path, server.url, "--limit", "2")).returncode == 0
    with serving("--mode", "key_refused") as server:
        records = str(tmp_path / "runs" / "x" / "records.jsonl")
        given = ["evaluate", records, "--candidates", str(tmp_path / "runs" / "x" / "candidates"), "--judge", "openai/gpt-5.4-mini", "--api-base", server.url, "--out", "runs/y"]
        assert "key refused (401" in one_line(call(tmp_path, *given, "--executor", "dask"))
