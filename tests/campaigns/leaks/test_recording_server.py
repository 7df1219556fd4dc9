"""A recording server has settled when it does nothing before its clock advances."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from campaigns.leaks.recording_server import RecordingServer
from mastermind_server.background import BackgroundTasks


async def test_it_settles_when_periodic_work_has_ended(tmp_path: Path) -> None:
    server, done = RecordingServer(tmp_path, 0), []
    background = BackgroundTasks(server.clock)
    async with AsyncExitStack() as stack:
        await server.start()
        stack.push_async_callback(server.stop)
        stack.push_async_callback(background.stop)

        async def write() -> None:
            for _ in range(3):
                await server.server.services.store.write(id)
            done.append("written")

        background.run_every(10, write, "write")
        await server.rest()
        server.clock.skip(10)
        await server.settle()
        assert len(done) == 1
        server.clock.skip(10)
        await server.settle()
        assert len(done) == 2
