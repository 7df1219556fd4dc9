"""Players' actions as key presses, and the results of these actions."""

from kit.screen.seats import match_of, player_of, until_guess
from kit.screen.stage import Stage
from mastermind_client.screen.pages.matches.match import MatchScreen
from mastermind_protocol.code import format_code
from mastermind_protocol.events import Joined, Seat
from mastermind_protocol.feedback import score
from mastermind_protocol.match import Match, Phase
from mastermind_protocol.messages import Log, Row


def state(shown: Stage) -> Match:
    """Return the match as received by an app."""
    return match_of(shown).mirror.state


def undo_to_lobby(screen: MatchScreen) -> None:
    """Let the session of a screen receive a log with the first row of the match only."""
    mirror = screen.mirror
    first = mirror.states[0]
    assert first.maker is not None
    events = (first.opened, Joined(player=first.maker, seat=Seat.MAKER))
    mirror.restart()
    screen.server.session.receiver.receive(Log(id=1, match=mirror.code, rows=(Row(1, events),)))
    assert mirror.state is first


def row(shown: Stage) -> str:
    """Return the guess being entered, with a dot for each empty hole."""
    pegs = player_of(shown).entry.pegs
    return "".join("." if peg is None else str(peg + 1) for peg in pegs)


async def guess(shown: Stage, code: str) -> None:
    """Type a code, send it, and wait until the board shows it or the round has ended.

    The connection receives a guess a moment before the screen shows it, and the screen empties
    the row a moment later, when the server has answered. A peg typed before changes the sent code.
    """
    number, played = count_turns(shown), len(state(shown).played)

    def is_seen() -> bool:
        match = match_of(shown).match
        turns = len(match.current.turns) if match.current else 0
        seen = turns > number or len(match.played) > played
        return seen and not match_of(shown).scene.sending

    shown.type(code)
    shown.press("enter")
    await shown.until(is_seen)


def count_turns(shown: Stage) -> int:
    """Return the number of guesses of the current round received by an app."""
    current = state(shown).current
    return len(current.turns) if current else 0


def find_candidate(match: Match) -> str:
    """Return the first code consistent with all feedback."""
    turns = match.current.turns if match.current else ()
    codes = match.rules.space.iterate_codes()
    code = next(
        code for code in codes if all(score(code, turn.code) == turn.feedback for turn in turns)
    )
    return format_code(code, match.rules)


async def say(shown: Stage, words: str) -> None:
    """Send a line of chat."""
    shown.press("tab")
    await shown.until("Say:")
    shown.type(words)
    shown.press("enter")


def may_guess(shown: Stage) -> bool:
    """Return whether the screen shows that the player is the codebreaker and has the turn."""
    screen = player_of(shown)
    mover = screen.match.to_move
    return (
        screen.match.phase is Phase.BREAKING and mover is not None and mover.id == screen.server.me
    )


async def guess_and_wait(maker: Stage, breaker: Stage, secret: str, code: str) -> None:
    """Set the secret of a round as `maker`, and make its first guess as `breaker`."""
    maker.type(secret)
    maker.press("enter")
    await breaker.until(lambda: may_guess(breaker))
    if player_of(breaker).scene.between_rounds:
        breaker.press("enter")
    await until_guess(breaker, 1)
    await guess(breaker, code)


def find_line(shown: Stage, words: str) -> str:
    """Return the first row that contains `words`, or an empty text."""
    return next((line for line in shown.text().split("\n") if words in line), "")


def send(shown: Stage, code: str) -> None:
    """Type a code and send it."""
    shown.type(code)
    shown.press("enter")


async def set_secret(maker: Stage, breaker: Stage, secret: str) -> None:
    """Set the secret of the first round, and wait until the codebreaker has the turn."""
    send(maker, secret)
    await until_guess(breaker, 1)


def count_bells(shown: Stage) -> int:
    """Return the number of bells without the BEL characters that end window titles."""
    return shown.glass.written.count("\a") - shown.glass.written.count("\x1b]2;")
