"""What happened in a match, in words: pure functions from events to lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from mastermind_client.plain.style import find_style
from mastermind_client.trouble import sanitise
from mastermind_protocol.code import format_code, name_colours
from mastermind_protocol.commitment import find_fraud
from mastermind_protocol.events import (
    Advised,
    AnyEvent,
    Finished,
    Forfeit,
    Guessed,
    Joined,
    Left,
    MatchEnd,
    Opened,
    Player,
    RematchOffered,
    RoundEnd,
    RoundEnded,
    SecretSet,
)
from mastermind_protocol.feedback import Feedback
from mastermind_protocol.match import Match, Phase, Round, Turn, evolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mastermind_protocol.code import Code
    from mastermind_protocol.rules import Rules


FORFEITS = {
    Forfeit.FAILED: "the bot failed, and forfeits",
    Forfeit.SLOW: "the bot took too long, and forfeits",
    Forfeit.ILLEGAL: "the bot played no legal code, and forfeits",
}
"""Why a bot had to leave, in words."""


def name_player(player: Player) -> str:
    """Return the name of a player; bots show as bots, and one under an alias as what it is."""
    name = sanitise(player.name)
    if player.bot is not None and player.bot != player.name:
        return f"{name} (bot {sanitise(player.bot)})"
    return f"{name} (bot)" if player.is_bot else name


def describe_rules(rules: Rules) -> list[str]:
    """Say what is played and how a code is typed."""
    guesses = f"{rules.guesses} guesses" if rules.guesses else "as many guesses as it takes"
    colours = (
        f"{' or '.join(alphabet[index] for alphabet in rules.alphabets)} {colour}"
        for index, colour in enumerate(rules.palette)
    )
    return [
        f"{rules}: {rules.pegs} pegs, {rules.colours} colours, {guesses}.",
        f"Colours: {', '.join(colours)}.",
    ]


def write_code(code: Code, rules: Rules) -> str:
    """Return a code with a blank between its pegs."""
    return " ".join(format_code(code, rules))


def write_feedback(feedback: Feedback, rules: Rules) -> str:
    """Return feedback in the rules' notation, and always in words."""
    written = rules.keys.write(feedback, rules.pegs)
    if rules.keys.counted:
        return written
    return f"{written}  {feedback.black} black, {feedback.white} white"


def write_turn(number: int, turn: Turn, rules: Rules) -> str:
    """Return one row of the board."""
    return f"{number:2}  {write_code(turn.code, rules)}  {write_feedback(turn.feedback, rules)}"


def write_board(turns: Iterable[Turn], rules: Rules, *, whole: bool) -> list[str]:
    """Return the board's rows; `whole` shows the empty ones too."""
    rows = [write_turn(number, turn, rules) for number, turn in enumerate(turns, start=1)]
    if whole:
        empty = " ".join("." * rules.pegs)
        rows += [f"{number:2}  {empty}" for number in range(len(rows) + 1, rules.limit + 1)]
    return rows


def count_guesses(played: Round) -> str:
    """Return how many guesses a round had, in words."""
    number = len(played.turns)
    return f"{number} guess{'es' if number != 1 else ''}"


def describe_reason(why: Forfeit | None) -> str:
    """Return what is said after that somebody left: why, if it was a bot that had to."""
    return f": {FORFEITS[why]}" if why else ""


def describe(events: Iterable[AnyEvent], before: Match | None, me: str | None) -> Iterator[str]:
    """Yield lines that tell what happened, to the player with id `me` or to a spectator."""
    match = before
    for event in events:
        after = evolve(match, event)
        yield from _describe(event, match or after, after, me)
        match = after


