"""Which networks of IPv6 are one site's: many have 256 of those that count as addresses, or 65,536.

So what an address may do a site may do several times over, and not as often as it has networks.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Network

_SITE = 48  # bits of the largest network of IPv6 that a provider gives to one site (RFC 6177)


@lru_cache(maxsize=1024)  # of a socket it is asked for several times as it comes in
def find_site(address: str) -> str | None:
    """Return the network that a provider may have given whole to one site, with an address in it.

    None unless the address is one of IPv6, as limits count them.
    """
    if ":" not in address:
        return None
    return str(IPv6Network(address).supernet(new_prefix=_SITE))
