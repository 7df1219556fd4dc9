from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from client.people import sit_down
from client.screen.slate import Slate
from client.screen.stage import Stage, stage
from mastermind_client.config.settings import Settings
from mastermind_client.screen.match.position import Position
from mastermind_client.screen.pages.replay import ReplayScreen
from mastermind_protocol.errors import Refused
from mastermind_protocol.events import Finished
from mastermind_protocol.requests import Unfollow

if TYPE_CHECKING:
    from client.people import People, Person, RestartableServer
    from mastermind_client.net.mirror import Mirror
    from mastermind_protocol.messages import Reviewed

SETTINGS = Settings(name="Carol", palette="mono", glyphs="ascii")


async def play(ada: Person, bob: Person, rules: str = "classic") -> Mirror:
    """Play two rounds, the first with advice; return the match as Bob has it."""
    ours, theirs = await sit_down(ada, bob, rules, rounds=2)
    code = "0123" if rules == "classic" else "012345678"
    await ada.set(ours, code)
    await bob.guess(theirs, code[::-1])
    if rules == "classic":
        await bob.session.advise(theirs)
    await bob.guess(theirs, code)
    await bob.set(theirs, code)
    await ada.turn(ours)
    await ada.session.resign(ours)
    await bob.hear_of(Finished)
    await bob.session.say(theirs, phrase=4)
    return theirs


async def look_back(shown: Stage, server: RestartableServer, played: Mirror) -> ReplayScreen:
    """Open the review of a match of other people, on top of what is shown."""
    place = await shown.app.connect(server.address)
    screen = ReplayScreen(shown.app, place, await place.session.follow(played.code))
    shown.app.open(screen)
    await shown.until("Review  ")
    return screen


def is_at(screen: ReplayScreen, position: Position) -> bool:
    return screen.position == position


@pytest.fixture
async def bob(people: People) -> Person:
    return await people.meet("Bob")


