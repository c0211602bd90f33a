"""Builds of every game by the command line: stages and their files, accounts that add up, reruns, interrupts, bad input, models as judges."""
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gamecommbench.builds import BuildRequest, account_lines, build
from gamecommbench.files import resource_folder
from gamecommbench.pieces import STAGES
from gamecommbench.schema import BenchError, load_records
from mock_endpoint import MockEndpoint

COMMAND = [sys.executable, "-c", "from gamecommbench.cli import main; main()"]
SAMPLES = {"chess": ("chess_pgn", "gameknot"), "go": ("go_sgf", "go_fox"), "football": ("soccer",), "basketball": ("basketball_nsva", "basketball_nba_pbp"), "lol": ("lol",), "boxing": ("boxing_boxcomm",)}
ROWS = [{"video": f"league/2020-01-0{number % 9 + 1} - 15-00 Rovers 1 - 0 Town/1_{number // 60:02d}_{number % 60:02d}.mp4", "caption": "shot off target",
         "comments_text": f"Okafor shoots from {number} yards and it goes wide of the post.", "comments_text_anonymized": ""} for number in range(40)]


def call(*arguments: str, cwd: Path) -> subprocess.CompletedProcess:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd, timeout=300)


def one_line(done: subprocess.CompletedProcess) -> str:
    "The one line that a failure prints."
    lines = done.stderr.strip().splitlines()
    assert done.returncode == 1 and len(lines) == 1 and lines[0].startswith("gamecommbench: "), done.stderr
    return lines[0]


def rows_file(folder: Path, rows: list[dict] = ROWS) -> Path:
    path = folder / "rows.json"
    path.write_text(json.dumps(rows))
    return path


def lines_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def check_accounts(folder: Path, game: str, out: Path) -> None:
    "Each stage reads what the one before kept; what it read it kept or dropped; files say the same."
    accounts = json.loads((folder / "account.json").read_text())
    assert [account["stage"] for account in accounts] == list(STAGES)
    for account in accounts:
        assert account["read"] == account["kept"] + sum(account["dropped"].values()), account
        assert len(lines_of(folder / f"{account['stage']}.rejects.jsonl")) == sum(account["dropped"].values())
        if account["stage"] != "package":
            assert len(lines_of(folder / f"{account['stage']}.jsonl")) == account["kept"]
    for earlier, later in zip(accounts, accounts[1:]):
        assert earlier["kept"] == later["read"]
    records = [record for record in load_records(out) if record.game == game]
    assert len(records) == accounts[-1]["kept"]
    assert all(reject["reason"] for stage in STAGES for reject in lines_of(folder / f"{stage}.rejects.jsonl"))


@pytest.mark.slow
def test_one_command_builds_all_six_games(shared: Path, tmp_path: Path):
    "From the real sample files: records of each game or rejects that say why, and an account by stage for each."
    for game, folders in SAMPLES.items():
        for folder in folders:
            (tmp_path / "sources" / game).mkdir(parents=True, exist_ok=True)
            shutil.copytree(shared / "samples" / folder, tmp_path / "sources" / game / folder)
    done = call("build", "all", "sources", "--out", "bench/records.jsonl", cwd=tmp_path)
    assert done.returncode == 3, done.stderr
    games = {record.game for record in load_records(tmp_path / "bench" / "records.jsonl")}
    assert games == set(SAMPLES), games
    for game in SAMPLES:
        check_accounts(tmp_path / "bench" / "records.stages" / game, game, tmp_path / "bench" / "records.jsonl")
    n_rejects = sum(len(lines_of(path)) for path in (tmp_path / "bench" / "records.stages").glob("*/*.rejects.jsonl"))
    assert len(lines_of(tmp_path / "bench" / "rejects.jsonl")) == n_rejects
    for title in ("Chess", "Go", "Football", "Basketball", "League of Legends", "Boxing"):
        assert title in done.stdout


def test_the_sample_of_every_game_builds(tmp_path: Path):
    "At least twelve records with commentary of each of the five games, units typed, and nothing that is not valid."
    done = call("build", "all", str(resource_folder("data") / "sample"), "--out", "bench/records.jsonl", "--language", "en", cwd=tmp_path)
    assert done.returncode in (0, 3), done.stderr
    counts: dict[str, int] = {}
    for record in load_records(tmp_path / "bench" / "records.jsonl"):
        assert record.commentary.commentary_category and record.commentary.raw_commetary, record.No
        counts[record.game] = counts.get(record.game, 0) + 1
    assert set(counts) == {"chess", "go", "football", "basketball", "lol"} and min(counts.values()) >= 12, counts
    checked = call("validate", "bench/records.jsonl", cwd=tmp_path)
    assert checked.returncode == 0, checked.stderr


