"""The bot of docs/BOTS.md runs."""

import re
from pathlib import Path

from mastermind_client.bot_runner.process import BotProcess
from mastermind_protocol.feedback import score
from mastermind_protocol.match import BreakerView, Turn
from mastermind_protocol.rules import DEFAULT

DOCUMENT = Path(__file__).parents[3] / "docs" / "BOTS.md"
ENOUGH = 30.0  # seconds, far more than any move takes


async def test_the_bot_of_the_document_plays_either_seat(tmp_path, monkeypatch):
    section = DOCUMENT.read_text().partition("\n## Your own bot\n")[2]
    shown = re.search(r"```python\n# (my_bot\.py)\n(.*?)```", section, re.DOTALL)
    assert shown
    (tmp_path / shown[1]).write_text(shown[2])
    monkeypatch.chdir(tmp_path)
    view, secret = BreakerView(DEFAULT), (5, 1, 0, 3)
    async with BotProcess.start("my_bot:MyBot", ENOUGH) as process:
        assert await process.make(DEFAULT) == (5, 5, 5, 5)
        while not view.turns or view.turns[-1].code != secret:
            guess = await process.choose(view)
            view = BreakerView(DEFAULT, (*view.turns, Turn(guess, score(secret, guess))))
    assert len(view.turns) <= DEFAULT.guess_limit
