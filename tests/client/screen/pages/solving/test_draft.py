from kit.matches import pegs
from mastermind_client.screen.pages.solving.draft import Draft
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Turn
from mastermind_protocol.messages import Correction
from mastermind_protocol.requests import MAX_GIVEN_TURNS
from mastermind_protocol.rules import DEFAULT, find_rules

FIRST, SECOND = Turn(pegs("1122"), Feedback(0, 2)), Turn(pegs("2344"), Feedback(1, 1))
BOTH = Draft.begin(DEFAULT, (FIRST, SECOND))


def type_all(draft: Draft, typed: str) -> Draft:
    for symbol in typed:
        draft = draft.type(symbol)
    return draft


def test_a_guess_and_two_digits_are_a_line_in_letters_and_in_digits():
    assert type_all(Draft.begin(DEFAULT), "rrgg02").turns == (FIRST,)
    assert type_all(Draft.begin(DEFAULT), "112202gbyy11") == type_all(
        Draft.begin(DEFAULT), "rrgg02234411"
    )


def test_keys_of_another_layout_and_full_width_digits_count():
    assert type_all(Draft.begin(DEFAULT), "ккпп０２").turns == (FIRST,)


def test_enter_is_not_needed_before_the_answer_and_does_no_harm():
    typed = type_all(Draft.begin(DEFAULT), "rrgg").enter()
    assert typed.notice == "The answer is two digits: black, then white."
    assert type_all(typed, "02").turns == (FIRST,)


def test_an_answer_that_cannot_be_is_explained_and_typed_anew():
    refused = type_all(Draft.begin(DEFAULT), "rrgg31")
    assert refused.turns == ()
    assert refused.notice.startswith("3 black and 1 white cannot be")
    assert type_all(refused, "02").turns == (FIRST,)
    assert "more than the 4 pegs" in type_all(Draft.begin(DEFAULT), "rrgg5").notice


def test_all_black_needs_no_second_digit():
    solved = type_all(Draft.begin(DEFAULT), "rrgg4").enter()
    assert solved.turns == (Turn(FIRST.code, Feedback(4, 0)),)
    assert solved.has_ended
    assert solved.type("r").notice == "The code is found. F6 begins a new game."


def test_the_names_of_the_answer_are_those_of_the_rules():
    draft = type_all(Draft.begin(find_rules("bulls")), "0123x")
    assert draft.notice == "The answer is two digits: bulls, then cows."


def test_a_line_before_is_changed_in_place():
    edited = BOTH.go(0)
    assert edited.entry.code == FIRST.code
    assert type_all(edited, "11").turns == (Turn(FIRST.code, Feedback(1, 1)), SECOND)
    changed = edited.change_entry(lambda entry: entry.put(3, 0)).enter().enter()
    assert changed.turns == (Turn(pegs("1121"), Feedback(0, 2)), SECOND)
    assert changed.line == 2


def test_a_guess_that_was_begun_is_there_again_after_a_look_at_another_line():
    begun = type_all(BOTH, "go")
    assert begun.go(0).go(2).entry == begun.entry
    assert type_all(begun.go(0), "11").entry == begun.entry
    assert begun.go(0).delete().go(1).entry == begun.entry


def test_a_line_is_inserted_before_another_and_deleted():
    third = Turn(pegs("3333"), Feedback(1, 0))
    inserted = type_all(BOTH.go(1).insert(), "333310")
    assert inserted.turns == (FIRST, third, SECOND)
    assert inserted.go(1).delete().turns == BOTH.turns
    assert BOTH.go(1).insert().delete().turns == BOTH.turns


def test_every_change_is_taken_back_and_the_last_guess_can_be_answered_anew():
    cleared = BOTH.replace_turns(())
    assert cleared.undo().turns == BOTH.turns
    added = type_all(Draft.begin(DEFAULT), "rrgg02gbyy11").undo()
    assert added.turns == (FIRST,)
    assert added.entry.code == SECOND.code
    assert type_all(added, "20").turns == (FIRST, Turn(SECOND.code, Feedback(2, 0)))
    assert Draft.begin(DEFAULT).undo().notice == "There is nothing to undo."


def test_a_correction_changes_one_answer():
    assert BOTH.correct(Correction(1, 1, 2, 6)).turns == (
        Turn(FIRST.code, Feedback(1, 2)),
        SECOND,
    )


def test_the_guesses_of_a_bot_are_answered_and_not_changed():
    draft = Draft.begin(DEFAULT, locked=True)
    assert draft.is_waiting
    assert draft.type("r").notice == "The bot makes the guesses. Type the answer to its guess."
    assert type_all(draft.offer(FIRST.code), "02").turns == (FIRST,)


def test_there_are_at_most_as_many_lines_as_a_request_has():
    full = Draft.begin(DEFAULT, (FIRST,) * MAX_GIVEN_TURNS)
    refused = type_all(full, "gbyy11")
    assert len(refused.turns) == MAX_GIVEN_TURNS
    assert refused.notice == f"At most {MAX_GIVEN_TURNS} guesses."
    inserted = type_all(full.go(1).insert(), "gbyy11")
    assert (inserted.notice, inserted.entry.code) == (refused.notice, SECOND.code)
