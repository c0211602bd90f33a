"""Statements about small clips of football, basketball and League of Legends, each with the verdict that a careful person gives."""
import pytest

from gamecommbench.games import StateContext
from gamecommbench.offline.clip_truth import judge_clip_statement
from gamecommbench.pieces import FeedEvent


def state(game: str, events: list[FeedEvent], teams: dict[str, str], score: dict[str, int] | None = None, **facts) -> StateContext:
    return StateContext(game=game, lines=[], facts={"events": [event.model_dump(exclude_defaults=True) for event in events], "teams": teams} | ({"score": score} if score else {}) | facts)


ROVERS = {"home": "Alder Rovers", "away": "Brook Town"}
HOME, AWAY = {"side": "home", "team": "Alder Rovers"}, {"side": "away", "team": "Brook Town"}
KESTRELS = {"home": "Port Alder Kestrels", "away": "Lakemont Ironclads"}
PAK, LKM = {"side": "home", "team": "PAK"}, {"side": "away", "team": "LKM"}
BLUE, RED = {"side": "blue", "team": "Lanternfish"}, {"side": "red", "team": "Northgale"}

STATES = {
    "goal": state("football", [FeedEvent(action="goal", outcome="in", actor="Emil Hart", text="Goal! Emil Hart (Alder Rovers) heads home after a cross by Kofi Brand.", **HOME)], ROVERS, {"home": 2, "away": 1}),
    "foul": state("football", [FeedEvent(action="foul", actor="Dario Keat", object="Luca Fenn", **AWAY), FeedEvent(action="card", outcome="yellow card", actor="Dario Keat", **AWAY)], ROVERS, {"home": 0, "away": 0}),
    "save": state("football", [FeedEvent(action="shot", outcome="saved", actor="Andre Bex", text="Andre Bex (Brook Town) shoots low, and Veld saves.", **AWAY)], ROVERS, {"home": 1, "away": 1}),
    "miss": state("football", [FeedEvent(action="shot", outcome="missed", actor="Noel Dorr", **HOME)], ROVERS),
    "post": state("football", [FeedEvent(action="shot", outcome="woodwork", actor="Noel Dorr", **HOME)], ROVERS),
    "sub": state("football", [FeedEvent(action="substitution", actor="Hugo Stan", object="Victor Lask", **AWAY)], ROVERS, {"home": 3, "away": 1}),
    "own": state("football", [FeedEvent(action="goal", outcome="own goal", actor="Milo Jess", **AWAY)], ROVERS, {"home": 1, "away": 0}),
    "corner": state("football", [FeedEvent(action="corner", **AWAY)], ROVERS, {"home": 0, "away": 2}),
    "red": state("football", [FeedEvent(action="card", outcome="red card", actor="Milo Jess", **AWAY)], ROVERS),
    "penalty": state("football", [FeedEvent(action="penalty", outcome="saved", actor="Davi Sorr", text="Davi Sorr (Alder Rovers) takes the penalty, and Bruno Selk saves it.", **HOME)], ROVERS, {"home": 0, "away": 0}),
    "three": state("basketball", [FeedEvent(action="shot", outcome="in", actor="Dario Vance", text="Vance 25' 3PT Jump Shot (3 PTS) (Oyel 1 AST)", **PAK)], KESTRELS, {"home": 28, "away": 29}),
    "steal": state("basketball", [FeedEvent(action="turnover", actor="Wes Hall", text="Hall Lost Ball Turnover (P1.T2)", **LKM), FeedEvent(action="steal", side="home", actor="Theo Bran", object="Wes Hall", text="Bran STEAL (1 STL)"),
                                   FeedEvent(action="shot", outcome="in", actor="Theo Bran", text="Bran 1' Running Dunk Shot (4 PTS)", **PAK)], KESTRELS, {"home": 12, "away": 8}),
    "block": state("basketball", [FeedEvent(action="shot", outcome="missed", actor="Kofi Aman", text="MISS Aman 2' Driving Dunk Shot", **LKM), FeedEvent(action="block", side="home", actor="Ruben Ache", object="Kofi Aman", text="Ache BLOCK (4 BLK)"),
                                   FeedEvent(action="rebound", actor="Dario Vance", text="Vance REBOUND (Off:0 Def:5)", **PAK)], KESTRELS, {"home": 87, "away": 89}),
    "line": state("basketball", [FeedEvent(action="foul", actor="Goran Stav", object="Ruben Ache", text="Stav S.FOUL (P2.T3)", **LKM), FeedEvent(action="free throw", outcome="missed", actor="Ruben Ache", text="MISS Ache Free Throw 1 of 2", **PAK),
                                  FeedEvent(action="free throw", outcome="in", actor="Ruben Ache", text="Ache Free Throw 2 of 2 (3 PTS)", **PAK)], KESTRELS, {"home": 15, "away": 12}),
    "timeout": state("basketball", [FeedEvent(action="timeout", side="home", text="KESTRELS Timeout: Regular")], KESTRELS, {"home": 30, "away": 36}),
    "charge": state("basketball", [FeedEvent(action="foul", actor="Wes Hall", object="Casper Lind", text="Hall Offensive Charge Foul (P2)", **LKM), FeedEvent(action="turnover", actor="Wes Hall", text="Hall Foul Turnover (P2.T7)", **LKM)], KESTRELS, {"home": 42, "away": 42}),
    "kill": state("lol", [FeedEvent(action="kill", actor="Jinx (LNF Quill)", object="Lee Sin (NGL Cinder)", **BLUE), FeedEvent(action="kill", actor="Jinx (LNF Quill)", object="Ahri (NGL Halo)", outcome="double kill", **BLUE),
                          FeedEvent(action="take", actor="Vi (LNF Tarn)", object="cloud dragon", **BLUE)], {"blue": "Lanternfish", "red": "Northgale"}, {"blue": 8, "red": 3}, gold={"blue": 32000, "red": 27000}),
    "tower": state("lol", [FeedEvent(action="destroy", actor="Jinx (LNF Quill)", object="bot outer turret", **BLUE)], {"blue": "Lanternfish", "red": "Northgale"}, {"blue": 4, "red": 4}),
}

