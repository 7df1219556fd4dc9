"""Messages from the server: answers to requests, and notifications of followed matches.

docs/protocol/messages.md documents them. An answer has the `id` of its request. The answer to a
request that changes a match is the event message.
"""

from __future__ import annotations

from typing import TypeAlias

from mastermind_protocol.messages.analysis import (
    MAX_ANALYSED_CODES,
    MAX_CORRECTIONS,
    MAX_REVIEWED_GUESSES,
    Advice,
    Analysed,
    Correction,
    GuessMeasures,
    PositionAnalysis,
    Puzzle,
    ReviewedGuess,
    Reviewing,
)
from mastermind_protocol.messages.base import (
    MAX_MESSAGE_ITEMS,
    OLD_SUBPROTOCOLS,
    SUBPROTOCOL,
    ServerMessage,
)
from mastermind_protocol.messages.days import (
    MAX_DAY_GUESSES,
    MAX_PLACED_TRIES,
    Day,
    DayResult,
    DayRules,
    Days,
    DayStreak,
    OwnTry,
    PlacedTry,
    Places,
)
from mastermind_protocol.messages.lists import (
    MAX_ARCHIVED_MATCHES,
    MAX_LISTED_MATCHES,
    MAX_OWN_MATCHES,
    Archived,
    ArchivedMatch,
    Challenged,
    ChallengeEnded,
    Listed,
    Listing,
    OwnMatch,
    OwnMatches,
)
from mastermind_protocol.messages.matches import (
    MAX_ROWS,
    MAX_SNAPSHOT_GUESSES,
    Absent,
    Chat,
    Epoch,
    Happened,
    Log,
    Presence,
    Row,
    Said,
    Snapshot,
    Spectators,
)
from mastermind_protocol.messages.players import (
    MAX_COUNTED_GAMES,
    MAX_DISTRIBUTION,
    MAX_FORM_MATCHES,
    MAX_PEOPLE,
    MAX_PROFILE_MATCHES,
    MAX_PROFILE_RATINGS,
    MAX_PROFILE_RECORDS,
    MAX_RANKED_PLAYERS,
    MAX_STATISTICS_BYTES,
    MAX_STATISTICS_MATCHES,
    MAX_STATISTICS_OPPONENTS,
    MAX_STATISTICS_RULES,
    MAX_UNPLACED_PLAYERS,
    Figures,
    Leaderboard,
    OpponentFigures,
    People,
    Person,
    Profile,
    RankedPlayer,
    RatedMatch,
    RatedRecord,
    RulesFigures,
    Statistics,
)
from mastermind_protocol.messages.server import (
    MAX_ANNOUNCEMENT_LENGTH,
    MAX_DETAILS,
    Allowance,
    Announcement,
    Bots,
    Bounds,
    Details,
    DetailText,
    DetailTexts,
    Done,
    Error,
    KnownBot,
    Rates,
    Terms,
    Transferable,
    Welcome,
)

AnyMessage: TypeAlias = (
    Welcome
    | Log
    | Snapshot
    | Happened
    | Presence
    | Spectators
    | Said
    | Chat
    | Listing
    | Advice
    | Analysed
    | Puzzle
    | Reviewing
    | Bots
    | Archived
    | OwnMatches
    | Challenged
    | ChallengeEnded
    | Leaderboard
    | Profile
    | Statistics
    | People
    | Day
    | Places
    | Days
    | Transferable
    | Announcement
    | Done
    | Error
)
