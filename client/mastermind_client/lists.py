"""The table of the lists that a server offers. Both interfaces read it.

To add a list, add a row here, its request to `network.session`, and a menu entry or a command that
opens it.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mastermind_client.config.options import JoinOptions, ReviewOptions, WatchOptions
from mastermind_client.language import mark as N_
from mastermind_client.messages.listings import (
    ARCHIVE_COLUMNS,
    RUNNING_COLUMNS,
    WAITING_COLUMNS,
    describe_archived,
    describe_listed,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import tzinfo

    from mastermind_client.columns import Column
    from mastermind_client.config.options import DayOptions, MatchOptions, ProfileOptions
    from mastermind_client.network.session import Session
    from mastermind_protocol.messages import ArchivedMatch, Listed

_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class ServerList(Generic[_Entry]):
    """A list of a server: its texts (marked for translation), its request and its entries.

    `heading` is displayed above the list; it may be empty. `empty` is displayed instead of an empty
    list, or `empty_offline` if the server runs in this process. `key` returns the key of an entry.
    `load` takes a session and a key. It returns the entries after the entry with this key, and
    whether the server has more. For the key None it starts at the first entry. `open` takes a key
    and a server's address, and returns the options that open the entry. If `refresh`, the list is
    loaded periodically.
    """

    title: str
    heading: str
    empty: str
    load: Callable[[Session, str | None], Awaitable[tuple[Sequence[_Entry], bool]]]
    columns: Sequence[Column[_Entry]]
    open: Callable[[str, str], MatchOptions | ProfileOptions | DayOptions]
    refresh: bool = True
    empty_offline: str = ""
    key: Callable[[_Entry], str] = attrgetter("match")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedList(ServerList[_Entry]):
    """A list that the line interface prints, too: each entry as one line by `describe`.

    `describe` takes an entry and a time zone, or None for the local one. The line interface prints
    `printed_if_empty` instead of an empty list.
    """

    printed_if_empty: str
    describe: Callable[[_Entry, tzinfo | None], str]


async def _load_waiting(session: Session, _after: str | None) -> tuple[Sequence[Listed], bool]:
    return await session.list_matches("waiting"), False


async def _load_running(session: Session, _after: str | None) -> tuple[Sequence[Listed], bool]:
    return await session.list_matches("running"), False


async def _load_archive(
    session: Session, after: str | None
) -> tuple[Sequence[ArchivedMatch], bool]:
    page = await session.list_archive(after)
    return page.matches, page.more and bool(page.matches)


def make_match_list(player: str) -> ServerList[ArchivedMatch]:
    """Return the list of a player's finished public matches. `player` is the player's id."""

    async def load(session: Session, after: str | None) -> tuple[Sequence[ArchivedMatch], bool]:
        page = await session.list_archive(after, player=player)
        return page.matches, page.more and bool(page.matches)

    return ServerList(
        N_("Matches of a player"),
        N_("Public matches, the newest first"),
        N_("None of the player's last matches was public."),
        load,
        ARCHIVE_COLUMNS,
        ReviewOptions,
        refresh=False,
    )


LISTS: Mapping[str, PrintedList[Any]] = {
    "waiting": PrintedList(
        N_("Find an opponent"),
        N_("Waiting for an opponent now"),
        N_('Nobody is waiting. Choose "Find one": whoever looks here next finds you.'),
        _load_waiting,
        WAITING_COLUMNS,
        JoinOptions,
        printed_if_empty=N_("No public match is waiting."),
        describe=lambda listed, _zone: describe_listed(listed),
    ),
    "running": PrintedList(
        N_("Watch a match"),
        N_("Being played now"),
        N_("No public match is being played. Two bots can play for you, though."),
        _load_running,
        RUNNING_COLUMNS,
        lambda code, server: WatchOptions(server, code),
        printed_if_empty=N_("No public match is running."),
        describe=lambda listed, _zone: describe_listed(listed),
    ),
    "archive": PrintedList(
        N_("Review a past match"),
        N_("Your finished matches here"),
        N_('You have finished no match there. Choose "offline" for games against bots.'),
        _load_archive,
        ARCHIVE_COLUMNS,
        ReviewOptions,
        refresh=False,  # a finished match does not change
        empty_offline=N_(
            "No game has been played offline. Choose the server for those played there."
        ),
        printed_if_empty=N_("You have finished no match on this server yet."),
        describe=describe_archived,
    ),
}