def test_stages_run_alone_and_again(tmp_path: Path):
    rows_file(tmp_path)
    assert "collect first" in one_line(call("build", "football", "rows.json", "--out", "b/records.jsonl", "--stage", "align", cwd=tmp_path))
    for stage in STAGES:
        done = call("build", "football", "rows.json", "--out", "b/records.jsonl", "--stage", stage, cwd=tmp_path)
        assert done.returncode in (0, 3), done.stderr
    first = (tmp_path / "b" / "records.jsonl").read_bytes()
    whole = call("build", "football", "rows.json", "--out", "whole/records.jsonl", cwd=tmp_path)
    assert whole.returncode in (0, 3) and (tmp_path / "whole" / "records.jsonl").read_bytes() == first
    for stage in STAGES:
        call("build", "football", "rows.json", "--out", "b/records.jsonl", "--stage", stage, cwd=tmp_path)
    assert (tmp_path / "b" / "records.jsonl").read_bytes() == first
    assert "--overwrite" in one_line(call("build", "football", "rows.json", "--out", "b/records.jsonl", cwd=tmp_path))


def test_ids_are_md5_with_the_map_beside(tmp_path: Path):
    "Football's ids are 32 hexadecimal digits, the same at every build, and the map tells the source's name of each."
    rows_file(tmp_path)
    call("build", "football", "rows.json", "--out", "b/records.jsonl", cwd=tmp_path)
    ids = {row["No"]: row["original"] for row in lines_of(tmp_path / "b" / "records.ids.jsonl")}
    records = load_records(tmp_path / "b" / "records.jsonl")
    assert records and {record.No for record in records} == set(ids) and all(len(number) == 32 and int(number, 16) >= 0 for number in ids)
    assert all("Rovers 1 - 0 Town" in original for original in ids.values())


def test_language_is_flagged_and_filtered(tmp_path: Path):
    sgf = "(;GM[1]FF[4]SZ[19]PB[Ann]PW[Ben];B[pd]C[Black opens at the upper right star point.];W[dd]C[Weiß antwortet in der anderen Ecke und das ist nicht schlecht für die Partie.])"
    (tmp_path / "game.sgf").write_text(sgf, encoding="utf-8")
    call("build", "go", "game.sgf", "--out", "all/records.jsonl", cwd=tmp_path)
    flags = [record.origin.flags for record in load_records(tmp_path / "all" / "records.jsonl")]
    assert flags == [[], ["language:de"]]
    done = call("build", "go", "game.sgf", "--out", "en/records.jsonl", "--language", "en", cwd=tmp_path)
    assert done.returncode == 3 and len(load_records(tmp_path / "en" / "records.jsonl")) == 1
    assert [reject["reason"] for reject in lines_of(tmp_path / "en" / "rejects.jsonl")] == ["not in the language asked for"]


def test_silence_is_kept_and_flagged(tmp_path: Path):
    "A clip about whose time nothing was said stays, flagged, and is not applicable to judging; a language asked for leaves it out."
    rows = [ROWS[0], ROWS[30] | {"comments_text": ""}]
    rows_file(tmp_path, rows)
    call("build", "football", "rows.json", "--out", "b/records.jsonl", cwd=tmp_path)
    flags = {record.commentary.processed_commentary != "": record.origin.flags for record in load_records(tmp_path / "b" / "records.jsonl")}
    assert "empty-commentary" in flags[False] and "empty-commentary" not in flags[True]


@pytest.mark.parametrize("game, name, content, expected", [
    ("go", "notes.txt", "Dear diary, today I played Go.", "notes.txt"), ("football", "rows.json", '[{"a": 1}]', "rows.json"), ("basketball", "clip.json", "not json at all", "clip.json"),
    ("lol", "match.json", '{"hello": 1}', "match.json"), ("boxing", "asr.json", "[]", "asr.json"), ("go", "empty.sgf", "", "empty.sgf")])
