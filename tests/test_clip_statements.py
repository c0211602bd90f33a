"""Statements about small clips of football, basketball and League of Legends, each with the verdict that a careful person gives."""
import json
from pathlib import Path

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
STATES["kick"] = state("football", [FeedEvent(action="kick-off", **HOME)], ROVERS,{"home": 0,"away": 0})
STATES["off"] = state("football", [FeedEvent(action="offside", actor="Felix Marl", text="Felix Marl (Brook Town) is flagged offside.", **AWAY)], ROVERS,{"home": 1,"away": 2})
STATES["clear"] = state("football", [FeedEvent(action="clearance", actor="Callum Stra", text="Callum Stra (Alder Rovers) clears a low cross.", **HOME)], ROVERS,{"home": 1,"away": 0})
STATES["inj"] = state("football", [FeedEvent(action="injury", actor="Marek Dorr", **HOME)], ROVERS,{"home": 1,"away": 0})
STATES["half"] = state("football", [FeedEvent(action="whistle", outcome="half over")], ROVERS,{"home": 1,"away": 1})
STATES["tech"] = state("basketball", [FeedEvent(action="technical", actor="Goran Stav", text="Stav T.FOUL (P2.T3)", **LKM), FeedEvent(action="free throw", outcome="in", actor="Dario Vance", text="Vance Free Throw Technical (6 PTS)", **PAK)], KESTRELS,{"home": 51,"away": 50})
STATES["subs"] = state("basketball", [FeedEvent(action="substitution", actor="Kofi Aman", object="Goran Stav", text="SUB: Aman FOR Stav", **LKM), FeedEvent(action="jump ball", actor="Ruben Ache", object="Goran Stav", text="Jump Ball Ache vs. Stav: Tip to Vance", **PAK)], KESTRELS,{"home": 60,"away": 60})
STATES["baron"] = state("lol", [FeedEvent(action="take", actor="Sejuani (LNF Tarn)", object="Baron Nashor", **BLUE), FeedEvent(action="kill", actor="Azir (NGL Halo)", object="Braum (LNF Moss)", outcome="first blood", **RED), FeedEvent(action="destroy", actor="Jinx (LNF Quill)", object="mid inhibitor", **BLUE)], {"blue": "Lanternfish","red": "Northgale"}, {"blue": 13,"red": 9}, gold={"blue": 50000,"red": 44000})

