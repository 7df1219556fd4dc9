"""The command: the bot's abilities, and its identity."""

import asyncio
import io
from dataclasses import replace

import pytest

from kit.people import PATIENCE
from kit.players import identities
from mastermind_client.bot_runner import command
from mastermind_client.cli.process import make_context
from mastermind_client.config.options import BotOptions
from mastermind_protocol.errors import ErrorCode, Refused


@pytest.mark.parametrize(
    ("bot", "missing"), [("Breaker", "make(rules)"), ("Maker", "choose(view)")]
)
async def test_rounds_need_both_seats(bot, missing):
    with pytest.raises(Refused) as refused:
        await command.run(make_context(), BotOptions(f"bots:{bot}", rounds=2))
    assert refused.value.code == ErrorCode.INVALID_SEATS
    assert refused.value.message == (
        f"bots:{bot} has no {missing}, and in 2 rounds the seats are swapped"
    )


async def test_a_bot_that_cannot_be_loaded_is_not_connected():
    with pytest.raises(Refused, match=r"bots:Idle has neither choose\(view\) nor make\(rules\)"):
        await command.run(make_context(), BotOptions("bots:Idle", server="ws://127.0.0.1:1"))


class Lines(io.StringIO):
    """An output that puts its lines into a queue."""

    def __init__(self, said: asyncio.Queue[str]) -> None:
        super().__init__()
        self._said = said

    def write(self, text: str) -> int:
        if text != "\n":
            self._said.put_nowait(text)
        return len(text)


async def test_a_bot_has_another_identity_than_its_owner(ada, people, server):
    with identities().claim(server.address) as identity:
        olga = await people.meet("Olga", identity=identity)
        said: asyncio.Queue[str] = asyncio.Queue()
        context = replace(make_context(), output=Lines(said))
        options = BotOptions("bots:Breaker", server=server.address)
        running = asyncio.create_task(command.run(context, options))
        async with asyncio.timeout(PATIENCE):
            assert await said.get() == "connected as Breaker"
            code = (await said.get()).removeprefix("open: match ")[:6]
        mirror = await ada.session.join(code)
        assert mirror.state.breaker is not None
        assert (mirror.state.breaker.name, mirror.state.breaker.is_bot) == ("Breaker", True)
        assert mirror.state.breaker.id != olga.id
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    with identities().claim(server.address) as identity:
        again = await people.meet("Olga", identity=identity)
        assert (again.id, again.session.player.is_bot) == (olga.id, False)
