import pytest

from kit.people import sit_down
from kit.players import identities


@pytest.fixture
async def open_seat(server, people, bob):
    """Return Bob's side of a match after his codemaker's terminal was closed."""
    with identities().claim(server.address) as identity:
        ada = await people.meet("Ada", identity=identity)
        ours, theirs = await sit_down(ada, bob)
        await ada.set(ours, "1234")
        await bob.wait_for_turn(theirs)
        return theirs
