"""A match that a player hosts at home stays on both computers when their programs have ended."""

from __future__ import annotations

import shlex


def test_host_and_friend_read_their_match_and_a_latecomer_whose_it_was(machine):
    ada = machine.start(
        "play", "--versus=friend", "--host", "--as=maker", "--rounds=1", "--name=Ada"
    )
    (invitation,) = shlex.split(ada.find(r"mastermind join (\S+)\n")[1])
    address, code = invitation.removesuffix("#Ada").split("/")
    bob = machine.start("join", invitation, "--name=Bob", user="bob")
    ada.answer("Your secret (4 pegs): ", "1234")
    bob.answer("Guess 1 of 12: ", "1122")
    bob.answer("Guess 2 of 12: ", "1234")
    bob.answer("Rematch, with the seats swapped? (Y/N) ", "n")
    bob.finish()
    ada.finish()  # the end of the host's server
    cid = machine.start("join", invitation, "--name=Cid", user="cid")
    results = {"ada": "1 match, 0 won, 1 lost\n", "bob": "1 match, 1 won, 0 lost\n"}
    stats = {user: machine.start("stats", user=user) for user in results}
    for user, result in results.items():
        assert stats[user].finish().startswith(result)
    reviews = [machine.start("review", code, user=user) for user in results]
    for review in (program.finish() for program in reviews):
        assert review.startswith("Review of round 1, ")
        assert review.endswith("Mastermind 4x6 \N{MIDDLE DOT} 2/12\n●○··\n●●●●\n")
    told = f"mastermind: Ada has closed the game at ws://{address}"
    cid.finish(status=1, errors=None)
    assert cid.errors.startswith(told)
