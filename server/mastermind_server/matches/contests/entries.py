"""Decides who may use a player's try at the code of a day, and until when."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mastermind_protocol.commands import LeaveMatch
from mastermind_protocol.days import find_reveal, find_tries_end
from mastermind_protocol.errors import Reason, Refused
from mastermind_protocol.match import Phase, find_player_to_remove
from mastermind_server.matches.tries import find_match_day, refuse_closed_day

if TYPE_CHECKING:
    from mastermind_protocol.match import Match
    from mastermind_server.matches.contests.days import Days
    from mastermind_server.matches.tables.call import Call
    from mastermind_server.matches.tables.table import Table
    from mastermind_server.services import Services


class Entries:
    """Checks requests for the matches of tries. All methods raise StorageFailed."""

    def __init__(self, days: Days, services: Services) -> None:
        self.days, self._clock = days, services.clock

    async def check_move(self, table: Table, call: Call[Any]) -> None:
        """Raise Refused if a guess or resignation was read too late, or the day was withdrawn.

        A repeated request is not refused, because its row exists, nor is a request that leaves a
        try after its end.
        """
        match = table.log.state
        if match.phase is Phase.FINISHED:
            return
        day, rules = find_match_day(match), match.rules.name
        late = self._clock.to_unix(call.at) >= find_tries_end(day)
        row = await self.days.find(day, rules)
        if not late and (row is None or row.state == "open"):
            return
        await table.read_new_rows()
        over = table.log.state.phase is Phase.FINISHED
        if not over and table.log.find_request(call.player.id, call.key) is None:
            await self._end_if_over(table)
            withdrawn = row is not None and row.state == "withdrawn"
            raise refuse_closed_day(day, rules, withdrawn=withdrawn, field="match")

    async def admit_viewer(self, table: Table, viewer: str | None) -> None:
        """Raise Refused if the player with the id `viewer` may not see a try of another player.

        A try that its player did not end in time ends here, before it is shown. Does nothing for
        other matches.
        """
        match = table.log.state
        if not match.is_entry:
            return
        if match.seat_of(viewer) is None:
            await self.check_revealed(match, Reason.ENTRY_IS_PRIVATE)
        await self._end_if_over(table)

    async def check_revealed(self, match: Match, reason: Reason) -> None:
        """Raise Refused with `reason` if the code of a try is still secret."""
        day = find_match_day(match)
        row = await self.days.find(day, match.rules.name)
        if row is None or row.state == "open":
            raise Refused(reason, field="match", day=day)

    async def _end_if_over(self, table: Table) -> None:
        """End a try after the reveal: until then, guesses that were read in time may be stored."""
        match = table.log.state
        over = self._clock.unix_milliseconds() >= find_reveal(find_match_day(match))
        if over and (player := find_player_to_remove(match)) is not None:
            with suppress(Refused):  # another request has ended it
                await table.perform(LeaveMatch(absent=True), player.id)