def _describe(event: AnyEvent, before: Match, after: Match, me: str | None) -> Iterator[str]:
    rules = after.rules
    match event:
        case Opened():
            yield from describe_rules(rules)
            if event.rounds > 1:
                yield f"{event.rounds} rounds are played; the seats are swapped after each."
            if event.rated:
                yield "It is rated: without advice, and without programs."
        case Joined(player=player, seat=seat):
            who = "You are" if player.id == me else f"{name_player(player)} is"
            yield f"{who} the code{seat}."
            if after.phase is Phase.SETTING:
                yield from _announce_round(after, me)
        case SecretSet(by=by, commitment=commitment, code=code):
            if commitment is None:
                yield f"{subject(after, by, me)} keeps no code, and so can commit to none:"
                yield "it answers each guess by any code that agrees with all its answers."
                return
            yield "Your secret is set." if by == me else "The secret is set."
            if code is not None and by == me:
                yield f"It is {write_code(code, rules)}; only you can see it."
            yield f"Commitment: {commitment.hex()}"
        case Advised(by=by):
            guess = len(after.current.turns) + 1 if after.current else 0
            yield f"{subject(after, by, me)} took advice for guess {guess}."
        case Guessed():
            yield from _describe_guess(event, after)
        case RoundEnded():
            yield from _describe_round_end(event, before, after, me)
        case Left(player=player, why=why):
            yield f"{subject(after, player, me)} left{describe_reason(why)}."
        case Finished():
            yield from _describe_result(event, after, me)
        case RematchOffered(by=by, match=code):
            yield f"{subject(after, by, me)} offered a rematch: match {code}."
        case _:
            assert_never(event)


def _announce_round(match: Match, me: str | None) -> Iterator[str]:
    if match.opened.rounds == 1 or match.maker is None or match.breaker is None:
        return
    number, rounds = match.round_number, match.opened.rounds
    sets = "you set" if match.maker.id == me else f"{name_player(match.maker)} sets"
    breaks = "you break" if match.breaker.id == me else f"{name_player(match.breaker)} breaks"
    yield f"Round {number} of {rounds}: {sets} the secret, {breaks} it."


def _describe_guess(event: Guessed, after: Match) -> Iterator[str]:
    turns = after.current.turns if after.current else ()
    if find_style(after.rules).whole_board:
        yield from write_board(turns, after.rules, whole=True)
    else:
        turn = Turn(event.code, Feedback(event.black, event.white))
        yield write_turn(len(turns), turn, after.rules)


def _describe_round_end(
    event: RoundEnded, before: Match, after: Match, me: str | None
) -> Iterator[str]:
    played = after.played[-1]
    breaker = subject(before, played.breaker, me)
    guesses = count_guesses(played)
    match event.how:
        case RoundEnd.BROKEN:
            yield f"{breaker} broke the code in {guesses}."
        case RoundEnd.EXHAUSTED:
            yield f"The code stands: {guesses}, and no more are left."
        case RoundEnd.RESIGNED:
            yield f"{breaker} gave up after {guesses}: the code stands."
        case RoundEnd.LEFT:
            yield f"The round ends after {guesses}."
    names = " ".join(name_colours(event.code, after.rules))
    yield f"The secret was {write_code(event.code, after.rules)}: {names}."
    fraud = find_fraud(played, after.rules)
    if fraud is None and played.commitment is None:
        yield "Every feedback fits it; there was no commitment to prove."
    elif fraud is None:
        yield "Code proven: it is the one committed to, and every feedback fits it."
    else:
        yield f"WARNING! CODE NOT PROVEN: {fraud}. You have been cheated."
    if after.opened.rounds > 1:
        yield _score(after)
        if after.phase is Phase.SETTING:
            yield from _announce_round(after, me)


def _score(match: Match) -> str:
    points = (f"{name_player(player)} {match.points_of(player.id)}" for player in match.players)
    return f"Points: {', '.join(points)}."


def _describe_result(event: Finished, match: Match, me: str | None) -> Iterator[str]:
    if event.how is MatchEnd.CLOSED:
        yield "The match is closed: nobody joined."
    elif event.winner is None:
        yield "The match is a draw."
    elif event.winner == me:
        yield "You win."
    else:
        lost = " You lose." if match.seat_of(me) else ""
        yield f"{subject(match, event.winner, me)} wins.{lost}"


def subject(match: Match, player: str, me: str | None) -> str:
    """Return what a sentence about the player with this id begins with."""
    if player == me:
        return "You"
    seated = (name_player(found) for found in match.players if found.id == player)
    return next(seated, "Somebody")
