"""The server inside this process. Only this module and `mastermind arena` import its code.

It also copies the finished matches of servers that players host at home into the store of the
offline games, where they stay when the host's program ends. Matches on other servers stay there.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from errno import EBUSY
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from mastermind_client.config.options import HOSTED, OFFLINE
from mastermind_client.network.failures import ServerUnreachable, TooManyClients
from mastermind_client.network.players.identities import Identities, enter_in_thread
from mastermind_client.network.players.identity import Identity
from mastermind_client.network.session import Session
from mastermind_client.network.updates import MatchKept, discard
from mastermind_protocol.errors import ErrorCode, Refused
from mastermind_protocol.events import MatchEnd
from mastermind_protocol.match import Phase
from mastermind_protocol.requests import GUEST

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection, Iterator, Sequence
    from contextlib import AbstractAsyncContextManager

    from mastermind_client.config.options import ReviewOptions
    from mastermind_client.context import ClientContext
    from mastermind_client.network.mirror import Mirror
    from mastermind_protocol.messages import ArchivedMatch, Row

_LOG = logging.getLogger(__name__)
GAMES_FILE = "games.db"
COPIED_FILE = "copied"  # beside the games: its time is that of the last copy of all matches
MAX_COPIED_MATCHES = 10_000  # at once: statistics count no more
REGISTERING_SECONDS = 10.0  # until another client has registered the offline player: it takes 1 s
REGISTERING_POLL_SECONDS = 0.05


class DatabaseInUse(OSError):
    """The stored games are open in another process."""


def prepare_embedded() -> None:
    """Import the server's modules, which is slow. Any thread can call this."""
    import mastermind_server.app  # noqa: F401


@asynccontextmanager
async def embedded_server(
    folder: Path | None = None, network_port: int | None = None, host: str = GUEST
) -> AsyncIterator[str]:
    """Run a server during the block, and yield its ws:// address.

    The games are stored in `folder`, or for None in a temporary folder. If `network_port` is given,
    other computers can connect to this port, or to a free port if it is taken, and learn the name
    of the player who is the `host`. Raises DatabaseInUse if another process has the stored games
    open.
    """
    from mastermind_server import app  # late: remote games do not need it

    async with AsyncExitStack() as stack:
        if folder is None:
            temporary = stack.enter_context(TemporaryDirectory(prefix="mastermind-"))
            folder = Path(temporary)
        with _raising_in_use(folder):
            address = await stack.enter_async_context(
                app.run_embedded_server(folder / GAMES_FILE, network_port, host)
            )
        yield address


@contextmanager
def _raising_in_use(folder: Path) -> Iterator[None]:
    """Raise DatabaseInUse if the block finds the games in `folder` locked."""
    from mastermind_server.app import DatabaseLocked

    try:
        yield
    except DatabaseLocked as error:
        raise DatabaseInUse(EBUSY, os.strerror(EBUSY), str(folder)) from error


class EndedMatch(NamedTuple):
    """A match that has ended on another server, where our player id was `me`.

    `rows` are the log up to the end, which was at `ended`, in milliseconds since 1970.
    """

    code: str
    rows: tuple[Row, ...]
    ended: int
    me: str

    @classmethod
    def of(cls, mirror: Mirror, me: str, ended: int) -> EndedMatch:
        """Return the match of a mirror, without the rows after its end, such as rematches."""
        phases = [state.phase for state in mirror.states]
        rows = mirror.rows[: phases.index(Phase.FINISHED) + 1]
        return cls(mirror.code, tuple(rows), ended, me)


