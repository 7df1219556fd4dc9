"""The addresses by which limits count clients, including clients behind the operator's proxies.

The address of a client is its IPv4 address or its /64 of IPv6, because one client usually holds a
whole /64. A site may hold a /48, which contains 65,536 such networks, so each /48 has limits too.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

UNKNOWN_ADDRESS = "unknown"  # of a peer without an IP address, such as a Unix socket
PROXY_ADDRESS = "proxy"  # of an operator's proxy, before its request names a client
_CLIENT_PREFIX = 64
_SITE_PREFIX = 48  # of the largest IPv6 network that a provider assigns to one site (RFC 6177)


def find_client_address(peer: str, forwarded: Iterable[str], proxies: tuple[Network, ...]) -> str:
    """Return the address of the client behind a socket's peer, for limits.

    `peer` is the IP address of the peer. `forwarded` contains the values of X-Forwarded-For. Each
    proxy appends the address of its own peer, and clients can forge the earlier addresses. So the
    search begins at `peer` and goes backwards through `forwarded`. It ends at the first address
    that is not in `proxies`. If all addresses are in `proxies`, it ends at the earliest one.

    Returns PROXY_ADDRESS if `peer` is a proxy and `forwarded` contains no address, and
    UNKNOWN_ADDRESS if `peer` is no IP address.
    """
    client = read_address(peer)
    if client is None:
        return UNKNOWN_ADDRESS
    hops = [hop for line in forwarded for hop in line.split(",")]
    named = False
    while any(client in network for network in proxies):
        previous = read_address(hops.pop()) if hops else None
        if previous is None:
            return make_client_address(client) if named else PROXY_ADDRESS
        client, named = previous, True
    return make_client_address(client)


def make_client_address(address: Address) -> str:
    """Return the address of a client for limits: the IPv4 `address`, or its /64 of IPv6."""
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((int(address), _CLIENT_PREFIX), strict=False))


@lru_cache(maxsize=1024)  # each new connection needs it several times
def find_site(address: str) -> str | None:
    """Return the /48 of IPv6 that contains the /64 `address`, or None if `address` is no /64."""
    if ":" not in address:
        return None
    return str(IPv6Network(address).supernet(new_prefix=_SITE_PREFIX))


def find_network(text: str) -> str | None:
    """Return the network to ban for an IP address or network in `text`, or None for other text.

    The network is an IPv4 address or a /64 of IPv6. Other sizes are not accepted.
    """
    host, _, bits = text.partition("/")
    address = read_address(host)
    if address is None:
        return None
    network = make_client_address(address)
    return network if bits in ("", network.partition("/")[2] or "32") else None


def read_address(text: str) -> Address | None:
    """Return the address in `text` without its port, or None if `text` has no address.

    An IPv4 address mapped to IPv6 is returned as IPv4, because both belong to the same client.
    """
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host.partition("%")[0])  # without the zone, which is local
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def read_networks(text: str) -> tuple[Network, ...]:
    """Return the networks in `text`, which are separated by commas or blanks.

    Raises ValueError for an invalid network. A network with host bits, such as 10.0.0.1/8, is
    invalid too.
    """
    return tuple(ip_network(word) for word in text.replace(",", " ").split())
