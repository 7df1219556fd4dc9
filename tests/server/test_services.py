import re
from random import Random
from typing import Any, cast

import pytest

from mastermind_protocol.events import (
    MATCH_CODE_ALPHABET,
    MATCH_CODE_LENGTH,
    RESERVED_MATCH_CODE,
)
from mastermind_server.network.web.pages import PROBE_PATHS
from mastermind_server.services import Services


class Dice(Random):
    """Draws the given words, one after the other."""

    def __init__(self, *words: str) -> None:
        self.words = list(words)

    def choices(self, *_: Any, **__: Any) -> list[Any]:
        return list(self.words.pop(0))


@pytest.mark.parametrize("path", PROBE_PATHS)
def test_no_match_has_the_name_of_a_probe(path):
    word = path[1:].upper()
    if re.fullmatch(f"[{MATCH_CODE_ALPHABET}]{{{MATCH_CODE_LENGTH}}}", word):
        assert word == RESERVED_MATCH_CODE
    unused = cast("Any", None)
    services = Services(unused, unused, random=Dice(RESERVED_MATCH_CODE, "K7M2QX"))
    assert services.draw_match_code() == "K7M2QX"
