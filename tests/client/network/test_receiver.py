import pytest

from kit.entries import DAY, SECRET, list_try_rows
from kit.matches import NONCE, pegs
from mastermind_client.network.failures import ServerUnreachable
from mastermind_client.network.mirror import Mirror
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.receiver import Receiver
from mastermind_protocol.code import Code
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.messages import Day, DayStreak, Error

TOKEN = "T" * 43


@pytest.mark.parametrize(
    ("code", "tokens"), [(ErrorCode.LOGGED_OUT, ()), (ErrorCode.INTERNAL, (TOKEN,))]
)
def test_only_a_logout_voids_the_token_of_a_connection_that_the_server_refuses(code, tokens):
    identity = Identity()
    identity.store_token(TOKEN)
    with pytest.raises(Refused):
        Receiver("ws://h", identity).receive(Error(code=code, message="no more"))
    assert identity.tokens == tokens


@pytest.mark.parametrize(
    ("day", "rules", "secret"),
    [(DAY, "classic", SECRET), (DAY + 1, "classic", None), (DAY, "mini", None)],
)
def test_the_code_of_a_closed_day_proves_the_followed_tries_at_it(day, rules, secret):
    receiver = Receiver("ws://h", Identity())
    receiver.followed["ABCDEF"] = mirror = Mirror("ABCDEF")
    receiver.followed["GHJKMN"] = Mirror("GHJKMN")  # its log has not arrived
    for row in list_try_rows("1234"):
        mirror.apply(row)
    receiver.receive(close_day(day, rules))
    assert mirror.state.played[-1].secret == secret


def test_a_revealed_code_that_does_not_fit_the_rules_ends_the_session():
    with pytest.raises(ServerUnreachable):
        Receiver("ws://h", Identity()).receive(close_day(DAY, "classic", pegs("99"), nonce=None))


def close_day(day: int, rules: str, code: Code = SECRET, nonce: bytes | None = NONCE) -> Day:
    """Return the message about a closed day."""
    return Day(
        id=1, rules=rules, day=day, today=day + 1, now=0, state="closed", streak=DayStreak(),
        code=code, nonce=nonce,
    )  # fmt: skip
