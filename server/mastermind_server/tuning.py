"""Constants that several modules use. The limits on clients are in limits.py."""

from __future__ import annotations

import os

# Connections.

READ_BYTES = 1024  # per read from a client, about one request; at most 170 pings, 2 ms of work
BEHIND_BYTES = 1024  # in the buffer of a transport; the rest stays in our own send buffers
RECEIVE_QUEUE = 16  # messages read ahead of one client; the rest stays in its socket
REFUSED_AT_ONCE = 32  # connections above a limit that get a refusal, not just a close
REFUSED_SECONDS = 5.0  # until a connection that a limit refused may retry
LET_IN_PER_TURN = 4  # sockets accepted in one iteration of the event loop, 0.1 ms each
ACCEPT_RETRY_SECONDS = 1.0  # after the system had no descriptor for a socket
TURN_SECONDS = 0.005  # of one iteration of the event loop for requests: bounds the wait of a move
NEWCOMERS_SECONDS = 0.0005  # for connections without a hello: two handshakes, or one with TLS
RELEASED_PER_TURN = 8  # queued requests that start in one iteration; a long log takes 1.6 ms

# A stop. The drain comes first. Then the parts stop one after another, in five seconds at most.

MAX_DRAIN_SECONDS = 4  # during which running matches continue
EXIT_SECONDS = 10  # after this the system ends the process, as Docker does by default
RETURN_SECONDS = 1.0  # until a client that a restart refused may retry: proxies know by then
RETURNS_PER_SECOND = 200  # clients that a drain sends away: the rate of the limit `handshakes`

CLOSE_SECONDS = 2.0  # for the client's half of the closing handshake
STOP_SECONDS = 1.0  # for requests under way; a commit takes milliseconds
WORKERS_STOP_SECONDS = 0.5  # for the threads of bots; a light job takes milliseconds
LEASE_STOP_SECONDS = 0.5  # to end the lease; otherwise it expires
WRITER_STOP_SECONDS = 1.0  # for pending writes; a commit takes milliseconds
LOG_STOP_SECONDS = 0.5  # for the reader of the log; lines that are not read by then are lost

# Matches.

MAX_SEARCHED = 500  # of the last public matches, to list matches with connected players
LOBBY_GRACE_SECONDS = 60.0  # until a public lobby without its player expires
DUE_SECONDS = 5.0  # between two polls for due matches; delays the end of an abandoned lobby
ENDED_AT_ONCE = 200  # due matches in one poll: some 0.2 s of a core
TOLD_PER_TURN = 32  # spectators that get a frame in one iteration of the event loop, in some 1 ms
ABANDONED_DAYS = 30  # without a move or a connected player, until a match ends
SPECTATORS_SECONDS = 1.0  # between two spectator counts of a match: a crowd arrives as one number
TABLES_KEPT = 256  # unused tables in the cache: loading a table is slow
ROWS_KEPT = 50_000  # in the cache, with lines of chat, some 34 MiB; the longest match has 40,000
FOLLOWED_COUNTED = 16  # matches that each new follow counts again: 0.02 ms
TABLES_LOADED_AT_ONCE = 2  # of each length: bounds the rows folded in one iteration of the loop
TOKENS_SECONDS = 30.0  # between two polls for revoked tokens, in case a notice was lost
LOOK_SECONDS = 3.0  # between two polls for writes of other nodes, in case a notice was lost
NEWS_QUEUE = 4096  # pending notices; the next poll finds the changes of a dropped notice
LOOKED_AT_ONCE = 200  # matches in one query; other reads wait for its 8 ms
ROWS_READ_AT_ONCE = 64  # and folded in one iteration of the event loop, in some 2 ms
ROWS_READ_QUICKLY = 1024  # a match of a few evenings; longer logs are read with pauses
SEEN_KEPT_EVERY = 512  # rows between two kept states, from which old advice is computed again
LEISURE_SECONDS = 0.01  # the pause between two parts of a long log

# Nodes.

LEASE_SECONDS = 15.0  # until a node that does not renew its lease counts as lost, with its players
LEASE_RENEWAL_SECONDS = 4.0  # two renewals may be refused, or one fail after DATABASE_SECONDS

# Storage.

ATTENDANCES_AT_ONCE = 200  # presence rows in one commit: some 0.5 s on another machine

# Load.

OVERLOADED_RETRY_SECONDS = 2.0  # until a client that load shedding refused may retry

# Admin commands.

ORDERS_SECONDS = 2.5  # between two polls for admin commands, usually an empty query

# Bots, advice and reviews.

WORKER_THREADS = 2  # light jobs done at once
WORKER_PROCESSES = max(1, min(4, (os.cpu_count() or 2) - 1))  # one core is left for games
WORKER_NICENESS = 5  # of the processes: on a busy machine, a third of the event loop's CPU share
JOB_ATTEMPTS = 3  # killed processes of a job: twice may be chance, three is the job's fault
RETRY_SECONDS = 1.0  # after a failure; frequent retries help no full disk or busy machine
BOT_OVERDUE_SECONDS = 1.5  # until another node moves for a bot; a second move is harmless
BOTS_ONLY_AT_ONCE = 1  # moves in matches of two bots; another thread is left for people's matches
JOBS_QUEUED = 1024  # for threads, and for processes: minutes of work; later jobs are retried
ANALYSES_AT_ONCE = 1  # advice and reviews wait for each other, and no moves wait for them
HEAVY_REVIEWED = 4  # guesses reviewed in one job, some 60 ms each; other jobs wait
LIGHT_REVIEWED = 16  # guesses of a round that a thread reviews, in some 10 ms
LIGHT_DRAWN = 100  # secrets of a seed drawn in the event loop, in some 0.7 ms
REVIEWED_KEPT = 10_000  # guesses with a cached review: some 6 MiB

# Rates.

PREPAID_ROWS = 50  # charged at the start of a match, which may always write them: some five rounds
ROUND_ROWS = 10  # charged for each further round; bots need six to eight guesses

SITE_SHARES = 5  # times the rate of an address, for all addresses of an IPv6 /48, such as a campus
BUCKETS_KEPT = 10_000  # of one rate, some 4 MiB; long unused buckets are evicted
MAX_DEBT = 2  # bursts of debt, so that a disconnected crowd does not delay later clients
LOG_COST = 4  # of an answer with a log, at most 64 rows: 1.6 ms
LIST_COST = 8  # of a search through the lists: 3 ms