# Written after the reader was; here the answer may be "unknown", but never wrong.
OTHERS = {
    "goal": {
        "true": ["What a finish from Hart, and Rovers are in front!", "Hart rises highest and heads it in... Goal!", "Rovers have taken the lead, two-one.", "Emil Hart with the goal.",
            "Hart nets his first, 2-1.", "Brand crosses and Hart scores.", "Rovers have their second, and it is Hart who gets it, 2-1.", "Town are behind by one.",
            "That's a goal from Emil Hart."],
        "false": ["Bex equalises for Town!", "Town have the lead.", "Goal for Brook Town!", "Hart shoots over the bar.", "Hart's effort is blocked.", "Marl scores the equaliser.",
            "Town are ahead by one.", "Hart fires it into the stands.", "Town have scored again, 2-2.", "The goal is given to Bex."],
        "unknown": ["Hart had scored in the first half.", "Hart looks offside to me.", "Town need a goal now.", "Nobody picks up Hart.", "The crowd wanted a goal.",
            "Hart is the best header of a ball in the league.", "Rovers lead the league.", "Did Hart handle it before he scored?"],
    },
    "foul": {
        "true": ["Keat trips Fenn in the centre circle.", "A caution for Keat after the foul.", "Keat goes into the book.", "Town's Keat is shown a yellow.",
            "Fenn wins the free kick from Keat's foul.", "Fenn is tripped by Keat.", "Foul on Fenn by Keat.", "Town's first yellow card goes to Keat.", "Free kick, a foul by Keat."],
        "false": ["Fenn is cautioned.", "Rovers get the yellow card.", "Keat sees red.", "Keat scores.", "The foul is by Fenn on Keat.", "Keat is tripped by Fenn.",
            "Rovers' Fenn picks up a yellow card.", "Keat has been sent off.", "Town lead 1-0."],
        "unknown": ["Fenn wants a card.", "It looks like a penalty.", "Keat protests his innocence.", "Keat is lucky not to be sent off.", "A long free kick from Bex."],
    },
    "save": {
        "true": ["Bex fires it low and Veld saves.", "A good save by Veld.", "Veld keeps out Bex.", "It remains 1-1.", "Bex has a shot, and it is saved.", "Veld saves Bex's shot."],
        "false": ["Bex finds the net!", "Bex blazes it over the bar.", "Town are in front.", "Bex's shot hits the crossbar.", "Bex scores, 2-1!", "Rovers are leading."],
        "unknown": ["Veld claims the cross.", "Bex passes to Marl.", "Veld saves from Marl.", "The goalkeeper kicks it long.", "Marl heads towards goal."],
    },
    "miss": {
        "true": ["Dorr's effort goes wide.", "It's a shot from Dorr, wide of the post.", "Dorr shoots and it is off target."],
        "false": ["Dorr finds the net.", "Dorr's shot is in, what a goal!"],
        "unknown": ["Dorr's free kick is good.", "Dorr passes to Hart."],
    },
    "post": {
        "true": ["Dorr's shot comes back off the crossbar.", "Dorr rattles the crossbar with a shot."],
        "false": ["Dorr scores with a fine shot.", "A goal for Dorr."],
        "unknown": ["Dorr is unlucky."],
    },
    "sub": {
        "true": ["On comes Stan for Lask.", "Lask is taken off.", "A change for Town: Stan for Lask.", "Rovers lead by two.", "Town bring a substitute, Stan replaces Lask.",
            "Stan is on for Lask, who goes off.", "Town are 3-1 down."],
        "false": ["Rovers replace Dorr.", "Lask replaces Stan.", "Town lead by two.", "Stan makes way for Lask.", "Rovers' Brand comes on.", "Town are level."],
        "unknown": ["Lask has run his legs off.", "Stan scored last week.", "Lask nearly scored before he went off."],
    },
    "own": {
        "true": ["An own goal by Jess!", "Jess puts it into his own net.", "Rovers score through a Jess own goal.", "Jess scores an own goal, and Rovers lead."],
        "false": ["Brook Town take the lead.", "Rovers own goal!", "Goal for Town."],
        "unknown": ["Jess looks for the pass."],
    },
    "corner": {
        "true": ["Another corner for Town.", "Town lead by two goals.", "The corner goes to Town."],
        "false": ["Corner for Rovers.", "Rovers have the lead and a corner."],
        "unknown": ["Bex will take the corner.", "The corner is cleared by Dorr."],
    },
    "red": {
        "true": ["Jess gets his marching orders, a red card.", "Town's Jess is shown the red card.", "Jess is shown a straight red card."],
        "false": ["Jess is only cautioned.", "Rovers are down to ten as Dorr is sent off."],
        "unknown": ["The red shirts push up."],
    },
    "penalty": {
        "true": ["Penalty saved! Sorr is denied by Selk.", "Sorr steps up for the penalty, and Selk keeps it out.", "Sorr's penalty is saved by Selk.", "Penalty for Rovers."],
        "false": ["Sorr buries the penalty in the net for a goal.", "Rovers lead after the penalty.", "Sorr makes no mistake and scores.", "Penalty for Town."],
        "unknown": ["Selk dives to his left."],
    },
    "kick": {
        "true": ["Rovers kick off.", "It's nil-nil.", "Rovers get us under way."],
        "false": ["Town score from kick-off.", "Town kick off."],
    },
    "off": {
        "true": ["Marl is offside.", "The flag is up, Marl was offside.", "Rovers are 2-1 down.", "Town are 2-1 up.", "Town lead by a goal, 2-1."],
        "false": ["Rovers lead 2-1.", "Hart is offside."],
        "unknown": ["Marl is onside."],
    },
    "clear": {
        "true": ["Stra clears the danger.", "Cleared by Stra.", "Stra heads it away."],
        "unknown": ["The way is clear for Stra.", "Dorr clears."],
        "false": ["Rovers trail."],
    },
    "inj": {
        "true": ["Dorr is down injured.", "Dorr goes down.", "Dorr limps."],
        "false": ["Rovers go down 1-0."],
        "unknown": ["Dorr goes down the wing.", "Hart is injured."],
    },
    "half": {
        "true": ["Half-time, and it's 1-1."],
        "false": ["Half-time, and Rovers lead."],
    },
    "three": {
        "true": ["Splash! Vance from downtown.", "Oyel dishes to Vance, who buries it.", "A three-pointer by Vance makes it 29-28.", "Lakemont are up by one.", "It is a one-point game.",
            "Vance drills the triple.", "That three from Vance is good.", "Vance hits from deep, a three.", "Port Alder trail 29-28."],
        "false": ["Vance bricks it.", "Vance lays it in.", "Lakemont are down by one.", "Vance commits the foul.", "Oyel hits the three.", "Vance throws it away.",
            "The three by Vance is no good.", "Kestrels up by two.", "Hall with the bucket.", "Vance slams it home."],
        "unknown": ["Vance is three for five.", "Vance scored 30 last time out.", "Vance hits the deck.", "Vance will shoot again.", "A great look for Vance."],
    },
    "steal": {
        "true": ["Hall has his pocket picked by Bran.", "Bran finishes with the slam.", "A turnover by Hall, and Bran scores at the other end.", "The Ironclads turn it over.",
            "The Kestrels lead by four.", "Bran with the steal.", "Bran strips Hall and dunks it.", "Turnover by Lakemont.", "The Kestrels are up by four, 12-8."],
        "false": ["Hall picks off Bran's pass.", "Hall dunks it.", "The Kestrels turn it over.", "Bran loses the ball.", "Hall strips Bran.", "Bran lays it in off the glass.",
            "Lakemont have the lead."],
        "unknown": ["Bran shoots 50 percent.", "Hall leads all scorers."],
    },
    "block": {
        "true": ["Rejected by Ache!", "Aman's dunk is blocked by Ache.", "The Kestrels trail 89-87.", "Vance pulls down the board.", "Ache sends back the dunk by Aman with a block.",
            "The Ironclads lead by two.", "Rebound, Vance."],
        "false": ["Aman slams it home.", "Ache is blocked by Aman.", "Aman gets the rebound.", "Ache gets dunked on by Aman.", "Vance is blocked by Ache.", "The rebound goes to Hall."],
        "unknown": ["Aman is a good shot blocker.", "Vance misses nothing."],
    },
    "line": {
        "true": ["Ache goes one for two at the line, the free throw is good by Ache.", "Stav is called for the foul.", "Ache splits the pair, missing the first free throw.",
            "The Kestrels lead 15-12."],
        "false": ["Stav is fouled by Ache.", "Ache hits both free throws.", "Stav makes a free throw.", "Ache commits the foul on Stav."],
        "unknown": ["Ache will shoot two."],
    },
    "timeout": {
        "true": ["Kestrels timeout.", "Timeout called by the Kestrels."],
        "false": ["Timeout by the Ironclads.", "Kestrels lead."],
    },
    "charge": {
        "true": ["Lind draws the charge on Hall.", "Hall turns the ball over with the charge.", "We are tied at 42.", "The charge is called on Hall."],
        "false": ["Lind is called for a foul.", "Lind turns it over."],
    },
    "tech": {
        "true": ["Stav gets a technical foul.", "Technical on Stav, and Vance makes the free throw.", "The Kestrels lead by a point.", "Vance sinks the free throw."],
        "false": ["Vance gets the technical.", "Vance misses the free throw.", "A technical on Vance."],
    },
    "subs": {
        "true": ["Aman checks in for Stav.", "Ache wins the jump ball.", "All tied up at 60.", "Aman comes in for Stav.", "Stav goes to the bench."],
        "false": ["Stav checks in for Aman.", "Stav wins the jump ball.", "Aman goes to the bench.", "The Ironclads lead."],
    },
    "kill": {
        "true": ["Quill gets two kills.", "Lee Sin falls to the Jinx.", "Cinder goes down to Quill.", "The dragon goes to Blue.", "Quill picks off Halo.", "Jinx deletes Ahri.",
            "Ahri is shut down by the Jinx.", "Lanternfish lead 8 to 3.", "Vi smites the cloud drake."],
        "false": ["Halo kills Quill.", "Northgale get the dragon.", "The infernal drake goes to Blue.", "Tarn dies.", "Lee Sin kills the Jinx.", "Jinx falls to Lee Sin.",
            "Northgale lead 8 to 3.", "Cinder steals the dragon."],
        "unknown": ["Quill has no flash.", "Red need the next dragon.", "Blue's jungler is ahead of Red's.", "Lanternfish have four dragons.", "Quill dives Cinder."],
    },
    "tower": {
        "true": ["Down goes the bot outer tower to Quill.", "It's 4-4 in kills.", "Quill takes down the turret."],
        "false": ["Red take the tower.", "Northgale destroy the bot outer turret.", "Lanternfish lead 4 to 3."],
        "unknown": ["The tower is low."],
    },
    "baron": {
        "true": ["Tarn secures the Baron.", "Halo gets first blood on Moss.", "Moss dies to Halo.", "Lanternfish break the mid inhibitor.", "Blue lead 13 to 9.",
            "Lanternfish have a 6k gold lead.", "Baron goes down to Lanternfish, taken by Tarn.", "Azir kills Braum."],
        "false": ["Northgale secure the Baron.", "Moss kills Halo.", "The top inhibitor is destroyed by Quill.", "Northgale lead 13 to 9 in kills.", "Halo dies to Moss.", "Quill kills Moss.",
            "Red destroy the mid inhibitor.", "Red have a gold lead."],
        "unknown": ["Baron is up in a minute.", "Tarn could steal the Baron."],
    },
}


