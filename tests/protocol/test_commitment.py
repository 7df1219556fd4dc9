import hashlib

from hypothesis import given

from kit.strategies import codes_of, nonces, thorough
from mastermind_protocol.commitment import commit
from mastermind_protocol.rules import DEFAULT

NONCE = bytes(range(16))
SECRET = (0, 1, 2, 3)


def test_a_commitment_is_sha_256_over_nonce_and_one_byte_a_peg():
    by_hand = hashlib.sha256(
        b"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f" + b"\x00\x01\x02\x03"
    )
    assert commit(NONCE, SECRET) == by_hand.digest()
    assert commit(NONCE, SECRET).hex() == (
        "be042c6ccc8433f59950dfb2ca262b3dc604ad4f3c385ba8e118d3008d83acfc"
    )


@given(nonces, nonces, codes_of(DEFAULT), codes_of(DEFAULT))
@thorough
def test_only_the_same_nonce_and_code_give_the_same_commitment(
    nonce, other_nonce, code, other_code
):
    same = (nonce, code) == (other_nonce, other_code)
    assert (commit(nonce, code) == commit(other_nonce, other_code)) == same
