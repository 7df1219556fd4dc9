from __future__ import annotations

import pytest

from client.screen.stage import stage
from mastermind_client.screen.kit.mouse import is_report


@pytest.mark.parametrize(
    "report", ["\x1b[<0;12;5M", "\x1b[<64;300;99m", "\x1b[0;1;1M", "\x1b[M !!"]
)
def test_what_terminals_report_is_known(report: str) -> None:
    assert is_report(report)


@pytest.mark.parametrize("other", ["\x1b[31m", "\x1b[1;31M", "\x1b[<1;2;3;4M", "\x1b[M\x7f!!"])
def test_what_looks_like_a_report_is_none(other: str) -> None:
    assert not is_report(other)


async def test_no_sequence_ends_the_program() -> None:
    async with stage() as shown:
        await shown.until("Play a bot")
        for other in ("\x1b[31m", "\x1b[1;31M", "\x1b[<1;2;3;4M", "\x1b[M\x7f!!", "\x1b[<99;1;1M"):
            shown.type(other)
        shown.press("?")
        await shown.until("Help")
        shown.press("escape")
        await shown.until(lambda: "Help" not in shown.text())
        row = next(row for row, line in enumerate(shown.screen.display) if "Settings" in line)
        shown.click(6, row)
        await shown.until("Palette")
