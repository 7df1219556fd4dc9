"""What a person has settled once and for all: kept as TOML, which they may edit themselves.

The table of settings is the one source of what there is, what is allowed and what it means: what
the file says is checked by it, and whatever shows or describes settings is made from it.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from mastermind_client.config.options import DEFAULT_BOT, DEFAULT_SERVER
from mastermind_client.config.settings_file import (
    BrokenFile,
    find_line,
    read_file,
    replace_file,
    settings_path,
)
from mastermind_client.config.values import parse_name, parse_opponent, parse_server
from mastermind_client.language import LANGUAGES
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.words.refusals import explain_refusal
from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Palette: TypeAlias = Literal["default", "okabe-ito", "high-contrast", "mono"]
Color: TypeAlias = Literal["auto", "never", "16", "256", "true"]
Glyphs: TypeAlias = Literal["auto", "unicode", "ascii"]
Mouse: TypeAlias = Literal["auto", "on", "off"]
Value: TypeAlias = str | bool | None

PALETTES: tuple[Palette, ...] = get_args(Palette)
COLORS: tuple[Color, ...] = get_args(Color)
GLYPHS: tuple[Glyphs, ...] = get_args(Glyphs)
MICE: tuple[Mouse, ...] = get_args(Mouse)
_MAX_SHOWN = 40  # characters: of what is wrong, enough to know it again


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one person; `settings_table` says what each of them means."""

    name: str | None = None
    server: str = DEFAULT_SERVER
    language: str = ""
    palette: Palette = "default"
    color: Color = "auto"
    glyphs: Glyphs = "auto"
    bell: bool = True
    title: bool = True
    mouse: Mouse = "auto"
    mark_excluded: bool = True
    rules: str = DEFAULT.name
    opponent: str = DEFAULT_BOT

    def mouse_plays(self, environ: Mapping[str, str]) -> bool:
        """Return whether the mouse is the game's, which takes the selecting of text from a person.

        Over SSH nothing is as good as that for getting an invite code out of the terminal.
        """
        if self.mouse == "auto":
            return not (environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))
        return self.mouse == "on"


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings that hold, and what was wrong with those in the file: a sentence for each."""

    settings: Settings
    problems: tuple[str, ...] = ()


class InvalidSetting(ValueError):
    """There is no such setting, or that is no value for it; the text says what is allowed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One row of the table of settings.

    `meaning` is English and translated where it is shown. A setting has `choices`, or is a text
    that `check` reads (it returns the value as it is kept), or is a switch.
    """

    name: str
    meaning: str
    choices: tuple[str, ...] = ()
    check: Callable[[str], str] | None = None

    @property
    def default(self) -> Value:
        """What holds where the file says nothing."""
        value: Value = getattr(Settings(), self.name)
        return value

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off: true or false in the file."""
        return isinstance(self.default, bool)

    @property
    def allowed(self) -> str:
        """What may stand in the file, in words."""
        if self.choices:
            return ", ".join(f'"{choice}"' for choice in self.choices)
        return _("true or false") if self.is_switch else _("a text in quotes")

    def accept(self, value: object) -> Value:
        """Return the value as it is kept. Raises InvalidSetting."""
        if isinstance(value, bool) and self.is_switch:
            return value
        if value in (None, "") and self.default is None:
            return None
        if isinstance(value, str):
            if value in self.choices:
                return value
            if self.check is not None:
                return self._read(self.check, value)
        raise InvalidSetting(
            _("{name} cannot be {value}; allowed: {allowed}").format(
                name=self.name, value=_write_short(value), allowed=self.allowed
            )
        )

    def _read(self, check: Callable[[str], str], text: str) -> str:
        try:
            return check(text)
        except ArgumentTypeError as error:
            raise InvalidSetting(
                _("{name} cannot be {value}: {reason}").format(
                    name=self.name, value=_write_short(text), reason=error
                )
            ) from None


def _check_rules(text: str) -> str:
    try:
        return find_rules(text).name
    except InvalidRules as error:
        raise ArgumentTypeError(explain_refusal(error)) from None


