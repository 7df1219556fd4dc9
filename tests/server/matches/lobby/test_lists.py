from __future__ import annotations

import pytest

from mastermind_server.matches.lobby import lists
from mastermind_server.matches.lobby.lists import round_robin


def test_items_alternate_round_robin():
    assert round_robin(["a1", "a2", "a3", "b1", "c1", "b2"], lambda item: item[0]) == [
        "a1", "b1", "c1", "a2", "b2", "a3",
    ]  # fmt: skip


@pytest.mark.promise("lobbies")
async def test_a_player_with_many_lobbies_hides_no_other_lobby(ada, bob, eve, monkeypatch):
    monkeypatch.setattr(lists, "MAX_LISTED_MATCHES", 2)
    hidden = (await bob.open(public=True)).match
    flood = [(await ada.open(public=True)).match for _ in range(3)]
    assert [match.match for match in (await eve.list("waiting")).matches] == [flood[2], hidden]
