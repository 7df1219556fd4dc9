"""The control: a process that is as busy as an attacker and leaves the server alone."""

from __future__ import annotations

import asyncio

from campaigns.attacks.attackers import DONE, act

CONNECTIONS = 20


async def talk_to_itself(address: str) -> None:  # noqa: ARG001 - the control ignores the server
    """Echo messages on twenty sockets of its own, without a pause."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1024):
            writer.write(data)

    listener = await asyncio.start_server(echo, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]

    async def talk(_: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while True:
            writer.write(bytes(100))
            await reader.readexactly(100)
            DONE["sent"] += 1

    await act(CONNECTIONS, talk)
