import logging
import re
import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from kit.certificates import Authority, Pair
from kit.server import GameServer
from mastermind_server.network.sockets.access import Access
from mastermind_server.network.sockets.certificates import (
    CHECK_SECONDS,
    Certificate,
    CertificateUnusable,
    Validity,
)
from mastermind_server.operator_port.collector import make_registry


@pytest.fixture
def pair(authority):
    return authority.issue()


def encrypt(key: Path) -> None:
    private = serialization.load_pem_private_key(key.read_bytes(), None)
    password = serialization.BestAvailableEncryption(b"secret")
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    key.write_bytes(private.private_bytes(encoding, form, password))


def swap(pair: Pair, authority: Authority) -> None:
    pair.key.write_bytes(authority.issue("other").key.read_bytes())


def junk(file: Path) -> None:
    file.write_bytes("-----BEGIN naïve".encode())


def make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def put_authority_first(pair: Pair, authority: Authority) -> None:
    pair.certificate.write_text(authority.file.read_text() + pair.certificate.read_text())


def change_dates(file: Path, date: bytes) -> None:
    encoded = ssl.PEM_cert_to_DER_cert(file.read_text())
    file.write_text(ssl.DER_cert_to_PEM_cert(re.sub(rb"[0-9]{12}Z", date, encoded)))


MALFORMED = "--tls-cert {certificate}: a certificate has malformed dates"
MISMATCH = (
    "--tls-key {key}: the key does not belong to the first certificate of --tls-cert {certificate},"
    " which must be the server's own"
)
SPOILT: list[tuple[Callable[[Pair, Authority], object], str]] = [
    (
        lambda pair, _: pair.certificate.unlink(),
        "--tls-cert {certificate}: No such file or directory",
    ),
    (lambda pair, _: pair.key.unlink(), "--tls-key {key}: No such file or directory"),
    (lambda pair, _: make_folder(pair.certificate), "--tls-cert {certificate}: Is a directory"),
    (lambda pair, _: make_folder(pair.key), "--tls-key {key}: Is a directory"),
    (
        lambda pair, _: junk(pair.certificate),
        "--tls-cert {certificate}: the file contains no certificate in PEM format",
    ),
    (
        lambda pair, _: pair.certificate.write_text(""),
        "--tls-cert {certificate}: the file contains no certificate",
    ),
    (
        lambda pair, _: junk(pair.key),
        "--tls-key {key}: the file contains no private key in PEM format",
    ),
    (lambda pair, _: change_dates(pair.certificate, b"261329000000Z"), MALFORMED),  # month 13
    (lambda pair, _: change_dates(pair.certificate, b"2611290000-0Z"), MALFORMED),
    (swap, MISMATCH),
    (put_authority_first, MISMATCH),
    (lambda pair, _: encrypt(pair.key), "--tls-key {key}: the key is encrypted; the server"),
]


@pytest.mark.parametrize(("spoil", "told"), SPOILT, ids=[told for _, told in SPOILT])
def test_an_unusable_certificate_is_explained_and_the_old_one_stays(pair, authority, spoil, told):
    certificate = Certificate(*pair)
    context = certificate.context
    spoil(pair, authority)
    expected = "^" + re.escape(told.format(certificate=pair.certificate, key=pair.key))
    with pytest.raises(CertificateUnusable, match=expected):
        Certificate(*pair)
    with pytest.raises(CertificateUnusable, match=expected):
        certificate.reload()
    assert certificate.context is context


BEGIN = datetime(2026, 11, 29, 7, 45, tzinfo=UTC)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
EARLY = (
    "is not valid before 2026-11-29 07:45 UTC, so clients reject it: check the clock of this"
    " machine"
)
SOON = "expires on 2027-02-27 07:45 UTC: renew it, and send SIGHUP"
EXPIRED = "expired on 2027-02-27 07:45 UTC, so clients reject it: renew it, and send SIGHUP"


