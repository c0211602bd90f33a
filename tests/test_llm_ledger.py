"""The ledger: nothing lost, nothing overwritten, shared by two runs, readable without us."""
import asyncio
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from gamecommbench.llm.ledger import GROUP, Ledger, LedgerError, entry_of
from gamecommbench.llm.ledger_reports import export_ledger, ledger_stats, merge_ledgers, show_text, stats_text, why_text
from gamecommbench.llm.request import make_request
from gamecommbench.schema import BenchError


def request_of(number: int, **changes: object) -> object:
    given = dict(model="judge", endpoint="here", messages=[{"role": "user", "content": f"Question {number}"}], parameters={"temperature": 0}, step="truth") | changes
    return make_request(**given)


def fill(path: Path, numbers: range, reply: str = "{}") -> None:
    with Ledger(path) as ledger:
        for number in numbers:
            one = request_of(number)
            ledger.put(one, entry_of(one, reply, usd=0.001))


def test_plain_sqlite_reads_it(tmp_path: Path) -> None:
    fill(tmp_path / "l.sqlite", range(3))
    database = sqlite3.connect(tmp_path / "l.sqlite")
    rows = database.execute("SELECT key, reply, usd, request FROM answers ORDER BY request").fetchall()
    database.close()
    assert len(rows) == 3 and json.loads(rows[0][3])["body"]["messages"][0]["content"] == "Question 0"


def test_commit_comes_with_the_turn_or_with_the_group(tmp_path: Path) -> None:
    async def run() -> None:
        with Ledger(tmp_path / "l.sqlite") as ledger, Ledger(tmp_path / "l.sqlite") as other:
            for number in range(GROUP + 3):
                one = request_of(number)
                ledger.put(one, entry_of(one, "{}"))
            assert other.get(request_of(0).key) is not None  # the group was full
            assert other.get(request_of(GROUP + 2).key) is None and ledger.get(request_of(GROUP + 2).key) is not None
            await ledger.committed()
            assert other.get(request_of(GROUP + 2).key) is not None
    asyncio.run(run())


def test_two_processes_share_one(tmp_path: Path) -> None:
    program = ("import sys; sys.path.insert(0, {tests!r}); from test_llm_ledger import fill; from pathlib import Path; "
               "fill(Path({path!r}), range({start}, {start} + 150), {reply!r})")
    running = [subprocess.Popen([sys.executable, "-c", program.format(tests=str(Path(__file__).parent), path=str(tmp_path / "l.sqlite"), start=start, reply=f"from {start}")])
               for start in (0, 75)]
    assert [process.wait(60) for process in running] == [0, 0]
    with Ledger(tmp_path / "l.sqlite") as ledger:
        assert len(ledger) == 225
        assert ledger.get(request_of(0).key).reply == "from 0" and ledger.get(request_of(224).key).reply == "from 75"


def test_foreign_cut_and_newer_files_are_left_alone(tmp_path: Path) -> None:
    fill(tmp_path / "whole.sqlite", range(200))
    whole = (tmp_path / "whole.sqlite").read_bytes()
    (tmp_path / "text").write_text("hello " * 50)
    (tmp_path / "short").write_bytes(whole[:50])
    (tmp_path / "cut").write_bytes(whole[:-4096])
    (tmp_path / "scrambled").write_bytes(whole[:4096] + bytes(4096) + b"\xff" * (len(whole) - 8192))
    for name, word in (("text", "not a ledger"), ("short", "not a ledger"), ("cut", "truncated"), ("scrambled", "damaged")):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(LedgerError, match=word) as caught:
            with Ledger(tmp_path / name) as ledger:
                for number in range(200):
                    ledger.get(request_of(number).key)
        assert name in str(caught.value) and "\n" not in str(caught.value) and (tmp_path / name).read_bytes() == before
    database = sqlite3.connect(tmp_path / "whole.sqlite")
    database.execute("PRAGMA user_version = 2")
    database.close()
    with pytest.raises(LedgerError, match="form 2"):
        Ledger(tmp_path / "whole.sqlite")
    with pytest.raises(LedgerError, match="no such ledger"):
        ledger_stats(tmp_path / "none.sqlite")


def test_full_disk_is_one_line_and_what_was_written_stays(tmp_path: Path) -> None:
    fill(tmp_path / "l.sqlite", range(5))
    ledger = Ledger(tmp_path / "l.sqlite")
    pages = ledger.database.execute("PRAGMA page_count").fetchone()[0]
    ledger.database.execute(f"PRAGMA max_page_count = {pages + 1}")
    with pytest.raises(LedgerError, match="the disk is full") as caught:
        for number in range(5, 50):
            one = request_of(number)
            ledger.put(one, entry_of(one, "x" * 3000))
    assert "could not be saved" in str(caught.value) and "\n" not in str(caught.value)
    ledger._pending.clear()
    ledger.close()
    with Ledger(tmp_path / "l.sqlite") as again:
        assert len(again) >= 5 and again.get(request_of(0).key).reply == "{}"


def test_half_characters_are_stored_as_escapes(tmp_path: Path) -> None:
    one = request_of(0, messages=[{"role": "user", "content": "odd \ud83d text"}])
    with Ledger(tmp_path / "l.sqlite") as ledger:
        ledger.put(one, entry_of(one, "reply \udc00"))
        assert ledger.get(one.key).reply == "reply \\udc00"


def test_why_names_the_first_difference(tmp_path: Path) -> None:
    fill(tmp_path / "l.sqlite", range(20))
    path = tmp_path / "l.sqlite"
    assert "body.seed: asked 3, stored '(absent)'" in why_text(path, request_of(4, parameters={"temperature": 0, "seed": 3}).text)
    assert "body.model: asked 'other', stored 'judge'" in why_text(path, request_of(4, model="other").text)
    assert "prompt_hash: asked 'ff', stored ''" in why_text(path, request_of(4, prompt_hash="ff").text)
    assert "replicate: asked 2, stored 0" in why_text(path, request_of(4, replicate=2).text)
    assert "body.messages[0].content: asked 'Question 99'" in why_text(path, request_of(99).text)
    assert "it is a hit" in why_text(path, request_of(4).text)
    export_ledger(path, tmp_path / "calls.jsonl")
    line = (tmp_path / "calls.jsonl").read_text().splitlines()[0]
    (tmp_path / "one.json").write_text(line)
    assert "it is a hit" in why_text(path, tmp_path / "one.json")
    for wrong in ("{", "zzzz", '{"request": 3}'):
        with pytest.raises(BenchError):
            why_text(path, wrong)


def test_show_stats_and_merge(tmp_path: Path) -> None:
    fill(tmp_path / "a.sqlite", range(10), "from a")
    fill(tmp_path / "b.sqlite", range(5, 20), "from b")
    assert merge_ledgers(tmp_path / "c.sqlite", [tmp_path / "a.sqlite", tmp_path / "b.sqlite"]) == 20
    with Ledger(tmp_path / "c.sqlite") as ledger:
        assert ledger.get(request_of(7).key).reply == "from a" and ledger.get(request_of(19).key).reply == "from b"
    page = show_text(tmp_path / "c.sqlite", request_of(7).key[:10])
    assert "--- user\nQuestion 7" in page and page.endswith("--- reply\nfrom a") and "usd: 0.001" in page
    assert ledger_stats(tmp_path / "c.sqlite")[0]["calls"] == 20 and "0.0200" in stats_text(tmp_path / "c.sqlite")
    with pytest.raises(LedgerError):
        merge_ledgers(tmp_path / "c.sqlite", [tmp_path / "none.sqlite"])
