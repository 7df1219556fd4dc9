import re
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from kit.certificates import Authority, Pair
from mastermind_server.network.sockets.certificates import Certificate, CertificateUnusable


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