@asynccontextmanager
async def keep_hosted_matches(
    context: ClientContext, session: Session, server: str
) -> AsyncIterator[None]:
    """Copy matches of the player from a server hosted at home, while the block runs.

    Earlier matches that this computer does not have are copied in the background, and others when
    they end. `server` is the address under which `Identities` know the player. The session
    publishes MatchKept for each match.
    """
    ended: asyncio.Queue[EndedMatch | None] = asyncio.Queue()

    def put(mirror: Mirror) -> None:
        outcome = mirror.state.outcome
        if outcome is not None and outcome.how is not MatchEnd.CLOSED:
            now = round(time.time() * 1000)
            ended.put_nowait(EndedMatch.of(mirror, session.player.id, now))

    async def store() -> None:
        while (match := await ended.get()) is not None:
            try:
                await _store_offline(context, match, session.player.name)
            except (OSError, ValueError, Refused, ServerUnreachable) as error:
                session.updates.publish(MatchKept(match.code, error))
            else:
                session.updates.publish(MatchKept(match.code))

    async def catch_up() -> None:
        try:
            async for match in _load_missing(context, session, server):
                ended.put_nowait(match)
        except (OSError, ValueError, Refused, ServerUnreachable) as error:
            _LOG.warning("earlier matches at %s are not copied: %s", session.server, error)

    session.updates.on_match_ended = put
    storing = asyncio.create_task(store(), name="copies of matches")
    catching_up = asyncio.create_task(catch_up(), name="earlier matches")
    try:
        yield
    finally:
        session.updates.on_match_ended = discard
        catching_up.cancel()
        await asyncio.wait({catching_up})
        ended.put_nowait(None)
        await storing


async def _load_missing(
    context: ClientContext, session: Session, server: str
) -> AsyncIterator[EndedMatch]:
    """Yield the finished matches of the session's player that this computer does not have.

    Their logs are read by another connection, so that the subscriber of `session` does not receive
    their events. Raises OSError if the offline games cannot be read, ValueError for a match that
    has not ended, Refused and ServerUnreachable.
    """
    if not (missing := await _list_missing(context, session)):
        return
    async with _connect_reader(context, session, server) as reader:
        for entry in missing:
            mirror = await reader.follow(entry.match)
            await reader.unfollow(mirror)
            yield EndedMatch.of(mirror, reader.player.id, entry.at)


async def _list_missing(context: ClientContext, session: Session) -> list[ArchivedMatch]:
    """Return the finished matches of the player that this computer does not have, newest first.

    Reads pages up to the first one without such a match, or up to MAX_COPIED_MATCHES. Raises
    OSError, Refused and ServerUnreachable.
    """
    folder = Identities.of(context).offline_folder
    missing: list[ArchivedMatch] = []
    before, more = None, True
    while more:
        page = await session.list_archive(before)
        codes = await asyncio.to_thread(_find_missing, folder, [one.match for one in page.matches])
        missing += [entry for entry in page.matches if entry.match in codes]
        more = page.more and bool(codes) and len(missing) < MAX_COPIED_MATCHES
        before = page.matches[-1].match if page.matches else None
    return missing


def _connect_reader(
    context: ClientContext, session: Session, server: str
) -> AbstractAsyncContextManager[Session]:
    """Open another connection of the session's player."""
    identity = Identity(session.identity.path, server)
    identity.make_read_only()
    return type(session).connect(session.server, identity, network=context.network)


async def copy_hosted_matches(context: ClientContext) -> Exception | None:
    """Copy the user's matches on the user's own server for friends, if any may be missing.

    A program that was killed has not copied its last match. Returns why the matches cannot be
    copied, or None. A program that hosts at present copies them itself.
    """
    folder = context.hosted_folder
    games, copied = folder / GAMES_FILE, folder / COPIED_FILE
    if not games.exists() or _find_time(copied) >= max(map(_find_time, folder.glob("games.db*"))):
        return None
    try:
        async with embedded_server(folder) as address:
            stored = Identities.of(context)
            for identity in await asyncio.to_thread(stored.list_registered, HOSTED):
                connecting = Session.connect(address, identity, network=context.network)
                try:
                    async with connecting as session:
                        async for match in _load_missing(context, session, HOSTED):
                            await _store_offline(context, match, session.player.name)
                except Refused as refusal:
                    if refusal.code != ErrorCode.UNKNOWN_TOKEN:  # that of a deleted file
                        raise
    except DatabaseInUse:
        return None
    except (OSError, ValueError, Refused, ServerUnreachable) as error:
        _LOG.warning("the matches in %s are not copied: %s", folder, error)
        return error
    copied.touch()
    return None


