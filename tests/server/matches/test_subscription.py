"""What another node has written: everybody has it at once, or when this one looks by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Happened

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wire import Hall, Wire

    StartNode = Callable[..., Awaitable[Hall]]


async def reach(wire: Wire, match: str, version: int) -> None:
    """Read on until this version of the match was told."""
    while wire.versions[match] < version:
        await wire.until(Happened)


async def test_players_on_two_nodes_and_a_spectator_on_a_third_have_one_match(
    start_node: StartNode,
) -> None:
    here, there, elsewhere = [await start_node() for _ in range(3)]
    ada, bob, eve = await here.meet("Ada"), await there.meet("Bob"), await elsewhere.meet("Eve")
    match = (await ada.open(rounds=2)).match
    await eve.follow(match)
    await bob.join(match)
    for maker, breaker in ((ada, bob), (bob, ada)):
        await maker.set(match, "0123")
        for guess in ("4455", "0122", "0123"):
            await breaker.guess(match, guess)
    for wire in (ada, bob, eve):
        await reach(wire, match, 10)
    assert ada.matches == bob.matches
    assert eve.matches[match].phase is Phase.FINISHED
