"""What a person has settled once and for all: kept as TOML, which they may edit themselves.

The fields of Settings are the one source of what there is, what is allowed and what it means: what
the file says is checked by them, and whatever shows or describes settings is made from them.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, get_args

import msgspec

from mastermind_client.config.options import DEFAULT_BOT, DEFAULT_SERVER
from mastermind_client.config.settings_file import (
    BrokenFile,
    find_line,
    read_file,
    replace_file,
)
from mastermind_client.config.values import parse_name, parse_opponent, parse_pace, parse_server
from mastermind_client.language import LANGUAGES, translate
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_client.pace import DEFAULT_PACE
from mastermind_protocol.errors import InvalidRules
from mastermind_protocol.rules import DEFAULT, find_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Language: TypeAlias = Literal["", "en", "pl"]
Palette: TypeAlias = Literal["default", "okabe-ito", "high-contrast", "mono"]
Color: TypeAlias = Literal["auto", "never", "16", "256", "true"]
Glyphs: TypeAlias = Literal["auto", "unicode", "ascii"]
Introduction: TypeAlias = Literal["all", "hints", "none"]
Mouse: TypeAlias = Literal["auto", "on", "off"]
Value: TypeAlias = str | bool | float | None

_MAX_SHOWN = 40  # characters: of what is wrong, enough to know it again


def _parse_rules(text: str) -> str:
    try:
        return find_rules(text).name
    except InvalidRules as error:
        raise ArgumentTypeError(error.write(_)) from None


class Settings(msgspec.Struct, frozen=True):
    """The settings of one person.

    Beside its type a field has what it means, to be translated where it is shown, and a free text
    or a number what reads it and returns it as it is kept.
    """

    name: Annotated[
        str | None, N_("the name that others see; without it you are a guest"), parse_name
    ] = None
    server: Annotated[str, N_("where friends and strangers are met"), parse_server] = DEFAULT_SERVER
    language: Annotated[
        Language, N_("the language of all texts; empty for the one that the system asks for")
    ] = ""
    palette: Annotated[Palette, N_("the colours of the pegs")] = "default"
    color: Annotated[
        Color, N_("how many colours the terminal is sent; auto for as many as it says it has")
    ] = "auto"
    glyphs: Annotated[
        Glyphs, N_("what pegs and lines are drawn with; auto for what the terminal can show")
    ] = "auto"
    bell: Annotated[bool, N_("ring the terminal bell when it is your turn")] = True
    title: Annotated[bool, N_("let the window's title say when it is your turn")] = True
    mouse: Annotated[Mouse, N_("whether the mouse works; auto for everywhere but over SSH")] = (
        "auto"
    )
    motion: Annotated[bool, N_("animate answers peg by peg, and show confetti")] = True
    pace: Annotated[
        float,
        N_("seconds of pause after each guess of a bot; 0 for none"),
        parse_pace,
    ] = DEFAULT_PACE
    mark_excluded: Annotated[bool, N_("mark a guess that the feedback so far rules out")] = True
    introduction: Annotated[
        Introduction,
        N_("what the first game comes with: all (your name is asked for), hints, or none"),
    ] = "all"
    rules: Annotated[str, N_("the rules that were played last"), _parse_rules] = DEFAULT.name
    opponent: Annotated[str, N_("the bot that was played last"), parse_opponent] = DEFAULT_BOT

    def mouse_plays(self, environ: Mapping[str, str]) -> bool:
        """Return whether the mouse is the game's, which takes the selecting of text from a person.

        Over SSH nothing is as good as that for getting an invite code out of the terminal.
        """
        if self.mouse == "auto":
            return not (environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"))
        return self.mouse == "on"


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """Settings that hold, and what was wrong with those in the file: a sentence for each."""

    settings: Settings
    problems: tuple[str, ...] = ()


class InvalidSetting(ValueError):
    """There is no such setting, or that is no value for it; the text says what is allowed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of Settings: `meaning` is English, `parse` is None for what is only chosen."""

    name: str
    type: Any
    meaning: str
    default: Value
    parse: Callable[[str], str | float] | None = None

    @property
    def choices(self) -> tuple[str, ...]:
        """The values to choose from; none of a switch, of a number and of a free text."""
        return () if self.is_switch or self.parse else get_args(self.type)

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off: true or false in the file."""
        return self.type is bool

    @property
    def allowed(self) -> str:
        """What may stand in the file, in words."""
        return self._write_allowed(_)

    def write_comments(self, translated: Callable[[str], str]) -> list[str]:
        """Return what stands above it in the file, in a language."""
        lines = [translated(self.meaning)]
        if not self.parse:
            values = self._write_allowed(translated)
            lines.append(translated(N_("allowed: {values}")).format(values=values))
        return lines

    def _write_allowed(self, translated: Callable[[str], str]) -> str:
        if self.choices:
            return ", ".join(f'"{choice}"' for choice in self.choices)
        if self.type is float:
            return translated(N_("a number"))
        return translated(N_("true or false") if self.is_switch else N_("a text in quotes"))

    def accept(self, value: object) -> Value:
        """Return the value as it is kept. Raises InvalidSetting."""
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
"""All settings there are, by name, in the order in which they are shown."""


def load(file: Path) -> LoadedSettings:
    """Return the settings in a file.

    Whatever the file is like, there are settings: what it does not say, or says wrongly, is as by
    default, and `problems` names each such place.
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
            values[name] = _find(name).accept(value)
        except InvalidSetting as error:
            problems.append(
                _("{file}, line {line}: {problem}. It is passed over.").format(
                    file=file, line=find_line(text, name), problem=error
                )
            )
    return LoadedSettings(Settings(**values), tuple(problems))


def save(changes: Mapping[str, object], file: Path) -> None:
    """Write what has changed into the file, and leave all else in it as it is.

    With another language the comments that we have written are in the one in use now. None removes
    a setting that has no value by default. Raises InvalidSetting; BrokenFile, an OSError, rather
    than to write over a file that has to be mended; and OSError.
    """
    wanted = {name: _find(name).accept(value) for name, value in changes.items()}
    text, given = read_file(file)
    changed = {
        name: value
        for name, value in wanted.items()
        if repr(value) != repr(given.get(name, SETTINGS[name].default))  # for 1 equals True
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
    replace_file(file, tomlkit.dumps(document))


def write_settings(settings: Settings) -> str:
    """Return settings as the text of a file that says what each of them means."""
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
    """Return the text of a file with our own comments, whatever language they are in, in this."""
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


def _find(name: str) -> Setting:
    if name not in SETTINGS:
        raise InvalidSetting(
            _("there is no setting {name}; there are: {known}").format(
                name=_write_short(name), known=", ".join(SETTINGS)
            )
        )
    return SETTINGS[name]


def _write_short(value: object) -> str:
    """Return a value of the file so that it can be shown: of a long one, how it begins."""
    if isinstance(value, str) and len(value) > _MAX_SHOWN:
        return repr(f"{value[:_MAX_SHOWN]}...")
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
