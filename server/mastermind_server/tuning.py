"""Constants that several modules use. The limits on clients are in limits.py."""

from __future__ import annotations

import os

# Connections.

READ_BYTES = 1024  # per read from a client, about one request; at most 170 pings, 2 ms of work
BEHIND_BYTES = 1024  # that a transport holds for a client at most: more waits in one piece, counted
RECEIVE_QUEUE = 16  # messages read ahead of one client; the rest waits in its own socket
REFUSED_AT_ONCE = 32  # connections above either limit that are told so; beyond, they are just cut
REFUSED_SECONDS = 5.0  # until a connection that a limit refused may retry
LET_IN_PER_TURN = 4  # sockets: what is made for each takes 0.1 ms of the next turn of the loop
ACCEPT_RETRY_SECONDS = 1.0  # after the system had no room for a socket: it stays in the backlog
TURN_SECONDS = 0.005  # of one turn of the event loop go to requests: nobody's move waits for many
NEWCOMERS_SECONDS = 0.0005  # of it to those who have not said hello: two handshakes, one by TLS
RELEASED_PER_TURN = 8  # requests that waited for a turn and begin in it: a long log takes 1.6 ms

# A stop. The drain comes first. Then the parts stop one after another, in five seconds at most.

MAX_DRAIN_SECONDS = 4  # during which running matches continue
EXIT_SECONDS = 10  # after this the system ends the process, as Docker does by default
RETURN_SECONDS = 1.0  # until a client that a restart refused may retry: proxies know by then
RETURNS_PER_SECOND = 200  # clients told to come back in one second: the limit `handshakes` lets in

CLOSE_SECONDS = 2.0  # for the client's half of the closing handshake
STOP_SECONDS = 1.0  # for requests under way; a commit takes milliseconds
WORKERS_STOP_SECONDS = 0.5  # for threads of bots to end in: a light job takes milliseconds
LEASE_STOP_SECONDS = 0.5  # to tell others that this node is gone: they find out by themselves
WRITER_STOP_SECONDS = 1.0  # for pending writes; a commit takes milliseconds
LOG_STOP_SECONDS = 0.5  # for the reader of the log; lines that are not read by then are lost

# Matches.

MAX_SEARCHED = 500  # of the last public matches, when those are listed whose players are here
LOBBY_GRACE_SECONDS = 60.0  # until a public lobby without its player expires
DUE_SECONDS = 5.0  # between two polls for due matches; delays the end of an abandoned lobby
ENDED_AT_ONCE = 200  # matches that are due, of one look: some 0.2 s of a core
TOLD_PER_TURN = 32  # spectators in one turn of the event loop, in some 1 ms: no move waits for all
ABANDONED_DAYS = 30  # without a move or a connected player, until a match ends
SPECTATORS_SECONDS = 1.0  # between two spectator counts of a match: a crowd arrives as one number
TABLES_KEPT = 256  # that nobody uses, for those who come back: loading one takes a while
ROWS_KEPT = 50_000  # in all of these, with lines of chat, some 34 MiB: the longest match has 40,000
FOLLOWED_COUNTED = 16  # of the matches, for each one more that is to be followed: 0.02 ms
TABLES_LOADED_AT_ONCE = 2  # of each length: so many pieces may be folded in one turn of the loop
TOKENS_SECONDS = 30.0  # between two looks for tokens that are void, of which news may be lost
LOOK_SECONDS = 3.0  # between two looks at what others wrote, of which the news may have been lost
NEWS_QUEUE = 4096  # that wait to be read on: what comes meanwhile is found by the next look
LOOKED_AT_ONCE = 200  # matches in one query; other reads wait for its 8 ms
ROWS_READ_AT_ONCE = 64  # and folded in one iteration of the event loop, in some 2 ms
ROWS_READ_QUICKLY = 1024  # a match of a few evenings; longer logs are read with pauses
SEEN_KEPT_EVERY = 512  # rows: what a player saw then is there, for who asks again for old advice
LEISURE_SECONDS = 0.01  # by so long a pause between two pieces

# Nodes of one database.

LEASE_SECONDS = 15.0  # after which a node that was not heard of is gone, and whoever was there
LEASE_RENEWAL_SECONDS = 4.0  # so that two may be refused, or one fail by DATABASE_SECONDS

# What is kept, and written.

ATTENDANCES_AT_ONCE = 200  # in one commit: some 0.5 s, by another machine too

# Load.

OVERLOADED_RETRY_SECONDS = 2.0  # until a client that load shedding refused may retry

# Admin commands.

ORDERS_SECONDS = 2.5  # between two looks at what an operator orders: a query that finds nothing

# Bots, advice and reviews.

WORKER_THREADS = 2  # light jobs done at once
WORKER_PROCESSES = max(1, min(4, (os.cpu_count() or 2) - 1))  # heavy ones: a core stays with games
WORKER_NICENESS = 5  # of those: a third of what the event loop has, where there is too little CPU
JOB_ATTEMPTS = 3  # at a job whose process is killed: twice by chance is rare, thrice is its fault
RETRY_SECONDS = 1.0  # after a failure; frequent retries help no full disk or busy machine
BOT_OVERDUE_SECONDS = 1.5  # after which its node may be gone: moves take 0.2 s, two do no harm
BOTS_ONLY_AT_ONCE = 1  # matches of two bots in which one moves: a thread is left for people's
JOBS_QUEUED = 1024  # of threads, or of processes: minutes of work, and later ones ask again
ANALYSES_AT_ONCE = 1  # advice and reviews wait for each other, not moves for them
HEAVY_REVIEWED = 4  # guesses reviewed at once, some 60 ms each: others wait for them
LIGHT_REVIEWED = 16  # guesses of a round that a thread may go through, in some 10 ms
LIGHT_DRAWN = 100  # secrets of a seed that are drawn in the event loop, in some 0.7 ms
REVIEWED_KEPT = 10_000  # guesses of which the review is remembered: some 6 MiB

# Rates.

PREPAID_ROWS = 50  # of a match that begins, which it may always have: some five rounds
ROUND_ROWS = 10  # of each round, if there are more, and beyond: bots need six to eight guesses

SITE_SHARES = 5  # of an address, that all addresses of a /48 of IPv6 have together: a campus
BUCKETS_KEPT = 10_000  # of one rate, by player or address: some 4 MiB; long unused ones go
MAX_DEBT = 2  # bursts on account: whoever comes later must not wait for long gone crowds
LOG_COST = 4  # of what is answered with a log, at most 64 rows: 1.6 ms
LIST_COST = 8  # of what goes through the lists: 3 ms
