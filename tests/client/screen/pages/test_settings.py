import pytest

from kit.screen.stage import Stage, stage
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import SETTINGS, Settings, load
from mastermind_client.screen.app import SMALLEST
from mastermind_client.screen.pages.settings import (
    LABELS,
    VALUES,
    SettingsScreen,
    name_value,
)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def select(shown: Stage, name: str) -> None:
    screen = shown.on(SettingsScreen)
    screen.form.select(name)


def test_every_setting_has_a_label_and_every_value_of_the_table_is_one():
    table = {setting.name: setting for setting in SETTINGS.values()}
    assert set(LABELS) == set(table)
    for name, value in VALUES:
        assert value in table[name].choices or (name, value) == ("name", "")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_all_settings_are_there_with_the_pegs_and_the_file(size):
    async with stage(*size, opening=SettingsScreen) as shown:
        for name, label in LABELS.items():
            select(shown, name)  # in the smallest window the form scrolls
            shown.app.redraw()
            await shown.until(label)
        assert ("Kept in" in shown.text()) is (size == (120, 40))
        if size != SMALLEST:
            for letter in "ROYGBPVTCMLNW":
                assert f"▐{letter}▌" in shown.text()


@pytest.mark.parametrize(
    "setting", [setting for setting in SETTINGS.values() if setting.choices or setting.is_switch],
    ids=lambda setting: str(setting.name),
)  # fmt: skip
async def test_every_choice_can_be_made_and_is_kept(setting):
    name = setting.name
    async with stage(opening=SettingsScreen) as shown:
        before = getattr(shown.app.settings, name)
        select(shown, name)
        shown.press("left")
        await shown.until(lambda: getattr(shown.app.settings, name) != before)
        assert getattr(load().settings, name) == getattr(shown.app.settings, name)
        shown.press("right")
        await shown.until(lambda: getattr(shown.app.settings, name) == before)


async def test_another_palette_is_seen_at_once():
    async with stage(opening=SettingsScreen) as shown:
        select(shown, "palette")
        shown.press("left")
        await shown.until("(R)")
        assert shown.app.look.mono


async def test_the_mouse_is_let_go_and_taken_at_once():
    async with stage(settings=Settings(mouse="on"), opening=SettingsScreen) as shown:
        plays = shown.terminal.application.renderer.mouse_support
        select(shown, "mouse")
        shown.press("right")
        await shown.until(lambda: not plays())
        shown.press("right")
        await shown.until(lambda: plays())


async def test_another_language_is_spoken_at_once():
    async with stage(settings=Settings(language="en"), opening=SettingsScreen) as shown:
        select(shown, "language")
        shown.press("right")
        await shown.until("polski")


@pytest.mark.parametrize(
    ("name", "wrong", "reason", "right"),
    [
        ("name", "x" * 25, "a name has 1 to", "Ada"),
        ("server", "localhost", "use ws://HOST:PORT", "ws://example.org:99"),
        ("rules", "chess", "names no rules", "5x8/12"),
        ("opponent", "me", "nobody to play with", "knuth"),
    ],
)
async def test_what_is_typed_is_checked_and_kept(name, wrong, reason, right):
    async with stage(120, 40, opening=SettingsScreen) as shown:
        select(shown, name)
        shown.press("enter", "c-u")
        shown.type(wrong)
        shown.press("enter")
        await shown.until(reason)
        shown.press("c-u")
        shown.type(right)
        shown.press("enter")
        await shown.until(lambda: getattr(load().settings, name) == right)
        await shown.until(right)


async def test_a_name_can_be_given_up():
    async with stage(settings=Settings(name="Ada"), opening=SettingsScreen) as shown:
        shown.press("enter", "c-u", "enter")
        await shown.until(lambda: shown.app.settings.name is None)


async def test_by_another_name_one_is_known_from_the_next_match_on():
    async with stage(settings=Settings(name="Ada"), opening=SettingsScreen) as shown:
        before = await shown.app.connect(OFFLINE)
        assert before.session.player.name == "Ada"
        shown.press("enter", "c-u")
        shown.type("Bob")
        shown.press("enter")
        await shown.until(lambda: shown.app.settings.name == "Bob" and not shown.app.busy)
        assert (await shown.app.connect(OFFLINE)).session.player.name == "Bob"


async def test_a_file_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "config").write_text("not a folder")
    async with stage(opening=SettingsScreen) as shown:
        select(shown, "bell")
        shown.press("right")
        await shown.until("The settings cannot be kept")
        assert not shown.app.settings.bell


def test_values_are_called_by_words_where_they_have_any():
    assert name_value("language", "pl") == "polski"
    assert name_value("language", "") == "the system's"
    assert name_value("palette", "okabe-ito") == "okabe-ito"
