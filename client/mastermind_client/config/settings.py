"""The settings of a player, stored as TOML, which the player can edit.

The fields of Settings define the names, types and meanings of the settings. The checks of the file,
the lists in the documents, and the settings page are made from these fields.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

import msgspec

from mastermind_client.config.options import DEFAULT_BOT, DEFAULT_SERVER
from mastermind_client.config.settings_file import BrokenFile, find_line, read_file
from mastermind_client.config.values import parse_name, parse_opponent, parse_pace, parse_server
from mastermind_client.files import write_atomically
from mastermind_client.language import LANGUAGES, translate
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.playback import DEFAULT_PACE_SECONDS
from mastermind_client.tty.terminfo import find_capabilities
from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Language: TypeAlias = Literal["", "en", "pl"]
Palette: TypeAlias = Literal["default", "okabe-ito", "high-contrast", "mono"]
Color: TypeAlias = Literal["auto", "never", "16", "256", "true"]
Glyphs: TypeAlias = Literal["auto", "unicode", "ascii"]
IntroductionLevel: TypeAlias = Literal["all", "hints", "none"]
Mouse: TypeAlias = Literal["auto", "on", "off"]
Value: TypeAlias = str | bool | float | None

_MAX_QUOTED_CHARACTERS = 40  # characters of an invalid value in a message


def _parse_rules_name(text: str) -> str:
    try:
        return find_rules(text).name
    except InvalidRules as error:
        raise ArgumentTypeError(error.write(_)) from None


class Settings(msgspec.Struct, frozen=True):
    """The settings of one player.

    The annotation of a field has its type, its meaning (marked for translation), and for numbers
    and free texts a function that parses the value.
    """

    name: Annotated[
        str | None,
        N_("the name that others see; without it you keep your last name, or are a guest"),
        parse_name,
    ] = None
    server: Annotated[str, N_("the server for matches with other people"), parse_server] = (
        DEFAULT_SERVER
    )
    language: Annotated[
        Language, N_("the language of all texts; empty for the system's language")
    ] = ""
    palette: Annotated[Palette, N_("the colours of the pegs")] = "default"
    color: Annotated[Color, N_("the number of colours to use; auto for those of the terminal")] = (
        "auto"
    )
    glyphs: Annotated[
        Glyphs,
        N_("the characters for pegs and lines; auto for the best that the terminal can show"),
    ] = "auto"
    bell: Annotated[bool, N_("ring the terminal bell when it is your turn")] = True
    title: Annotated[bool, N_("show in the window's title that it is your turn")] = True
    mouse: Annotated[Mouse, N_("use the mouse; auto: yes, except over SSH")] = "auto"
    motion: Annotated[bool, N_("animate answers peg by peg, and show confetti")] = True
    pace: Annotated[
        float,
        N_("seconds of pause after each guess of a bot; 0 for none"),
        parse_pace,
    ] = DEFAULT_PACE_SECONDS
    mark_excluded: Annotated[
        bool, N_("mark guesses and colours that the feedback so far rules out")
    ] = True
    introduction: Annotated[
        IntroductionLevel,
        N_("help in the first game: all (asks for your name too), hints, or none"),
    ] = "all"
    rules: Annotated[str, N_("the rules that were played last"), _parse_rules_name] = DEFAULT.name
    opponent: Annotated[str, N_("the bot that was played last"), parse_opponent] = DEFAULT_BOT

    def handles_mouse(self, environ: Mapping[str, str]) -> bool:
        """Return whether the game handles the mouse, which prevents selecting text in the terminal.

        "auto" means no over SSH, where players select an invite code to copy it, and at a terminal
        without a mouse.
        """
        if self.mouse == "auto":
            is_remote = environ.get("SSH_CONNECTION") or environ.get("SSH_TTY")
            return not is_remote and find_capabilities(environ).is_xterm
        return self.mouse == "on"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The settings of a file, and a sentence for each problem of the file."""

    settings: Settings
    problems: tuple[str, ...] = ()


