import os
import stat
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mastermind_client.cli.process import settings_path
from mastermind_client.config.options import DEFAULT_BOT, DEFAULT_SERVER
from mastermind_client.config.settings import (
    SETTINGS,
    InvalidSetting,
    LoadedSettings,
    Settings,
    load,
    save,
    write_settings,
)
from mastermind_client.config.settings_file import MAX_BYTES, BrokenFile, read_language
from mastermind_client.language import LANGUAGES, use_language
from mastermind_protocol.rules import DEFAULT

XTERM = {"TERM": "xterm-256color"}

TEXTS: dict[str, list[object]] = {
    "name": [None, "Ada", "Žofie K."], "server": [DEFAULT_SERVER, "wss://club.example"],
    "rules": [DEFAULT.name, "5x8/12", "mini"], "opponent": [DEFAULT_BOT, "easy"],
    "pace": [0.0, 0.7, 60.0],
}  # fmt: skip
"""Values of the settings that are neither switches nor choices."""
VALID: dict[str, list[object]] = {
    name: TEXTS.get(name) or list(setting.choices) or [True, False]
    for name, setting in SETTINGS.items()
}
any_settings = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(values) for name, values in VALID.items()}
)
any_values = st.booleans() | st.integers() | st.text(max_size=8) | st.just("mono")
for_files = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "settings.toml"


def test_the_defaults_hold_without_a_file(file):
    assert load(file) == LoadedSettings(Settings(), ())
    assert Settings() == Settings(
        name=None, server=DEFAULT_SERVER, language="", palette="default", color="auto",
        glyphs="auto", bell=True, title=True, mouse="auto", motion=True, pace=1.5,
        mark_excluded=True, introduction="all", rules=DEFAULT.name, opponent=DEFAULT_BOT,
    )  # fmt: skip


def test_every_setting_has_a_meaning_and_allowed_values():
    assert list(SETTINGS) == list(Settings.__struct_fields__)
    for name, setting in SETTINGS.items():
        assert (setting.name, setting.default) == (name, getattr(Settings(), name))
        assert setting.meaning
        assert setting.allowed
        assert bool(setting.choices) + setting.is_switch + (setting.parse is not None) == 1
    assert SETTINGS["language"].choices == ("", *LANGUAGES)


@given(any_settings, any_settings)
@for_files
def test_saved_settings_are_loaded_again(file, first, second):
    file.unlink(missing_ok=True)
    for changes in (first, second):
        save(changes, file)
    wanted = {**first, **second}
    assert load(file) == LoadedSettings(Settings(**wanted))
    kept = tomllib.loads(file.read_text()) if file.exists() else {}
    assert kept.items() <= wanted.items()
    assert {name for name, value in wanted.items() if value != getattr(Settings(), name)} <= set(
        kept
    )
    text = write_settings(Settings(**wanted))  # in full
    file.write_text(text)
    assert load(file) == LoadedSettings(Settings(**wanted))
    assert all(f"# {setting.meaning}\n" in text for setting in SETTINGS.values())


@given(st.dictionaries(st.sampled_from([*SETTINGS, "x"]), any_values))
@for_files
def test_invalid_settings_change_nothing(file, changes):
    file.unlink(missing_ok=True)
    try:
        save(changes, file)
    except InvalidSetting:
        assert not file.exists()
    else:
        assert not load(file).problems


@given(st.one_of(st.binary(), st.text().map(str.encode)))
@for_files
def test_any_file_can_be_loaded(file, data):
    file.write_bytes(data)
    assert isinstance(load(file).settings, Settings)


