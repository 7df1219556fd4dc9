"""Previews of matches, which messaging apps show for a link."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from mastermind_protocol.errors import Refused
from mastermind_protocol.match import Phase
from mastermind_protocol.rules import find_rules
from mastermind_server.monitoring.overload import Level, Queue
from mastermind_server.network.web.pages import HOME_PREVIEW, Preview
from mastermind_server.storage.statements.matches import find_record
from mastermind_server.storage.threads import StorageFailed

if TYPE_CHECKING:
    from mastermind_server.network.rate_limits import AddressLimit
    from mastermind_server.services import Services
    from mastermind_server.storage.records import MatchRecord

_LOG = logging.getLogger(__name__)


class Previews:
    """Describes matches in previews. Reads the store's row of a match, but not its log.

    `wrong_codes` limits how often an address requests an unknown match.
    """

    def __init__(self, services: Services, wrong_codes: AddressLimit) -> None:
        self._services, self._wrong_codes = services, wrong_codes

    async def describe(self, match_code: str, address: str) -> Preview:
        """Return the preview of the match `match_code` for a client at `address`.

        Return the preview of the home page for an unknown match, for a client that has requested
        too many unknown matches, and while the server is busy.
        """
        if self._services.load.find_level([Queue.READS]) >= Level.BUSY:
            return HOME_PREVIEW
        try:
            self._wrong_codes.take(address)  # refunded for a match that exists
        except Refused:
            return HOME_PREVIEW
        try:
            record = await self._services.store.read(find_record, match_code)
        except StorageFailed:
            _LOG.exception("a match could not be read for its preview")
            return HOME_PREVIEW
        if record is None:
            return HOME_PREVIEW
        self._wrong_codes.refund(address)
        return describe_match(record)


def describe_match(record: MatchRecord) -> Preview:
    """Return the preview of a match: the names of its players, and its rules.

    That of an entry of a contest is that of the home page: only its player can follow it at first.
    """
    rules = find_rules(record.rules)
    guesses = "any number of" if rules.guesses is None else rules.guesses
    symbols = "digits" if rules.digits_only else "colours"
    unique = "" if rules.repeats else "no repeats, "
    text = f"{rules.pegs} pegs, {rules.colours} {symbols}, {unique}{guesses} guesses"
    names = [name for name in (record.maker, record.breaker) if name is not None]
    if not names:
        return Preview(HOME_PREVIEW.title, HOME_PREVIEW.description, has_free_seat=False)
    if record.phase != Phase.GATHERING and len(names) == 1:
        return Preview(
            f"The invitation of {names[0]} is closed", HOME_PREVIEW.description, has_free_seat=False
        )
    if record.phase != Phase.GATHERING:
        return Preview(
            f"{' and '.join(names)} play {record.rules}",
            f"Watch Mastermind: {text}.",
            has_free_seat=False,
        )
    if record.reserved is not None:
        return Preview(f"{names[0]} offers a rematch of {record.rules}", f"Mastermind: {text}.")
    return Preview(
        f"{names[0]} invites you to {record.rules}",
        f"Play Mastermind in the browser: {text}.",
    )
