"""The address that identifies a client, also behind the operator's proxies.

An IPv4 address belongs to one client or household. One client usually holds a whole /64 of IPv6,
and one site may hold a /48, with 65,536 of these. So limits count a client by its IPv4 address or
its /64, and a /48 has limits of its own.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOWHERE = "unknown"  # the peer has no IP address, such as a Unix socket
PROXY = "proxy"  # one of the operator's proxies, which has named no client yet
_CLIENT_PREFIX = 64
_SITE_PREFIX = 48  # of the largest IPv6 network that a provider assigns to one site (RFC 6177)


def find_client(peer: str, forwarded: Iterable[str], proxies: tuple[Network, ...]) -> str:
    """Return the key of the client behind a socket's peer.

    `forwarded` are the values of X-Forwarded-For. Clients can forge them, but each hop appends the
    address of its own peer. So the hops are read from the last one, as long as they are
    `proxies`. The first other address is the client. If there is
    none, the first hop is.
    """
    client = read_address(peer)
    if client is None:
        return NOWHERE
    hops = [hop for line in forwarded for hop in line.split(",")]
    named = False
    while any(client in network for network in proxies):
        previous = read_address(hops.pop()) if hops else None
        if previous is None:
            return identify(client) if named else PROXY
        client, named = previous, True
    return identify(client)


def identify(address: Address) -> str:
    """Return the key of a client: its IPv4 address, or its /64 of IPv6."""
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((int(address), _CLIENT_PREFIX), strict=False))


@lru_cache(maxsize=1024)  # each new connection needs it several times
def find_site(address: str) -> str | None:
    """Return the /48 of a client's key. None for any other key than a /64 of IPv6."""
    if ":" not in address:
        return None
    return str(IPv6Network(address).supernet(new_prefix=_SITE_PREFIX))


def find_network(text: str) -> str | None:
    """Return the key for an address, or for the network of one client.

    None if `text` is neither, such as a larger network.
    """
    host, _, bits = text.partition("/")
    address = read_address(host)
    if address is None:
        return None
    network = identify(address)
    return network if bits in ("", network.partition("/")[2] or "32") else None


def read_address(text: str) -> Address | None:
    """Return the address of a peer or hop, written with a port or without. None if it is invalid.

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
    """Return networks or addresses, which commas or blanks separate.

    Raises ValueError with the wrong one. 10.0.0.1/8 is wrong too, because it has host bits.
    """
    return tuple(ip_network(word) for word in text.replace(",", " ").split())
