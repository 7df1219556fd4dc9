import pytest

from mastermind_client.network.identity import Identity
from mastermind_client.network.receiver import Receiver
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.messages import Error

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
