from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mastermind_server.network.addresses import (
    PROXY_ADDRESS,
    UNKNOWN_ADDRESS,
    find_client_address,
    find_network,
    make_client_address,
    read_address,
    read_networks,
)

OURS = read_networks("10.0.0.0/8, fd00::/8")
FAR = (
    st.ip_addresses()
    .map(str)
    .filter(
        lambda it: (
            not any(read_address(it) in network for network in OURS)
        )  # also if mapped to IPv6
    )
)
NEAR = st.ip_addresses(network="10.0.0.0/8") | st.ip_addresses(network="fd00::/8")
HOPS = st.lists(st.text(max_size=20) | FAR | NEAR.map(str), max_size=5)


def of(address: str) -> str:
    return make_client_address(ip_address(address))


@pytest.mark.promise("ipv6-64")
@given(st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_all_addresses_of_an_ipv6_network_are_one_client(network, one, other):
    assert make_client_address(IPv6Address(network << 64 | one)) == make_client_address(
        IPv6Address(network << 64 | other)
    )


@given(st.ip_addresses(), st.ip_addresses())
def test_other_addresses_are_different_clients(one, other):
    alike = one == other
    if isinstance(one, IPv6Address) and isinstance(other, IPv6Address):
        alike = int(one) >> 64 == int(other) >> 64
    assert (make_client_address(one) == make_client_address(other)) is alike


@given(st.ip_addresses(v=4))
def test_an_ipv4_address_mapped_to_ipv6_is_the_same_client(address):
    within = IPv6Address((0xFFFF << 32) + int(address))
    assert read_address(str(within)) == address


@given(st.ip_addresses(), st.integers(1, 65535))
def test_the_port_of_an_address_is_ignored(address, port):
    host = f"[{address}]" if isinstance(address, IPv6Address) else str(address)
    assert read_address(f" {host}:{port} ") == read_address(str(address))


@given(FAR, HOPS)
def test_the_header_of_a_direct_peer_is_ignored(peer, hops):
    assert find_client_address(peer, hops, OURS) == find_client_address(peer, (), ())


@given(NEAR, HOPS, FAR, st.lists(NEAR, max_size=3))
def test_the_client_is_the_address_before_the_first_known_proxy(peer, written, client, ours):
    forwarded = [*written, ", ".join([client, *map(str, ours)])]
    assert find_client_address(str(peer), forwarded, OURS) == find_client_address(client, (), ())


@given(NEAR, st.lists(NEAR, min_size=1, max_size=3))
def test_the_first_of_only_known_proxies_is_the_client(peer, ours):
    told = [str(address) for address in ours]
    assert find_client_address(str(peer), told, OURS) == of(told[0])


@pytest.mark.parametrize("forwarded", [[], [""], ["unknown"], ["203.0.113.9, _hidden"]])
def test_a_proxy_without_a_valid_header_is_no_client(forwarded):
    assert find_client_address("10.0.0.1", forwarded, OURS) == PROXY_ADDRESS


def test_an_invalid_peer_address_has_no_client():
    assert find_client_address("", ["203.0.113.9"], OURS) == UNKNOWN_ADDRESS


@given(HOPS, st.text(max_size=20))
def test_a_header_with_any_text_has_a_client(hops, peer):
    assert find_client_address(peer, hops, OURS)


def test_networks_and_addresses_are_parsed():
    assert read_networks(" 10.0.0.0/8,192.0.2.1 ,\tfd00::/8 ") == (
        IPv4Network("10.0.0.0/8"),
        IPv4Network("192.0.2.1/32"),
        IPv6Network("fd00::/8"),
    )


@pytest.mark.parametrize("text", ["10.0.0.1/8", "proxy", "10.0.0.0/33"])
def test_the_error_for_invalid_networks_names_them(text):
    with pytest.raises(ValueError, match=text.split("/")[0]):
        read_networks(text)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("2001:db8:1:2::/64", "2001:db8:1:2::/64"),
        ("192.0.2.7/32", "192.0.2.7"),
        ("2001:db8::/32", None),
        ("192.0.2.0/24", None),
        ("7KQ2MX9DAB", None),
        ("unknown", None),
    ],
)
def test_the_banned_network_of_an_address_is_that_of_a_subscriber(address, network):
    assert find_network(address) == network
