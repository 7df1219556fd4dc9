from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from client.people import sit_down
from client.screen.looks import LOOK, assert_fits, show
from client.screen.played import sit
from mastermind_client.net.updates import Heard, PresenceChanged, SpectatorsChanged
from mastermind_client.screen.kit.lines import Extent
from mastermind_client.screen.match.entry import Entry
from mastermind_client.screen.match.feed import (
    LINES_KEPT,
    Feed,
    Kind,
    Note,
    count_back,
    draw_feed,
)
from mastermind_client.screen.match.scene import Scene
from mastermind_protocol.chat import ChatLine
from mastermind_protocol.events import Guessed, RoundEnded
from mastermind_protocol.rules import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from client.people import Person
    from mastermind_client.net.mirror import Mirror
    from mastermind_client.net.updates import Update


def read(feed: Feed, kind: Kind) -> list[str]:
    return [note.text for note in feed.notes if note.kind is kind]


async def play(ada: Person, bob: Person) -> tuple[Mirror, Feed]:
    """Let Bob break Ada's code; return what Bob has noted of it."""
    ours, theirs = await sit_down(ada, bob)
    await ada.set(ours, "0123")
    await bob.guess(theirs, "0011")
    await bob.guess(theirs, "0123")
    await bob.hear_of(RoundEnded)
    feed = Feed(theirs)
    for update in bob.updates:
        feed.note(update, bob.id)
    return theirs, feed


async def test_what_happens_is_noted_in_order_but_not_the_guesses_on_the_board(
    ada: Person, bob: Person
) -> None:
    _mirror, feed = await play(ada, bob)
    news = read(feed, Kind.NEWS)

    assert any(isinstance(event, Guessed) for event in bob.events)
    assert news[:2] == ["Ada is the codemaker.", "You are the codebreaker."]
    assert news.index("The secret is set.") < next(
        number for number, words in enumerate(news) if "You broke the code" in words
    )
    assert not any(words.startswith((" 1 ", " 2 ")) for words in news)


async def test_chat_and_connections_are_noted_as_what_they_are(ada: Person, bob: Person) -> None:
    mirror, feed = await play(ada, bob)
    before = len(feed.notes)

    line = ChatLine(room="players", n=1, by=ada.id, name="Ada", text="Well\x1b[31m done")
    feed.note(Heard(mirror, mirror.state, line), bob.id)
    feed.note(PresenceChanged(mirror, mirror.state, ada.id, here=False), bob.id)
    feed.note(SpectatorsChanged(mirror), bob.id)

    said, gone = feed.notes[before:]
    assert (said.kind, said.by) == (Kind.CHAT, ada.id)
    assert "Ada" in said.text
    assert "Well?[31m done" in said.text
    assert (gone.kind, gone.by) == (Kind.CONNECTION, None)
    assert gone.text == "Ada has lost the connection; the seat is kept."


async def test_what_is_told_from_the_beginning_once_more_is_noted_once(
    ada: Person, bob: Person
) -> None:
    mirror, feed = await play(ada, bob)
    said = ChatLine(room="players", n=1, by=ada.id, name="Ada", text="Well done")
    again: list[Update] = [*bob.moves]
    feed.note(Heard(mirror, mirror.state, said), bob.id)
    feed.note(PresenceChanged(mirror, mirror.state, ada.id, here=False), bob.id)
    news = read(feed, Kind.NEWS)

    for update in (*again, Heard(mirror, mirror.state, said)):
        feed.note(update, bob.id)

    assert read(feed, Kind.NEWS) == news
    assert len(read(feed, Kind.CHAT)) == 1
    assert len(read(feed, Kind.CONNECTION)) == 1


async def test_only_the_last_notes_are_kept(ada: Person, bob: Person) -> None:
    mirror, feed = await play(ada, bob)

    for number in range(1, LINES_KEPT + 10):
        line = ChatLine(room="players", n=number, by=ada.id, name="Ada", text=f"Line {number}.")
        feed.note(Heard(mirror, mirror.state, line), bob.id)

    assert len(feed.notes) == LINES_KEPT
    assert feed.notes[0].text.endswith("Line 10.")
    assert feed.notes[-1].text.endswith(f"Line {LINES_KEPT + 9}.")


def scene_with(notes: Sequence[Note], *, muted: bool = False) -> Scene:
    return Scene("7KQ2MX", sit(), "ADA", Entry.empty(DEFAULT), notes, muted=muted)


def test_the_last_notes_are_shown_below_their_heading() -> None:
    notes = [Note(Kind.NEWS, f"This is note {number}.") for number in range(1, 10)]

    assert show(draw_feed(scene_with(notes), Extent(30, 4), LOOK)) == [
        "What happened",
        *(f"This is note {number}." for number in (7, 8, 9)),
    ]


def test_a_long_note_is_wrapped_and_of_the_oldest_one_its_end_is_shown() -> None:
    notes = [Note(Kind.CHAT, "one two three four five six", "BOB"), Note(Kind.NEWS, "seven")]

    lines = draw_feed(scene_with(notes), Extent(10, 4), LOOK)

    assert show(lines) == ["What happ~", "three four", "five six", "seven"]
    assert [line[0][0] for line in lines[1:]] == ["class:strong", "class:strong", ""]


def test_an_empty_journal_is_its_heading_and_says_that_others_are_muted() -> None:
    assert show(draw_feed(scene_with([], muted=True), Extent(30, 3), LOOK)) == [
        "What happened (others muted)",
        "",
        "",
    ]


def test_what_has_happened_can_be_scrolled_back_to_its_beginning_and_no_further() -> None:
    notes = [Note(Kind.NEWS, f"This is note {number}.") for number in range(1, 10)]
    scene, extent = scene_with(notes), Extent(30, 4)
    assert count_back(scene, extent) == 6
    for back, shown in ((0, (7, 8, 9)), (1, (6, 7, 8)), (6, (1, 2, 3)), (99, (1, 2, 3))):
        scene.back = back
        lines = show(draw_feed(scene, extent, LOOK))
        assert lines == ["What happened", *(f"This is note {number}." for number in shown)]

    assert count_back(scene_with(notes[:2]), extent) == 0
    assert count_back(scene_with([Note(Kind.NEWS, "one two three four")]), Extent(5, 2)) == 3


@pytest.mark.parametrize("extent", [Extent(24, 1), Extent(24, 5), Extent(200, 90)])
def test_the_journal_takes_just_its_room(extent: Extent) -> None:
    notes = [Note(Kind.NEWS, "word " * number) for number in range(40)]
    lines = draw_feed(scene_with(notes), extent, LOOK)

    assert_fits(lines, extent)
    assert len(lines) == extent.rows
