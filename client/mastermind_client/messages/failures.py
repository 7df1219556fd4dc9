"""Texts of failures: refusals, failures of connections and sessions, and system errors."""

from __future__ import annotations

from mastermind_client.invocation import write_command, write_server_command
from mastermind_client.language import gettext as _
from mastermind_client.messages.refusals import describe_close, explain_refusal, write_sentence
from mastermind_client.network.failures import Failure, NothingToContinue, Outage
from mastermind_protocol.errors import MastermindError
from mastermind_protocol.text import sanitise


def describe_failure(error: Exception) -> str:
    """Return the failure as a sentence."""
    return write_sentence(explain_failure(error))


def explain_failure(error: Exception) -> str:
    """Return the failure as a clause, without a capital letter and a full stop.

    For a system error about a file, the clause starts with the file's name.
    """
    match error:
        case MastermindError():
            return explain_refusal(error)
        case Failure():
            values = {
                name: explain_outage(value) if isinstance(value, Outage)
                else explain_failure(value) if isinstance(value, Exception) else value
                for name, value in error.values.items()
            }  # fmt: skip
            nothing = isinstance(error, NothingToContinue)
            command = write_command("play") if nothing else write_server_command()
            return sanitise(_(error.sentence).format(command=command, **values))
        case OSError():
            reason = error.strerror or str(error)
            return f"{error.filename}: {reason}" if error.filename else reason
        case _:
            return str(error)


def explain_outage(outage: Outage) -> str:
    """Return the reason for a lost connection as a clause. A quoted text is sanitised."""
    quote = describe_close(sanitise(outage.quote))
    sentence = outage.fault.quoting if quote else outage.fault.sentence
    return _(sentence).format(reason=quote)