def test_unknown_formats_are_one_line(game: str, name: str, content: str, expected: str, tmp_path: Path):
    "What was seen and what is supported, and no file half-written."
    (tmp_path / name).write_text(content)
    done = call("build", game, name, "--out", "b/records.jsonl", cwd=tmp_path)
    assert expected in one_line(done)
    assert not (tmp_path / "b" / "records.jsonl").exists() and not list((tmp_path / "b").rglob("*.part")) if (tmp_path / "b").exists() else True


def test_bad_requests_are_one_line(tmp_path: Path):
    rows_file(tmp_path)
    assert "curling" in one_line(call("build", "curling", "rows.json", "--out", "b/r.jsonl", cwd=tmp_path))
    assert "no.json" in one_line(call("build", "football", "no.json", "--out", "b/r.jsonl", cwd=tmp_path))
    (tmp_path / "s.yaml").write_text("windows: 3\n")
    assert "windows" in one_line(call("build", "football", "rows.json", "--out", "b/r.jsonl", "--settings", "s.yaml", cwd=tmp_path))
    assert "named after a game" in one_line(call("build", "all", ".", "--out", "b/r.jsonl", cwd=tmp_path))


def test_changed_files_are_found_by_validate(tmp_path: Path):
    (tmp_path / "game.sgf").write_text("(;GM[1]FF[4]SZ[19]PB[Ann]PW[Ben];B[pd]C[Black opens at the upper right star point.])")
    call("build", "go", "game.sgf", "--out", "b/records.jsonl", cwd=tmp_path)
    assert call("validate", "b/records.jsonl", cwd=tmp_path).returncode == 0
    game = next((tmp_path / "b" / "games").glob("*.sgf"))
    game.write_text(game.read_text() + " ")
    done = call("validate", "b/records.jsonl", cwd=tmp_path)
    assert done.returncode == 1 and "was changed since the build" in done.stderr


@pytest.mark.slow
def test_an_interrupt_keeps_what_was_finished(tmp_path: Path):
    "Stopped in the cleaning, told in one line; the resumed build gives the same bytes as one that was never stopped."
    rows = [row | {"video": row["video"].replace("1 - 0 Town", f"{number} - 0 Town")} for number in range(150) for row in ROWS]
    rows_file(tmp_path, rows)
    process = subprocess.Popen([*COMMAND, "build", "football", "rows.json", "--out", "b/records.jsonl"], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not (tmp_path / "b" / "records.stages" / "football" / "align.jsonl").exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and errors.strip().splitlines()[-1].startswith("gamecommbench: interrupted"), errors
    assert not (tmp_path / "b" / "records.jsonl").exists() and not list((tmp_path / "b").rglob("*.part"))
    assert call("build", "football", "rows.json", "--out", "b/records.jsonl", "--resume", cwd=tmp_path).returncode in (0, 3)
    call("build", "football", "rows.json", "--out", "whole/records.jsonl", cwd=tmp_path)
    assert (tmp_path / "b" / "records.jsonl").read_bytes() == (tmp_path / "whole" / "records.jsonl").read_bytes()


def test_a_model_judges_the_cleaning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    "The whole football chain with a model at a loopback endpoint; a second build asks nothing, since its answers stand in the ledger."
    pytest.importorskip("aiohttp")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    rows_file(tmp_path, ROWS[:8])
    with MockEndpoint() as mock:
        options = ["build", "football", "rows.json", "--out", "b/records.jsonl", "--judge", "openai/some-model", "--api-base", mock.url, "--allow-unpriced"]
        done = call(*options, cwd=tmp_path)
        assert done.returncode in (0, 3), done.stderr
        asked = mock.counts["requests"]
        again = call(*options, "--overwrite", cwd=tmp_path)
        assert again.returncode in (0, 3) and mock.counts["requests"] == asked, again.stderr
    accounts = json.loads((tmp_path / "b" / "records.stages" / "football" / "account.json").read_text())
    assert asked > 8 and not any("no valid answer" in reason for account in accounts for reason in account["dropped"]), accounts


def test_the_accounts_are_told(tmp_path: Path):
    accounts = build(BuildRequest("football", [rows_file(tmp_path)], tmp_path / "b" / "records.jsonl"))
    told = "\n".join(account_lines(accounts))
    assert told.startswith("Football") and "collect   read 40, kept 40, dropped 0" in told
    with pytest.raises(BenchError, match="exists already"):
        build(BuildRequest("football", [tmp_path / "rows.json"], tmp_path / "b" / "records.jsonl"))
    assert os.path.exists(tmp_path / "b" / "records.manifest.json")
