"""docs/CLIENT.md is true: its settings are those there are, and so are its pictures."""

from __future__ import annotations

import re
from pathlib import Path

from mastermind_client.config.settings import SETTINGS
from mastermind_protocol.rules import PRESETS

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "CLIENT.md").read_text(encoding="utf-8")


def read_rows(heading: str) -> list[list[str]]:
    section = DOCUMENT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_the_settings_are_those_there_are_with_their_defaults():
    rows = {row[0].strip("`"): row for row in read_rows("Settings")}
    assert list(rows) == [setting.name for setting in SETTINGS.values()]
    for setting in SETTINGS.values():
        _name, allowed, default = rows[setting.name]
        assert set(setting.choices) <= set(re.findall(r'`"([^"]*)"`', allowed))
        if setting.default is not None:
            value = setting.default
            written = str(value).lower() if isinstance(value, bool) else str(value)
            assert written in default, setting.name


def test_the_pictures_are_there():
    for folder, text in (
        (ROOT / "docs", DOCUMENT),
        (ROOT, (ROOT / "README.md").read_text("utf-8")),
    ):
        for picture in re.findall(r"\]\(([\w/.]+\.svg)\)", text):
            assert (folder / picture).is_file(), picture


def test_the_games_are_the_presets():
    listed = [(row[0], row[1], row[2], row[3]) for row in read_rows("Games")]
    assert listed == [
        (
            f"`{rules.name}`",
            f"{rules.pegs} x {rules.colours}",
            str(rules.guesses or "no limit"),
            " or ".join(f"`{alphabet}`" for alphabet in rules.alphabets),
        )
        for rules in PRESETS.values()
    ]
