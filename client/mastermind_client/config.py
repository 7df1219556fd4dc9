"""`mastermind config`: the settings in effect, the default ones again, or where they are kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mastermind_client.language import gettext as _
from mastermind_client.settings import Settings, load, write_settings
from mastermind_client.settings_file import replace_file, settings_path

if TYPE_CHECKING:
    from mastermind_client.options import ConfigOptions


def run(options: ConfigOptions) -> None:
    """Do what was asked for; what is wrong in the file is told on standard error. Raises OSError.

    Settings that are reset are kept beside the new ones: a hand may have written them.
    """
    path = settings_path()
    match options.action:
        case "path":
            print(path)
        case "print":
            loaded = load(path)
            print(write_settings(loaded.settings), end="")
            for problem in loaded.problems:
                print(f"mastermind: {problem}", file=sys.stderr)
        case "reset":
            kept = path.with_name(f"{path.name}.bak")
            if path.exists():
                path.replace(kept)
                print(_("The settings that were there are kept in {file}.").format(file=kept))
            replace_file(path, write_settings(Settings()))
            print(_("{file} has the default settings.").format(file=path))
