"""The process and its user: folders, environment, streams, and the language of the C library."""

from __future__ import annotations

import gettext
import locale
import os
import sys
from typing import TYPE_CHECKING

from mastermind_client.language import CATALOGUE_FOLDER, GETTEXT_DOMAIN, current_language

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mastermind_client.context import ClientContext


def settings_path() -> Path:
    """Return the path of the user's settings. The file may be missing.

    Raises OSError for a user without a home folder.
    """
    import platformdirs

    try:
        folder = platformdirs.user_config_path("mastermind")
    except RuntimeError as error:
        raise OSError(str(error)) from error
    return folder / "settings.toml"


def localise(language: str) -> None:
    """Set the language of argparse, of system errors and of child processes.

    argparse, the C library and child processes read the variable LANGUAGE, which is set here.
    """
    os.environ["LANGUAGE"] = language
    try:
        locale.setlocale(locale.LC_MESSAGES, "")
    except locale.Error:  # not installed
        locale.setlocale(locale.LC_MESSAGES, "C")
    gettext.bindtextdomain(GETTEXT_DOMAIN, CATALOGUE_FOLDER)
    gettext.textdomain(GETTEXT_DOMAIN)


def open_standard_streams() -> None:
    """Open the null device as each standard stream that was closed when the process started.

    Must be called before the process opens files or sockets: they would get the descriptors of the
    streams, and child processes or libraries would use them as such.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, os.O_RDWR)  # the lowest free one: that of the stream
            os.set_inheritable(descriptor, True)
            setattr(sys, name, os.fdopen(descriptor, mode, closefd=False))


def make_context(
    environ: Mapping[str, str] | None = None, cafile: str | None = None
) -> ClientContext:
    """Return the context of the process's user, with its standard streams as the terminal.

    The default of `environ` is the process's environment. The language in use is kept. Certificates
    in the file `cafile` are trusted as well.
    """
    import platformdirs

    from mastermind_client.context import ClientContext, Network

    return ClientContext(
        folder=platformdirs.user_data_path("mastermind"),
        settings_file=settings_path(),
        environ=dict(os.environ if environ is None else environ),
        output=sys.stdout,
        errors=sys.stderr,
        report=_report,
        language=current_language(),
        network=Network(cafile),
    )


def _report(error: BaseException) -> None:
    from mastermind_client.cli.crash_log import log_failure  # late: failures are rare

    log_failure(error)