def test_values_are_kept_in_their_usual_spelling(file):
    file.write_text('name = "  Ada "\nrules = "4X6"\nopponent = "Easy"\n')
    assert load(file) == LoadedSettings(Settings(name="Ada", rules="4x6/12", opponent="easy"))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("bell = 1", "bell cannot be 1; allowed: true or false"),
        ('bell = "yes"', "bell cannot be 'yes'; allowed: true or false"),
        ("name = 7", "name cannot be 7; allowed: a text in quotes"),
        ("name = true", "name cannot be true; allowed: a text in quotes"),
        (f'name = "{"x" * 99}"', "xx...': a name has 1 to 24 characters that can be shown"),
        ('palette = "pink"', 'palette cannot be \'pink\'; allowed: "default", "okabe-ito", "high'),
        ("palette = []", 'palette cannot be []; allowed: "default"'),
        ("color = 256", 'color cannot be 256; allowed: "auto", "never", "16", "256", "true"'),
        ('mouse = "OFF"', 'mouse cannot be \'OFF\'; allowed: "auto", "on", "off"'),
        ('language = "tlh"', 'language cannot be \'tlh\'; allowed: "", "en", "pl"'),
        ('server = "two words"', "'two words' is no server address: use HOST"),
        ('rules = "chess"', "rules cannot be 'chess': 'chess' names no rules: use classic"),
        ('opponent = "me"', "opponent cannot be 'me': 'me' is no opponent: use friend, anyone"),
        ("belll = true", "there is no setting 'belll'; there are: name, server, language"),
        ("bell.loud = true", "bell cannot be {'loud': True}; allowed: true or false"),
        ("[bell]\nloud = true", "bell cannot be {'loud': True}; allowed: true or false"),
        ('"be\\nll" = 1', "there is no setting 'be\\nll'"),
    ],
)
def test_a_wrong_line_is_reported_and_the_others_hold(file, line, problem):
    file.write_text(f"# mine\n\ntitle = false\n{line}\n")
    loaded = load(file)
    assert loaded.settings == Settings(title=False)
    (told,) = loaded.problems
    at = 1 if line.startswith('"') else 4  # a key with escapes is not found
    assert told.startswith(f"{file}, line {at}: ")
    assert problem in told
    assert told.endswith(" This setting is ignored.")
    assert told.isprintable()


def test_every_wrong_line_is_reported(file):
    file.write_text("# bell = 0\nbell = 1\n\"title\" = 2\n\n  'motion'=3\n[ mouse ]\nmouse.x = 1\n")
    lines = [told.removeprefix(f"{file}, ")[:6] for told in load(file).problems]
    assert lines == ["line 2", "line 3", "line 5", "line 6"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"bell = true\npalette =\n", "line 2: this is no TOML."),
        (b"bell = true\nmouse", "line 2: this is no TOML."),
        (b"bell = true\nbell = true\n", "line 2: this is no TOML."),
        (b'bell = true\nname = "A', "line 2: this is no TOML."),
        (b"bell = true\n\nname = 'Zo\xeb'\n", "line 3: this is no text in UTF-8."),
        (b"\xef\xbb\xbf\n\xeb = 1\n", "line 2: this is no text in UTF-8."),
        (b"bell = true\nx = " + b"9" * 5000, "line 2: this is no TOML."),
        (b"x = " + b"[" * 5000, " is nested too deeply."),
        (b"#" * (MAX_BYTES + 1), " is too large: settings take 65536 bytes at most."),
        (None, " cannot be read: Is a directory."),
    ],
)
def test_a_broken_file_is_reported_and_the_defaults_hold(file, text, problem):
    if text is None:
        file.mkdir()
    else:
        file.write_bytes(text)
    loaded = load(file)
    assert loaded.settings == Settings()
    (told,) = loaded.problems
    assert told.startswith(str(file))
    assert problem in told
    assert told.endswith(" The default settings are used.")


def test_problems_are_in_the_readers_language(file):
    use_language("pl")
    file.write_text("bell = true\npalette =\n")
    assert load(file).problems == (
        f"{file}, wiersz 2: to nie jest TOML. Obowiązują ustawienia domyślne.",
    )


def test_a_byte_order_mark_is_ignored_and_kept(file):
    file.write_text('name = "Žofie" # me\n', encoding="utf-8-sig")
    assert load(file) == LoadedSettings(Settings(name="Žofie"))
    save({"bell": False}, file)
    assert load(file) == LoadedSettings(Settings(name="Žofie", bell=False))
    assert "# me\n" in file.read_text(encoding="utf-8-sig")


