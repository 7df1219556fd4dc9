"""Many players in one process: what belongs to one of them reaches none of the others."""

import asyncio
import itertools

from kit.screen.crowd import PATIENCE_SECONDS, Client, crowd
from mastermind_client.config.options import PlayOptions
from mastermind_client.config.settings import Color
from mastermind_protocol.rules import DEFAULT

CLIENTS = 24  # four of each language and colours
TURNS = {"en": "Your turn", "pl": "Twój ruch"}
COLOURS: dict[Color, list[str]] = {
    "16": [],
    "256": ["38;5;"],
    "true": ["38;2;"],
}  # the terminal's codes


class Broken(RuntimeError):
    pass


async def wait_for_turn(client: Client) -> None:
    await client.until(TURNS[client.context.language.code])


async def test_many_clients_play_in_one_event_loop_and_one_fails_alone(server, tmp_path):
    options = PlayOptions(DEFAULT, "random", server=server.address, seed=7, settled=True)
    async with crowd(tmp_path, CLIENTS, options, [*TURNS], [*COLOURS]) as clients:
        await asyncio.gather(*map(wait_for_turn, clients))
        for client, language, colour in zip(
            clients, itertools.cycle(TURNS), itertools.cycle(COLOURS), strict=False
        ):
            shown = client.wire.getvalue()
            assert [word for word in TURNS.values() if word in shown] == [TURNS[language]]
            assert [sent for sent in ("38;5;", "38;2;") if sent in shown] == COLOURS[colour]

        broken, *others = clients
        broken.wire.failure = Broken("on purpose")
        broken.press("1")
        ended, _ = await asyncio.wait({broken.running}, timeout=PATIENCE_SECONDS)
        assert [type(task.exception()) for task in ended] == [Broken]
        for client in others:
            client.wire.clear()
            client.press("1234\r")
        await asyncio.gather(*(client.until("► 2") for client in others))
