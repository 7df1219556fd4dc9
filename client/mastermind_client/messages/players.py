"""Texts about players and bots: names, presence, chat and transfers."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from mastermind_client.language import LocalisedFloat, ngettext
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import DEFAULT
from mastermind_protocol.text import sanitise
from mastermind_protocol.usual_guesses import find_hiding_guesses, find_usual_guesses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.chat import ChatLine
    from mastermind_protocol.events import Player
    from mastermind_protocol.match import Match
    from mastermind_protocol.messages import KnownBot, Transferable
    from mastermind_protocol.rules import Rules


MINUTE_SECONDS = 60  # seconds
DAY_BOT = "day"  # the bot of the codemaker of a try at the code of a day
PHRASES = (
    N_("Hello!"),
    N_("Good luck!"),
    N_("Good guess!"),
    N_("Well played!"),
    N_("That was close."),
    N_("One moment, please."),
    N_("Are you there?"),
    N_("Thank you!"),
    N_("Good-bye!"),
)
"""The canned phrases, numbered from 1 and marked for translation."""


def format_name(player: Player, *, mark_bot: bool = True) -> str:
    """Return the name of a player, followed by ``(bot)`` for a bot if `mark_bot`.

    The codemaker of the code of a day is marked as a bot, but is none.
    """
    name = sanitise(player.name)
    mark = mark_bot and player.is_bot and player.bot != DAY_BOT
    return _("{name} (bot)").format(name=name) if mark else name


def find_name(match: Match, player: str, *, mark_bot: bool = True) -> str:
    """Return the name of the player with this id, or ``Someone`` for an unknown id.

    If `mark_bot`, the name of a bot is followed by ``(bot)``.
    """
    seated = (
        format_name(found, mark_bot=mark_bot) for found in match.players if found.id == player
    )
    return next(seated, _("Someone"))


def choose_sentence(
    match: Match,
    player: str,
    me: str | None,
    you: str,
    other: str,
    /,
    *,
    mark_bot: bool = True,
    **values: object,
) -> str:
    """Return `you` if the player is the reader, otherwise `other` with the player's name.

    Both are translated sentences. Their placeholders are replaced by `values`, and `{name}` by the
    name. `player` and `me` are ids.
    """
    if player == me:
        return you.format(**values)
    return other.format(name=find_name(match, player, mark_bot=mark_bot), **values)


def describe_players(mirror: Mirror, me: str | None, now: float) -> Iterator[str]:
    """Yield a line about each player except the reader, and a line about the spectators.

    `now` is a time of `time.monotonic`.
    """
    others = [player for player in mirror.state.players if player.id != me]
    for player in others:
        yield _describe_kind(player)
        if player.bot is None:
            yield describe_presence(mirror, player, now)
    if not others:
        yield _("Nobody has joined yet.")
    yield describe_spectators(mirror.spectators)


def describe_presence(mirror: Mirror, player: Player, now: float) -> str:
    """Return a sentence about the connection of a player. `now` is a time of `time.monotonic`."""
    name, since = format_name(player), mirror.away.get(player.id)
    if player.id in mirror.state.departed:
        return _("{name} has left.").format(name=name)
    if since is None:
        return _("{name} is connected.").format(name=name)
    seconds = max(0, int(now - since))
    if seconds < MINUTE_SECONDS:
        return ngettext(
            "{name} has been away for {number} second; the seat is kept.",
            "{name} has been away for {number} seconds; the seat is kept.",
            seconds,
        ).format(name=name, number=seconds)
    return ngettext(
        "{name} has been away for {number} minute; the seat is kept.",
        "{name} has been away for {number} minutes; the seat is kept.",
        seconds // MINUTE_SECONDS,
    ).format(name=name, number=seconds // MINUTE_SECONDS)


def describe_spectators(number: int) -> str:
    """Return a sentence with the number of spectators."""
    if number == 0:
        return _("Nobody is watching.")
    text = ngettext("{number} spectator is watching.", "{number} spectators are watching.", number)
    return text.format(number=number)


def _describe_kind(player: Player) -> str:
    name = format_name(player)
    if player.bot is not None:
        if player.bot == player.name:
            return _("{name} is a bot.").format(name=name)
        return _("{name} is the bot {bot}.").format(name=name, bot=sanitise(player.bot))
    if player.program:
        return _("{name} is a player's own program.").format(name=name)
    return _("{name} is a person.").format(name=name)


def format_phrase(number: int) -> str:
    """Return the canned phrase with this number, or ``phrase 12`` if the number is unknown."""
    if 1 <= number <= len(PHRASES):
        return _(PHRASES[number - 1])
    return _("phrase {number}").format(number=number)


def parse_phrase(text: str) -> int | None:
    """Return the number of a canned phrase, or None for other texts, such as ``07``."""
    return {str(number): number for number in range(1, len(PHRASES) + 1)}.get(text)


def list_phrases() -> list[str]:
    """Return the canned phrases, each with its number."""
    return [f"{number}  {format_phrase(number)}" for number in range(1, len(PHRASES) + 1)]


def describe_chat_line(line: ChatLine, match: Match, me: str | None) -> str:
    """Return a chat line with its speaker, for the player with id `me` or for a spectator."""
    words = format_chat_text(line)
    if line.by == me:
        return _("You say: {words}").format(words=words)
    return _("{name} says: {words}").format(name=format_speaker(line, match, me), words=words)


def describe_chat_delay(match: Match, me: str | None) -> str:
    """Return a notice for a spectator: the players can read a spectator's chat after the round.

    `me` is the id of the reader, or None. For a player, and after the match, return "".
    """
    delayed = match.seat_of(me) is None and match.phase is not Phase.FINISHED
    return _("The players read it when the round is over.") if delayed else ""


def format_chat_text(line: ChatLine) -> str:
    """Return the text of a chat line, which may be a canned phrase."""
    return format_phrase(line.phrase) if line.phrase is not None else sanitise(line.text or "")


def format_speaker(line: ChatLine, match: Match, me: str | None) -> str:
    """Return the name of the speaker, for the player with id `me` or for a spectator."""
    if line.by == me:
        return _("You")
    if line.room == "spectators":
        return _("{name} (spectator)").format(name=sanitise(line.name))
    seated = (format_name(player) for player in match.players if player.id == line.by)
    return next(seated, sanitise(line.name))


def describe_transfer(name: str, offered: Transferable) -> str:
    """Return the sentence that introduces the transfer command for another computer."""
    minutes = max(1, offered.seconds // 60)
    text = ngettext(
        "To play as {name} elsewhere, type there within {number} minute:",
        "To play as {name} elsewhere, type there within {number} minutes:",
        minutes,
    )
    return sanitise(text.format(name=name, number=minutes))


def format_transfer_command(code: str, server: str) -> str:
    """Return the command to type on the other computer."""
    return shlex.join(("mastermind", "transfer", code, "--server", server))


def describe_transferred(name: str, server: str) -> str:
    """Return the confirmation that a player was transferred to this computer."""
    text = _("You are now {name} on {server}, on this computer too.")
    return sanitise(text.format(name=name, server=server))


def describe_logout(server: str, *, elsewhere: bool) -> str:
    """Return the confirmation that this computer is logged out, or all others if `elsewhere`."""
    text = (
        _("Your other computers are logged out of {server}.")
        if elsewhere
        else _("This computer is logged out of {server}.")
    )
    return sanitise(text.format(server=server))


def describe_bots(bots: Sequence[KnownBot]) -> Iterator[str]:
    """Yield a line for each bot: its name, its other names, and its description."""
    for bot in bots:
        names = sanitise(bot.name)
        for alias in bot.aliases:
            names = _("{one} or {other}").format(one=names, other=sanitise(alias))
        told = (describe_bot(bot), describe_hiding(bot), describe_bot_guesses(bot, DEFAULT))
        yield f"{names}: {' '.join(filter(None, told))}"


def describe_bot(bot: KnownBot) -> str:
    """Return the description of a bot, translated if the catalogue has it."""
    about = sanitise(bot.about)
    return _(about) if about else ""  # gettext translates "" to the catalogue's header


def describe_hiding(bot: KnownBot) -> str:
    """Return how a bot hides codes, or an empty text from an older server."""
    hides = sanitise(bot.hides)
    return _(hides) if hides else ""


def describe_bot_guesses(bot: KnownBot, rules: Rules) -> str:
    """Return the measured means of a bot in both seats, or an empty text if none is known."""
    needs = find_usual_guesses(bot.name, rules)
    costs = find_hiding_guesses(bot.name, rules) if bot.hides else None
    if needs is None and costs is None:
        return ""
    if costs is None:
        text = _("In {rules} it needs {needs} guesses on average.")
    elif needs is None:
        text = _("In {rules} `hard` needs {costs} guesses for its codes.")
    else:
        text = _("In {rules} it needs {needs} guesses on average, and costs `hard` {costs}.")
    return text.format(
        rules=sanitise(rules.name),
        needs=f"{LocalisedFloat(needs or 0):.1f}",
        costs=f"{LocalisedFloat(costs or 0):.1f}",
    )


def format_points(mine: int, theirs: int) -> str:
    """Return the points of two players: ``5 points to 4``."""
    text = ngettext("{mine} point to {theirs}", "{mine} points to {theirs}", mine)
    return text.format(mine=mine, theirs=theirs)
