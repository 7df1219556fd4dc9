"""Players and spectators of a match, each with an app."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from kit.screen.slate import Slate
from kit.screen.stage import ENVIRON, Stage, stage
from mastermind_client.clock import TimerClock
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import Settings
from mastermind_client.network.mirror import Mirror
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_client.screen.pages.matches.player import PlayerScreen
from mastermind_client.screen.pages.matches.watching import SpectatorScreen
from mastermind_client.screen.servers.server import Server


class Seats:
    """Apps opened by a test at one address, and closed at its end.

    Each app has a slate below the match, to which Esc returns.
    """

    def __init__(self, address: str, stack: AsyncExitStack) -> None:
        self.address = address
        self._stack = stack

    async def app(
        self,
        name: str = "Ada",
        columns: int = 100,
        rows: int = 30,
        *,
        address: str | None = None,
        clock: TimerClock | None = None,
        **settings: object,
    ) -> tuple[Stage, Server]:
        """Start a player's app with a slate; return the app and its connected connected."""
        wanted = Settings(**{"name": name, "pace": 0.0, **settings})  # type: ignore[arg-type]
        shown = await self._stack.enter_async_context(
            stage(columns, rows, settings=wanted, clock=clock, environ=ENVIRON, opening=Slate)
        )
        return shown, await shown.app.connect(self.address if address is None else address)

    async def against(
        self, bot: str = "random", *, rules: str = "classic", **options: object
    ) -> Stage:
        """Return the app of a codebreaker in a match against a bot."""
        shown, connected = await self.app(**options)  # type: ignore[arg-type]
        sit(shown, connected, await connected.session.open(rules, maker=bot, breaker="me", seed=7))
        await until_guess(shown, 1)
        return shown

    async def pair(
        self,
        *,
        rounds: int = 1,
        rules: str = "classic",
        rated: bool = False,
        clock: TimerClock | None = None,
        motion: bool = True,
    ) -> tuple[Stage, Stage]:
        """Return the apps of Ada, the codemaker, and Bob in a match; `clock` is for both."""
        ada, hers = await self.app("Ada", clock=clock, motion=motion)
        bob, his = await self.app("Bob", clock=clock, motion=motion)
        terms = {"rounds": 2, "rated": True, "clock": "5+3"} if rated else {"rounds": rounds}
        mirror = await hers.session.open(rules, maker="me", breaker="open", **terms)
        sit(bob, his, await his.session.join(mirror.code))
        sit(ada, hers, mirror)
        await ada.until("will not guess")
        await bob.until("Ada hides a code")
        return ada, bob

    async def spectator(self, watched: Stage, name: str = "Cleo") -> Stage:
        """Return the app of a spectator of another player's match."""
        shown, connected = await self.app(name)
        sit(shown, connected, await connected.session.follow(match_of(watched).mirror.code))
        await shown.until("watching")
        return shown


@asynccontextmanager
async def seats_at(address: str = OFFLINE) -> AsyncIterator[Seats]:
    """Provide seats at an address."""
    async with AsyncExitStack() as stack:
        yield Seats(address, stack)


def sit(shown: Stage, connected: Server, mirror: Mirror) -> MatchScreen:
    """Open the screen of a match above the current screen."""
    playing = mirror.state.seat_of(connected.me) is not None
    screen = (PlayerScreen if playing else SpectatorScreen)(shown.app, connected, mirror)
    shown.app.open(screen)
    return screen


def match_of(shown: Stage) -> MatchScreen:
    """Return the match screen on top."""
    return shown.on(MatchScreen)


def player_of(shown: Stage) -> PlayerScreen:
    """Return the player's match screen on top."""
    return shown.on(PlayerScreen)


def spectator_of(shown: Stage) -> SpectatorScreen:
    """Return the spectator's match screen on top."""
    return shown.on(SpectatorScreen)


async def give_up(shown: Stage) -> None:
    """Press Esc and choose to leave the match for good."""
    shown.press("escape")
    await shown.until("Leave the match?")
    shown.press("down", "down", "enter")


def find(shown: Stage, words: str, shift: int = 0) -> tuple[int, int]:
    """Return the column, plus `shift`, and the row of the first `words` on the screen."""
    for number, line in enumerate(shown.text().split("\n")):
        if words in line:
            return line.index(words) + shift, number
    raise AssertionError(f"{words!r} is not on the screen:\n{shown.text()}")


async def until_guess(shown: Stage, number: int) -> None:
    """Wait until it is the player's turn to make guess `number`."""
    counted = re.compile(rf" {number}( of \d+)? ─")

    def asked() -> bool:
        return "Your turn  " in shown.text() and counted.search(shown.text()) is not None

    await shown.until(asked)
