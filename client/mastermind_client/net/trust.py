"""The trusted certificates: the system's, and more from a file."""

from __future__ import annotations

import ssl
from functools import lru_cache
from urllib.parse import urlsplit

from mastermind_client.net.failures import CertificatesUnreadable


def find_tls_context(server: str, cafile: str | None = None) -> ssl.SSLContext | None:
    """Return the TLS context for an address; None if there is no TLS there."""
    return make_tls_context(cafile) if urlsplit(server).scheme == "wss" else None


@lru_cache(maxsize=4)  # reading certificates is slow, and contexts are never changed
def make_tls_context(cafile: str | None) -> ssl.SSLContext:
    """Return a context that trusts the system's certificates, and those in a file in PEM.

    Raises CertificatesUnreadable.
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # the system may allow older ones
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # trusts a server's own certificate
    if cafile is not None:
        try:
            context.load_verify_locations(cafile)
        except ssl.SSLError:
            raise CertificatesUnreadable(cafile) from None
        except OSError as error:
            raise CertificatesUnreadable(cafile, error.strerror or str(error)) from None
    return context
