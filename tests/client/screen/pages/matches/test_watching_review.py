from contextlib import nullcontext
from functools import partial

import pytest

from kit.clock import ManualClock
from kit.people import SessionClient, sit_down
from kit.screen.moves import undo_to_lobby
from kit.screen.slate import Slate
from kit.screen.stage import Stage, stage
from kit.server import GameServer
from mastermind_client.config.settings import Settings
from mastermind_client.messages.codes import ASCII_MARKS, format_share
from mastermind_client.network.mirror import Mirror
from mastermind_client.playback import DEFAULT_PACE_SECONDS
from mastermind_client.screen.pages.matches.watching import ReplayScreen
from mastermind_client.screen.scene.viewpoint import Position
from mastermind_protocol.commands import ResignRound
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import Finished
from mastermind_protocol.messages import ReviewedGuess

SETTINGS = Settings(name="Carol", palette="mono", glyphs="ascii")


async def play(ada: SessionClient, bob: SessionClient, rules: str = "classic") -> Mirror:
    """Play two rounds, the first with advice; return the match as Bob has it."""
    ours, theirs = await sit_down(ada, bob, rules, rounds=2)
    code = "1234" if rules == "classic" else "123456789"
    await ada.set(ours, code)
    await bob.guess(theirs, code[::-1])
    if rules == "classic":
        await bob.session.advise(theirs)
    await bob.guess(theirs, code)
    await bob.set(theirs, code)
    await ada.wait_for_turn(ours)
    await ada.session.perform(ours, ResignRound())
    await bob.wait_for_event(Finished)
    await bob.session.say(theirs, phrase=4)
    return theirs


async def look_back(shown: Stage, server: GameServer, played: Mirror) -> ReplayScreen:
    """Open the review of other players' match, above the current screen."""
    place = await shown.app.connect(server.address)
    screen = ReplayScreen(shown.app, place, await place.session.follow(played.code))
    shown.app.open(screen)
    await shown.until("Review  ")
    return screen


def is_at(screen: ReplayScreen, position: Position) -> bool:
    return screen.position == position


@pytest.fixture
async def bob(people):
    return await people.meet("Bob")


async def test_keys_the_wheel_and_clicks_step_through_a_match(server, ada, bob):
    played = await play(ada, bob)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        screen = await look_back(shown, server, played)
        await shown.until("guess 1 of 2")
        for key, position in (
            ("right", Position(0, 2)),
            ("enter", Position(1, 0)),
            ("right", Position(1, 0)),
            ("left", Position(0, 2)),
            ("down", Position(1, 0)),
            ("up", Position(0, 1)),
            ("end", Position(1, 0)),
            ("home", Position(0, 1)),
            ("left", Position(0, 1)),
        ):
            shown.press(key)
            await shown.until(f"guess {position.turns} of")
            await shown.until(partial(is_at, screen, position))
        shown.wheel(1)
        await shown.until("guess 2 of 2")
        shown.wheel(-1)
        await shown.until("guess 1 of 2")
        for number in (2, 1):
            lines = shown.text().splitlines()
            row = next(row for row, line in enumerate(lines) if f" {number} ( " in line)
            shown.click(10, row)
            await shown.until(f"guess {number} of 2")


async def test_the_review_arrives_and_the_result_can_be_copied(server, ada, bob):
    played = await play(ada, bob)
    async with stage(120, 40, settings=SETTINGS, opening=Slate) as shown:
        await look_back(shown, server, played)
        await shown.until("of 100: Bob played ")
        assert "1296 > 9" in shown.text()
        shown.press("right")
        await shown.until("Guess 2: found it, with advice")
        shown.press("c")
        await shown.until("Copied, if")
        assert shown.copied() == [format_share(played.state, ASCII_MARKS)]