class InvalidSetting(ValueError):
    """An unknown setting or an invalid value. The text names the allowed settings or values."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of Settings, with its English `meaning`. Only numbers and free texts have `parse`."""

    name: str
    type: Any
    meaning: str
    default: Value
    parse: Callable[[str], str | float] | None = None

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed values. Empty if the setting is a switch, a number or a free text."""
        return () if self.is_switch or self.parse else get_args(self.type)

    @property
    def is_switch(self) -> bool:
        """Whether the value is true or false."""
        return self.type is bool

    @property
    def allowed(self) -> str:
        """A text of the allowed values, as written in the file."""
        return self._write_allowed(_)

    def write_comments(self, translate: Callable[[str], str]) -> list[str]:
        """Return the comment lines above the setting in the file. `translate` is gettext."""
        lines = [translate(self.meaning)]
        if not self.parse:
            values = self._write_allowed(translate)
            lines.append(translate(N_("allowed: {values}")).format(values=values))
        return lines

    def _write_allowed(self, translate: Callable[[str], str]) -> str:
        if self.choices:
            return ", ".join(f'"{choice}"' for choice in self.choices)
        if self.type is float:
            return translate(N_("a number"))
        return translate(N_("true or false") if self.is_switch else N_("a text in quotes"))

    def accept(self, value: object) -> Value:
        """Return `value` in its stored form. Raises InvalidSetting."""
        if value in (None, "") and self.default is None:
            return None
        try:
            if self.type is float and self.parse and not isinstance(value, bool):
                return self.parse(str(value))
            accepted: Value = msgspec.convert(value, self.type)
            return self.parse(accepted) if self.parse and isinstance(accepted, str) else accepted
        except msgspec.ValidationError:
            raise InvalidSetting(
                _("{name} cannot be {value}; allowed: {allowed}").format(
                    name=self.name, value=_write_short(value), allowed=self.allowed
                )
            ) from None
        except ArgumentTypeError as error:
            raise InvalidSetting(
                _("{name} cannot be {value}: {reason}").format(
                    name=self.name, value=_write_short(value), reason=error
                )
            ) from None


def _read_field(field: msgspec.structs.FieldInfo) -> Setting:
    kind, meaning, *parse = get_args(field.type)
    return Setting(field.name, kind, meaning, field.default, *parse)


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {field.name: _read_field(field) for field in msgspec.structs.fields(Settings)}
)
"""All settings by name, in the order of display."""


def load(file: Path) -> LoadedSettings:
    """Return the settings in a file.

    Missing and invalid values are replaced by the defaults. `problems` has a sentence for each
    invalid value.
    """
    try:
        text, given = read_file(file)
    except BrokenFile as error:
        told = _("{problem}. The default settings are used.").format(problem=error)
        return LoadedSettings(Settings(), (told,))
    values: dict[str, Any] = {}
    problems = []
    for name, value in given.items():
        try:
            values[name] = _find_setting(name).accept(value)
        except InvalidSetting as error:
            problems.append(
                _("{file}, line {line}: {problem}. This setting is ignored.").format(
                    file=file, line=find_line(text, name), problem=error
                )
            )
    return LoadedSettings(Settings(**values), tuple(problems))


def save(changes: Mapping[str, object], file: Path) -> None:
    """Write changed values to the file, and keep the rest of the file's text.

    If the language changes, the generated comments are translated. The value None removes a setting
    without a default. Raises InvalidSetting and OSError. A file with a syntax error is not changed,
    but raises BrokenFile.
    """
    wanted = {name: _find_setting(name).accept(value) for name, value in changes.items()}
    text, given = read_file(file)
    changed = {
        name: value
        for name, value in wanted.items()
        if repr(value) != repr(given.get(name, SETTINGS[name].default))  # because 1 equals True
    }
    if not changed:
        return
    import tomlkit

    document = tomlkit.parse(_translate_comments(text) if "language" in changed else text)
    for name, value in changed.items():
        if value is None:
            document.remove(name)
        else:
            document[name] = value
    write_atomically(file, tomlkit.dumps(document).encode())


def write_settings(settings: Settings) -> str:
    """Return the settings as TOML. A comment explains each setting."""
    import tomlkit

    document = tomlkit.document()
    for setting in SETTINGS.values():
        for line in setting.write_comments(_):
            document.add(tomlkit.comment(line))
        value = getattr(settings, setting.name)
        if value is None:
            document.add(tomlkit.comment(f'{setting.name} = ""'))
        else:
            document.add(setting.name, value)
        document.add(tomlkit.nl())
    return tomlkit.dumps(document).rstrip("\n") + "\n"


def _translate_comments(text: str) -> str:
    """Return a file's text with the generated comments translated to the current language."""
    ours = {
        old: new
        for setting in SETTINGS.values()
        for language in LANGUAGES
        for old, new in zip(
            setting.write_comments(partial(translate, language=language)),
            setting.write_comments(_),
            strict=True,
        )
    }
    lines = text.splitlines(keepends=True)
    for index, line in enumerate(lines):
        comment = line.removeprefix("# ").rstrip("\r\n")
        if line.startswith("# ") and comment in ours:
            lines[index] = line.replace(comment, ours[comment])
    return "".join(lines)


def _find_setting(name: str) -> Setting:
    if name not in SETTINGS:
        raise InvalidSetting(
            _("there is no setting {name}; there are: {known}").format(
                name=_write_short(name), known=", ".join(SETTINGS)
            )
        )
    return SETTINGS[name]


def _write_short(value: object) -> str:
    """Return a value as text, cropped to _MAX_QUOTED_CHARACTERS characters."""
    if isinstance(value, str) and len(value) > _MAX_QUOTED_CHARACTERS:
        return repr(f"{value[:_MAX_QUOTED_CHARACTERS]}...")
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return (
        text if len(text) <= _MAX_QUOTED_CHARACTERS else text[: _MAX_QUOTED_CHARACTERS - 3] + "..."
    )
