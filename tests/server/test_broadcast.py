"""Messages reach each member of an audience once and in order, over several iterations."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit.strategies import thorough
from mastermind_server.broadcast import Audience, BroadcastScheduler

PER_TURN = 3
PEOPLE = 8  # of each audience


class Person:
    """A peer that keeps the messages it got, and those it should have got."""

    def __init__(self) -> None:
        self.told: list[bytes] = []
        self.meant: list[bytes] = []

    def push(self, *messages: bytes) -> None:
        assert messages, "nothing is no reason to write"
        self.told.extend(messages)

    def encode(self, message: bytes) -> bytes:
        return b"<%b>" % message

    def push_encoded(self, encoded: Sequence[bytes]) -> None:
        self.push(*(message[1:-1] for message in encoded))


class Theatre:
    """Two audiences, their peers, and the conditions that always hold."""

    def __init__(self) -> None:
        scheduler = BroadcastScheduler(PER_TURN)
        self.audiences = [Audience[Person](scheduler) for _ in range(2)]
        self.people = [[Person() for _ in range(PEOPLE)] for _ in self.audiences]
        self.messages = 0

    def come(self, where: int, who: int) -> None:
        """Subscribe, or subscribe again: earlier messages are not sent then."""
        person = self.people[where][who]
        person.meant = person.told.copy()
        self.audiences[where].add(person)

    def go(self, where: int, who: int) -> None:
        person = self.people[where][who]
        person.meant = person.told.copy()
        self.audiences[where].remove(person)

    def broadcast(self, where: int, who: int | None = None) -> None:
        """Send a message to an audience, except to person `who`."""
        self.messages += 1
        message = b"%d" % self.messages
        for number, person in enumerate(self.people[where]):
            if number != who and person in self.audiences[where]:
                person.meant.append(message)
        self.audiences[where].broadcast(message, None if who is None else self.people[where][who])
        if who is not None:
            person = self.people[where][who]
            assert person.told == person.meant, "it is answered now, and nothing may come after"

    async def turn(self) -> None:
        """Run one iteration of the loop."""
        before = [person.told.copy() for row in self.people for person in row]
        await asyncio.sleep(0)
        after = [person.told for row in self.people for person in row]
        assert sum(a != b for a, b in zip(after, before, strict=True)) <= PER_TURN

    def check(self) -> None:
        """Assert that each person got a prefix of its messages, in order."""
        for row in self.people:
            for person in row:
                assert person.told == person.meant[: len(person.told)]


WHERE, WHO = st.integers(0, 1), st.integers(0, PEOPLE - 1)
STEPS: st.SearchStrategy[Callable[[Theatre], None]] = st.one_of(
    st.builds(lambda where, who: lambda on: on.come(where, who), WHERE, WHO),
    st.builds(lambda where, who: lambda on: on.go(where, who), WHERE, WHO),
    st.builds(lambda where: lambda on: on.broadcast(where), WHERE),
    st.builds(lambda where, who: lambda on: on.broadcast(where, who), WHERE, WHO),
)


@given(st.lists(STEPS | st.none(), max_size=60))
@thorough
async def test_each_peer_gets_each_message_once_and_in_order(steps):
    theatre = Theatre()
    for where, row in enumerate(theatre.people):
        for who in range(len(row) // 2):
            theatre.come(where, who)
    for step in steps:
        if step is None:
            await theatre.turn()
        else:
            step(theatre)
        theatre.check()
    for _ in range(2 * PEOPLE // PER_TURN + 2):  # each audience may leave a bit of a turn unused
        await theatre.turn()
    for row in theatre.people:
        for person in row:
            assert person.told == person.meant


def crowd(size: int, scheduler: BroadcastScheduler) -> tuple[Audience[Person], list[Person]]:
    audience, people = Audience[Person](scheduler), [Person() for _ in range(size)]
    for person in people:
        audience.add(person)
    return audience, people


def count_told(people: list[Person]) -> int:
    return sum(bool(person.told) for person in people)


async def finish(audience: Audience[Person], people: list[Person]) -> list[int]:
    """Run until all have their messages; return the number served after each iteration."""
    counts = [count_told(people)]
    for _ in people:
        if audience.is_behind:
            await asyncio.sleep(0)
            counts.append(count_told(people))
    return counts


async def test_several_audiences_share_one_slice_in_turn():
    scheduler = BroadcastScheduler(PER_TURN)
    crowds = [crowd(3 * PER_TURN, scheduler) for _ in range(3)]
    for audience, _ in crowds:
        audience.broadcast(b"1")
    told = []
    for _ in range(4):
        told.append([count_told(people) for _, people in crowds])
        await asyncio.sleep(0)
    assert told == [[3, 0, 0], [6, 0, 0], [6, 3, 0], [6, 3, 3]]


class Hasty(Person):
    """A peer that shows which messages arrived together."""

    def push(self, *messages: bytes) -> None:
        super().push(b"+".join(messages))


async def test_pending_messages_of_one_peer_are_sent_together():
    people: list[Person] = [Hasty(), Hasty()]
    audience = Audience[Person](BroadcastScheduler(budget=1))
    for person in people:
        audience.add(person)
    for message in (b"1", b"2", b"3"):
        audience.broadcast(message)
    await finish(audience, people)
    assert [person.told for person in people] == [[b"1", b"2+3"], [b"1+2+3"]]


@pytest.mark.parametrize("leaves", [True, False])
async def test_a_message_is_released_when_the_last_peer_has_it(leaves):
    audience, people = crowd(PER_TURN + 1, BroadcastScheduler(PER_TURN))
    audience.broadcast(b"1")
    assert audience._encoded == [b"<1>"]
    if leaves:
        audience.remove(people[-1])
    else:
        audience.catch_up(people[-1])
    assert audience._encoded == []
