"""Tables, figures and the page of a run: counts, sameness, escaping, nothing from elsewhere, nothing left out."""
import re
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest
import yaml

from gamecommbench.files import write_lines, write_text
from gamecommbench.report.figures import composition, heatmap_figure, panels, write_figures
from gamecommbench.report.html import write_report
from gamecommbench.report.tables import by_game_table, differences_table, main_table, to_markdown, to_text, write_tables
from gamecommbench.schema import BenchError, Candidate, Record
from gamecommbench.steps import IdText
from gamecommbench.tace.claim_steps import Claim
from gamecommbench.tace.reasoning_steps import Edge
from gamecommbench.tace.analytical import analytical_result
from gamecommbench.tace.background import JudgedClaim, background_result
from gamecommbench.tace.graph import ReasoningGraph
from gamecommbench.tace.knowledge import Fact, Retrieved
from gamecommbench.tace.scores import METRICS, Judgement, score_rows

HOSTILE = "</pre></details><script>alert(\"1\")</script><img src=x onerror='alert(2)'> & {{ 7 * 7 }}"
PGN = '[Event "Hostile <script>"]\n[White "A"]\n[Black "B"]\n[Result "*"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# *\n'


def score(record: str, who: str, metric: str, value: float | None, state: str = "scored", game: str = "chess") -> dict:
    return {"game": game, "record_id": record, "match_id": record, "commentator": who, "metric": metric, "value": value, "state": state, "reason": ""}


@pytest.fixture()
def scores() -> pl.DataFrame:
    return pl.DataFrame([
        score("r1", "a", "correctness", 1.0), score("r2", "a", "correctness", 0.5), score("r3", "a", "correctness", None, "failed"),
        score("r1", "b", "correctness", 0.2), score("r2", "b", "correctness", None, "not_applicable"), score("r3", "b", "correctness", 0.4),
        score("g1", "a", "correctness", 0.0, game="go"), score("g1", "b", "correctness", 1.0, game="go")])


# ---- tables

def test_counts_means_and_bounds_are_right(scores):
    table = main_table(scores, "records")
    a, b = table.loc["a"], table.loc["b"]
    assert (a["correctness_scored"], a["correctness_not_applicable"], a["correctness_failed"]) == (3, 0, 1)
    assert (b["correctness_scored"], b["correctness_not_applicable"], b["correctness_failed"]) == (3, 1, 0)
    assert a["correctness"] == pytest.approx(0.5) and b["correctness"] == pytest.approx(1.6 / 3)
    assert a["correctness_if_failed_0"] == pytest.approx(1.5 / 4) and a["correctness_if_failed_1"] == pytest.approx(2.5 / 4)
    assert table["correctness_if_failed_0"].isna()["b"] and "depth_if_failed_0" not in table.columns
    assert list(table.index) == ["b", "a"]


def test_average_over_games_weighs_games_alike(scores):
    assert main_table(scores, "games").loc["a", "correctness"] == pytest.approx((0.75 + 0.0) / 2)
    assert by_game_table(scores).loc[("go", "b"), "correctness"] == 1.0


def test_every_record_is_counted_once(scores):
    table = main_table(scores)
    for who in ("a", "b"):
        assert sum(table.loc[who, f"correctness_{state}"] for state in ("scored", "not_applicable", "failed")) == 4


def test_rendered_forms_say_counts_and_best(scores):
    table = main_table(scores, "records")
    assert "**0.53** (n 3, 1 n/a)" in to_markdown(table) and "0.50 (n 3, 1 failed (0.38 to 0.62))" in to_markdown(table)
    text = to_text(table)
    assert "0.53*(3)" in text and "0.38–0.62" in text and max(map(len, text.splitlines())) <= 100
    named = to_text(main_table(scores.with_columns(pl.col("commentator") + "-" + "x" * 90)))
    assert max(map(len, named.splitlines())) <= 100


