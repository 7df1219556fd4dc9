import pytest

from mastermind_client.cli.command import ERROR, OK, USAGE, main
from mastermind_client.config.settings import Settings, load, save, write_settings
from mastermind_client.config.settings_file import settings_path


@pytest.fixture
def file():
    """The file of this user's settings, whose folder is there."""
    settings_path().parent.mkdir(parents=True)
    return settings_path()


def test_where_the_settings_are_is_told(capsys):
    assert main(["config", "--path"]) == OK
    assert capsys.readouterr().out == f"{settings_path()}\n"


@pytest.mark.parametrize("line", [["config"], ["config", "--print"]])
def test_the_settings_in_effect_are_printed_as_a_file_would_have_them(line, capsys):
    save({"palette": "mono"})
    assert main(line) == OK
    said = capsys.readouterr()
    assert said.out == write_settings(Settings(palette="mono"))
    assert not said.err


def test_what_is_wrong_with_the_file_is_told_on_standard_error(file, capsys):
    file.write_text('mouse = "off"\nbell = 1\n')
    assert main(["config"]) == OK
    said = capsys.readouterr()
    assert said.out == write_settings(Settings(mouse="off"))
    assert said.err.startswith(f"mastermind: {file}, line 2: bell cannot be 1")


def test_the_default_settings_can_be_had_again_and_the_others_are_kept_beside(file, capsys):
    file.write_text("broken = [")
    assert main(["config", "--reset"]) == OK
    kept = file.with_name("settings.toml.bak")
    assert capsys.readouterr().out == (
        f"The settings that were there are kept in {kept}.\n{file} has the default settings.\n"
    )
    assert kept.read_text() == "broken = ["
    assert file.read_text() == write_settings(Settings())
    assert load().problems == ()


def test_nothing_that_was_kept_is_written_over(file, capsys):
    for name in ("Ada", "Bob", "Eve"):
        save({"name": name})
        assert main(["config", "--reset"]) == OK
    assert "settings.toml.bak3.\n" in capsys.readouterr().out
    kept = [file.with_name(f"settings.toml.bak{number}") for number in ("", 2, 3)]
    assert [load(path).settings.name for path in kept] == ["Ada", "Bob", "Eve"]


def test_default_settings_are_not_kept_once_more(file, capsys):
    for _ in range(2):
        assert main(["config", "--reset"]) == OK
        assert capsys.readouterr().out == f"{file} has the default settings.\n"
    assert list(file.parent.iterdir()) == [file]


def test_a_link_to_settings_that_are_kept_elsewhere_stays_one(file, tmp_path):
    elsewhere = tmp_path / "dotfiles.toml"
    elsewhere.write_text("bell = false # at night\n")
    file.symlink_to(elsewhere)
    assert main(["config", "--reset"]) == OK
    assert file.is_symlink()
    assert elsewhere.read_text() == write_settings(Settings())
    kept = file.with_name("settings.toml.bak")
    assert not kept.is_symlink()
    assert kept.read_text() == "bell = false # at night\n"


def test_settings_that_cannot_be_read_are_not_replaced(capsys):
    settings_path().mkdir(parents=True)
    assert main(["config", "--reset"]) == ERROR
    assert capsys.readouterr().err == f"mastermind: {settings_path()}: Is a directory\n"


def test_where_there_were_no_settings_there_are_default_ones(capsys):
    assert main(["config", "--reset"]) == OK
    assert capsys.readouterr().out == f"{settings_path()} has the default settings.\n"
    assert not list(settings_path().parent.glob("*.bak"))


def test_a_folder_that_cannot_be_written_to_is_told(capsys):
    settings_path().parent.parent.mkdir(parents=True)
    settings_path().parent.touch()
    assert main(["config", "--reset"]) == ERROR
    assert capsys.readouterr().err.startswith(f"mastermind: {settings_path().parent}")


def test_only_one_thing_is_done_at_a_time(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["config", "--print", "--reset"])
    assert ended.value.code == USAGE
    assert "not allowed with argument --print" in capsys.readouterr().err