async def test_a_refused_review_is_requested_again_when_its_round_is_shown_again(server, ada, bob):
    played = await play(ada, bob)
    async with stage(60, 20, settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(server.address)
        asked: list[int] = []
        review = place.session.review

        async def count(mirror: Mirror, number: int = 1) -> tuple[ReviewedGuess, ...]:
            asked.append(number)
            if len(asked) == 1:
                raise Refused.with_message(ErrorCode.TOO_MANY, "The server is busy.")
            return await review(mirror, number)

        place.session.review = count  # type: ignore[method-assign]
        screen = await look_back(shown, server, played)
        await shown.until("No review possible")
        await shown.until("erver is busy")
        shown.press("right")
        await shown.until(partial(is_at, screen, Position(0, 2)))
        assert asked == [1]
        shown.press("down", "up")
        await shown.until(lambda: asked == [1, 1])  # the second round has no guess to review


async def test_f4_opens_the_history_and_keys_and_the_wheel_scroll_it(server, ada, bob):
    played = await play(ada, bob)
    async with stage(60, 20, settings=SETTINGS, opening=Slate) as shown:
        screen = await look_back(shown, server, played)
        shown.press("f4")
        await shown.until("Bob says: Well played!")
        shown.press("up")
        await shown.until(lambda: "Bob says: Well played!" not in shown.text())
        shown.press("down")
        await shown.until("Bob says: Well played!")
        for _step in range(9):
            shown.press("pageup")
        await shown.until("Ada is the codemaker.")
        shown.press("pagedown")
        await shown.until("Commitment: ")
        for _step in range(60):
            shown.wheel(1)
        await shown.until("Bob says: Well played!")
        assert is_at(screen, Position(0, 1))
        shown.press("escape")
        await shown.until(lambda: "What happened" not in shown.text())
        assert screen is shown.app.screen


async def test_space_plays_and_pauses(server, ada, bob):
    played, clock = await play(ada, bob), ManualClock()
    async with stage(settings=SETTINGS, clock=clock, opening=Slate) as shown:
        screen = await look_back(shown, server, played)
        clock.skip(100.0)
        assert screen.position == Position(0, 1)

        shown.press("space")
        await clock.until(lambda timer: timer.seconds == DEFAULT_PACE_SECONDS)
        clock.skip(DEFAULT_PACE_SECONDS)
        assert screen.position == Position(0, 2)
        shown.press("space")
        await shown.until(lambda: not screen.pacer.is_playing)
        clock.skip(100.0)
        assert screen.position == Position(0, 2)

        shown.press("+", "space")
        await clock.until(lambda timer: timer.seconds == pytest.approx(0.7))
        clock.skip(0.71)
        assert screen.position == Position(1, 0)
        assert not screen.pacer.is_playing


@pytest.mark.parametrize("shared", [True, False])
async def test_esc_unfollows_a_match_that_no_other_screen_shows(server, ada, bob, shared):
    played = await play(ada, bob)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        place = await shown.app.connect(server.address)
        mirror = await place.session.follow(played.code)
        shown.app.open(ReplayScreen(shown.app, place, mirror, shared=shared))
        await shown.until("Review  ")
        shown.press("escape")
        await shown.until("This is the slate.")
        with nullcontext() if shared else pytest.raises(Refused, match="follow"):
            await place.session.say(mirror, phrase=1)


async def test_a_match_without_rounds_can_be_opened(server, ada, bob):
    ours, theirs = await sit_down(ada, bob)
    await bob.session.leave(theirs)
    async with stage(settings=SETTINGS, opening=Slate) as shown:
        await look_back(shown, server, ours)
        await shown.until("No round was played.")
        shown.press("right", "pagedown", "pageup", "end", "home", "down", "c")
        await shown.until("Ada wins.")


async def test_a_review_stays_when_the_server_has_gone_back(server, ada, bob):
    theirs = await play(ada, bob)
    async with stage(120, 40, settings=SETTINGS, opening=Slate) as shown:
        screen = await look_back(shown, server, theirs)
        undo_to_lobby(screen)
        shown.press("end")
        await shown.until("given up")
