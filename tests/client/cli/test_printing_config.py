import pytest

from mastermind_client.cli.command import EXIT_ERROR, EXIT_OK, main
from mastermind_client.cli.process import settings_path
from mastermind_client.config.settings import Settings, load, save, write_settings


@pytest.fixture
def file():
    """Return the file of the settings, in an existing folder."""
    settings_path().parent.mkdir(parents=True)
    return settings_path()


def test_the_path_of_the_settings_is_printed(capsys):
    assert main(["config", "--path"]) == EXIT_OK
    assert capsys.readouterr().out == f"{settings_path()}\n"


@pytest.mark.parametrize("line", [["config"], ["config", "--print"]])
def test_the_settings_in_effect_are_printed_as_a_file(line, capsys):
    save({"palette": "mono"}, settings_path())
    assert main(line) == EXIT_OK
    said = capsys.readouterr()
    assert said.out == write_settings(Settings(palette="mono"))
    assert not said.err


def test_problems_of_the_file_are_on_standard_error(file, capsys):
    file.write_text('mouse = "off"\nbell = 1\n')
    assert main(["config"]) == EXIT_OK
    said = capsys.readouterr()
    assert said.out == write_settings(Settings(mouse="off"))
    assert said.err.startswith(f"mastermind: {file}, line 2: bell cannot be 1")


def test_a_reset_keeps_the_old_settings_in_another_file(file, capsys):
    file.write_text("broken = [")
    assert main(["config", "--reset"]) == EXIT_OK
    kept = file.with_name("settings.toml.bak")
    assert capsys.readouterr().out == (
        f"The old settings are kept in {kept}.\n{file} has the default settings.\n"
    )
    assert kept.read_text() == "broken = ["
    assert file.read_text() == write_settings(Settings())
    assert load(settings_path()).problems == ()


def test_a_reset_overwrites_no_kept_file(file, capsys):
    for name in ("Ada", "Bob", "Eve"):
        save({"name": name}, settings_path())
        assert main(["config", "--reset"]) == EXIT_OK
    assert "settings.toml.bak3.\n" in capsys.readouterr().out
    kept = [file.with_name(f"settings.toml.bak{number}") for number in ("", 2, 3)]
    assert [load(path).settings.name for path in kept] == ["Ada", "Bob", "Eve"]


def test_a_reset_of_default_settings_keeps_no_file(file, capsys):
    for _ in range(2):
        assert main(["config", "--reset"]) == EXIT_OK
        assert capsys.readouterr().out == f"{file} has the default settings.\n"
    assert list(file.parent.iterdir()) == [file]


def test_a_link_to_the_settings_stays_a_link(file, tmp_path):
    elsewhere = tmp_path / "dotfiles.toml"
    elsewhere.write_text("bell = false # at night\n")
    file.symlink_to(elsewhere)
    assert main(["config", "--reset"]) == EXIT_OK
    assert file.is_symlink()
    assert elsewhere.read_text() == write_settings(Settings())
    kept = file.with_name("settings.toml.bak")
    assert not kept.is_symlink()
    assert kept.read_text() == "bell = false # at night\n"


def test_unreadable_settings_are_not_replaced(capsys):
    settings_path().mkdir(parents=True)
    assert main(["config", "--reset"]) == EXIT_ERROR
    assert capsys.readouterr().err == f"mastermind: {settings_path()}: Is a directory\n"