OWN = """\
# my settings
palette = "mono"   # as on paper
bell=false

future = [1, 2] # of a later version

[theirs]
x = 1
"""


@pytest.mark.parametrize(
    ("before", "changes", "after"),
    [
        (None, {"bell": True, "name": None}, None),  # the defaults
        ("bell = false", {"bell": False}, "bell = false"),
        ("bell = 0\n", {"bell": False}, "bell = false\n"),
        ('name = "Ada"\ntitle = false\n', {"name": None}, "title = false\n"),
        ('name = "Ada"\ntitle = false\n', {"name": ""}, "title = false\n"),
        (OWN, {"palette": "default", "bell": False, "title": True},
         OWN.replace('"mono" ', '"default" ')),
        (OWN, {"mouse": "off"}, OWN.replace("\n\n[", '\nmouse = "off"\n\n[')),
    ],
)  # fmt: skip
def test_only_changed_settings_are_written(file, before, changes, after):
    if before is not None:
        file.write_text(before)
    save(changes, file)
    assert (file.read_text() if file.exists() else None) == after


def test_a_broken_file_is_not_written_over(file):
    file.write_text("bell = true\nname = Ada\n")
    with pytest.raises(BrokenFile, match="line 2: this is no TOML") as raised:
        save({"bell": False}, file)
    assert raised.value.strerror == str(raised.value)
    assert file.read_text() == "bell = true\nname = Ada\n"


def test_a_folder_that_cannot_be_written_raises_the_systems_error(tmp_path):
    (tmp_path / "config").touch()
    with pytest.raises(OSError, match="config"):
        save({"bell": False}, tmp_path / "config" / "settings.toml")


def test_a_failed_write_leaves_the_file_alone(file, monkeypatch):
    def fail(_):
        raise OSError("no space left")

    file.write_text("bell = true\n")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        save({"bell": False}, file)
    assert file.read_text() == "bell = true\n"
    assert list(file.parent.glob("settings*")) == [file]


def test_a_link_to_the_settings_stays_a_link(file, tmp_path):
    elsewhere = tmp_path / "dotfiles" / "mastermind.toml"
    elsewhere.parent.mkdir()
    elsewhere.touch()
    file.symlink_to(elsewhere)
    save({"bell": False}, file)
    assert file.is_symlink()
    assert elsewhere.read_text() == "bell = false\n"


def test_a_new_file_is_in_the_platforms_folder_for_its_owner_alone():
    save({"bell": False}, settings_path())
    assert settings_path().parts[-3:] == ("config", "mastermind", "settings.toml")
    assert stat.S_IMODE(settings_path().stat().st_mode) == 0o600
    assert load(settings_path()) == LoadedSettings(Settings(bell=False))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ('language = "pl"', "pl"),
        ('language = ""', None),
        ("language = 1", None),
        ("language =", None),
        ("bell = true", None),
        ("", None),
    ],
)
def test_the_language_can_be_read_alone(text, language):
    settings_path().parent.mkdir(parents=True)
    settings_path().write_text(text)
    assert read_language(settings_path()) == language


@pytest.mark.parametrize(
    ("mouse", "environ", "plays"),
    [
        ("auto", XTERM, True),
        ("auto", {**XTERM, "SSH_TTY": ""}, True),
        ("auto", {**XTERM, "SSH_CONNECTION": "::1 1 ::1 22"}, False),
        ("auto", {**XTERM, "SSH_TTY": "/dev/pts/1"}, False),
        ("auto", {"TERM": "vt100"}, False),
        ("on", {"TERM": "vt100", "SSH_TTY": "/dev/pts/1"}, True),
        ("off", XTERM, False),
    ],
)
def test_the_mouse_plays_where_there_is_one_except_over_ssh(mouse, environ, plays):
    assert Settings(mouse=mouse).handles_mouse(environ) is plays


def test_a_new_language_translates_the_comments(file):
    own = "# a note of my own\n"
    file.write_text(own + write_settings(Settings()))
    use_language("pl")
    save({"language": "pl"}, file)
    assert file.read_text() == own + write_settings(Settings(language="pl"))
