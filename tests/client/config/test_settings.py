import os
import stat
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

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
from mastermind_client.config.settings_file import (
    MAX_BYTES,
    BrokenFile,
    find_line,
    read_language,
    settings_path,
)
from mastermind_client.language import LANGUAGES, use_language
from mastermind_protocol.rules import DEFAULT

OTHERS = {
    "name": "Ada", "server": "wss://club.example", "language": "pl", "palette": "okabe-ito",
    "color": "256", "glyphs": "ascii", "bell": False, "title": False, "mouse": "off",
    "motion": False, "pace": 0.7, "mark_excluded": False, "introduction": "hints",
    "rules": "5x8/12", "opponent": "easy",
}  # fmt: skip
"""For each setting a value that is not the default one."""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "settings.toml"


def test_without_a_file_everything_is_as_by_default(file):
    assert load(file) == LoadedSettings(Settings(), ())
    assert Settings() == Settings(
        name=None, server=DEFAULT_SERVER, language="", palette="default", color="auto",
        glyphs="auto", bell=True, title=True, mouse="auto", motion=True, pace=1.5,
        mark_excluded=True, introduction="all", rules=DEFAULT.name, opponent=DEFAULT_BOT,
    )  # fmt: skip


def test_the_settings_are_in_the_platforms_folder_for_them():
    assert load() == LoadedSettings(Settings())
    save({"bell": False})
    assert settings_path().parts[-3:] == ("config", "mastermind", "settings.toml")
    assert load() == LoadedSettings(Settings(bell=False))


def test_every_setting_has_a_meaning_and_says_what_is_allowed():
    assert list(SETTINGS) == list(OTHERS) == list(Settings.__struct_fields__)
    for name, setting in SETTINGS.items():
        assert (setting.name, setting.default) == (name, getattr(Settings(), name))
        assert setting.meaning
        assert setting.allowed
        assert bool(setting.choices) + setting.is_switch + (setting.parse is not None) == 1


def test_every_language_there_is_can_be_chosen():
    assert SETTINGS["language"].choices == ("", *LANGUAGES)


@pytest.mark.parametrize(("name", "value"), OTHERS.items())
def test_what_is_kept_is_what_is_loaded(file, name, value):
    save({name: value}, file)
    assert load(file) == LoadedSettings(replace(Settings(), **{name: value}))
    assert tomllib.loads(file.read_text()) == {name: value}


@pytest.mark.parametrize(
    ("name", "choice"),
    [(name, choice) for name, setting in SETTINGS.items() for choice in setting.choices],
)
def test_every_choice_there_is_may_be_kept(file, name, choice):
    save({name: choice}, file)
    assert getattr(load(file).settings, name) == choice


def test_values_are_kept_as_everybody_writes_them(file):
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
        ('server = "localhost"', "'localhost' is no server address: use ws://HOST:PORT"),
        ('rules = "chess"', "rules cannot be 'chess': 'chess' names no rules: use classic"),
        ('opponent = "me"', "opponent cannot be 'me': 'me' is nobody to play with"),
        ("belll = true", "there is no setting 'belll'; there are: name, server, language"),
        ("bell.loud = true", "bell cannot be {'loud': True}; allowed: true or false"),
        ("[bell]\nloud = true", "bell cannot be {'loud': True}; allowed: true or false"),
        ('"be\\nll" = 1', "there is no setting 'be\\nll'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line_and_all_else_holds(file, line, problem):
    file.write_text(f"# mine\n\ntitle = false\n{line}\n")
    loaded = load(file)
    assert loaded.settings == Settings(title=False)
    (told,) = loaded.problems
    at = 1 if line.startswith('"') else 4  # no regular expression finds a key with escapes in it
    assert told.startswith(f"{file}, line {at}: ")
    assert problem in told
    assert told.endswith(" It is passed over.")
    assert told.isprintable()


def test_everything_that_is_wrong_is_named(file):
    file.write_text('bell = 1\n"title" = 2\n\n  mouse=3\n')
    assert [told.removeprefix(f"{file}, ")[:6] for told in load(file).problems] == [
        "line 1", "line 2", "line 4",
    ]  # fmt: skip


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
    ],
)
def test_a_broken_file_is_named_with_its_line_and_the_default_settings_are_used(
    file, text, problem
):
    file.write_bytes(text)
    loaded = load(file)
    assert loaded.settings == Settings()
    (told,) = loaded.problems
    assert told.startswith(str(file))
    assert problem in told
    assert told.endswith(" The default settings are used.")


