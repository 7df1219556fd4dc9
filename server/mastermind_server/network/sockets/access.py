"""How clients may come in: by TLS or without, from which pages a browser may, by which proxies."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from pathlib import Path

    from mastermind_server.network.addresses import Network

_MISMATCHES = {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED"}


class CertificateUnusable(OSError):
    """A certificate and a key with which nobody can be served; the text says why."""


class Certificate:
    """A certificate with its chain, and its key, from two files in PEM, without a password.

    `context` is what connections that begin now are secured by; those that there are keep theirs.
    Raises CertificateUnusable.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._certificate, self._key = certificate, key
        self.context = _load(certificate, key)

    def reload(self) -> None:
        """Read both files again. Raises CertificateUnusable, and nothing is changed."""
        self.context = _load(self._certificate, self._key)


@dataclass(frozen=True, slots=True)
class Access:
    """Clients come by TLS if there is a `certificate`.

    Browsers tell of which page, in an Origin header: only that of `origins` is let in.
    Sockets from the networks `proxies` are those of proxies, which tell whom they bring.
    """

    certificate: Certificate | None = None
    origins: tuple[str, ...] = ()
    proxies: tuple[Network, ...] = ()


PLAIN = Access()
"""Without TLS, for no browser, and behind no proxy."""


def _load(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return a context of Python's own choice of ciphers, for TLS 1.2 and newer."""
    text, _ = _read(certificate), _read(key)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise CertificateUnusable(f"{certificate}: there is no certificate in it, in PEM") from None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # whatever the system's settings say
    context.options |= ssl.OP_NO_RENEGOTIATION  # it costs a client nothing, and us a signature

    def refuse() -> NoReturn:
        raise CertificateUnusable(
            f"{key}: the key is encrypted: there is nobody to ask for its password"
        )

    try:
        context.load_cert_chain(certificate, key, password=refuse)
    except ssl.SSLError as error:
        if error.reason in _MISMATCHES:
            told = f"{key}: the key is not that of the certificate in {certificate}"
        elif not error.reason:
            told = f"{key}: there is no private key in it, in PEM"
        else:  # such as a key that is too short for today
            told = f"{certificate}, {key}: {error.reason.replace('_', ' ').lower()}"
        raise CertificateUnusable(told) from None
    return context


def _read(file: Path) -> str:
    try:
        return file.read_text("ascii", "ignore")
    except OSError as error:
        raise CertificateUnusable(f"{file}: {error.strerror}") from None
