"""The TLS certificate of a server, from PEM files, and warnings before it expires."""

from __future__ import annotations

import base64
import logging
import re
import ssl
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LOG = logging.getLogger(__name__)
WARNING_SECONDS = 14 * 24 * 3600.0  # ACME clients renew earlier, so they must have failed
WARNING_PART = 1 / 3  # of a lifetime below six weeks, for the same reason
CHECK_SECONDS = 24 * 3600.0  # until the renewal, the log of each day has the warning
# The labels are CERTIFICATE and, in old files, X509 CERTIFICATE.
_PEM = re.compile(r"(?ms)^-----BEGIN [\w ]*CERTIFICATE-----(.*?)^-----END")
# The validity of a certificate in DER: a sequence of two times, which have two digits of the year
# until 2049 and four from then on, and fixed lengths (RFC 5280, 4.1.2.5). Only binary numbers and
# the issuer's name precede it.
_TIME = rb"(?:\x17\x0d|\x18\x0f)([0-9]{12,14})Z"
_VALIDITY = re.compile(rb"0[\x1e\x20\x22]" + _TIME + _TIME)
_KEY_MISMATCH_ERRORS = {"KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH", "NO_CERTIFICATE_ASSIGNED"}


class CertificateUnusable(OSError):
    """A certificate or key cannot be used. The text names the option and gives the reason."""


class Validity(NamedTuple):
    """The beginning and end of a certificate's validity, in seconds since 1970."""

    begin: float
    end: float

    def find_problem(self, now: float) -> str | None:
        """Return the predicate of a sentence about a certificate that is invalid or expires soon.

        None if it is valid at `now` and does not expire soon.
        """
        warning_seconds = min(WARNING_SECONDS, WARNING_PART * (self.end - self.begin))
        if now < self.begin:
            return (
                f"is not valid before {_format(self.begin)}, so clients reject it: check the clock"
                " of this machine"
            )
        if now > self.end:
            return (
                f"expired on {_format(self.end)}, so clients reject it: renew it, and send SIGHUP"
            )
        if now > self.end - warning_seconds:
            return f"expires on {_format(self.end)}: renew it, and send SIGHUP"
        return None


class Certificate:
    """A certificate chain and its key, from two PEM files without a password.

    `context` is the SSL context for new connections. `now` returns the time in seconds since 1970.
    Raises CertificateUnusable, but not for an expired certificate: its renewal replaces the files
    of a running server, which then reloads them.
    """

    def __init__(self, certificate: Path, key: Path, now: Callable[[], float] = time.time) -> None:
        self._certificate, self._key, self._now = certificate, key, now
        self.context, self._validities = _load(certificate, key)

    def reload(self) -> None:
        """Read both files again, and replace `context`. Raises CertificateUnusable."""
        self.context, self._validities = _load(self._certificate, self._key)

    @property
    def expiry(self) -> float:
        """The earliest end of a certificate in the chain, in seconds since 1970."""
        return min(validity.end for validity in self._validities)

    def warn(self) -> None:
        """Log a warning for each certificate of the chain that is not valid or expires soon."""
        for number, validity in enumerate(self._validities, 1):
            if problem := validity.find_problem(self._now()):
                _LOG.warning(
                    "--tls-cert %s: certificate %d of %d %s",
                    self._certificate,
                    number,
                    len(self._validities),
                    problem,
                )


def _load(certificate: Path, key: Path) -> tuple[ssl.SSLContext, list[Validity]]:
    """Return a context for TLS 1.2 and newer, with Python's default ciphers, and the validities."""
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
            reason = (
                f"{key_name}: the key does not belong to the first certificate of {chain_name},"
                " which must be the server's own"
            )
        elif not error.reason:
            reason = f"{key_name}: the file contains no private key in PEM format"
        else:  # such as a key that is too short
            reason = f"{chain_name}, {key_name}: {error.reason.replace('_', ' ').lower()}"
        raise CertificateUnusable(reason) from None
    try:
        return context, [_read_validity(base64.b64decode(each)) for each in _PEM.findall(text)]
    except ValueError:
        raise CertificateUnusable(f"{chain_name}: a certificate has malformed dates") from None


def _read_validity(certificate: bytes) -> Validity:
    """Return the validity of a certificate in DER. Raises ValueError.

    Python's `ssl` returns no dates of a server's own certificate.
    """
    if (found := _VALIDITY.search(certificate)) is None:
        raise ValueError
    begin, end = found.groups()
    return Validity(_read_time(begin.decode()), _read_time(end.decode()))


def _read_time(digits: str) -> float:
    year = "%y" if len(digits) == len("yymmddhhmmss") else "%Y"
    return datetime.strptime(f"{digits}Z", f"{year}%m%d%H%M%S%z").timestamp()


def _format(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _read_file(file: Path, name: str) -> str:
    try:
        return file.read_bytes().decode("ascii", "ignore")
    except OSError as error:
        raise CertificateUnusable(f"{name}: {error.strerror}") from None
