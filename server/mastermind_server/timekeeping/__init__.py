"""Match clocks: deadlines, flags, and the time that servers owe to players.

A flag is the end of a player's time, as on a chess clock. A match with a clock has one running
timer: the timer of the player to move. The fold of the protocol computes it. This package decides
when it has run down, and gives time back. Two promises:

    A player never loses time in which the server kept that player out.
    No flag beats a move that arrived in time.

**Three times.** *Monotonic time* measures, and never jumps. The *time of day* of a node counts
milliseconds since 1970. It follows monotonic time, so a change of the system's clock moves no
deadline; `TimeOfDay` sets it only while no clock runs here. *Node time* is the time of day that all
nodes of a database share: the database's time, plus an offset that the oldest live node has stored.
Rows and outages are in node time. A server starts no earlier than the newest time in its store.

**Whose time runs.** A request takes effect when it was read from the socket, not when it is
handled. The first complete poll of the sockets after the deadline may read data that arrived before
it, so these data count as in time (`Pauses.record_poll`, `MatchTime.find_moment`). The time of a
bot of the server never ends.

**What is owed, and from when to when.**

    pause     The event loop of this process stood still: from one measurement to the next. Or the
              store failed: from the failed request until clients have repeated it. Pauses are
              measured while live clocks run. A pause counts if the player follows the match here,
              or nowhere. Connections survive it.
    outage    Connections ended: from the last sign of life of a node until another node, or the
              next server, notices. If no other node is live, the outage counts for all matches,
              including matches without a clock. Otherwise it counts for matches with a player at
              the failed node, unless the player has followed here since before the outage.
    return    After an outage: until the player follows again, but at most for RETURN_MS, and once.
              Players cannot cause outages, so they cannot gain this time at will. A pause, which
              they might cause, gives none.
    drain     All nodes reject new connections before they stop: from the loss of the player's
              connection until the outage begins.
    sleep     The machine slept, or the only process of a store was stopped: an outage that the
              process finds itself.
    failure   Renewals of the lease have failed for FAILURE_MS, because the store did: an outage
              without a return, because connections survive it.

Lost time is the union of these times within the present turn, less the time that was given back in
this turn. The event `resumed` gives it back as soon as it is a second (ten minutes with days), and
always before a flag. A delay of other requests is no pause: lookups for clocks have a database
connection of their own, which no query of a client can fill.

**Who may flag.** The node at which the player follows the match; any node if the player follows
nowhere. A flag waits for

    1. a complete poll of the sockets that began after the deadline;
    2. a move in time that this node has not handled yet, and GRACE_MS for a move that another node
       or another connection may have read;
    3. the end of the time to return, the repetition of failed moves, and the end of a drain;
    4. the outage of a node where the player was before. While that node may have failed and its
       outage is not stored, `Flags` asks all nodes to renew their leases.

On a shared store only `Flags` ends a time, because requests do not read point 4 from the store. A
stopping node flags nobody from the moment when its connections begin to close.

**In which order things are written.**

    a node failed    its outage, then the end of its lease: without a lease, other nodes may flag
    a node stops     its outage and the end of its lease, in one transaction; until then its lease
                     is not renewed, and its presence stays, so that other nodes flag no player
    renewal          the pauses in memory, then the lease: an outage begins at the last renewal
    a player moves   its presence at this node, then the move: other nodes then do not flag it
    after a sleep    the outage, then the new time of day: the player would seem to be late

A guess stores no deadline. Within a phase deadlines only move later, so the deadline at the start
of the phase is a lower bound. `Flags` polls the store for it, and finds the real one in the log.

Modules, upwards: `outages` and `due_times` are values. `pauses` measures this process. `statements`
stores outages. `lost_time` and `match_time` decide for one match. `downtime` and `time_of_day` act
for this node. `lease` renews its lease. `flags` ends times. `interfaces` and `clocked_tables`
describe the parts of matches that these modules use.
"""