@pytest.mark.parametrize(
    ("lifetime", "age", "problem"),
    [
        (90 * DAY, -SECOND, EARLY),
        (90 * DAY, 0 * DAY, None),
        (90 * DAY, 76 * DAY, None),
        (90 * DAY, 76 * DAY + SECOND, SOON),
        (90 * DAY, 90 * DAY, SOON),
        (90 * DAY, 90 * DAY + SECOND, EXPIRED),
        (6 * DAY, 4 * DAY, None),
        (6 * DAY, 4 * DAY + SECOND, SOON.replace("2027-02-27", "2026-12-05")),
    ],
)
def test_a_certificate_is_a_problem_two_weeks_or_a_third_of_its_lifetime_before_its_end(
    lifetime, age, problem
):
    validity = Validity(BEGIN.timestamp(), (BEGIN + lifetime).timestamp())
    assert validity.find_problem((BEGIN + age).timestamp()) == problem


@pytest.mark.parametrize(
    "rewrite",
    [
        lambda text: text,
        lambda text: f"Subject: née\n{text}".replace("\n", "\r\n"),
        lambda text: text.replace(" CERTIFICATE", " X509 CERTIFICATE"),
    ],
    ids=["PEM", "text and CRLF", "old label"],
)
@pytest.mark.parametrize("year", [2049, 2050])  # with two and four digits in a certificate
def test_each_certificate_of_a_chain_has_its_warning(authority, caplog, rewrite, year):
    end = datetime(year, 1, 2, 3, 4, 5, tzinfo=UTC)
    first = authority.issue("first", begin=BEGIN, end=end + SECOND)
    second = authority.issue("second", begin=BEGIN + DAY, end=end)
    chain = first.certificate.read_text() + second.certificate.read_text()
    first.certificate.write_text(rewrite(chain))
    certificate = Certificate(first.certificate, first.key, (BEGIN - SECOND).timestamp)
    assert certificate.expiry == end.timestamp()
    certificate.warn()
    warnings = [line.partition(", so clients")[0] for line in caplog.messages]
    assert warnings == [
        f"--tls-cert {first.certificate}: certificate {number} of 2 is not valid before {day} UTC"
        for number, day in ((1, "2026-11-29 07:45"), (2, "2026-11-30 07:45"))
    ]


async def live_for_a_day(hall: GameServer) -> None:
    hall.clock.skip(CHECK_SECONDS)
    await hall.clock.until(lambda timer: timer.seconds == CHECK_SECONDS)


async def test_a_server_warns_at_its_start_and_daily_until_a_renewal(idle_hall, authority, caplog):
    pair = authority.issue(begin=BEGIN, end=BEGIN + 90 * DAY)
    started = (BEGIN + 89.5 * DAY).timestamp()
    certificate = Certificate(pair.certificate, pair.key, lambda: started + idle_hall.clock.skipped)
    caplog.set_level(logging.WARNING)
    await idle_hall.start(access=Access(certificate))
    await live_for_a_day(idle_hall)
    name = f"--tls-cert {pair.certificate}: certificate 1 of 1"
    assert caplog.messages == [f"{name} {SOON}", f"{name} {EXPIRED}"]
    authority.issue(begin=BEGIN, end=BEGIN + 180 * DAY)
    certificate.reload()
    await live_for_a_day(idle_hall)
    assert len(caplog.messages) == 2


async def test_the_end_of_the_certificate_in_use_is_a_metric(idle_hall, authority):
    certificate = Certificate(*authority.issue(end=BEGIN))
    await idle_hall.start(access=Access(certificate))
    metrics = make_registry(idle_hall.server)
    authority.issue(end=BEGIN + 90 * DAY)
    name = "mastermind_certificate_expiry_timestamp_seconds"
    assert metrics.get_sample_value(name) == BEGIN.timestamp()
    certificate.reload()
    assert metrics.get_sample_value(name) == (BEGIN + 90 * DAY).timestamp()