def _find_time(file: Path) -> int:
    """Return the time of the last change of a file, or 0 without the file."""
    return file.stat().st_mtime_ns if file.exists() else 0


async def _store_offline(context: ClientContext, match: EndedMatch, name: str) -> None:
    """Store a match with the offline games, once, as a match of the offline player.

    Without an offline player, one is registered under `name`. Raises ValueError if the match cannot
    be stored, and OSError, Refused and ServerUnreachable if the games cannot be opened.
    """
    identities = Identities.of(context)
    folder = identities.offline_folder
    deadline = time.monotonic() + REGISTERING_SECONDS
    while True:
        identity = await asyncio.to_thread(identities.find_offline)
        try:
            if await asyncio.to_thread(_copy, folder, identity.tokens, match):
                return
            await _register_offline(context, name)
        except (TooManyClients, DatabaseInUse):  # another client is registering the player
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(REGISTERING_POLL_SECONDS)


async def _register_offline(context: ClientContext, name: str) -> None:
    """Register the offline player under `name`, and create or update the file of its games.

    Raises TooManyClients and DatabaseInUse if another client uses these, and OSError, Refused and
    ServerUnreachable.
    """
    async with AsyncExitStack() as stack:
        identities = Identities.of(context)
        identity = await enter_in_thread(stack, identities.claim(OFFLINE))
        address = await stack.enter_async_context(embedded_server(identities.offline_folder))
        connecting = Session.connect(address, identity, name, network=context.network)
        await stack.enter_async_context(connecting)


def _copy(folder: Path, tokens: Sequence[str], match: EndedMatch) -> bool:
    """Store a match for the player of one of the `tokens`. Return False if none is valid.

    Raises ValueError if the match cannot be stored, DatabaseInUse while another client creates or
    updates the file, and OSError.
    """
    from mastermind_server.network.identity import make_digest
    from mastermind_server.storage.engines.database import DatabaseUnusable
    from mastermind_server.storage.statements.accounts import find_player
    from mastermind_server.storage.statements.copies import copy_match
    from mastermind_server.storage.store import SessionMode, open_session

    def copy(mode: SessionMode) -> bool:
        with open_session(folder / GAMES_FILE, mode) as store:
            for token in tokens:
                if (player := find_player(store, make_digest(token))) is not None:
                    copy_match(store, *match, player.id)
                    return True
        return False

    if not (folder / GAMES_FILE).exists():
        return False
    try:
        return copy(SessionMode.WRITE)  # an offline game may be open, here or in another terminal
    except DatabaseUnusable:
        with _raising_in_use(folder):
            return copy(SessionMode.EXCLUSIVE)  # updates the file of an earlier version


def _find_missing(folder: Path, codes: Collection[str]) -> set[str]:
    """Return those of the match `codes` that are not stored with the offline games.

    Raises OSError.
    """
    from mastermind_server.storage.statements.matches import find_record
    from mastermind_server.storage.store import SessionMode, open_session

    if not codes or not (folder / GAMES_FILE).exists():
        return set(codes)
    with open_session(folder / GAMES_FILE, SessionMode.READ) as store:
        return {code for code in codes if find_record(store, code) is None}


async def is_stored_offline(context: ClientContext, code: str) -> bool:
    """Return whether the match `code` is stored with the offline games. Raises OSError."""
    folder = Identities.of(context).offline_folder
    return not await asyncio.to_thread(_find_missing, folder, [code])


async def find_review_address(context: ClientContext, options: ReviewOptions) -> str:
    """Return OFFLINE if the match is stored with the offline games, otherwise the options' server.

    Without a match in the options, return OFFLINE if the server is a friend's: its matches are
    copied to the offline games. Raises OSError if these cannot be read.
    """
    if not context.local:
        return options.server
    if not options.code:
        hosted = await asyncio.to_thread(Identities.of(context).is_hosted, options.server)
        return OFFLINE if hosted else options.server
    await copy_hosted_matches(context)
    return OFFLINE if await is_stored_offline(context, options.code) else options.server
