"""Reports reverse proxies that are missing in `--trusted-proxies`.

Limits count all clients of such a proxy as one address. Clients can forge the header
X-Forwarded-For, so the report leaves the judgement to the operator, and its number is bounded.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from ipaddress import ip_network
from typing import TYPE_CHECKING

from mastermind_server.network.addresses import (
    PROXY_ADDRESS,
    UNKNOWN_ADDRESS,
    find_client_address,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mastermind_server.network.addresses import Network

_LOG = logging.getLogger(__name__)
MANY_CLIENTS = 10  # behind one address: more than a household or a few forged headers
MAX_HOPS = 8  # read from the end of the header: each takes some microseconds
WATCHED_ADDRESSES = 64  # the latest ones, each with less than 1 KiB
MAX_REPORTS = 16  # of a process: an attacker with many addresses writes no more lines


class UnlistedProxies:
    """Finds addresses that send X-Forwarded-For for many clients without being trusted.

    Each is reported once, when it has named MANY_CLIENTS. `proxies` are the trusted networks.
    """

    def __init__(self, proxies: tuple[Network, ...]) -> None:
        self._proxies = proxies
        self._clients: OrderedDict[str, set[str]] = OrderedDict()  # by address, latest at the end
        self._reported: set[str] = set()

    def record(self, address: str, peer: str, forwarded: Sequence[str]) -> None:
        """Record a request that counts for `address`, and report the address if necessary.

        `peer` and `forwarded` are those of `find_client_address`, which returned `address`.
        """
        if (
            address in (UNKNOWN_ADDRESS, PROXY_ADDRESS)
            or address in self._reported
            or len(self._reported) == MAX_REPORTS
        ):
            return
        trusted = (*self._proxies, ip_network(address))
        hops = ",".join(forwarded).rsplit(",", MAX_HOPS)[-MAX_HOPS:]
        client = find_client_address(peer, hops, trusted)
        if client in (address, PROXY_ADDRESS):  # the header names nobody
            return
        clients = self._clients.setdefault(address, set())
        self._clients.move_to_end(address)
        clients.add(client)
        if len(clients) >= MANY_CLIENTS:
            self._reported.add(address)
            del self._clients[address]
            _LOG.warning(
                "requests from %s name %d clients in X-Forwarded-For, which all count as one"
                " address in limits: if it is your proxy, list it in --trusted-proxies",
                address,
                MANY_CLIENTS,
            )
        elif len(self._clients) > WATCHED_ADDRESSES:
            self._clients.popitem(last=False)
