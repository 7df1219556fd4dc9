"""TLS certificates issued by a certificate authority that only the tests trust."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOSTS = ("localhost", "127.0.0.1")


class Pair(NamedTuple):
    """The files of a certificate and its private key."""

    certificate: Path
    key: Path


class Authority:
    """A certificate authority that writes certificates to a folder; `file` is its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(str(self.file))

    def issue(
        self,
        name: str = "server",
        *hosts: str,
        begin: datetime | None = None,
        end: datetime | None = None,
    ) -> Pair:
        """Issue a certificate for `hosts`, by default this machine, in files named `name`."""
        issued = self._authority.issue_cert(*(hosts or HOSTS), not_before=begin, not_after=end)
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        pair.certificate.write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
        issued.private_key_pem.write_to_path(str(pair.key))
        return pair

    def issue_self_signed(self) -> Pair:
        """Return a self-signed certificate for this machine."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "self-signed")])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
            .sign(key, hashes.SHA256())
        )
        pair = Pair(self._folder / "self-signed.pem", self._folder / "self-signed.key")
        pair.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        pair.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return pair

    def trust(self) -> ssl.SSLContext:
        """Return the TLS context of a client that trusts this authority."""
        return ssl.create_default_context(cafile=str(self.file))
