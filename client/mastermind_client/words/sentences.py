"""What the protocol and the server say, in the reader's language.

Both say it in English, with the values in it: `Refused.message` is for a person, and says more than
its code. So the sentences are known here with a place for each value; what is said is found by
its sentence, and the values are put into the translation. A sentence of another version's server is
not found, and stays what it is.
"""

from __future__ import annotations

import re
from functools import cache

from mastermind_client.language import SOURCE, speaks
from mastermind_client.language import gettext as _
from mastermind_client.language import mark as N_

SENTENCES = (
    # codes and rules
    N_("peg {peg}: {symbol} is no colour of {rules}; allowed: {allowed}"),
    N_("{number} peg given, and a code of {rules} has {pegs}"),
    N_("{number} pegs given, and a code of {rules} has {pegs}"),
    N_(
        "{name} names no rules: use {known}, or PEGSxCOLOURS[/GUESSES] such as 5x8/12, "
        "with 1-{pegs} pegs, 2-{colours} colours and 1-{guesses} guesses"
    ),
    # what may not be done now
    N_("not now: {why}"),
    N_("not your turn: {why}"),
    N_("you have no seat in this match: you may only watch"),
    N_("you have left this match"),
    N_("you are this match's codemaker already"),
    N_("you are this match's codebreaker already"),
    N_("both seats are taken: you may only watch"),
    N_("the codemaker is there already"),
    N_("the codebreaker is there already"),
    N_("the free seat is kept for the rematch's player"),
    N_("no rematch: your opponent has left"),
    N_("a rematch is offered: match {match}"),
    N_("there is no advice in a rated match"),
    N_("advice for this guess has been taken"),
    N_("a match is reviewed when it is over"),
    N_("there is no round {round}: {number} were played"),
    N_("{bot} could not answer and has left the match"),
    N_("only a bot may keep no code, and never in a rated match"),
    N_("only a bot says why it leaves"),
    N_("a rated match is for two people"),
    N_("a rated match is for two people, not for bots"),
    N_("a rated match is for two people, not for programs"),
    N_("no program plays in a rated match"),
    # what cannot be had
    N_("there is no match {match} on this server"),
    N_("{name} is no bot here: use {known} or {last}"),
    N_("{bot} only makes codes: choose another codebreaker"),
    N_("{rules} has {codes} codes, and {bot} breaks at most {most}"),
    N_("{rules} has {codes} codes, and {bot} dodges among at most {most}"),
    N_("{rules} has {codes} codes: advice and reviews are for at most {most}"),
    N_("one seat must be 'me' and the other 'open' or a bot's name, or both must be bots'"),
    N_("{bot} keeps no code that could be fixed"),
    N_(
        "whoever knows the seed knows the secret: it needs a bot as codemaker and yourself "
        "as codebreaker"
    ),
    N_("a secret can be given only to two bots, for one round"),
    N_("a name is made of characters that can be shown"),
    N_("{bot} failed at guess {number}, after {guesses}: {reason}"),
    N_("{bot} failed at guess {number}: {reason}"),
    # what is said to others
    N_("say a text, or a phrase by its number"),
    N_("say a text or a phrase, not both at once"),
    N_("there is no phrase {phrase}: use 1 to {most}"),
    N_("a text is made of characters that can be shown"),
    N_("{number} characters; at most {most} can be said at once"),
    N_("follow the match to say something in it"),
    # what is over
    N_("match {match} is none of your finished ones"),
    # limits and failures
    N_("too many {what}: wait {seconds} s"),
    N_("the server cannot think about this now ({reason}): wait {seconds} s"),
    N_("too many connections: try again in {seconds} s"),
    N_("one connection follows at most {most} matches: unfollow one"),
    N_("the match is at version {version}, not {given}: follow it first"),
    N_("the server could not save this, and nothing was done"),
    N_("the server failed; it has been logged"),
    N_("this id was another request's"),
    N_("say hello before anything else"),
    N_("this connection has said hello"),
    N_("this server did not issue that token; say hello without one"),
    N_("a request of {size} bytes; at most {most} are allowed"),
    N_("the frame nests deeper than {most} levels"),
    N_("an array or a map has too many items; at most {most} are allowed"),
    N_("a frame is a map with an `op`"),
    N_("`op` is missing"),
    N_("`op` names nothing that is known here"),
    N_("not one msgpack value: {reason}"),
    N_("a text frame; messages are binary"),
    # why a connection was closed
    N_("too many bad frames"),
    N_("no hello"),
    # fraud
    N_("the code was not shown"),
    N_("the code shown is not the one that was committed to"),
    N_("the code shown is none of this game: {why}"),
    N_("the feedback to guess {number} does not fit the code shown"),
    # what a match waits for
    N_("the match waits for the other seat to be taken"),
    N_("the codemaker is to set the secret"),
    N_("the codebreaker is to guess"),
    N_("the match is over"),
    # rates
    N_("connections"),
    N_("requests"),
    N_("cost of requests"),
    N_("new players"),
    N_("matches opened"),
    N_("advice"),
    N_("requests for advice and reviews"),
    N_("reviews"),
    N_("bad frames"),
    N_("unknown match codes"),
    N_("chat lines"),
)
"""Every sentence of theirs, with its places in braces; to be translated by `translate`.

What stands in a place named `why` or `what` is itself one of them.
"""

_NESTED = {"why", "what"}
_PLACE = re.compile(r"\{(\w+)\}")


def translate(text: str) -> str:
    """Return what the protocol or the server says in the reader's language, if it is known."""
    if speaks(SOURCE):
        return text
    return find_translation(text) or text


def find_translation(text: str) -> str | None:
    """Return the translation of what the protocol or the server says; None if it is not known."""
    for sentence in SENTENCES:
        if found := _read(sentence).fullmatch(text):
            values = {
                place: translate(value) if place in _NESTED else value
                for place, value in found.groupdict().items()
            }
            return _(sentence).format(**values)
    return None


@cache
def _read(sentence: str) -> re.Pattern[str]:
    """Return the pattern of a sentence, with a group for each place."""
    parts = _PLACE.split(sentence)
    for index, part in enumerate(parts):
        parts[index] = f"(?P<{part}>.+?)" if index % 2 else re.escape(part)
    return re.compile("".join(parts), re.DOTALL)
