"""Whose address counts: that of a client, whichever proxies of ours it came through.

An address of IPv4 is one client's, or one household's. Of IPv6 whoever has one has 2**64 of them,
so that all which begin alike count as one.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOWHERE = "unknown"  # what has no address of the internet's, such as a Unix socket
PROXY = "proxy"  # a proxy of ours that tells of no client, or has not yet
_SUBSCRIBER = 64  # bits of an IPv6 address that its provider has given


def find_client(peer: str, forwarded: Iterable[str], proxies: tuple[Network, ...]) -> str:
    """Return what stands for the client that a socket's peer has brought.

    `forwarded` are the values of X-Forwarded-For, which everybody can write: each hop adds behind
    the others whom it was called by. So only what a proxy of ours has added is believed, and so on
    from the last one; the first that is no proxy of ours is the client, or if all are, the first.
    """
    client = read_address(peer)
    if client is None:
        return NOWHERE
    hops = [hop for line in forwarded for hop in line.split(",")]
    told = False
    while any(client in network for network in proxies):
        before = read_address(hops.pop()) if hops else None
        if before is None:
            return identify(client) if told else PROXY
        client, told = before, True
    return identify(client)


def identify(address: Address) -> str:
    """Return what addresses of one client have in common: all of IPv4's, of IPv6's the network."""
    if isinstance(address, IPv4Address):
        return str(address)
    return str(IPv6Network((int(address), _SUBSCRIBER), strict=False))


def find_network(text: str) -> str | None:
    """Return what an address that somebody has written counts as, or the network of one client.

    None if it is neither, such as a network of many.
    """
    host, _, bits = text.partition("/")
    address = read_address(host)
    if address is None:
        return None
    network = identify(address)
    return network if bits in ("", network.partition("/")[2] or "32") else None


def read_address(text: str) -> Address | None:
    """Return the address that a peer or a hop is written as, with a port or without, if it is one.

    An address of IPv4 within one of IPv6 is read as IPv4's, for it is the same client's.
    """
    host = text.strip()
    if host.startswith("["):
        host = host[1:].partition("]")[0]
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    try:
        address = ip_address(host.partition("%")[0])  # a zone is the machine's own affair
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def read_networks(text: str) -> tuple[Network, ...]:
    """Return networks, or single addresses, by commas or blanks.

    Raises ValueError, which names a wrong one. A network begins where its number says: 10.0.0.1/8
    is a slip.
    """
    return tuple(ip_network(word) for word in text.replace(",", " ").split())
