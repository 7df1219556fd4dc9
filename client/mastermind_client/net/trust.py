"""Whose certificates are believed: those of who the system trusts, and of who a file names.

It holds for every connection of this process, as its language does.
"""

from __future__ import annotations

import ssl
from urllib.parse import urlsplit

from mastermind_client.net.failures import CertificatesUnreadable

_context: ssl.SSLContext | None = None


def trust(file: str) -> None:
    """Believe the certificates in a file in PEM too, and what they sign.

    Raises CertificatesUnreadable.
    """
    global _context
    context = _make_context()
    try:
        context.load_verify_locations(file)
    except ssl.SSLError:
        raise CertificatesUnreadable(file) from None
    except OSError as error:
        raise CertificatesUnreadable(file, error.strerror or str(error)) from None
    _context = context


def find_context(server: str) -> ssl.SSLContext | None:
    """Return what decides whom to believe at an address; None if there is no TLS there."""
    global _context
    if urlsplit(server).scheme != "wss":
        return None
    if _context is None:
        _context = _make_context()
    return _context


def _make_context() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # whatever the system's settings say
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # a server's own will do, in a file
    return context
