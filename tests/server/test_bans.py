from __future__ import annotations

import pytest

from mastermind_server.bans import Ban, Bans, find_network


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("7KQ2MX9DAB", None),
        ("unknown", None),
    ],
)
def test_an_address_is_banned_with_all_that_its_subscriber_has(
    address: str, network: str | None
) -> None:
    assert find_network(address) == network


def test_a_ban_is_for_a_network_and_for_a_time() -> None:
    bans = Bans()
    assert bans.replace([Ban("2001:db8::/64", 1000, "x")]) == {"2001:db8::/64"}
    assert bans.find_address("2001:db8::9", 999) is not None
    assert bans.find_address("2001:db8::9", 1000) is None
    assert bans.find_address("2001:db8:0:1::9", 999) is None
    assert bans.replace([Ban("2001:db8::/64", None, "x"), Ban("A", None, "y")]) == {"A"}
    assert bans.find_address("2001:db8::9", 10**15) is not None
