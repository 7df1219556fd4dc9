import pytest

from kit.screen.stage import Stage, stage
from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import OFFLINE
from mastermind_client.config.settings import SETTINGS, Settings, load
from mastermind_client.screen.pages.settings import SETTING_LABELS, VALUE_TEXTS, SettingsScreen
from mastermind_client.screen.window import SMALLEST_WINDOW
from mastermind_protocol.requests import GUEST


@pytest.fixture(autouse=True)
def _own_settings(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def select(shown: Stage, name: str) -> None:
    screen = shown.on(SettingsScreen)
    screen.view.select(name)


def test_every_setting_has_a_label_and_named_values_exist():
    table = {setting.name: setting for setting in SETTINGS.values()}
    assert set(SETTING_LABELS) == set(table)
    for name, value in VALUE_TEXTS:
        assert value in table[name].choices or (name, value) in {("name", ""), ("name", GUEST)}


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
async def test_every_setting_and_peg_is_visible_in_every_size(size):
    async with stage(*size, opening=SettingsScreen) as shown:
        for name, label in SETTING_LABELS.items():
            select(shown, name)  # in the smallest window the form scrolls
            shown.app.redraw()
            await shown.until(label)
        assert ("Kept in" in shown.text()) is (size == (120, 40))
        if size != SMALLEST_WINDOW:
            for letter in "ROYGBPVTCMLNW":
                assert f"▐{letter}▌" in shown.text()


@pytest.mark.parametrize(
    "setting", [setting for setting in SETTINGS.values() if setting.choices or setting.is_switch],
    ids=lambda setting: str(setting.name),
)  # fmt: skip
async def test_every_choice_can_be_changed_and_is_saved(setting):
    name = setting.name
    async with stage(opening=SettingsScreen) as shown:
        before = getattr(shown.app.settings, name)
        select(shown, name)
        shown.press("left")
        await shown.until(lambda: getattr(shown.app.settings, name) != before)
        changed = getattr(shown.app.settings, name)
        await shown.until(lambda: getattr(load(settings_path()).settings, name) == changed)
        shown.press("right")
        await shown.until(lambda: getattr(shown.app.settings, name) == before)


@pytest.mark.parametrize(
    ("name", "wrong", "reason", "right"),
    [
        ("name", "x" * 25, "a name has 1 to", "Ada"),
        ("server", "two words", "use HOST", "ws://example.org:99"),
        ("rules", "chess", "names no rules", "5x8/12"),
        ("opponent", "me", "no opponent", "knuth"),
    ],
)
async def test_a_typed_value_is_checked_and_saved(name, wrong, reason, right):
    async with stage(120, 40, opening=SettingsScreen) as shown:
        select(shown, name)
        shown.press("enter", "c-u")
        shown.type(wrong)
        shown.press("enter")
        await shown.until(reason)
        shown.press("c-u")
        shown.type(right)
        shown.press("enter")
        await shown.until(lambda: getattr(load(settings_path()).settings, name) == right)
        await shown.until(right)


async def test_a_new_name_is_used_from_the_next_match_on_and_an_empty_one_makes_a_guest():
    async with stage(settings=Settings(name="Ada"), opening=SettingsScreen) as shown:
        before = await shown.app.connect(OFFLINE)
        assert before.session.player.name == "Ada"
        shown.press("enter", "c-u")
        shown.type("Bob")
        shown.press("enter")
        await shown.until(lambda: shown.app.settings.name == "Bob" and not shown.app.busy)
        assert (await shown.app.connect(OFFLINE)).session.player.name == "Bob"
        shown.press("enter", "c-u", "enter")
        await shown.until(lambda: shown.app.settings.name == GUEST and not shown.app.busy)
        assert (await shown.app.connect(OFFLINE)).session.player.name.startswith(f"{GUEST}-")
