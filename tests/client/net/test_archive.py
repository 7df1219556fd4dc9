from kit.people import SessionClient, sit_down
from mastermind_client.net import archive
from mastermind_client.net.archive import read_archive
from mastermind_protocol.messages import MAX_ARCHIVED


async def finish(maker: SessionClient, breaker: SessionClient) -> str:
    """Play a match of one guess; return its code."""
    ours, theirs = await sit_down(maker, breaker)
    await maker.set(ours, "1234")
    await breaker.guess(theirs, "1234")
    return ours.code


async def test_an_archive_is_read_to_its_end(people, ada):
    bob = await people.meet("Bob")
    codes = [await finish(ada, bob) for _match in range(MAX_ARCHIVED + 2)]

    found = await read_archive(bob.session)

    assert [match.match for match in found] == codes[::-1]
    assert {match.tries for match in found} == {(1,)}
    assert {match.tries for match in await read_archive(ada.session)} == {()}


async def test_only_new_matches_are_read_again(people, ada):
    bob = await people.meet("Bob")
    known = {await finish(ada, bob), await finish(ada, bob)}
    new = await finish(ada, bob)

    assert [match.match for match in await read_archive(bob.session, known)] == [new]
    assert await read_archive(bob.session, {*known, new}) == ()


async def test_an_archive_is_read_up_to_the_limit(people, ada, monkeypatch):
    bob = await people.meet("Bob")
    codes = [await finish(ada, bob) for _match in range(3)]
    monkeypatch.setattr(archive, "MOST_READ", 2)

    found = await read_archive(bob.session)

    assert [match.match for match in found] == codes[:0:-1]
