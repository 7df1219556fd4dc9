"""The commands as commands: options, exit statuses, pipes, and how one gets out of them."""

from __future__ import annotations

import re
import signal
import socket
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest

from processes import CTRL_C

if TYPE_CHECKING:
    from processes import Machine, Program, Server

INTERRUPTED = 130
UNKNOWN = "ZZZZZZ"  # a match code that is drawn once in 700 million times
REMATCH = "Rematch, with the seats swapped? (Y/N) "


def sit_down(
    machine: Machine, server: Server, *options: str, terminal: bool = False
) -> tuple[Program, Program]:
    """Return Ada, codemaker, and Bob, codebreaker, at a match of two friends."""
    at = ("--plain", "--server", server.address)
    ada = machine.start(
        "play", "--versus=friend", "--as=maker", "--name=Ada", *at, *options, terminal=terminal
    )
    code = ada.find(r"Invite code: (\w{6})\n")[1]
    bob = machine.start("join", code, "--name=Bob", *at, user="bob", terminal=terminal)
    ada.expect("Your secret (")
    bob.expect("Waiting for Ada to set the secret ...")
    return ada, bob


def invite_code(program: Program) -> str:
    """Return the code by which this player's friend was invited."""
    found = re.search(r"Invite code: (\w{6})\n", program.shown)
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("frobnicate", "invalid choice: 'frobnicate'"),
        ("play --frobnicate", "unrecognized arguments: --frobnicate"),
        ("play --rules nope", "'nope' names no rules: use classic, thirteen, mini"),
        ("play --rules 10x6", "names no rules"),
        ("play --as host", "invalid choice: 'host'"),
        ("play --rounds 0", "'0' is no number of rounds: 1 to 20"),
        ("play --rounds 21", "'21' is no number of rounds: 1 to 20"),
        ("play --seed x", "'x' is no seed"),
        ("play --seed 1 --versus friend", "--seed fixes a bot's secrets"),
        ("play --seed 1 --as maker", "--seed fixes a bot's secrets"),
        ("play --public --versus anyone", "--public is for games against bots"),
        ("play --name=", "a name has 1 to 24 characters"),
        ("play --name " + 25 * "x", "a name has 1 to 24 characters"),
        ("play --name \x1b[2J", "a name has 1 to 24 characters"),
        ("play --server http://localhost:8765", "is no server address: use ws://HOST:PORT"),
        ("watch --server localhost:8765", "is no server address: use ws://HOST:PORT"),
        ("play --server=", "is no server address: use ws://HOST:PORT"),
        ("join ABC", "'ABC' is no match code"),
        ("join ILOU01", "'ILOU01' is no match code"),
        ("watch --secret 1234", "--secret and --public need --bot"),
        ("watch --bot knuth --secret 123", "3 pegs given, and a code of knuth has 4"),
        ("watch --bot knuth --secret 1237", "peg 4: '7' is no colour of knuth"),
        ("watch ABCDEF --bot knuth", "not both"),
    ],
)
def test_wrong_option_is_told_first(machine: Machine, line: str, complaint: str) -> None:
    program = machine.start(*line.split(" "))
    assert program.finish(2, errors=None) == ""
    assert complaint in program.errors.splitlines()[0]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("play --versus deepblue", "'deepblue' is no bot here: use forgetful, random, "),
        ("watch --bot deepblue", "'deepblue' is no bot here: use forgetful, random, "),
        ("play --rules 9x12 --as maker", "9x12/12 has 5159780352 codes"),
    ],
)
def test_what_only_the_server_can_refuse_is_a_wrong_option_too(
    machine: Machine, line: str, complaint: str
) -> None:
    program = machine.start(*line.split(" "))
    assert program.finish(2, errors=None) == ""
    assert program.errors.startswith(f"mastermind: {complaint}")
    assert program.errors.count("\n") == 1


@pytest.mark.parametrize("line", ["--port x", "--port 65536", "--log-level LOUD", "now"])
def test_servers_wrong_option_is_told_first(machine: Machine, line: str) -> None:
    server = machine.start_server(*line.split(" "))
    assert server.finish(2, errors=None) == ""
    assert server.errors.startswith("mastermind-server: error: ")


