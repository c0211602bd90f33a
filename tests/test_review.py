"""Review: keys do what they say, every decision is on the disk at once, a crash loses nothing, changed records are asked again."""
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings as given_settings, strategies as st

from gamecommbench.files import write_lines
from gamecommbench.review import ReviewSession, apply_review, show_record
from gamecommbench.review_decisions import Decision, append_decision, commentary_mark, read_decisions, standing
from gamecommbench.review_page import answer, review_widget
from gamecommbench.schema import BenchError, Commentary, GameState, Origin, Record, RecordError, Unit, load_records


def made(number: int, text: str = "A fine move.") -> Record:
    return Record(No=f"r{number}", background="Event: <Sample>", game_state=GameState(modality="pgn", storage_file="games/a.pgn", step=str(number), label="1. e4"),
                  commentary=Commentary(raw_commetary=text, processed_commentary=text, commentary_category=[Unit(No="1", content=text, category="analytical")]), origin=Origin(game="chess", match_id="a"))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    "Four records, and where decisions will lie."
    write_lines(tmp_path / "records.jsonl", [made(number) for number in range(4)])
    return tmp_path / "records.jsonl", tmp_path / "decisions.jsonl"


def test_keys(files):
    "Keep, drop, back, forth, undo, next; other keys mean nothing."
    session = ReviewSession(*files, reviewer="ann")
    assert session.press("k") and session.press("D", " dull ") and session.position == 2
    assert [(told.No, told.decision, told.note, told.reviewer) for told in read_decisions(files[1])] == [("r0", "keep", "", "ann"), ("r1", "drop", "dull", "ann")]
    session.press("ArrowLeft")
    assert "dropped (dull)" in session.html() and session.counts() == {"kept": 1, "dropped": 1, "undecided": 2}
    session.press("k")
    assert session.counts()["kept"] == 2 and session.position == 2, "a decision can be changed"
    session.press("u")
    assert session.position == 1 and session.decision().decision == "drop", "and the change taken back"
    session.press("n")
    assert session.position == 2 and not session.press("x")
    for key in "kk":
        session.press(key)
    assert "All records are decided." in session.html() and session.counts()["undecided"] == 0
    for key in "uuuuu":
        session.press(key)
    assert session.counts()["undecided"] == 4 and "nothing to undo" in session.html()


@given_settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["k", "d", "u", "n", "ArrowLeft", "ArrowRight"]), max_size=25), st.sampled_from([b"", b'{"No": "r1", "deci', b"{"]))
def test_resumes_after_a_crash_at_any_key(tmp_path_factory, keys: list[str], cut: bytes):
    "The file alone gives back what the session knew, also behind a line that was cut off."
    folder = tmp_path_factory.mktemp("review")
    write_lines(folder / "records.jsonl", [made(number) for number in range(4)])
    session = ReviewSession(folder / "records.jsonl", folder / "decisions.jsonl")
    for key in keys:
        session.press(key)
    with open(folder / "decisions.jsonl", "ab") as file:
        file.write(cut)
    again = ReviewSession(folder / "records.jsonl", folder / "decisions.jsonl")
    assert again.counts() == session.counts()
    again.position = session.position
    again.press("u"), session.path.exists() and again.press("k")
    assert standing(read_decisions(again.path)) == {number: stack for number, stack in again._stacks.items()} or not again.path.exists()


def test_two_reviewers_in_one_file(files):
    "Nobody takes back what another said, and nobody's line is lost when two are at work."
    ann, bob = ReviewSession(*files, reviewer="ann"), ReviewSession(*files, reviewer="bob")
    ann.press("k"), bob.press("d"), ann.press("u")
    assert [(told.reviewer, told.decision) for told in read_decisions(files[1])] == [("ann", "keep"), ("bob", "drop"), ("ann", "undo")]
    assert ReviewSession(*files, reviewer="ann").decision(made(0)).decision == "drop"


def test_broken_files(files):
    "Only the last line may be cut off; a whole one without its end counts."
    mark = commentary_mark(made(0))
    files[1].write_text(f'{{"No":"r0","decision":"keep","time":"","commentary":"{mark}"}}')
    session = ReviewSession(*files)
    assert session.counts()["kept"] == 1
    session.press("k")
    assert len(read_decisions(files[1])) == 2
    files[1].write_text("half\n" + files[1].read_text())
    with pytest.raises(RecordError, match="decisions.jsonl, line 1"):
        ReviewSession(*files)
    with pytest.raises(BenchError, match="decisions a file of their own"):
        ReviewSession(files[0], files[0])


