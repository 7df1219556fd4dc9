import argparse
import errno
import gettext
import os

import pytest

from mastermind_client.cli.process import localise


@pytest.fixture(autouse=True)
def _english_again():
    yield
    localise("en")


def test_argparse_speaks_the_language_in_use(capsys):
    localise("pl")
    with pytest.raises(SystemExit):
        argparse.ArgumentParser(prog="mastermind").parse_args(["--help"])
    assert capsys.readouterr().out == (
        "użycie: mastermind [-h]\n\nopcje:\n  -h, --help  pokaż tę pomoc i zakończ\n"
    )
    with pytest.raises(SystemExit):
        argparse.ArgumentParser(prog="mastermind").parse_args(["x"])
    assert capsys.readouterr().err.endswith("mastermind: błąd: nieznane argumenty: x\n")


@pytest.mark.skipif(
    gettext.find("libc", "/usr/share/locale", ["pl"]) is None,
    reason="this machine's C library knows no Polish",
)
def test_the_systems_errors_are_in_the_language():
    localise("pl")
    assert os.strerror(errno.ENOENT) == "Nie ma takiego pliku ani katalogu"
    localise("en")
    assert os.strerror(errno.ENOENT) == "No such file or directory"


def test_a_missing_locale_is_ignored(monkeypatch):
    localise("pl")
    monkeypatch.setenv("LC_ALL", "xx_XX.UTF-8")
    localise("pl")
    assert os.strerror(errno.ENOENT) == "No such file or directory"  # as good as it can be