def flat(statements: dict) -> list[tuple[str, str, str]]:
    return [(name, verdict, text) for name, by_verdict in statements.items() for verdict, texts in by_verdict.items() for text in texts]


CASES, HELD = flat(STATEMENTS), flat(OTHERS)


@pytest.mark.parametrize("name, verdict, text", CASES)
def test_statement(name: str, verdict: str, text: str):
    found = judge_clip_statement(text, STATES[name])
    assert found.verdict == verdict, found.reason


@pytest.mark.parametrize("name, verdict, text", HELD)
def test_never_wrong(name: str, verdict: str, text: str):
    found = judge_clip_statement(text, STATES[name])
    assert found.verdict in (verdict, "unknown"), found.reason


def test_most_that_can_be_known_is():
    "Of the statements that are true or false, at least 88 in 100 get their verdict."
    known = [(name, verdict, text) for name, verdict, text in HELD if verdict != "unknown"]
    assert sum(judge_clip_statement(text, STATES[name]).verdict == verdict for name, verdict, text in known) >= 0.88 * len(known)


def test_there_are_enough():
    assert len(CASES) >= 120 and all(sum(case[1] == verdict for case in CASES) >= 40 for verdict in ("true", "false", "unknown"))


# Statements read once before the reader was changed for them, clip by clip (the figures of those first readings stand in the notebook of `offline.clip_truth`). What was true of the score
# at any moment of the clip is "unknown" once it has changed.
CLIPS = [json.loads(line) for line in (Path(__file__).parent / "data" / "clip_statements.jsonl").read_text(encoding="utf-8").splitlines()]
READ = [(f"{clip['batch']}-{clip['name']}", clip, verdict, text) for clip in CLIPS for verdict in ("true", "false", "unknown") for text in clip[verdict]]


