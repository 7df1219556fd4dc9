import pytest

from client.screen.looks import assert_fits, show
from mastermind_client.screen.kit.cards import WIDEST, Answer, Card, CardRoom, lay_card
from mastermind_client.screen.kit.keys import Key
from mastermind_client.screen.kit.lines import Extent, text
from mastermind_client.screen.look.glyphs import UNICODE

LEAVE = """\
╭─ Leave the match? ──────────────────────────────╮
│                                                 │
│ ► Stay           Back to the board.             │
│                                                 │
│   Put it aside   Your seat is kept; go on from  │
│                  the home screen.               │
│                                                 │
│   Give it up     Bob wins.                      │
╰─────────────────────────────────────────────────╯"""


def leave(given: list[str] | None = None) -> Card:
    """A question as a match asks it; what is answered is noted."""
    noted = [] if given is None else given
    return Card(
        "Leave the match?",
        Answer("Stay", "Back to the board.", lambda: noted.append("stay")),
        Answer(
            "Put it aside",
            "Your seat is kept; go on from the home screen.",
            lambda: noted.append("aside"),
        ),
        Answer("Give it up", "Bob wins.", lambda: noted.append("up")),
    )


def press(keys: tuple[Key, ...], *names: str) -> None:
    for name in names:
        next(key for key in keys if name in key.keys).act()


def test_a_card_has_its_answers_with_what_each_costs():
    assert "\n".join(show(leave().draw(UNICODE, Extent(100, 20)))) == LEAVE


def test_the_selected_answer_is_reversed_as_a_whole():
    row = leave().draw(UNICODE, Extent(100, 20))[2]
    reversed_ = "".join(part[1] for part in row if "selected" in part[0])
    assert len(reversed_) == WIDEST - 4
    assert reversed_.startswith("► Stay")


@pytest.mark.parametrize("extent", [Extent(60, 18), Extent(51, 9), Extent(44, 8), Extent(30, 12)])
def test_a_card_is_no_larger_than_its_room(extent):
    assert_fits(leave().draw(UNICODE, extent), extent)


def test_a_card_is_laid_over_the_lower_end_of_its_room():
    below = [text("x" * 80) for _row in range(22)]

    rows = show(lay_card(below, leave(), CardRoom(0, 55, 20), UNICODE))

    assert rows[10] == rows[20] == "x" * 80
    assert rows[11] == "xx╭─ Leave the match? ──────────────────────────────╮" + "x" * 27
    assert rows[19].startswith("xx╰──")


def test_keys_give_an_answer_and_put_the_card_away_first():
    for names, answer in (
        (["enter"], "stay"),
        (["escape"], "stay"),
        (["down", "escape"], "stay"),
        (["down", "enter"], "aside"),
        (["down", "down", "down", "enter"], "up"),
        (["down", "up", "up", "enter"], "stay"),
    ):
        given: list[str] = []
        keys = leave(given).begin(lambda given=given: given.append("away"))  # type: ignore[misc]
        press(tuple(keys), *names)
        assert given == ["away", answer]


def test_a_window_with_no_room_for_a_card_has_the_answers_alone():
    assert show(leave().draw_plain(UNICODE, 30)) == [
        "Leave the match?",
        "► Stay",
        "  Put it aside",
        "  Give it up",
    ]