STATEMENTS = {
    "goal": {"true": ["Hart scores!", "Emil Hart heads it home.", "Goal for Rovers!", "Rovers score.", "The goal is scored by Hart.", "It's 2-1.", "Rovers lead 2-1.", "Town trail by a goal.", "Hart heads home, and Rovers lead by one.", "Hart finds the net after a cross by Brand.",
                      "Rovers are 2-1 up.", "It's 2-1 to Rovers."],
             "false": ["Bex scores!", "Town score.", "Hart hits the post.", "Hart's shot is saved.", "Hart does not score.", "Town lead 2-1.", "It's 3-1 now.", "Rovers lead by two.", "Hart scores an own goal.", "It's 2-1 to Town."],
             "unknown": ["Hart should score here.", "Hart might have scored.", "Brand passes to Hart.", "What a day this is.", "Hart scored twice last week.", "Hart wants another goal.", "They were level before this.", "If Hart scores, it is over.", "Brand beats his man.", "It is 1-1 as Brand crosses."]},
    "foul": {"true": ["Keat fouls Fenn.", "Fenn is brought down by Keat.", "Keat is booked.", "Yellow card for Keat.", "The referee shows Keat a yellow card.", "A foul by Keat on Fenn.", "Keat brings down Fenn and is booked.", "It is still nil-nil."],
             "false": ["Fenn fouls Keat.", "Keat is brought down by Fenn.", "Red card for Keat.", "Fenn is booked.", "Keat is sent off.", "Rovers are ahead.", "Keat is not booked."],
             "unknown": ["Keat could be booked for that.", "Fenn goes down the left.", "That is a clash of heads.", "A clear chance for Fenn.", "Keat was booked earlier.", "Is that a foul by Fenn?", "Fenn takes the free kick."]},
    "save": {"true": ["Bex shoots.", "Bex's shot is saved.", "The keeper saves from Bex.", "Saved by Veld.", "Bex shoots low, but Veld saves.", "The scores are level.", "It's one all.", "Bex is denied by the goalkeeper."],
             "false": ["Bex scores.", "Bex shoots wide.", "Bex hits the post.", "Town lead.", "It's 2-1."], "unknown": ["Bex should have scored.", "Dorr shoots.", "Bex almost scores.", "Bex is level with the last man.", "Goal kick to Rovers."]},
    "miss": {"true": ["Dorr shoots wide.", "Dorr shoots, but it flies wide.", "Dorr misses the target.", "Dorr has a shot."], "false": ["Dorr scores.", "Dorr's shot is saved by the keeper.", "Goal by Dorr!"], "unknown": ["It's 1-0.", "Dorr cuts inside, shoots, but it flies wide.", "Rovers lead.", "Dorr hits the post.", "Bex misses."]},
    "post": {"true": ["Dorr hits the post.", "Dorr strikes the woodwork with a shot."], "false": ["Dorr's shot is in the net."], "unknown": ["Dorr cuts inside."]},
    "sub": {"true": ["Stan comes on for Lask.", "Stan replaces Lask.", "Lask is replaced by Stan.", "Lask goes off.", "Lask makes way for Stan.", "Town make a substitution.", "Hugo Stan comes on.", "Town are two goals behind."],
            "false": ["Lask comes on for Stan.", "Stan is replaced by Lask.", "Rovers make a substitution.", "Dorr comes on.", "Stan goes off."], "unknown": ["Stan will come on soon.", "No change for Rovers in midfield.", "Stan looks sharp."]},
    "own": {"true": ["Jess scores an own goal.", "Rovers lead 1-0."], "false": ["Town score.", "Dorr scores for Rovers.", "Town lead."], "unknown": ["Jess clears."]},
    "corner": {"true": ["Town win a corner.", "Corner to Town.", "Town lead 2-0.", "Rovers are two-nil down."], "false": ["Rovers lead 2-0.", "It's level."], "unknown": ["He aims for the far corner.", "Rovers take the throw-in.", "The corner flag is bent."]},
    "red": {"true": ["Jess is sent off.", "Red card for Jess!"], "false": ["Jess gets a yellow card.", "Dorr is sent off."], "unknown": ["Jess was warned before this."]},
    "penalty": {"true": ["Sorr takes the penalty.", "Sorr's penalty is saved.", "Selk saves the penalty."], "false": ["Sorr scores the penalty.", "Sorr scores from the spot.", "Town lead."], "unknown": ["Sorr is in the penalty area.", "He should score from there."]},
    "three": {"true": ["Vance hits the three!", "Vance for three, and he drains it!", "Vance scores.", "Oyel finds Vance for three.", "Oyel with the assist.", "Lakemont lead 29 to 28.", "The Kestrels trail by one.", "The Kestrels are within one.", "Vance knocks down the jumper, and the Kestrels trail by a point."],
              "false": ["Vance misses the three.", "Vance makes the layup.", "Vance dunks it.", "Hall hits the three.", "The Kestrels lead.", "It's 31-28.", "Vance turns it over.", "Vance is fouled by Hall.", "Lakemont lead by three."],
              "unknown": ["Vance could shoot.", "Vance has hit five threes so far.", "Vance drives to the basket.", "Vance makes a great move.", "The Ironclads are on a 10-2 run.", "They play a 2-3 zone.", "Vance sets a screen.", "Hall posts up on the left block."]},
    "steal": {"true": ["Bran steals it from Hall.", "Hall turns it over.", "Hall is stripped by Bran.", "Hall loses the ball and Bran gets the steal.", "Bran throws it down with a dunk.", "Bran steals it and scores."],
              "false": ["Hall steals it from Bran.", "Bran turns it over.", "Hall scores.", "Vance has the steal.", "Bran misses the dunk.", "Bran hits a three."], "unknown": ["Hall backs down Bran on the left block.", "Bran is gone!", "Bran forces a turnover."]},
    "block": {"true": ["Aman is blocked by Ache.", "Ache blocks Aman.", "Vance grabs the rebound.", "Aman misses the dunk.", "Aman goes up for the dunk, and he is stuffed by Ache!", "Ache rejects it and Vance has the board."],
              "false": ["Aman blocks Ache.", "Aman dunks it over Ache.", "Hall grabs the rebound.", "Aman makes the dunk.", "The Ironclads trail."], "unknown": ["Aman tries to dunk.", "Ache might have fouled him.", "Vance pushes the pace."]},
    "line": {"true": ["Stav fouls Ache.", "The foul is on Stav.", "Ache is fouled by Stav.", "Ache draws the foul.", "Ache makes the second free throw.", "Ache misses the first free throw."], "false": ["Ache fouls Stav.", "Ache makes both free throws.", "Vance misses a free throw.", "The Ironclads lead by three."],
             "unknown": ["Ache must make these free throws.", "Stav complains to the referee."]},
    "timeout": {"true": ["The Kestrels call a timeout.", "Timeout, Port Alder.", "Lakemont lead 36 to 30, and the Kestrels call timeout."], "false": ["Lakemont call a timeout.", "The game is tied."], "unknown": ["They need a timeout."]},
    "charge": {"true": ["Lind takes the charge.", "Hall is called for the charge.", "Offensive foul on Hall.", "The game is tied at 42."], "false": ["Lind commits the foul.", "The Kestrels lead."], "unknown": ["Hall charges down the lane."]},
    "kill": {"true": ["Quill kills Cinder.", "Jinx takes down Lee Sin.", "Cinder dies to Quill.", "Cinder is killed by Quill.", "Quill kills Cinder and Halo.", "A double kill for Quill!", "Tarn secures the cloud dragon.", "Blue take the dragon.", "Lanternfish take the dragon.", "Blue lead 8-3 in kills.", "Blue are ahead in gold.",
                      "Halo falls.", "Tarn takes the dragon without a fight."],
             "false": ["Cinder kills Quill.", "Quill dies to Cinder.", "Red take the dragon.", "Tarn takes the infernal dragon.", "Red lead in kills, 8 to 3.", "Red are ahead in gold.", "Northgale secure the drake.", "Quill kills Tarn."],
             "unknown": ["Quill could kill Cinder.", "Halo flashes away.", "Red want the dragon.", "Quill has five kills already.", "A triple kill for Quill!", "Blue win the fight."]},
    "tower": {"true": ["Quill destroys the outer turret.", "The bot tower falls.", "Blue take the tower.", "It is four all."], "false": ["Quill destroys the inner turret.", "Red destroy the tower.", "The mid tower falls to Quill.", "Blue lead."], "unknown": ["Quill stands under the tower.", "They want the inhibitor."]},
}
CASES = [(name, verdict, text) for name, by_verdict in STATEMENTS.items() for verdict, texts in by_verdict.items() for text in texts]


@pytest.mark.parametrize("name, verdict, text", CASES)
def test_statement(name: str, verdict: str, text: str):
    found = judge_clip_statement(text, STATES[name])
    assert found.verdict == verdict, found.reason


def test_there_are_enough():
    assert len(CASES) >= 120 and all(sum(case[1] == verdict for case in CASES) >= 40 for verdict in ("true", "false", "unknown"))
