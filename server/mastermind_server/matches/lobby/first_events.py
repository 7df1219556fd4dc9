"""Makes the first events of matches and rematches, and checks requests to open a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from mastermind_protocol.clock import find_clock
from mastermind_protocol.code import check_code
from mastermind_protocol.days import make_day_contest
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.events import (
    SERVER,
    AnyEvent,
    Joined,
    Opened,
    Player,
    Seat,
    SecretSet,
)
from mastermind_protocol.requests import SEAT_FOR_ANYONE, SEAT_FOR_ME, Challenge, Open, Seek
from mastermind_protocol.rules import Rules, find_rules
from mastermind_server.bots import check_codebreaker, find_bot
from mastermind_server.bots.devious import DeviousBot
from mastermind_server.bots.runner import count_rounds_as_maker
from mastermind_server.matches.names import distinguish

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mastermind_protocol.clock import Clock
    from mastermind_protocol.match import Match
    from mastermind_server.bots.bot import Bot
    from mastermind_server.storage.day_rows import DayRow

RATED_ROUNDS = (2, 4)  # both players hide a code equally often; more rounds stretch the ratings


def make_first_events(player: Player, request: Open) -> tuple[AnyEvent, ...]:
    """Return the first events of the match that a player requests.

    Raises InvalidRules, InvalidClock and InvalidCode, and Refused for invalid seats, for a bot that
    cannot play, or for a match that cannot be rated.
    """
    rules = find_rules(request.rules)
    clock = find_clock(request.clock) if request.clock is not None else None
    occupants = {Seat.MAKER: request.maker, Seat.BREAKER: request.breaker}
    _check_seats(occupants, request.rounds)
    _check_fixed_secret(request, rules)
    if request.rated and (
        set(occupants.values()) != {SEAT_FOR_ME, SEAT_FOR_ANYONE} or player.program
    ):
        raise Refused(Reason.RATED_WITHOUT_BOTS, field="rated")
    if request.rated:
        _check_rated(rules, request.rounds, clock)
    opened = Opened(
        rules=rules.name,
        rounds=request.rounds,
        public=request.public,
        rated=request.rated,
        seed=request.seed,
        secret=request.secret,
        clock=clock.name if clock else None,
    )
    seated = (
        Joined(
            player=distinguish(player) if occupant == SEAT_FOR_ME else _make_bot(occupant, seat),
            seat=seat,
        )
        for seat, occupant in occupants.items()
        if occupant != SEAT_FOR_ANYONE
    )
    return (opened, *seated)


def make_challenge_events(
    player: Player, request: Challenge, challenged: str, seat: Seat, others: Iterable[Player]
) -> tuple[AnyEvent, ...]:
    """Return the first events of the challenge that `request` asks for; `player` takes `seat`.

    `challenged` is the id of the challenged player. The name of `player` gets a suffix if it is
    similar to a name of `others` or of a bot. Raises InvalidRules and InvalidClock, and Refused for
    a match that cannot be rated.
    """
    opened = replace(make_opening_event(player, request), public=False, reserved=challenged)
    return (opened, Joined(player=distinguish(player, others), seat=seat))


def make_opening_event(player: Player, request: Seek | Challenge) -> Opened:
    """Return the event that opens a public match with the settings of `request`.

    Raises InvalidRules and InvalidClock, and Refused for a match that cannot be rated.
    """
    rules = find_rules(request.rules)
    clock = find_clock(request.clock) if request.clock is not None else None
    if request.rated:
        if player.program:
            raise Refused(Reason.RATED_NEEDS_TWO, field="rated")
        _check_rated(rules, request.rounds, clock)
    return Opened(
        rules=rules.name,
        rounds=request.rounds,
        public=True,
        rated=request.rated,
        clock=clock.name if clock else None,
    )


def _check_rated(rules: Rules, rounds: int, clock: Clock | None) -> None:
    """Raise Refused if a match with these rules, rounds and clock cannot be rated.

    A rated match has a live clock: without a clock, no player would have to move, and a clock of
    days would leave time to ask a program for moves.
    """
    if clock is None or not clock.live:
        raise Refused(Reason.RATED_NEEDS_CLOCK, field="clock")
    if rules.guesses is None:
        raise Refused(Reason.RATED_NEEDS_LIMIT, field="rules", rules=rules.name)
    if rounds not in RATED_ROUNDS:
        allowed = " or ".join(map(str, RATED_ROUNDS))
        raise Refused(Reason.RATED_ROUNDS, field="rounds", allowed=allowed, given=rounds)


def _check_seats(occupants: dict[Seat, str], rounds: int) -> None:
    """Raise Refused for invalid occupants of the seats.

    Occupants are valid if the player takes exactly one seat, or if bots take both. If the match has
    several rounds, each bot must be able to play in either seat. `Refused.field` is the seat of the
    invalid bot.
    """
    bots: dict[Seat, Bot] = {}
    for seat, occupant in occupants.items():
        if occupant not in (SEAT_FOR_ME, SEAT_FOR_ANYONE):
            bots[seat] = find_bot(occupant, seat.value)
    if len(bots) < 2 and list(occupants.values()).count(SEAT_FOR_ME) != 1:
        raise Refused(Reason.INVALID_SEATS, field="maker")
    for seat, bot in bots.items():
        if seat is Seat.BREAKER or rounds > 1:
            check_codebreaker(bot, seat.value)


def _check_fixed_secret(request: Open, rules: Rules) -> None:
    """Raise Refused if the seats or rounds of `request` do not allow its seed or secret.

    A player must not know the secret of an opponent. Raises InvalidCode if the secret does not fit
    the rules.
    """
    occupants = {request.maker, request.breaker}
    if request.seed is None and request.secret is None:
        return
    if request.maker not in (SEAT_FOR_ME, SEAT_FOR_ANYONE) and isinstance(
        find_bot(request.maker), DeviousBot
    ):
        field = "seed" if request.secret is None else "secret"
        raise Refused(Reason.NO_CODE_TO_FIX, field=field, bot=request.maker)
    if request.seed is not None and (
        request.breaker != SEAT_FOR_ME or request.maker == SEAT_FOR_ANYONE
    ):
        raise Refused(Reason.SEED_IS_KNOWN, field="seed")
    if request.secret is None:
        return
    if occupants & {SEAT_FOR_ME, SEAT_FOR_ANYONE} or request.rounds > 1:
        raise Refused(Reason.SECRET_IS_KNOWN, field="secret")
    check_code(request.secret, rules, field="secret")


def _make_bot(name: str, seat: Seat) -> Player:
    """Return a bot as a player. `name` is the requested name, which may be an alias."""
    return Player(id=f"bot-{name}-{seat}", name=name, bot=find_bot(name).name)


def make_try_events(row: DayRow, player: Player) -> tuple[AnyEvent, ...]:
    """Return the first events of the try of `player` at the code of a day, which the server sets.

    The codemaker only has a name: it never moves. So the try begins with the first guess.
    """
    maker = Player(id="bot-day-maker", name=f"Code {row.day}", bot="day")
    return (
        Opened(rules=row.rules, rounds=1, contest=make_day_contest(row.day)),
        Joined(player=maker, seat=Seat.MAKER),
        Joined(player=distinguish(player, [maker]), seat=Seat.BREAKER),
        SecretSet(by=SERVER, commitment=row.commitment, code=row.secret, nonce=row.nonce),
    )


def make_rematch_events(match_code: str, state: Match, player: Player) -> tuple[AnyEvent, ...]:
    """Return the first events of the rematch that `player` offers after a finished match.

    `match_code` and `state` are the code and the state of the finished match. If the opponent is a
    person, the player takes the seat that it did not have in the last round, and the opponent can
    join. A bot joins at once, and player and bot get the seats that they had in the first round.
    Raises Refused if the match is rated and the player has become a program.
    """
    seat, opponent = state.seat_of(player.id), state.opponent_of(player.id)
    if seat is None or opponent is None:
        raise ValueError("only a finished match with two players has a rematch")
    old = state.opened
    if old.rated and player.program:
        raise Refused(Reason.RATED_WITHOUT_PROGRAMS, field="match")
    if opponent.bot is None:
        opened = Opened(
            rules=old.rules, rounds=old.rounds, public=old.public, rated=old.rated,
            previous=match_code, reserved=opponent.id, clock=old.clock,
        )  # fmt: skip
        return (opened, Joined(player=distinguish(player, state.players), seat=seat.other))
    opened = Opened(
        rules=old.rules, rounds=old.rounds, public=old.public, previous=match_code,
        seed=old.seed, drawn=old.drawn + count_rounds_as_maker(state, opponent.id), clock=old.clock,
    )  # fmt: skip
    first = seat if old.rounds % 2 else seat.other  # the seat of the first round, for both
    return (
        opened,
        Joined(player=distinguish(player), seat=first),
        Joined(player=opponent, seat=first.other),
    )