def test_a_file_that_cannot_be_read_is_named(file):
    file.mkdir()
    assert load(file) == LoadedSettings(
        Settings(), (f"{file} cannot be read: Is a directory. The default settings are used.",)
    )


def test_nothing_of_it_is_told_in_another_language_than_the_reader_s(file):
    use_language("pl")
    file.write_text("bell = true\npalette =\n")
    assert load(file).problems == (
        f"{file}, wiersz 2: to nie jest TOML. Obowiązują ustawienia domyślne.",
    )


def test_the_mark_that_some_editors_put_before_utf_8_is_no_part_of_the_settings(file):
    file.write_text('name = "Žofie" # me\n', encoding="utf-8-sig")
    assert load(file) == LoadedSettings(Settings(name="Žofie"))
    save({"bell": False}, file)
    assert load(file) == LoadedSettings(Settings(name="Žofie", bell=False))
    assert "# me\n" in file.read_text(encoding="utf-8-sig")


@given(st.one_of(st.binary(), st.text().map(str.encode)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_no_file_at_all_is_too_broken_to_be_loaded(file, data):
    file.write_bytes(data)
    assert isinstance(load(file).settings, Settings)


_VALUES = st.one_of(st.booleans(), st.integers(), st.text(max_size=8), st.just("mono"))


@given(st.dictionaries(st.sampled_from([*OTHERS, "x"]), _VALUES))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_whatever_is_accepted_is_kept_and_whatever_is_not_changes_nothing(file, changes):
    file.unlink(missing_ok=True)
    try:
        save(changes, file)
    except InvalidSetting:
        assert not file.exists()
    else:
        loaded = load(file)
        assert not loaded.problems
        again = write_settings(loaded.settings)
        file.write_text(again)
        assert load(file) == loaded


def test_only_what_has_changed_is_written_and_all_else_stays_as_it_is(file):
    before = (
        "# my settings\n"
        'palette = "mono"   # as on paper\n'
        "bell=false\n"
        "\n"
        "future = [1, 2] # of a later version\n"
        "\n"
        "[theirs]\n"
        "x = 1\n"
    )
    file.write_text(before)
    save({"palette": "default", "bell": False, "title": True}, file)
    after = before.replace('"mono" ', '"default" ')
    assert file.read_text() == after
    save({"mouse": "off"}, file)
    assert tomllib.loads(file.read_text()) == {**tomllib.loads(after), "mouse": "off"}
    assert "# as on paper" in file.read_text()


def test_nothing_is_written_where_nothing_has_changed(file):
    save({"bell": True, "name": None}, file)
    assert not file.exists()
    file.write_text("bell = false")
    before = file.stat()
    save({"bell": False}, file)
    assert file.stat() == before


def test_a_wrong_value_that_looks_like_the_new_one_is_replaced(file):
    file.write_text("bell = 0\n")
    save({"bell": False}, file)
    assert file.read_text() == "bell = false\n"


@pytest.mark.parametrize("nobody", [None, ""])
def test_a_name_can_be_given_up(file, nobody):
    save({"name": "Ada"}, file)
    save({"name": nobody}, file)
    assert load(file) == LoadedSettings(Settings())
    assert "name" not in file.read_text()


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"bell": "no"}, "bell cannot be 'no'; allowed: true or false"),
        ({"palette": None}, "palette cannot be None; allowed: "),
        ({"bells": True}, "there is no setting 'bells'"),
    ],
)
def test_what_is_not_allowed_is_not_kept(file, changes, told):
    with pytest.raises(InvalidSetting, match=told):
        save({"title": False, **changes}, file)
    assert not file.exists()


