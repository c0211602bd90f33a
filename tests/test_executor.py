"""A run whose judging is spread over a local Dask cluster: the same scores as the local loop, one ledger, clear refusals."""
import json
from pathlib import Path

import polars as pl
import pytest

from test_model_runs import arguments, bill_of, call, no_key_in, one_line, serving


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


def test_a_run_that_stops_on_a_cluster_says_why_in_a_line(tmp_path: Path):
    pytest.importorskip("distributed", reason="distributed (extra cluster) is not installed")
    with serving("--latency", "0.01") as server:
        assert call(tmp_path, *arguments(tmp_path, server.url, "--limit", "2")).returncode == 0
    with serving("--mode", "key_refused") as server:
        records = str(tmp_path / "runs" / "x" / "records.jsonl")
        given = ["evaluate", records, "--candidates", str(tmp_path / "runs" / "x" / "candidates"), "--judge", "openai/gpt-5.4-mini", "--api-base", server.url, "--out", "runs/y"]
        assert "key refused (401" in one_line(call(tmp_path, *given, "--executor", "dask"))
