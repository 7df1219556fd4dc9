"""How clients connect: the TLS certificate, allowed origins of browsers, and trusted proxies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mastermind_server.network.addresses import Network
    from mastermind_server.network.sockets.certificates import Certificate
    from mastermind_server.network.web.pages import Pages


@dataclass(frozen=True, slots=True)
class Access:
    """How clients connect: by TLS if `certificate` is set.

    A browser's Origin header must be one of `origins` or, with `pages`, have the host of the
    requested URL. The X-Forwarded-For header is trusted if the peer is in one of the networks
    `proxies`. `pages` makes the responses to page requests; None means no web page. `host` is the
    name of the player whose program runs the server, or None for other servers. `has_days` is
    false for a server in a player's program: it has no codes of days, which all players share.
    """

    certificate: Certificate | None = None
    origins: tuple[str, ...] = ()
    proxies: tuple[Network, ...] = ()
    pages: Pages | None = None
    host: str | None = None
    has_days: bool = True


DEFAULT_ACCESS = Access()
"""Access without TLS, origins and proxies."""
