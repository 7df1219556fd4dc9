"""What one node tells the others of: that there is more of a match in the store than they know."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mastermind_server.tuning import NEWS_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Iterable


REWRITTEN = 0  # in place of a version
LOGGED_OUT = -1  # likewise, and in place of a match the player who has fewer tokens than before


class News(NamedTuple):
    """Of a match there is more: its log has this version, or something beside it is new.

    Whoever misses it loses nothing, as it comes upon it when it looks by itself. Or the log was
    REWRITTEN, with another name in it: what is in memory is to be shown no longer than need be,
    which whoever may have missed it does with all it has. Or a player has LOGGED_OUT somewhere.
    """

    match: str
    version: int | None = None

    @classmethod
    def parse(cls, text: str) -> News:
        """Read what `str` has written."""
        match, _, version = text.partition(":")
        return cls(match, int(version) if version else None)

    def __str__(self) -> str:
        return self.match if self.version is None else f"{self.match}:{self.version}"


def write_news(news: Iterable[News]) -> list[str]:
    """Return news as texts, each as long as a notice may be, and each of the news once."""
    words = list(dict.fromkeys(map(str, news)))
    starts = range(0, len(words), NEWS_AT_ONCE)
    return [" ".join(words[start : start + NEWS_AT_ONCE]) for start in starts]


def read_news(text: str) -> list[News]:
    """Return the news that a text tells of."""
    return [News.parse(word) for word in text.split()]
