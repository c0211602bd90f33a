"""Selection: caps hold, every match is accounted for, the choice is the best at each step and the same each time, subsets stay valid."""
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings as given_settings, strategies as st

from gamecommbench.files import fingerprint, write_lines
from gamecommbench.match_facts import MatchFacts, SelectSettings, Weights, event_importance, facts_of_matches, name_key, names_of, select_settings, strength_of
from gamecommbench.schema import BenchError, Commentary, GameState, Origin, Record, load_records
from gamecommbench.select import Selection, fixed_parts, score_of, select_file, select_matches, variety


def made(match: str, number: int, words: int, background: str = "", game: str = "football", seconds: float | None = None, storage: str = "clips/a.mp4") -> Record:
    "A record of a made-up match."
    text = " ".join(["word"] * words)
    context = None if seconds is None else {"start": 10.0, "end": 10.0 + seconds}
    return Record(No=f"{match}-{number}", background=background, game_state=GameState(modality="video", storage_file=storage, step=str(number), context=context),
                  commentary=Commentary(raw_commetary=text, processed_commentary=text), origin=Origin(game=game, match_id=match))


def match_of(name: str, home: str, away: str, n: int = 6, words: int = 20, event: str = "Sample League") -> list[Record]:
    return [made(name, number, words, f"Event: {event}\nHome: {home}\nAway: {away}") for number in range(n)]


SEASON = [record for rows in (match_of("m1", "Rovers", "United", words=40), match_of("m2", "Rovers", "City", words=35), match_of("m3", "Albion", "Rovers", words=30), match_of("m4", "Athletic", "Town"),
                              match_of("m5", "Harriers", "Town", n=2), match_of("m6", "Harriers", "City", words=1)) for record in rows]


def test_caps_and_reasons():
    "A team cap is kept, and each match that was passed over has its reason."
    selection = select_matches(SEASON, SelectSettings(per_team=2))
    told = {match.match_id: (match.reason, match.detail) for match in selection.passed_over}
    assert told == {"m3": ("team cap", "Rovers has 2 already"), "m5": ("too few commented records", "2, at least 5 are asked for"),
                    "m6": ("too few words of commentary", "6, at least 50 are asked for")}
    assert sorted(match.match_id for match in selection.chosen) == ["m1", "m2", "m4"]
    assert selection.lines()[0] == "football: chose 3 of 6 matches, 18 of 32 records; passed over 3"


def test_limits():
    "Matches and records of each game, also by game; a match with too many records makes room for a smaller one."
    assert len(select_matches(SEASON, SelectSettings(matches=2)).chosen) == 2
    assert not select_matches(SEASON, SelectSettings(matches={"go": 3})).chosen
    big = [*match_of("big", "A", "B", n=10, words=50), *match_of("small", "C", "D", n=5)]
    selection = select_matches(big, SelectSettings(records=8))
    assert [match.match_id for match in selection.chosen] == ["small"] and selection.passed_over[0].reason == "records cap"


def test_player_and_annotator_caps():
    "A name counts whichever way round it is written."
    records = [made(name, number, 20, background, "chess") for name, background in (
        ("a", "White: Polgar, Judit\nBlack: NN\nAnnotator: A. Writer"), ("b", "White: NN\nBlack: Judit Polgár\nAnnotator: B. Writer"), ("c", "White: NN\nBlack: ?\nAnnotator: A. Writer")) for number in range(5)]
    by_player, by_annotator = select_matches(records, SelectSettings(per_player=1)), select_matches(records, SelectSettings(per_annotator=1))
    assert [match.reason for match in by_player.passed_over] == ["player cap"] and {match.match_id for match in by_player.passed_over} < {"a", "b"}
    assert [match.reason for match in by_annotator.passed_over] == ["annotator cap"] and {match.match_id for match in by_annotator.passed_over} < {"a", "c"}


def test_names_by_game():
    "Blue and Red are teams in one game and boxers in another; lists are taken apart."
    lol = names_of("lol", "Blue: Foxes\nRed: Owls\nBlue mid: Ahri (Mira)\nRed top: Garen")
    assert set(lol["team"]) == {"foxes", "owls"} and set(lol["player"]) == {"mira"}
    assert set(names_of("boxing", "Red: Ann Jab\nBlue: Bo Hook")["player"]) == {"ann jab", "bo hook"}
    nba = names_of("basketball", "Home: Bears\nHome starters: Al Roe (G), Cy Fen (C)\nHome bench: Di Oke\nHome did not play: Ed Ash")
    assert set(nba["player"]) == {"al roe", "cy fen", "di oke"}
    assert set(names_of("football", "Home: Bodø/Glimt\nAway: Brighton & Hove Albion")["team"]) == {name_key("Bodø/Glimt"), name_key("Brighton & Hove Albion")}


def test_importance():
    "Words, the user's own list, ratings, titles, ranks."
    assert event_importance("Event: Cup\nRound: Semifinals") == 0.7 and event_importance("Round: Final") == 0.9 and event_importance("Event: Finale ligure 'open-air'") == 0.3
    assert event_importance("Event: World Championship", SelectSettings(events={"world": 0.1})) == 0.1
    assert event_importance("Event: World Championship", SelectSettings(words={})) == 0
    assert [event_importance(f"Event: {name}") for name in ("第6届总决赛", "半决赛", "spain_laliga 2015", "Spain LaLiga")] == [1, 0.7, 0, 0.4]
    assert strength_of("WhiteElo: 1900\nWhiteTitle: FM\nBlackElo: 2350") == pytest.approx((0.7 + 0.75) / 2)
    assert strength_of("BlackRank: 9 dan") == pytest.approx(0.85) and strength_of("BlackRank: 30k") < 0.01