def test_a_name_with_a_bar_does_not_break_markdown(scores):
    lines = to_markdown(main_table(scores.with_columns(pl.col("commentator") + "|x"))).splitlines()
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in lines} == {len(METRICS) + 2}


def test_tables_are_written_with_their_caption(scores, tmp_path):
    write_tables(scores, tmp_path, "Judge: offline; evidence: state.")
    assert {path.name for path in tmp_path.iterdir()} == {f"{name}.{kind}" for name in ("main", "by_game", "differences", "unknown") for kind in ("csv", "md")}
    assert all("Judge: offline" in path.read_text(encoding="utf-8") for path in tmp_path.glob("*.md"))


def test_no_scores_give_empty_tables(scores, tmp_path):
    none = scores.clear()
    assert main_table(none).empty and differences_table(none).empty and to_text(main_table(none)) and write_tables(none, tmp_path, "c")


def test_no_difference_is_claimed_from_one_match(scores):
    assert differences_table(scores.filter(pl.col("record_id") == "r1")).empty
    assert len(differences_table(scores)) == 1


# ---- figures

def test_figures_have_the_same_bytes_each_time(scores, tmp_path):
    first = {path.name: path.read_bytes() for path in write_figures(scores, tmp_path / "a", "caption")}
    second = {path.name: path.read_bytes() for path in write_figures(scores, tmp_path / "b", "caption")}
    assert first == second and set(first) == {"heatmap.png", "heatmap.svg"} and b"<dc:date>" not in first["heatmap.svg"]


def test_what_was_not_scored_is_no_zero(scores):
    figure = heatmap_figure(scores.with_columns(pl.lit(None, pl.Float64).alias("value"), pl.lit("not_applicable").alias("state")))
    texts = {text.get_text() for axes in figure.axes for text in axes.texts}
    assert texts == {"n/a"}
    failed = heatmap_figure(scores.filter(pl.col("state") == "failed"))
    assert "failed" in {text.get_text() for axes in failed.axes for text in axes.texts}


def test_one_game_one_panel_several_games_one_more(scores):
    assert list(panels(scores)) == ["chess", "go", "all games"]
    assert list(panels(scores.filter(pl.col("game") == "go"))) == ["go"]
    lone = pl.concat([scores, pl.DataFrame([score("r1", "only-chess", "depth", 0.5)])])  # has no row in the other game
    assert len(heatmap_figure(lone).axes) == 4


def test_composition_adds_up():
    table = composition([hostile_record()])
    assert table.loc["chess", "n_units"] == 3 and table.drop(columns="n_units").loc["chess"].sum() == pytest.approx(1)


# ---- the page

def hostile_record() -> Record:
    units = [{"No": str(n), "content": f"{kind} {HOSTILE}", "category": kind} for n, kind in enumerate(("descriptive", "analytical", "background"))]
    return Record.model_validate({
        "No": f"r1/{HOSTILE}", "game_state": {"modality": "pgn", "storage_file": "games/g.pgn", "step": "5", "label": f"3. Qxe5# {HOSTILE}"}, "background": HOSTILE,
        "commentary": {"raw_commetary": HOSTILE, "processed_commentary": HOSTILE, "commentary_category": units}, "origin": {"game": "chess", "match_id": "m"}})


