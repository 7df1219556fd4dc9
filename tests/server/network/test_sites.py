import pytest

from mastermind_server.network.sites import find_site
from mastermind_server.network.sockets.address import NOWHERE, PROXY


@pytest.mark.parametrize(
    ("client", "site"),
    [
        ("2001:db8::/64", "2001:db8::/48"),
        ("2001:db8:0:ffff::/64", "2001:db8::/48"),
        ("2001:db8:1:2::/64", "2001:db8:1::/48"),
        ("192.0.2.7", None),
        (PROXY, None),
        (NOWHERE, None),
    ],
)
def test_a_site_of_ipv6_has_many_networks(client, site):
    assert find_site(client) == site
