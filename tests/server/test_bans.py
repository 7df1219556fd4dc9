from __future__ import annotations

from mastermind_server.bans import Ban, Bans


def test_a_ban_is_for_a_network_and_for_a_time() -> None:
    bans = Bans()
    assert bans.replace([Ban("2001:db8::/64", 1000, "x")]) == {"2001:db8::/64"}
    assert bans.find("2001:db8::/64", 999) is not None
    assert bans.find("2001:db8::/64", 1000) is None
    assert bans.find("2001:db8:0:1::/64", 999) is None
    assert bans.replace([Ban("2001:db8::/64", None, "x"), Ban("A", None, "y")]) == {"A"}
    assert bans.find("2001:db8::/64", 10**15) is not None
