"""What of a comment is commentary, and what is not and why."""
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamecommbench.clean import clean_comment, language_of, no_commentary


@pytest.mark.parametrize("raw, cleaned", [
    ("[%clk 0:10:00] strong   [%cal Ge2e4]", "strong"),
    ("[%eval 0.3]", ""),
    ("{[%csl Gb4,Yd5,Rf6] blabla".lstrip("{"), "blabla"),
    ("[%emt\n00:00:14]", ""),
    ("[#]", ""),
    ("[#] aiming for Qh7+.", "aiming for Qh7+."),
    ("Standard so far &amp; fine.", "Standard so far & fine."),
    ("chess &quot;1...e5&quot; &lt;3", 'chess "1...e5" <3'),
    ("one<br>two<br/>three", "one two three"),
    ("before <script>alert('x')</script> after", "before after"),
    ("before <style>b {color: red}</style><!-- hidden --> after", "before after"),
    ("  several\n lines\t and   spaces ", "several lines and spaces"),
    ("zero\u200bwidth \ufeffmarks", "zerowidth marks"),
    ("2 < 3 and 5 > 4", "2 < 3 and 5 > 4"),
    ("a plan: Nf3-e5, then f4 (if ...d6)", "a plan: Nf3-e5, then f4 (if ...d6)"),
])
def test_only_artefacts_go(raw: str, cleaned: str):
    assert clean_comment(raw) == cleaned


@pytest.mark.parametrize("text", [
    "+0.30/12 0.5s", "-0.17/15 0.30s", "0.00/31 48s", "+M35/23 0.14s", "-M18/13 0.14s", "-8.11/24 5.0s, White wins by adjudication", "-M1/5 0.02s, Black mates", "book",
    "(-0.17 → 0.75)", "(0.70 → 1.99) Mistake. Best move was Nf6.", "(0.00 → 0.75) Inaccuracy. Best move was Nf6.", "BLUNDER (-4.28)", "LiveBook: 4 Games"])
def test_what_programs_write_is_rejected_by_that_name(text: str):
    assert no_commentary(clean_comment(text)).startswith("written by a program")


@pytest.mark.parametrize("text, reason", [("", "no text left"), ("!", "no words"), ("?!", "no words"), ("±", "no words"), ("...", "no words"), ("1/2-1/2 (22)", "no words")])
def test_nothing_said_is_rejected_by_that_name(text: str, reason: str):
    assert no_commentary(text).startswith(reason)


@pytest.mark.parametrize("text", [
    "Good.", "Nf3", "only move", "KB-KB", "Endgame KRB-KRB", "Imprecise", "Mistake. Now the bishop falls.", "A book move, and a good one.", "The score is +0.30 here.", "A blunder (see move 12).",
    "White wins by force.", "好棋", "Мат"])
def test_what_people_write_is_kept(text: str):
    assert no_commentary(clean_comment(text)) is None


@pytest.mark.parametrize("text, language", [
    ("Viel gibt es nicht zur Partie zu sagen. Obwohl Stockfish 8 die Stellung mit -0.10 minimal Schwarz vorne sieht, ist doch die Remisbreite sehr hoch.", "de"),
    ("Le fou attaque la dame et le roi est en danger dans cette position", "fr"),
    ("El caballo ataca la dama y el rey no se puede defender", "es"),
    ("Мат в один ход, ход белых", "other"),
    ("Now the knight is on a fine square and White is better", "en"),
    ("12. Nf3 Nc6 13. Bb5", "en"),
    ("Zugzwang", "en")])  # too short to tell
def test_language_is_guessed_by_function_words(text: str, language: str):
    assert language_of(text) == language


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="<>&[]$"), max_size=60))
def test_text_without_artefacts_is_only_put_on_one_line(text: str):
    plain = "".join(character for character in text if character not in "\ufeff\u200b\u200e\u200f\u2060")
    assert clean_comment(text) == " ".join(plain.split())


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_whatever_comes_in_one_line_comes_out(text: str):
    cleaned = clean_comment(text)
    assert cleaned == " ".join(cleaned.split())


# ---- known defects: each mark goes when its line is right

@pytest.mark.parametrize("raw, cleaned", [
    ("The <Fritz> line wins", "The <Fritz> line wins"), ("<Nf3!> was better, says <tamar>", "<Nf3!> was better, says <tamar>"), ("<b>good</b>ness (<i>Nf3</i>)!", "goodness (Nf3)!")])
def test_angles_that_are_no_markup_stay(raw: str, cleaned: str):
    assert clean_comment(raw) == cleaned


@pytest.mark.parametrize("raw, cleaned", [("a good move $1", "a good move"), ("$14 White is better", "White is better"), ("a $100 prize", "a $100 prize")])
def test_stray_glyph_numbers_go(raw: str, cleaned: str):
    assert clean_comment(raw) == cleaned


@pytest.mark.parametrize("text", ["(Nf3) +0.35/20 12s", "d=30, sd=45, ev=0.25", "ev=0.35, d=33, mt=00:01:12, tl=00:20:00, pv=Nf3"])
def test_other_engine_forms_are_seen(text: str):
    assert (no_commentary(text) or "").startswith("written by a program")


def test_a_person_may_start_with_a_score():
    assert no_commentary("+1.5, White wins the exchange") is None