def test_a_file_that_has_to_be_mended_is_not_written_over(file):
    file.write_text("bell = true\nname = Ada\n")
    with pytest.raises(BrokenFile, match="line 2: this is no TOML") as raised:
        save({"bell": False}, file)
    assert raised.value.strerror == str(raised.value)
    assert file.read_text() == "bell = true\nname = Ada\n"


def test_a_folder_that_nothing_can_be_written_to_is_an_error_of_the_system(tmp_path):
    (tmp_path / "config").touch()
    with pytest.raises(OSError, match="config"):
        save({"bell": False}, tmp_path / "config" / "settings.toml")


def test_a_write_that_fails_leaves_the_file_as_it_was_and_nothing_beside_it(file, monkeypatch):
    def fail(_):
        raise OSError("no space left")

    file.write_text("bell = true\n")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        save({"bell": False}, file)
    assert file.read_text() == "bell = true\n"
    assert list(file.parent.glob("settings*")) == [file]


def test_a_link_to_settings_that_are_kept_elsewhere_stays_one(file, tmp_path):
    elsewhere = tmp_path / "dotfiles" / "mastermind.toml"
    elsewhere.parent.mkdir()
    elsewhere.touch()
    file.symlink_to(elsewhere)
    save({"bell": False}, file)
    assert file.is_symlink()
    assert elsewhere.read_text() == "bell = false\n"


def test_the_folder_is_made_when_it_is_needed_and_the_file_is_the_owners(tmp_path):
    file = tmp_path / "a" / "b" / "settings.toml"
    save({"bell": False}, file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_settings_in_full_say_what_they_mean_and_can_be_loaded(file):
    everything = Settings(**OTHERS)  # type: ignore[arg-type]
    for kept in (Settings(), everything):
        text = write_settings(kept)
        file.write_text(text)
        assert load(file) == LoadedSettings(kept)
        for setting in SETTINGS.values():
            assert f"# {setting.meaning}\n" in text
    assert '# allowed: "auto", "on", "off"\nmouse = "off"\n' in text


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
    assert read_language() == language


def test_a_line_is_found_as_toml_may_have_it():
    text = "# bell = 1\ntitle = 1\n 'bell' = 1\n[ mouse ]\nmouse.x = 1\n"
    assert find_line(text, "title") == 2
    assert find_line(text, "bell") == 3
    assert find_line("[ mouse ]\n", "mouse") == 1


@pytest.mark.parametrize(
    ("mouse", "environ", "plays"),
    [
        ("auto", {}, True),
        ("auto", {"SSH_TTY": ""}, True),
        ("auto", {"SSH_CONNECTION": "::1 1 ::1 22"}, False),
        ("auto", {"SSH_TTY": "/dev/pts/1"}, False),
        ("on", {"SSH_TTY": "/dev/pts/1"}, True),
        ("off", {}, False),
    ],
)
def test_the_mouse_plays_unless_it_is_over_ssh_or_told_otherwise(mouse, environ, plays):
    assert Settings(mouse=mouse).mouse_plays(environ) is plays


def test_with_another_language_the_comments_are_in_it_too(tmp_path):
    file = tmp_path / "settings.toml"
    own = "# a note of my own\n"
    file.write_text(own + write_settings(Settings()))
    use_language("pl")
    save({"language": "pl"}, file)
    assert file.read_text() == own + write_settings(Settings(language="pl"))
    use_language("en")
    save({"language": "en"}, file)
    assert file.read_text() == own + write_settings(Settings(language="en"))


def test_without_another_language_the_comments_are_left_alone(tmp_path):
    file = tmp_path / "settings.toml"
    file.write_text(write_settings(Settings()))
    use_language("pl")
    save({"bell": False}, file)
    assert "# let the terminal ring when it is your turn\n" in file.read_text()
