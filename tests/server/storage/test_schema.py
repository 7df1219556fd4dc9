from __future__ import annotations

import sqlalchemy as sa

from mastermind_protocol.events import MATCH_CODE_LENGTH, MAX_NAME_LENGTH
from mastermind_server.storage.schema import log, matches, players


def test_columns_are_as_wide_as_the_protocol_allows():
    for column in (matches.c.maker, matches.c.breaker, players.c.name):
        assert isinstance(column.type, sa.String)
        assert column.type.length == MAX_NAME_LENGTH
    for column in (log.c.match, matches.c.match):
        assert isinstance(column.type, sa.String)
        assert column.type.length == MATCH_CODE_LENGTH