def verdict_of(clip: dict, text: str) -> str:
    return judge_clip_statement(text, StateContext(game=clip["game"], lines=[], facts=clip["facts"])).verdict


@pytest.mark.parametrize("clip, verdict, text", [case[1:] for case in READ], ids=[f"{case[0]}-{case[2]}-{number}" for number, case in enumerate(READ)])
def test_read_statement_is_never_wrong(clip: dict, verdict: str, text: str):
    assert verdict_of(clip, text) in (verdict, "unknown"), text


@pytest.mark.parametrize("game", ["football", "basketball", "lol"])
def test_most_read_statements_get_their_verdict(game: str):
    "Of those that are true or false, at least 88 in 100 in each game."
    known = [(clip, verdict, text) for _, clip, verdict, text in READ if verdict != "unknown" and clip["game"] == game]
    assert len(known) >= 120 and sum(verdict_of(clip, text) == verdict for clip, verdict, text in known) >= 0.88 * len(known)


def told(action: str, side: str, actor: str, object: str, outcome: str = "") -> StateContext:
    teams = {"blue": "Lanternfish", "red": "Northgale"}
    return state("lol", [FeedEvent(action=action, side=side, team=teams[side], actor=actor, object=object, outcome=outcome)], teams, {"blue": 6, "red": 7})


BLOOD = told("kill", "red", "Viktor (NGL Halo)", "Ahri (LNF Moss)", "first blood")
TURRET = told("destroy", "red", "Ornn (NGL Bask)", "top inhibitor turret")
NEXUS = told("destroy", "red", "Ornn (NGL Bask)", "mid nexus turret")
PLATE = told("destroy", "red", "Ornn (NGL Bask)", "bot turret plate")


@pytest.mark.parametrize("text", ["{} get first blood.", "{} draw first blood.", "First blood to {}.", "First blood for {}.", "First blood: {}.", "First blood is {}'s.", "It's first blood for {}.", "First blood is drawn by {}.",
                                  "First blood, and it belongs to {}.", "{} are on the board first.", "{} strike first."])
def test_first_blood_is_of_the_side_that_has_it(text: str):
    assert judge_clip_statement(text.format("Northgale"), BLOOD).verdict == "true" and judge_clip_statement(text.format("Lanternfish"), BLOOD).verdict == "false"


@pytest.mark.parametrize("state, thing, others", [(TURRET, "inhibitor turret", ["inhibitor", "nexus turret", "nexus", "outer turret"]), (NEXUS, "nexus turret", ["nexus", "inhibitor", "inhibitor turret"]), (PLATE, "turret plate", ["outer turret", "tower", "inhibitor"])])
def test_a_turret_is_what_it_stands_before(state: StateContext, thing: str, others: list[str]):
    "An inhibitor turret is no inhibitor, a nexus turret no nexus, a plate no turret."
    assert judge_clip_statement(f"Bask destroys the {thing}.", state).verdict == "true"
    assert [judge_clip_statement(f"Bask destroys the {other}.", state).verdict for other in others] == ["false"] * len(others)
    assert [judge_clip_statement(f"The {other} falls.", state).verdict for other in others] == ["false"] * len(others)
