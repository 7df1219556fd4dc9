"""The clocks of a match on its page: ticking, the bell, and matches without a clock."""

from collections.abc import Callable
from types import SimpleNamespace

from kit.clock import ManualClock
from kit.matches import pegs
from kit.screen.moves import count_bells
from kit.screen.scenes import ADA, BOB, EVE, against_bot, at, show, timed
from kit.screen.scripted import ScriptedMatch
from kit.screen.stage import stage
from mastermind_client.screen.app import App
from mastermind_client.screen.screen import Screen
from mastermind_protocol.commands import GuessCode, ResignRound
from mastermind_protocol.events import Player, Resumed

STEP = 50  # milliseconds


class Played(SimpleNamespace):
    told: ScriptedMatch


def open_timed(played: Played, me: Player = ADA) -> Callable[[App], Screen]:
    def open_match(app: App) -> Screen:
        played.told = timed(at(app, me))
        return show(app, played.told)

    return open_match


def wait(clock: ManualClock, told: ScriptedMatch, seconds: float) -> None:
    """Let the time of the match and that of the client pass together."""
    for _step in range(round(seconds * 1000 / STEP)):
        told.at += STEP
        clock.skip(STEP / 1000)


async def test_the_clock_of_the_player_to_move_ticks():
    clock, played = ManualClock(), Played()
    async with stage(opening=open_timed(played), clock=clock) as shown:
        await shown.until("05:00")
        wait(clock, played.told, 1.2)
        await shown.until("04:58")
        wait(clock, played.told, 290)
        await shown.until("!8.8")
        wait(clock, played.told, 0.2)
        await shown.until("Your turn !8.6")
        wait(clock, played.told, 20)
        await shown.until("!0.0")
        assert not clock.pending


async def test_the_bell_rings_once_in_the_last_tenth_of_a_players_time():
    clock, played = ManualClock(), Played()
    async with stage(opening=open_timed(played), clock=clock) as shown:
        await shown.until("05:00")
        rung = count_bells(shown)
        wait(clock, played.told, 269)
        await shown.until("!00:31")
        assert count_bells(shown) == rung
        wait(clock, played.told, 12)
        await shown.until("!00:19")
        assert count_bells(shown) == rung + 1


async def test_the_bell_does_not_ring_for_another_players_time():
    for me in (BOB, EVE):
        clock, played = ManualClock(), Played()
        async with stage(opening=open_timed(played, me), clock=clock) as shown:
            await shown.until("05:00")
            rung = count_bells(shown)
            wait(clock, played.told, 281)
            await shown.until("!00:19")
            assert count_bells(shown) == rung


async def test_a_new_round_starts_the_clock_of_its_codemaker():
    clock, played = ManualClock(), Played()
    async with stage(opening=open_timed(played), clock=clock) as shown:
        await shown.until("05:00")
        wait(clock, played.told, 61)
        played.told.do(ADA, ResignRound())
        await shown.until("Your turn 01:00")  # between two rounds there are no plates
        wait(clock, played.told, 1.2)
        await shown.until("Your turn !00:58")
        shown.press("enter")
        await shown.until("Ada (you) 1512 !00:58")


async def test_no_timer_runs_in_a_match_without_a_clock():
    def open_match(app: App) -> Screen:
        return show(app, against_bot(at(app)))

    clock = ManualClock()
    async with stage(opening=open_match, clock=clock) as shown:
        await shown.until("Your turn")
        assert not clock.pending


async def test_time_that_the_server_gives_back_is_announced():
    clock, played = ManualClock(), Played()
    async with stage(opening=open_timed(played), clock=clock) as shown:
        await shown.until("05:00")
        wait(clock, played.told, 30)
        played.told.happen(Resumed(lost=12_000))
        await shown.until("The server lost time: the clock gets 12 seconds back.")
        await shown.until("04:42")


async def test_leaving_a_match_with_a_clock_says_what_it_costs():
    clock, played = ManualClock(), Played()
    async with stage(opening=open_timed(played), clock=clock) as shown:
        await shown.until("05:00")
        shown.press("escape")
        await shown.until("Nobody wins: no guess yet.")
        assert "The clock runs on; away at" in shown.text()  # and, wrapped: its end, you can lose.
        shown.press("escape")
        await shown.until(lambda: "Stay" not in shown.text())
        played.told.do(ADA, GuessCode(pegs("1122")))
        shown.press("escape")
        await shown.until("Bob wins.")