def hostile_judgements(record: Record) -> list[Judgement]:
    common = {"record_id": record.No, "match_id": "m", "game": "chess"}
    who = f"someone {HOSTILE}"
    graph = ReasoningGraph(propositions=[IdText(id="p0", text=HOSTILE), IdText(id="p1", text="so it is mate")],
                           edges=[Edge(source_proposition_id="p0", target_proposition_id="p1", relation="CAUSE", explanation=HOSTILE)])
    claim = Claim(claim_id="c0", source_sentence_id=0, source_sentence=HOSTILE, claim_text=HOSTILE, claim_type="match_metadata", focus_key="venue")
    fact = Fact(id="k0", subject=HOSTILE, key="venue", value=HOSTILE)
    judged = JudgedClaim(claim=claim, evidence=[Retrieved(fact=fact, channels=["focus"])], factuality="unknown", cited=["k0"], reasoning=HOSTILE, relevant=True, matched_clauses=["d0"])
    units = [{"text": unit.content, "category": unit.category} for unit in record.commentary.commentary_category]
    events = {"reference_events": [HOSTILE, "second"], "candidate_events": [HOSTILE], "covered_by": [0, None], "supported_by": [None], "completeness": 0.5, "correctness": 0.0}
    reasoning = analytical_result(graph, ["false", "true"], ["true"], "state", [HOSTILE, "on the board"], [HOSTILE])
    call = {"step": "segment", "prompt_id": "C.1", "prompt_hash": "abc", "model": HOSTILE, "failure": HOSTILE}
    return [
        Judgement(**common, commentator="", branch="reference", state="scored", evidence={"events": [HOSTILE, "second"]}),
        Judgement(**common, commentator=who, branch="segmentation", state="scored", metrics={"n_units": 3.0}, evidence={"text": HOSTILE, "units": units}, calls=[call]),
        Judgement(**common, commentator=who, branch="descriptive", state="scored", metrics={"correctness": 0.0, "completeness": 0.5}, evidence=events),
        Judgement(**common, commentator=who, branch="analytical", state="scored", evidence=reasoning.model_dump(mode="json"),
                  metrics={"faithfulness": reasoning.faithfulness, "raw_depth": 1.0, "verified_depth": 0.0}),
        Judgement(**common, commentator=who, branch="background", state="scored", evidence=background_result([judged]).model_dump(mode="json"), metrics={"factuality": 0.0, "relevance": 1.0}),
        *(Judgement(**common, commentator="mute", branch=branch, state="failed", reason=f"no commentary: refused {branch} {HOSTILE}") for branch in ("segmentation", *set(METRICS.values())))]


def run_folder(folder: Path, records: list[Record], judgements: list[Judgement], candidates: dict[str, list[Candidate]]) -> Path:
    write_text(folder / "config.yaml", yaml.safe_dump({"judge": "offline", "note": f"kept as asked {HOSTILE}"}))
    write_text(folder / "manifest.json", '{"version": "<script>"}')
    write_text(folder / "games" / "g.pgn", PGN)
    write_lines(folder / "records.jsonl", records)
    for number, rows in enumerate(candidates.values()):
        write_lines(folder / "candidates" / f"{number}.jsonl", [candidate.as_row() for candidate in rows])
    write_lines(folder / "judgements.jsonl", judgements)
    frame = score_rows(judgements)
    frame.write_parquet(folder / "scores.parquet")
    write_figures(frame, folder / "figures", "caption")
    return folder


@pytest.fixture(scope="module")
def hostile_page(tmp_path_factory) -> str:
    record = hostile_record()
    candidates = {"someone": [Candidate(No=record.No, commentator=f"someone {HOSTILE}", text=HOSTILE)], "mute": [Candidate(No=record.No, commentator="mute", text=None, error=f"refused {HOSTILE}")]}
    return write_report(run_folder(tmp_path_factory.mktemp("run"), [record], hostile_judgements(record), candidates)).read_text(encoding="utf-8")


