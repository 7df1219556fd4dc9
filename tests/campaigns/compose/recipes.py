"""Follow the recipes of docs/OPERATIONS.md twice, and check what they promise.

The commands are read from the document, so that it cannot differ from what is tested.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from campaigns.compose.stack import COMMAND_SECONDS, ROOT, Stack
from kit.client import RawClient
from kit.matches import state_of
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import AnyMessage, Error
from mastermind_protocol.requests import Request

REPEATS = 2  # a recipe that works once may rely on files that it creates itself
SECRET, KEPT_GUESS, LOST_GUESS = "2345", "2222", "3333"
_MANUAL = ROOT / "docs" / "OPERATIONS.md"


class RecipeFailed(Exception):
    """A recipe of the document is missing, or does not do what the document promises."""


class PatientClient(RawClient):
    """A client that repeats a request which is refused for now, as a node may after a recipe."""

    async def ask(self, request: Request) -> AnyMessage:
        """Return the answer that is no refusal for now. Raises TimeoutError."""
        async with asyncio.timeout(COMMAND_SECONDS):
            while True:
                answer = await super().ask(request)
                if not (isinstance(answer, Error) and answer.retry_after):
                    return answer
                await asyncio.sleep(answer.retry_after)


async def follow_single_recipes(stack: Stack, note: Callable[[str], None]) -> None:
    """Back up and restore one node on SQLite, and remove its containers."""
    backup = find_block("compose.single.yml", "backup -")
    await _check_restores(stack, backup, find_block("compose.single.yml", "restore -"), note)
    await _check_down(stack, note)


async def follow_recipes(stack: Stack, note: Callable[[str], None]) -> None:
    """Dump and restore PostgreSQL, change its password, upgrade, and add a node."""
    dump = find_block("docker compose exec -T postgres pg_dump")
    await _check_restores(stack, dump, find_block("dropdb"), note)
    for name, recipe in {
        "another password": find_block("ALTER ROLE"),
        "an upgrade": "\n".join(find_commands("- **Containers:**")),
    }.items():
        for _ in range(REPEATS):
            match = await _begin_match(stack)
            await stack.follow_recipe(recipe)
            await _finish_match(stack, match)
            note(f"{name}: done")
    _add_node(stack)
    for _ in range(REPEATS):
        match = await _begin_match(stack)
        await stack.follow_recipe("\n".join(find_commands("- **A third node:**")))
        await stack.execute("server-3", "mastermind-server", "status")
        await _finish_match(stack, match)
        note("a third node: done")
    await _check_down(stack, note)


def find_block(*words: str) -> str:
    """Return the only block of commands in the document that contains all `words`."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", _MANUAL.read_text(), re.DOTALL | re.MULTILINE)
    found = [block for block in blocks if all(word in block for word in words)]
    if len(found) != 1:
        raise RecipeFailed(f"{len(found)} blocks of {_MANUAL.name} have {words}")
    return str(found[0])


def find_commands(beginning: str) -> list[str]:
    """Return the commands of `docker compose` in the list item with this beginning."""
    text = _MANUAL.read_text()
    item = re.split(r"\n(?=\n|- )", text[text.index(beginning) :])[0]
    commands = re.findall(r"`(docker compose [^`]*(?:up|migrate)[^`]*)`", item)
    if not commands:
        raise RecipeFailed(f"{_MANUAL.name} has no commands in {item!r}")
    return commands


async def _check_restores(
    stack: Stack, backup: str, restore: str, note: Callable[[str], None]
) -> None:
    for _ in range(REPEATS):
        _, bob, match = begun = await _begin_match(stack)
        await stack.follow_recipe(backup)
        await bob.guess(match, LOST_GUESS)
        await stack.follow_recipe(restore)
        await _finish_match(stack, begun)
        note("a backup is restored")


async def _check_down(stack: Stack, note: Callable[[str], None]) -> None:
    for _ in range(REPEATS):
        match = await _begin_match(stack)
        await stack.run("down")
        await stack.run("up", "--detach")
        await _finish_match(stack, match)
        note("the containers are removed and made again")


def _add_node(stack: Stack) -> None:
    """Change the files as the document asks for a third node."""
    for name, old, new in (
        (
            "docker-compose.yml",
            "  server-2: *server\n",
            "  server-2: *server\n  server-3: *server\n",
        ),
        ("Caddyfile", " server-2:8765\n", " server-2:8765 server-3:8765\n"),
    ):
        file = stack.folder / name
        text = file.read_text()
        if text.count(old) != 1:
            raise RecipeFailed(f"{name} has no line for a third node")
        file.write_text(text.replace(old, new))


async def _begin_match(stack: Stack) -> tuple[RawClient, RawClient, str]:
    """Return a codemaker, a codebreaker, and their match after its first guess."""
    await stack.wait_until_served()
    ada, bob = [await PatientClient.connect(stack.address) for _ in range(2)]
    await ada.hello("Ada")
    await bob.hello("Bob")
    match = (await ada.open()).match
    await bob.join(match)
    await ada.set(match, SECRET)
    await bob.guess(match, KEPT_GUESS)
    return ada, bob, match


async def _finish_match(stack: Stack, begun: tuple[RawClient, RawClient, str]) -> None:
    """Check that a match has only its first guess, and end it. Its players connect again."""
    *players, match = begun
    for player in players:
        await player.close()
    await stack.wait_until_served()
    bob = await PatientClient.connect(stack.address, begun[1].ids)
    await bob.hello(token=begun[1].token)
    state = state_of(await bob.follow(match))
    guesses = [] if state.current is None else [turn.code for turn in state.current.turns]
    if state.phase is not Phase.BREAKING or len(guesses) != 1:
        raise RecipeFailed(f"{match} has the guesses {guesses} in {state.phase}")
    await bob.guess(match, SECRET)
    await bob.close()