_TABLE = (
    Setting("name", N_("what others see you as; without it you are a guest"), check=parse_name),
    Setting("server", N_("where friends and strangers are met"), check=parse_server),
    Setting(
        "language",
        N_("the language of all texts; empty for the one that the system asks for"),
        choices=("", *LANGUAGES),
    ),
    Setting("palette", N_("the colours of the pegs"), choices=PALETTES),
    Setting(
        "color",
        N_("how many colours the terminal is sent; auto for as many as it says it has"),
        choices=COLORS,
    ),
    Setting(
        "glyphs",
        N_("what pegs and lines are drawn with; auto for what the terminal can show"),
        choices=GLYPHS,
    ),
    Setting("bell", N_("let the terminal ring when it is your turn")),
    Setting("title", N_("let the window's title say when it is your turn")),
    Setting(
        "mouse",
        N_("whether the mouse is listened to; auto for everywhere but over SSH"),
        choices=MICE,
    ),
    Setting("mark_excluded", N_("mark a guess that the feedback so far rules out")),
    Setting("rules", N_("the rules that were played last"), check=_check_rules),
    Setting("opponent", N_("the bot that was played last"), check=parse_opponent),
)


def settings_table() -> list[Setting]:
    """Return all settings there are, in the order in which they are shown."""
    return list(_TABLE)


def load(path: Path | None = None) -> Loaded:
    """Return the settings in the file: the user's own, if none is named.

    Whatever the file is like, there are settings: what it does not say, or says wrongly, is as by
    default, and `problems` names each such place.
    """
    file = path or settings_path()
    try:
        text, given = read_file(file)
    except BrokenFile as error:
        told = _("{problem}. The default settings are used.").format(problem=error)
        return Loaded(Settings(), (told,))
    values: dict[str, Any] = {}
    problems = []
    for name, value in given.items():
        try:
            values[name] = _find(name).accept(value)
        except InvalidSetting as error:
            problems.append(
                _("{file}, line {line}: {problem}. It is passed over.").format(
                    file=file, line=find_line(text, name), problem=error
                )
            )
    return Loaded(replace(Settings(), **values), tuple(problems))


def save(changes: Mapping[str, object], path: Path | None = None) -> None:
    """Write what has changed into the file, and leave all else in it as it is.

    None removes a setting that has no value by default. Raises InvalidSetting; BrokenFile, an
    OSError, rather than to write over a file that has to be mended; and OSError.
    """
    wanted = {name: _find(name).accept(value) for name, value in changes.items()}
    file = path or settings_path()
    text, given = read_file(file)
    changed = {
        name: value
        for name, value in wanted.items()
        if _typed(value) != _typed(given.get(name, _find(name).default))
    }
    if not changed:
        return
    import tomlkit

    document = tomlkit.parse(text)
    for name, value in changed.items():
        if value is None:
            document.remove(name)
        else:
            document[name] = value
    replace_file(file, tomlkit.dumps(document))


def write_settings(settings: Settings) -> str:
    """Return settings as the text of a file that says what each of them means."""
    import tomlkit

    document = tomlkit.document()
    for setting in _TABLE:
        document.add(tomlkit.comment(_(setting.meaning)))
        if not setting.check:
            document.add(tomlkit.comment(_("allowed: {values}").format(values=setting.allowed)))
        value = getattr(settings, setting.name)
        if value is None:
            document.add(tomlkit.comment(f'{setting.name} = ""'))
        else:
            document.add(setting.name, value)
        document.add(tomlkit.nl())
    return tomlkit.dumps(document).rstrip("\n") + "\n"


def _typed(value: object) -> tuple[type, object]:
    return type(value), value  # for 1 equals True


def _find(name: str) -> Setting:
    for setting in _TABLE:
        if setting.name == name:
            return setting
    raise InvalidSetting(
        _("there is no setting {name}; there are: {known}").format(
            name=_write_short(name), known=", ".join(setting.name for setting in _TABLE)
        )
    )


def _write_short(value: object) -> str:
    """Return a value of the file so that it can be shown: of a long one, how it begins."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
