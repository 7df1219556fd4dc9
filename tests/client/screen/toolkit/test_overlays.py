from collections.abc import Sequence

import pytest

from client.screen.looks import assert_fits, show
from mastermind_client.screen.theme.look import UNICODE
from mastermind_client.screen.toolkit.keys import Key
from mastermind_client.screen.toolkit.lines import Extent, text
from mastermind_client.screen.toolkit.overlays import Answer, Card, CardRoom, OverlayAreas


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


def press(keys: Sequence[Key], *names: str) -> None:
    for name in names:
        next(key for key in keys if name in key.alternatives).act()


@pytest.mark.parametrize("extent", [Extent(60, 18), Extent(51, 9), Extent(44, 8), Extent(30, 12)])
def test_a_card_fits_its_extent(extent):
    assert_fits(leave().draw(UNICODE, extent), extent)


def test_a_card_covers_the_lower_end_of_its_room():
    below = [text("x" * 80) for _row in range(22)]
    room = OverlayAreas(Extent(80, 22), CardRoom(0, 55, 20))
    rows = show(leave().draw_over(below, room, UNICODE))
    assert rows[10] == rows[20] == "x" * 80
    assert rows[11] == "xx╭─ Leave the match? ──────────────────────────────╮" + "x" * 27
    assert rows[19].startswith("xx╰──")


def test_keys_close_the_card_and_then_give_the_answer():
    for names, answer in (
        (["enter"], "stay"),
        (["escape"], "stay"),
        (["down", "escape"], "stay"),
        (["down", "enter"], "aside"),
        (["down", "down", "down", "enter"], "up"),
        (["down", "up", "up", "enter"], "stay"),
    ):
        given: list[str] = []
        card = leave(given)
        card.close = lambda given=given: given.append("away")  # type: ignore[misc]
        press(card.keys, *names)
        assert given == ["away", answer]


def test_a_small_window_lists_the_answers_alone():
    assert show(leave().draw_plain(UNICODE, 30)) == [
        "Leave the match?",
        "► Stay",
        "  Put it aside",
        "  Give it up",
    ]
