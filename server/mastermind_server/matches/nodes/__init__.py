"""Nodes that share a store: routing, notices, fences, leases, presence and deadlines.

Any node serves any client and any match. Three things work together, and only the last must hold:

**Routing** saves work. Clients connect at the address of their match, ``/m/`` and its part, which
proxies send to one node (`events.find_part`). So the players of a match usually meet at one node,
and a move needs no other. A node does not know which parts proxies send to it, and refuses none.

**Notices** save time. After the commit of a row, its node notifies the nodes that listen to the
channel of the match's part: those with a table of the part in use (`storage.engines.listener`).
The notice of most guesses has a copy of the row, which other nodes add to their table if they can;
otherwise they read the row. Notices can be lost, so `subscription` also polls, and when a node
begins to listen to a part, it reads the tables of the part again.

**Fences** keep the log correct. The key (match, version) of the log accepts one row, whatever nodes
believe: the node that lost the race reads the row and decides again. A row needs its predecessor
and the epoch of the store. What a node may do for a player who is away, such as ending the
player's time, depends on leases by the database's clock (`timekeeping`), not on notices.
"""