def test_density_by_seconds_where_all_are_timed():
    "Twice as many words in four times the time are less dense."
    long, short = [made("long", n, 40, seconds=40) for n in range(5)], [made("short", n, 20, seconds=10) for n in range(5)]
    parts = fixed_parts(facts_of_matches([*long, *short]), SelectSettings())
    assert [part["density"] for part in parts] == [0, 1]
    untimed = fixed_parts(facts_of_matches([*long, *short[:-1], made("short", 9, 20)]), SelectSettings())
    assert [part["density"] for part in untimed] == [1, 0]


def plain_choice(matches: list[MatchFacts], settings: SelectSettings) -> list[str]:
    "The greedy choice without a heap: the scores of all that are left, reckoned anew at each step."
    fixed, used, left, chosen = fixed_parts(matches, settings), Counter(), list(range(len(matches))), []
    names = [names_of(match.game, match.background) for match in matches]

    def order(n: int) -> tuple[float, str]:
        return -score_of(fixed[n] | {"variety": variety(names[n], used)}, settings.weights), fingerprint(f"{settings.seed} {matches[n].match_id}")
    while len(chosen) < settings.matches and (able := [n for n in left if all(used["team", key] < settings.per_team for key in names[n]["team"])]):
        best = min(able, key=order)
        left.remove(best)
        chosen.append(matches[best].match_id)
        used.update((kind, key) for kind, keys in names[best].items() for key in keys)
    return chosen


@given_settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("ABCDE"), st.sampled_from("FGHIJ"), st.integers(10, 30)), min_size=1, max_size=9), st.integers(1, 4), st.integers(1, 3))
def test_is_the_best_at_each_step(games: list[tuple[str, str, int]], n: int, cap: int):
    "The heap finds what trying all would; nothing is lost; the order of the input decides nothing."
    records = [record for number, (home, away, words) in enumerate(games) for record in match_of(f"m{number}", home, away, 5, words)]
    settings = SelectSettings(matches=n, per_team=cap, min_words=0)
    selection = select_matches(records, settings)
    assert [match.match_id for match in selection.chosen] == plain_choice(facts_of_matches(records), settings)
    assert sorted(match.match_id for match in [*selection.chosen, *selection.passed_over]) == sorted(f"m{number}" for number in range(len(games)))
    teams = Counter(team for match in selection.chosen for team in games[int(match.match_id[1:])][:2])
    assert len(selection.chosen) <= n and max(teams.values()) <= cap
    assert selection.ids == select_matches(records[::-1], settings).ids


def test_seed_orders_ties():
    "Equal matches: the seed decides, and the same seed decides the same."
    records = [record for number in range(8) for record in match_of(f"m{number}", f"H{number}", f"A{number}")]
    picks = {seed: select_matches(records, SelectSettings(matches=2, seed=seed)).ids for seed in range(6)}
    assert len(set(map(frozenset, picks.values()))) > 1
    assert all(select_matches(records, SelectSettings(matches=2, seed=seed)).ids == ids for seed, ids in picks.items())


def test_file_beside_and_elsewhere(tmp_path: Path):
    "Beside: the old lines. Elsewhere: the same files by another way. Both with an account."
    source = tmp_path / "bench" / "records.jsonl"
    write_lines(source, [*SEASON, *(made("url", n, 30, storage="https://example.org/v.mp4") for n in range(5))])
    beside, away = source.with_name("chosen.jsonl"), tmp_path / "other" / "deep" / "chosen.jsonl"
    selection = select_file(source, beside, SelectSettings(per_team=2))
    assert set(beside.read_text().splitlines()) < set(source.read_text().splitlines())
    assert len(load_records(beside)) == sum(match.records for match in selection.chosen)
    assert Selection.model_validate_json((source.parent / "chosen.selection.json").read_text()) == selection
    select_file(source, away, SelectSettings(per_team=2))
    names = {record.game_state.storage_file for record in load_records(away)}
    assert names == {"../../bench/clips/a.mp4", "https://example.org/v.mp4"}
    assert [record.No for record in load_records(away)] == [record.No for record in load_records(beside)]


def test_file_refuses(tmp_path: Path):
    "An output that is there, the input itself, an empty choice; nothing is left behind."
    source = tmp_path / "records.jsonl"
    write_lines(source, SEASON)
    before = source.read_bytes()
    with pytest.raises(BenchError, match="is what is read"):
        select_file(source, source, overwrite=True)
    with pytest.raises(BenchError, match="no match was chosen .*too few words"):
        select_file(source, tmp_path / "out.jsonl", SelectSettings(min_words=10**6))
    (tmp_path / "out.jsonl").write_text("mine")
    with pytest.raises(BenchError, match="exists already"):
        select_file(source, tmp_path / "out.jsonl")
    (tmp_path / "bad.jsonl").write_text(json.dumps({"No": "1"}) + "\n")
    with pytest.raises(BenchError, match="bad.jsonl, line 1"):
        select_file(tmp_path / "bad.jsonl", tmp_path / "new.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "out.jsonl", "records.jsonl"] and source.read_bytes() == before


def test_settings_file(tmp_path: Path):
    "A file, the command line on top, and errors that name file and field."
    file = tmp_path / "select.yaml"
    file.write_text("matches: {chess: 2}\nper_team: 3\nweights: {density: 2}\n")
    assert select_settings(file, per_team=1, per_player=None) == SelectSettings(matches={"chess": 2}, per_team=1, weights=Weights(density=2))
    assert select_settings() == SelectSettings()
    for text, told in (("per_squad: 1", "per_squad"), ("per_team: 0", "per_team"), ("- 1", "expected settings"), ("a: [", "YAML"), ("events: {x: 7}", "events.x")):
        file.write_text(text)
        with pytest.raises(BenchError, match=f"select.yaml: .*{told}"):
            select_settings(file)