@pytest.mark.parametrize("line", ["play", "play --versus friend", "join ABCDEF", "join", "watch"])
def test_unreachable_server_is_told_in_one_line(machine: Machine, line: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))  # bound, and nobody listens
        address = f"ws://127.0.0.1:{unused.getsockname()[1]}"
        program = machine.start(*line.split(" "), "--server", address)
        assert program.finish(1, errors=None) == ""
    assert program.errors.startswith(f"mastermind: cannot reach {address}: nothing listens there.")
    assert program.errors.count("\n") == 1


def test_server_of_another_kind_is_told_in_one_line(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        address = f"ws://127.0.0.1:{listener.getsockname()[1]}"
        program = machine.start("watch", "--server", address)
        connection, _ = listener.accept()
        with connection:
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            program.finish(1, errors=None)
    assert "what answers there does not speak this version of the protocol" in program.errors
    assert program.errors.count("\n") == 1


def test_unknown_invite_code_is_told_in_one_line(machine: Machine, server: Server) -> None:
    for command in ("join", "watch"):
        program = machine.start(command, UNKNOWN, "--server", server.address)
        assert program.finish(1, errors=None) == ""
        assert re.fullmatch(rf"mastermind: .*{UNKNOWN}.*\n", program.errors)


def test_full_match_is_told_in_one_line(machine: Machine, server: Server) -> None:
    ada, _ = sit_down(machine, server)
    third = machine.start("join", invite_code(ada), "--server", server.address, user="third")
    third.finish(1, "mastermind: both seats are taken: you may only watch\n")


def test_invite_code_may_be_typed_as_it_is_read_aloud(machine: Machine, server: Server) -> None:
    at = ("--server", server.address)
    ada = machine.start("play", "--versus=friend", *at)
    code = ada.find(r"Invite code: (\w{6})\n")[1].lower()
    bob = machine.start("join", f"{code[:3]}-{code[3:]}", *at, user="bob")
    bob.expect("Your secret (4 pegs): ")


# What a person is doing when Ctrl-C is pressed: the command line, what is answered to what, and
# the last thing on the screen. SERVER stands for a server's address, MATCH for a match there.
MOMENTS = [
    ("play", [], "Your name (Enter for a guest's): "),
    ("play", [("Your name (Enter for a guest's): ", "Ada")], "codebreaker? (m/B) "),
    ("play --rules mini", [], "Which way to play? (1) "),
    ("play --rules thirteen", [], "Guess 1 of 13: "),
    ("play --rules eight", [("Guess 1 of 10: ", "resign")], "Play again? (Y/N) "),
    ("play --as maker", [], "Your secret (4 pegs): "),
    ("play --rules lab", [], "Guess color: "),
    (
        "play --rules lab --seed 1",
        [("Guess color: ", digit) for digit in "1402"],
        "Would you like to play again? (Y/N)\n",
    ),
    ("play --versus friend SERVER", [], "Waiting for your friend ...\n"),
    ("play --versus anyone SERVER", [], " ...\n"),
    ("join SERVER", [], "Which one? (number, Enter to look again, q to quit) "),
    ("watch SERVER", [], "Which one? (number, Enter to look again, q to quit) "),
    ("watch MATCH SERVER", [], "Bob is the codebreaker.\n"),
]


@pytest.mark.parametrize(("line", "answers", "last"), MOMENTS, ids=lambda value: str(value)[:30])
def test_ctrl_c_leaves_cleanly_whatever_is_asked(
    machine: Machine, line: str, answers: list[tuple[str, str]], last: str
) -> None:
    if "SERVER" in line:
        server = machine.serve()
        ada, _ = sit_down(machine, server)
        line = line.replace("MATCH", invite_code(ada))
        line = line.replace("SERVER", f"--server {server.address}")
    command, *options = line.split(" ")
    program = machine.start(command, "--plain", *options, user="eve", terminal=True)
    for question, answer in answers:
        program.answer(question, answer)
    program.expect(last)
    program.type(CTRL_C)
    assert program.finish(INTERRUPTED).endswith("^C\n")


@pytest.mark.parametrize("moment", ["secret", "guess", "waiting", "rematch"])
def test_opponent_is_told_of_ctrl_c(machine: Machine, server: Server, moment: str) -> None:
    ada, bob = sit_down(machine, server, terminal=True)
    who, other, name = (ada, bob, "Ada") if moment in ("secret", "waiting") else (bob, ada, "Bob")
    if moment != "secret":
        ada.send("1234")
        bob.expect("Guess 1 of 12: ")
        ada.expect("Waiting for Bob to guess ...\n")
    if moment == "rematch":
        bob.send("1234")
        for program in (ada, bob):
            program.expect(REMATCH)
    who.type(CTRL_C)
    who.finish(INTERRUPTED)
    other.expect(f"{name} left.\n")
    if moment != "rematch":
        other.expect("You win.\n")
    assert other.finish().endswith("Good-bye!\n")


def test_ctrl_c_leaves_at_once_though_the_server_is_gone(machine: Machine, server: Server) -> None:
    programs = sit_down(machine, server, terminal=True)
    server.kill()
    for program in programs:
        program.expect("*** CONNECTION LOST: ", "*** RECONNECTING, try ")
        program.type(CTRL_C)
    for program in programs:
        program.finish(INTERRUPTED)


@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
@pytest.mark.parametrize("moment", ["secret", "guess"])
def test_end_of_input_leaves_and_the_opponent_is_told(
    machine: Machine, server: Server, moment: str, terminal: bool
) -> None:
    ada, bob = sit_down(machine, server, terminal=terminal)
    who, other, name = ada, bob, "Ada"
    if moment == "guess":
        ada.send("1234")
        who, other, name = bob, ada, "Bob"
        bob.expect("Guess 1 of 12: ")
    who.end_input()
    who.finish()
    other.expect(f"{name} left.\n", "You win.\n")
    other.finish()


@pytest.mark.parametrize("line", ["", "play --rules lab", "play --as maker", "play --rules mini"])
def test_no_input_at_all_is_no_game(machine: Machine, line: str) -> None:
    program = machine.start(*line.split())
    program.end_input()
    assert program.finish().endswith(": \n")


def test_input_that_lasts_for_half_a_line_is_played(machine: Machine) -> None:
    program = machine.start("play", "--rules=lab", "--seed=1")
    program.type("1\n4\n0\n2")
    program.end_input()
    assert "Correct! You finished in 1 guesses\n" in program.finish()


def test_end_of_input_does_not_end_looking_on(machine: Machine) -> None:
    program = machine.start("watch", "--bot=knuth", "--secret=6543")
    program.end_input()
    program.expect("knuth (bot) wins.\n")
    program.finish()


@pytest.mark.parametrize("line", ["play", "play --rules lab", "watch --bot knuth"])
def test_closed_output_ends_without_a_word(machine: Machine, line: str) -> None:
    program = machine.start(*line.split())
    program.find(".*\n")
    program.close_output()  # as head -1 does
    if line.startswith("play"):
        program.send("1", "1", "1", "1", "1122")
    program.finish(1)


def test_line_that_nobody_would_type_is_refused_and_the_game_goes_on(machine: Machine) -> None:
    program = machine.start("play")
    program.send("1" * 1_000_000, "\x00\x1b[2J", "resign")
    program.expect("pegs given, and a code of classic has 4.\n")
    program.expect("You gave up after 0 guesses", "Play again? (Y/N) ")
    program.send("n")
    program.finish()


@pytest.mark.parametrize("line", ["play", "play --rules lab", "watch --bot knuth"])
def test_dumb_terminal_is_sent_nothing_but_lines(machine: Machine, line: str) -> None:
    program = machine.start(*line.split(), terminal=True, environment={"TERM": "dumb"})
    if line == "play":
        program.answer("Your name (Enter for a guest's): ", "")
        program.answer("(m/B) ", "")
        program.answer("Guess 1 of 12: ", "1122")
        program.answer("Guess 2 of 12: ", "resign")
        program.answer("Play again? (Y/N) ", "n")
    elif line.startswith("play"):
        program.expect("Guess color: ")
        program.end_input()
    shown = program.finish()
    assert shown.replace("\n", "").isprintable()


def test_name_in_letters_that_a_terminal_lacks_breaks_nothing(
    machine: Machine, server: Server
) -> None:
    at = ("--server", server.address)
    ada = machine.start("play", "--versus=friend", "--name=Zoë", *at)
    code = ada.find(r"Invite code: (\w{6})\n")[1]
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    bob = machine.start("watch", code, *at, user="bob", environment=ascii_only)
    bob.expect("Zo? is the codebreaker.\n")


def test_version_is_the_packages(machine: Machine) -> None:
    shown = machine.start("--version").finish()
    assert shown == f"mastermind {version('networked-mastermind')}\n"


@pytest.mark.parametrize(
    "command",
    ["", "play", "join", "watch", "review", "bots", "arena", "bot", "config", "completion"],
)
def test_help_is_for_standard_output(machine: Machine, command: str) -> None:
    shown = machine.start(*command.split(), "--help").finish()
    assert shown.startswith("usage: mastermind")
    assert all(len(row) <= 80 for row in shown.splitlines())


def test_server_ends_well_on_ctrl_c_with_everybody_told(machine: Machine, server: Server) -> None:
    programs = sit_down(machine, server)
    server.signal(signal.SIGINT)
    server.finish(errors=None)
    for program in programs:
        program.expect("*** CONNECTION LOST: the server is restarting.")


def test_server_logs_no_token_and_no_secret(machine: Machine) -> None:
    server = machine.serve("--log-level=debug")
    ada, bob = sit_down(machine, server, "--rules=9x12/20")
    ada.send("WNTLMCPOY")  # long enough to be found in a log by no accident
    bob.answer("Guess 1 of 20: ", "RGBYOPCML")
    bob.answer("Guess 2 of 20: ", "resign")
    ada.expect("The secret was W N T L M C P O Y:")
    for program in (ada, bob):
        program.answer(REMATCH, "n")
    for program in (ada, bob):
        program.finish()
    server.stop()
    colours = [11, 10, 9, 8, 7, 6, 5, 4, 3]
    forms = ["WNTLMCPOY", "W N T L", str(colours)[1:-1], bytes(colours).hex()]
    forms += [repr(bytes(colours))[2:-1], "white navy teal", "'white', 'navy'"]
    tokens = [path.read_text().strip() for path in machine.folder.rglob("*.token")]
    assert len(tokens) == 2
    logged = server.shown + server.errors
    assert "DEBUG" in logged
    assert [form for form in forms + tokens if form in logged] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_end_leaves_cleanly_and_the_opponent_is_told(
    machine: Machine, server: Server, number: signal.Signals
) -> None:
    ada, bob = sit_down(machine, server)
    bob.signal(number)
    bob.finish(128 + number)
    ada.expect("Bob left.\n", "You win.\n")
    ada.finish()


def test_a_signal_to_end_leaves_no_files_of_an_embedded_game_behind(machine: Machine) -> None:
    player = machine.start("play")
    player.expect("Guess 1 of 12: ")
    player.signal(signal.SIGTERM)
    player.finish(128 + signal.SIGTERM)
    assert not list(machine.folder.rglob("mastermind-*"))


def test_input_without_end_waits_in_its_pipe(machine: Machine, server: Server) -> None:
    """Only a little of it is read before it is asked for: the rest would fill the memory."""
    player = machine.start("play", "--versus=friend", "--server", server.address)
    player.expect("Waiting for your friend ...\n")
    typed = player.type_until_full("1122\n")
    assert typed < 100_000  # what a pipe holds is 65536 bytes
    player.signal(signal.SIGTERM)
    player.finish(128 + signal.SIGTERM)


def test_settings_are_printed_reset_and_found(machine: Machine) -> None:
    file = machine.home("ada") / "config" / "mastermind" / "settings.toml"
    assert machine.start("config", "--path").finish() == f"{file}\n"
    shown = machine.start("config", "--print").finish()
    assert '# the colours of the pegs\n# allowed: "default", ' in shown
    assert not file.exists()
    machine.start("config", "--reset").finish()
    assert file.read_text() == shown


def test_script_plays_the_same_whatever_the_settings_say(machine: Machine) -> None:
    file = machine.home("ada") / "config" / "mastermind" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text('name = "Ada"\nrules = "mini"\nopponent = "easy"\nbell = 1\n')
    player = machine.start()
    player.expect("classic: 4 pegs, 6 colours, 12 guesses.\n", "hard (bot optimal)")
    player.end_input()
    player.finish()


def test_failure_that_nobody_foresaw_is_told_in_one_line_and_logged(machine: Machine) -> None:
    (machine.home("ada") / "sitecustomize.py").write_text(
        "from mastermind_client import session\n"
        "def fail(*_, **__): raise ZeroDivisionError('of all things')\n"
        "session.Session.open = fail\n"
    )
    program = machine.start("play", environment={"PYTHONPATH": str(machine.home("ada"))})
    assert program.finish(70, errors=None) == ""
    log = machine.home("ada") / "state" / "mastermind" / "log" / "mastermind.log"
    assert program.errors == (
        "mastermind: Mastermind has failed (ZeroDivisionError: of all things). "
        f"The log says where: {log}\n"
    )
    assert "in fail\n" in log.read_text()
    log.unlink()  # it is meant to be there: no other test's program may leave one