class Elements(HTMLParser):
    "Every element with its attributes, the text outside scripts, and whether elements close in order."

    VOID = {"meta", "img", "input", "br", "link", "hr"}

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements, self.open, self.wrong, self.words = [], [], [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.wrong.append((tag, self.open[-3:]))

    def handle_data(self, data):
        self.words.append(data)


def test_hostile_text_stays_text(hostile_page):
    found = Elements(hostile_page)
    assert [tag for tag, _ in found.elements].count("script") == 1  # the page's own
    assert not [name for _, attributes in found.elements for name in attributes if name.startswith("on")]
    assert all(attributes["src"].startswith("data:image/svg+xml;base64,") for tag, attributes in found.elements if tag == "img")
    assert "{{ 7 * 7 }}" in hostile_page and "".join(found.words).count("alert(\"1\")") >= 15


def test_elements_close_in_order_and_ids_are_single(hostile_page):
    found = Elements(hostile_page)
    assert not found.wrong and not found.open
    ids = [attributes["id"] for _, attributes in found.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {attributes["href"] for tag, attributes in found.elements if tag == "a"}
    assert targets and all(target.startswith("#") and target[1:] in ids for target in targets)


def test_nothing_comes_from_elsewhere(hostile_page):
    found = Elements(hostile_page)
    for tag, attributes in found.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base", "form")
        for name in ("src", "href", "xlink:href", "srcset", "data", "action"):
            assert attributes.get(name, "#").startswith(("#", "data:image/svg+xml;base64,")), (tag, name)
    assert not re.search(r"@import|url\(\s*['\"]?(?!#)", hostile_page) and "default-src 'none'" in hostile_page


def test_everything_judged_is_there(hostile_page):
    words = " ".join("".join(Elements(hostile_page).words).split())
    for expected in ("3. Qxe5#", "so it is mate", "covered by:", "unmatched", "on the board", "1 → 2 cause", "unknown", "via focus", "k0 cited", "Judge: offline", "evidence: reference", "kept as asked"):
        assert expected in words, expected
    for branch in ("segmentation", "descriptive", "analytical", "background"):
        assert words.count(f"no commentary: refused {branch}") == 2  # in the list of failures and at the record
    assert "4 judgements failed" in words and hostile_page.count('class="record"') == 1
    assert 'href="#white-queen"' in hostile_page and "url(#check_gradient)" in hostile_page


def plain(number: int) -> Record:
    return Record.model_validate({"No": f"n{number}", "game_state": {"modality": "video", "storage_file": "clip.mp4", "step": str(number)}, "origin": {"game": "boxing", "match_id": "m"},
                                  "commentary": {"raw_commetary": "A jab.", "processed_commentary": "A jab."}})


def test_every_record_is_shown_up_to_the_limit(tmp_path):
    records = [plain(number) for number in range(7)]
    judgements = [Judgement(record_id=record.No, match_id="m", game="boxing", commentator="x", branch="descriptive", state="failed", reason=f"why {record.No}") for record in records]
    folder = run_folder(tmp_path, records, judgements, {"x": [Candidate(No=record.No, commentator="x", text="A jab.") for record in records]})
    page = write_report(folder).read_text(encoding="utf-8")
    assert all(f'id="r-{record.No}"' in page and f"why {record.No}" in page for record in records) and "are shown" not in page
    capped = write_report(folder, max_records=3).read_text(encoding="utf-8")
    assert capped.count('class="record"') == 3 and "The first 3 of 7 records are shown" in capped
    assert all(f"why {record.No}" in capped for record in records)  # failures are listed all the same
    assert write_report(folder).read_text(encoding="utf-8") == page


def test_a_missing_game_file_is_said_on_the_page(tmp_path):
    record = hostile_record().model_copy(update={"No": "r1"})
    folder = run_folder(tmp_path, [record], [], {})
    (folder / "games" / "g.pgn").unlink()
    assert "The state cannot be shown" in write_report(folder).read_text(encoding="utf-8")


@pytest.mark.parametrize("missing", ["config.yaml", "manifest.json", "records.jsonl", "judgements.jsonl", "scores.parquet"])
def test_a_folder_that_lacks_a_part_is_refused(tmp_path, missing):
    folder = run_folder(tmp_path, [plain(1)], [], {})
    (folder / missing).unlink()
    with pytest.raises(BenchError, match=re.escape(missing)):
        write_report(folder)
    assert not (folder / "report").exists()
