"""Sessions with servers, their matches, and the stored players. Without texts or a terminal.

A session consists of these objects. An arrow is a call, and no call goes the other way::

    interface, bot                                          subscriber
      | requests                                                ^ updates
      v                                                         |
    Session   checks moves                                  Publisher   connection, challenges
      | ask, get                                                ^ publish
      v                                                         |
    Exchange  repeats  --- add ---> PendingRequests <---------- Receiver  player, followed matches
      | send                        ids, catch-ups    resolve   ^      |
      v                                                         |      +--> Mirror    each match
    Link   token, reconnects  --- MessageHandler: ..............+      +--> Identity  stored player
      | send                      resume, receive, is_urgent
      v
    Line, Keepalive   one WebSocket

The dotted arrow is a `Protocol`: a link knows no receiver. Not drawn: `Session` reads the player of
the receiver, and removes the matches that it leaves. `Link` publishes the state of the connection,
and `Exchange` the end of the session. `Link` stores tokens in the identity. A line calls its link
with each message, and its keepalive when data arrives.
"""