async def test_a_match_is_looked_at_from_its_beginning_one_guess_at_a_time(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        screen = await look_back(shown, server, played)
        await shown.until("guess 0 of 2")
        await shown.until("Before the first guess there are 1296 codes.")
        for key, position in (
            ("right", Position(0, 1)),
            ("enter", Position(0, 2)),
            ("right", Position(1, 0)),
            ("left", Position(0, 2)),
            ("pagedown", Position(1, 0)),
            ("end", Position(1, 0)),
            ("pageup", Position(0, 2)),
            ("pageup", Position(0, 0)),
            ("pagedown", Position(1, 0)),
            ("home", Position(0, 0)),
            ("left", Position(0, 0)),
        ):
            shown.press(key)
            await shown.until(f"guess {position.turns} of")
            await shown.until(partial(is_at, screen, position))


async def test_the_bots_review_of_each_round_comes_by_itself(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    async with stage(120, 40, settings=SETTINGS, opening=Slate) as shown:
        await look_back(shown, server, played)
        await shown.until("Bob beat the expected size on")
        shown.press("right")
        await shown.until("Guess 1: 0 black, 4 white")
        assert "1296 -> 9 codes" in shown.text()
        shown.press("right")
        await shown.until("Guess 2, with advice: 4 black, 0 white")
        assert "Code proven: it is the one committed to" in shown.text()
        assert "Bob says: Well played!" in shown.text()


async def test_a_click_on_a_row_goes_to_its_guess_if_it_was_made(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        screen = await look_back(shown, server, played)
        shown.click(6, 4)
        await shown.until("guess 2 of 2")
        shown.click(6, 3)
        await shown.until("guess 1 of 2")
        shown.click(6, 5)
        shown.press("s")
        await shown.until("### ### ### ###")
        assert screen.position == Position(0, 1)


async def test_the_secret_can_be_hidden_until_its_round_is_over(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        await look_back(shown, server, played)
        await shown.until("(R) (G) (B) (Y)  secret")
        shown.press("s")
        await shown.until("### ### ### ###  secret")
        shown.press("right", "right")
        await shown.until("(R) (G) (B) (Y)  secret")
        shown.press("left")
        await shown.until("### ### ### ###  secret")
        shown.press("s")
        await shown.until("(R) (G) (B) (Y)  secret")


async def test_a_refused_review_is_told_in_its_place(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob, "9x12/99")
    async with stage(60, 20, settings=SETTINGS, opening=Slate) as shown:
        await look_back(shown, server, played)
        shown.press("right")
        await shown.until("No review: ")
        assert "advice and reviews" in shown.text()
        shown.press("right")
        await shown.until("guess 2 of 2")
        assert "(R)(G)(B)(Y)(O)(P)(C)(M)(L)" in shown.text()


async def test_a_refused_review_is_asked_for_again_when_its_round_is_come_to_again(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob, "9x12/99")
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(server.address)
        asked: list[int] = []
        review = place.session.review

        async def count(mirror: Mirror, number: int = 1) -> tuple[Reviewed, ...]:
            asked.append(number)
            return await review(mirror, number)

        place.session.review = count  # type: ignore[method-assign]
        screen = await look_back(shown, server, played)
        shown.press("right")
        await shown.until("No review: ")
        shown.press("right")
        await shown.until(partial(is_at, screen, Position(0, 2)))
        assert asked == [1]
        shown.press("pagedown", "pageup")
        await shown.until(lambda: asked == [1, 1])  # the second round has no guess to review


async def test_what_is_told_is_scrolled_by_keys_and_by_the_wheel(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    async with stage(60, 20, settings=SETTINGS, opening=Slate) as shown:
        screen = await look_back(shown, server, played)
        shown.press("right", "right")
        await shown.until("lines 1 to ")
        shown.press("down")
        await shown.until("lines 2 to ")
        shown.press("up", "up")
        await shown.until("lines 1 to ")
        shown.wheel(1)
        await shown.until("lines 2 to ")
        for _step in range(40):
            shown.press("down")
        await shown.until("Bob says: Well played!")
        shown.press("up")
        await shown.until(lambda: "Bob says: Well played!" not in shown.text())
        shown.press("left")
        await shown.until("guess 1 of 2")
        assert screen.replay.top == 0


async def test_esc_goes_back_and_the_match_is_followed_no_more(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        screen = await look_back(shown, server, played)
        shown.press("escape")
        await shown.until("This is the slate.")
        with pytest.raises(Refused, match="follow"):
            await screen.place.session.say(screen.mirror, phrase=1)


async def test_a_review_left_while_reconnecting_is_followed_no_more_when_that_is_over(
    people: People, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    relay = await people.relay()
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(relay.address)
        shown.app.open(ReplayScreen(shown.app, place, await place.session.follow(played.code)))
        await shown.until("Review  ")
        relay.hold()
        relay.cut()
        await shown.until("Trying again")
        shown.press("escape")
        await shown.until("This is the slate.")
        relay.release()
        await shown.until(lambda: not shown.app.busy)
        assert [request.match for request in relay.asked if isinstance(request, Unfollow)] == [
            played.code
        ]


async def test_a_match_that_is_shared_with_the_screen_below_is_followed_on(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(server.address)
        mirror = await place.session.follow(played.code)
        shown.app.open(ReplayScreen(shown.app, place, mirror, shared=True))
        await shown.until("Review  ")
        shown.press("escape")
        await shown.until("This is the slate.")
        await place.session.say(mirror, phrase=1)


async def test_a_match_that_was_left_before_its_first_round_can_be_looked_at(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    ours, _theirs = await sit_down(ada, bob)
    await ada.session.leave(ours)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        await look_back(shown, server, ours)
        await shown.until("No round was played.")
        shown.press("right", "pagedown", "pageup", "end", "home", "down", "s")
        await shown.until("Bob wins.")


async def test_the_end_of_the_server_is_told_and_what_is_known_stays(
    server: RestartableServer, ada: Person, bob: Person
) -> None:
    played = await play(ada, bob)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        await look_back(shown, server, played)
        await shown.until("Bob beat the expected size on")
        await server.stop()
        await shown.until("Trying again (")
        shown.press("right")
        await shown.until("1296 -> 9 codes")
        await server.start()
        await shown.until(lambda: "Trying again" not in shown.text())
