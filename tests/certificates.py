"""Certificates as operators have them: of an authority that only the tests trust."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING, NamedTuple

import trustme

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

HOSTS = ("localhost", "127.0.0.1")


class Pair(NamedTuple):
    """The files of a certificate and of its key."""

    certificate: Path
    key: Path


class Authority:
    """Whoever issues certificates, into files of a folder; `file` has its own."""

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
        """Return a new certificate for hosts, by default this machine, in files of that name."""
        issued = self._authority.issue_cert(*(hosts or HOSTS), not_before=begin, not_after=end)
        pair = Pair(self._folder / f"{name}.pem", self._folder / f"{name}.key")
        pair.certificate.write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
        issued.private_key_pem.write_to_path(str(pair.key))
        return pair

    def trust(self) -> ssl.SSLContext:
        """Return what a client knows of it who trusts it."""
        return ssl.create_default_context(cafile=str(self.file))
