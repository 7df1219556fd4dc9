"""The requests of a session that change nothing on the server: lists, standings, profiles, days."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mastermind_client.network.running import to_unfinished_match
from mastermind_protocol import messages as wire
from mastermind_protocol import requests
from mastermind_protocol.days import FINISH_MS, find_day_start
from mastermind_protocol.errors import ErrorCode, Refused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mastermind_client.network.connection.exchange import Exchange
    from mastermind_client.network.players.identity import Identity
    from mastermind_client.network.running import UnfinishedMatch


class Queries:
    """Requests for data. `identity` is the stored player, and `ids` are the next request ids."""

    def __init__(self, identity: Identity, exchange: Exchange, ids: Iterator[int]) -> None:
        self.identity = identity
        self._ids, self._get = ids, exchange.get

    async def list_matches(self, what: Literal["waiting", "running"]) -> tuple[wire.Listed, ...]:
        """Return the public matches of a kind: waiting for a player, or running."""
        request = requests.ListMatches(id=next(self._ids), what=what)
        return (await self._get(wire.Listing, request)).matches

    async def list_bots(self) -> tuple[wire.KnownBot, ...]:
        """Return the bots of the server."""
        return (await self._get(wire.Bots, requests.ListBots(id=next(self._ids)))).bots

    async def list_archive(
        self, before: str | None = None, *, player: str | None = None
    ) -> wire.Archived:
        """Return a page of our finished matches, or of the public ones of the player id `player`.

        The newest match is first. The page starts after the match `before`.
        """
        request = requests.Archive(id=next(self._ids), before=before, player=player)
        return await self._get(wire.Archived, request)

    async def list_own(self) -> wire.OwnMatches:
        """Return our unfinished matches, of which the server limits the number."""
        return await self._get(wire.OwnMatches, requests.ListOwn(id=next(self._ids)))

    async def list_unfinished(self) -> tuple[UnfinishedMatch, ...]:
        """Return the matches of `list_own`, and replace the stored matches by them.

        If the server does not know this request, the stored matches are returned.
        """
        try:
            own = await self.list_own()
        except Refused as refusal:
            if refusal.code != ErrorCode.UNKNOWN_MESSAGE:
                raise
        else:
            self.identity.replace_matches(to_unfinished_match(match) for match in own.matches)
        return self.identity.stored.matches

    async def load_leaderboard(self, rules: str, after: int = 0) -> wire.Leaderboard:
        """Return a page of the leaderboard of `rules`. It starts at the place `after` + 1."""
        request = requests.ShowLeaderboard(id=next(self._ids), rules=rules, after=after)
        return await self._get(wire.Leaderboard, request)

    async def load_profile(
        self, player: str | None = None, *, name: str | None = None, rules: str | None = None
    ) -> wire.Profile:
        """Return the profile of the player with the id `player` or this `name`, or our own profile.

        The profile has only the history and the matches under `rules`. By default, these are the
        rules of the player's last rated match.
        """
        request = requests.ShowProfile(id=next(self._ids), player=player, name=name, rules=rules)
        return await self._get(wire.Profile, request)

    async def load_statistics(self) -> wire.Statistics:
        """Return the statistics of our finished matches."""
        return await self._get(wire.Statistics, requests.ShowStatistics(id=next(self._ids)))

    async def list_people(self) -> wire.People:
        """Return the people that we have played, connected ones first."""
        return await self._get(wire.People, requests.ListPeople(id=next(self._ids)))

    async def show_day(self, rules: str, day: int | None = None) -> wire.Day:
        """Return the code of the day number `day`, or of today, with our own try and our streak.

        If the code is revealed, the followed tries at it get their proof.
        """
        return await self._get(wire.Day, requests.ShowDay(id=next(self._ids), rules=rules, day=day))

    async def show_current_day(self, rules: str, unseen: str | None = None) -> wire.Day:
        """Return the code of today, or of yesterday until half past midnight with our own try.

        This try still runs, or is the match with the code `unseen`, whose result the player has not
        seen yet.
        """
        today = await self.show_day(rules)
        if today.now - find_day_start(today.day) >= FINISH_MS or today.day == 0:
            return today
        before = await self.show_day(rules, today.day - 1)
        own = before.own
        runs = before.state == "open" and own is not None and own.how is None
        return before if runs or (own is not None and own.match == unseen) else today

    async def list_places(self, rules: str, day: int, after: int = 0) -> wire.Places:
        """Return a page of the players of a day, the best first, after the first `after` ones."""
        request = requests.ListPlaces(id=next(self._ids), rules=rules, day=day, after=after)
        return await self._get(wire.Places, request)

    async def list_days(self, rules: str, month: str | None = None) -> wire.Days:
        """Return the days of a month ("2026-11"), or of this one, with our results."""
        request = requests.ListDays(id=next(self._ids), rules=rules, month=month)
        return await self._get(wire.Days, request)
