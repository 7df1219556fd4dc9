"""The TLS certificate of a server, from PEM files."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from pathlib import Path

_KEY_MISMATCH_ERRORS = {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED"}


class CertificateUnusable(OSError):
    """A certificate or key cannot be used. The text names the option and gives the reason."""


class Certificate:
    """A certificate chain and its key, from two PEM files without a password.

    `context` is the SSL context for new connections. Raises CertificateUnusable.
    """

    def __init__(self, certificate: Path, key: Path) -> None:
        self._certificate, self._key = certificate, key
        self.context = _load_context(certificate, key)

    def reload(self) -> None:
        """Read both files again, and replace `context`. Raises CertificateUnusable."""
        self.context = _load_context(self._certificate, self._key)


def _load_context(certificate: Path, key: Path) -> ssl.SSLContext:
    """Return a context for TLS 1.2 and newer, with Python's default ciphers."""
    chain_name, key_name = f"--tls-cert {certificate}", f"--tls-key {key}"
    text, _ = _read_file(certificate, chain_name), _read_file(key, key_name)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_verify_locations(cadata=text)
    except (ssl.SSLError, ValueError):
        raise CertificateUnusable(
            f"{chain_name}: the file contains no certificate in PEM format"
        ) from None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2  # even if the system allows older versions
    context.options |= ssl.OP_NO_RENEGOTIATION  # which costs the server much, and a client little

    def refuse() -> NoReturn:
        raise CertificateUnusable(
            f"{key_name}: the key is encrypted; the server cannot ask for a password"
        )

    try:
        context.load_cert_chain(certificate, key, password=refuse)
    except ssl.SSLError as error:
        if error.reason in _KEY_MISMATCH_ERRORS:
            text = (
                f"{key_name}: the key does not belong to the first certificate of {chain_name},"
                " which must be the server's own"
            )
        elif not error.reason:
            text = f"{key_name}: the file contains no private key in PEM format"
        else:  # such as a key that is too short
            text = f"{chain_name}, {key_name}: {error.reason.replace('_', ' ').lower()}"
        raise CertificateUnusable(text) from None
    return context


def _read_file(file: Path, name: str) -> str:
    try:
        return file.read_bytes().decode("ascii", "ignore")
    except OSError as error:
        raise CertificateUnusable(f"{name}: {error.strerror}") from None
