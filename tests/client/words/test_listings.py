from __future__ import annotations

import pytest

from mastermind_client.language import use_language
from mastermind_client.words.listings import PHASES, describe_listed
from mastermind_protocol.events import Seat
from mastermind_protocol.match import Phase
from mastermind_protocol.messages import Listed


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_has_a_name(phase: Phase) -> None:
    assert PHASES[phase] == phase.value


def test_a_match_is_told_with_its_terms_and_its_players() -> None:
    listed = Listed(
        match="ABC234", rules="mini", rounds=3, phase=Phase.BREAKING, maker="Ada",
        breaker="hard", bots=(Seat.BREAKER,), rated=True,
    )  # fmt: skip
    assert describe_listed(listed) == (
        "mini, 3 rounds, rated: Ada sets, hard (bot) breaks (breaking)"
    )
    use_language("pl")
    assert describe_listed(listed) == (
        "mini, 3 rundy, rankingowa: Ada szyfruje, hard (bot) łamie (łamanie)"
    )