def test_decision_that_cannot_be_written_does_not_count(files):
    "The page says so, and gives the note back."
    session = ReviewSession(*files)
    files[1].mkdir()
    note = answer(session, {"key": "k", "note": "good", "No": "r0"})
    assert note == "good" and "cannot be written" in session.html() and session.counts()["undecided"] == 4 and session.position == 0


def test_changed_commentary_is_asked_again(files):
    "Also when only its typed units changed; the account says so."
    session = ReviewSession(*files)
    for key in "kkd":
        session.press(key)
    changed = made(0)
    changed.commentary.commentary_category[0].category = "background"
    write_lines(files[0], [changed, made(1), made(2)])
    append_decision(files[1], Decision(No="gone", decision="keep", time="", commentary="x"))
    account = apply_review(*files, files[0].with_name("kept.jsonl"))
    assert account.lines() == ["kept 1, dropped 1, undecided 1 of 3 records", "1 of the undecided were decided on, and their commentary has changed since", "decisions on 1 records that are not in the file"]
    assert ReviewSession(*files).position == 0


def test_apply(files, tmp_path: Path):
    "The kept ones, byte for byte; elsewhere by another way; nothing where nothing was kept."
    with pytest.raises(BenchError, match="no such file"):
        apply_review(*files, tmp_path / "kept.jsonl")
    session = ReviewSession(*files)
    session.press("d")
    with pytest.raises(BenchError, match="no record of records.jsonl was kept"):
        apply_review(*files, tmp_path / "kept.jsonl")
    assert not (tmp_path / "kept.jsonl").exists()
    session.press("k")
    apply_review(*files, tmp_path / "kept.jsonl")
    assert (tmp_path / "kept.jsonl").read_text().splitlines() == [files[0].read_text().splitlines()[1]]
    account = apply_review(*files, tmp_path / "deep" / "kept.jsonl", undecided=True)
    rows = load_records(tmp_path / "deep" / "kept.jsonl")
    assert [record.No for record in rows] == ["r1", "r2", "r3"] and rows[0].game_state.storage_file == "../games/a.pgn" and account.undecided == 2
    for out, told in ((tmp_path / "kept.jsonl", "exists already"), (files[0], "is what is read"), (files[1], "is what is read")):
        with pytest.raises(BenchError, match=told):
            apply_review(*files, out, overwrite=told != "exists already")


def test_text_is_escaped(files):
    "Whatever a record says, it is text."
    bad = "<img src=x onerror=alert(1)><script>alert(2)</script>\"'&"
    record = made(0, bad)
    record.No, record.background, record.game_state.label, record.game_state.context, record.origin.flags = bad, bad, bad, {"caption": bad}, [bad]
    write_lines(files[0], [record])
    page = ReviewSession(*files).html()
    assert page.count("&lt;img") == 7 and "<img" not in page and "<script" not in page and show_record(record) in page
    broken = ReviewSession(*files, show=lambda record: 1 / 0).html()
    assert "ZeroDivisionError" in broken


def test_widget_hears_keys(files):
    "The widget's own message handler, without a browser."
    pytest.importorskip("anywidget")
    session = ReviewSession(*files)
    widget = review_widget(session)
    assert widget.shown == "r0" and "0 kept" in widget.page
    widget._handle_custom_msg({"key": "k", "note": "", "No": "r0"}, [])
    assert widget.shown == "r1" and "1 kept" in widget.page and [told.No for told in read_decisions(files[1])] == ["r0"]
    widget._handle_custom_msg({"key": "k", "note": "", "No": "r0"}, [])
    assert widget.shown == "r1" and "it was not used" in widget.page and len(read_decisions(files[1])) == 1


def test_widget_names_its_extra(files, monkeypatch: pytest.MonkeyPatch):
    "One clear line where anywidget is missing."
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(BenchError, match=r"gamecommbench\[lab\]"):
        review_widget(ReviewSession(*files))
