import pytest

from mastermind_server import cli


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("--prot 0", "--prot"),
        ("migrat", "unrecognized arguments: migrat"),
        ("--port 65536", "argument --port: '65536' is no port"),
        ("--port http", "argument --port: 'http' is no port"),
        ("--log-level loud", "argument --log-level: "),
        ("--abandon-after 0", "argument --abandon-after: "),
        *[
            (f"--drain={time}", f"{time!r} is no time to drain: use 0 to 4 seconds")
            for time in ("", "-1", "5", "nan", "1s")
        ],
        ("--tls-cert some.pem", "--tls-cert is set without --tls-key: TLS needs both"),
        ("--tls-key some.pem", "--tls-key is set without --tls-cert: TLS needs both"),
        ("--origins example.org", "'example.org' is no origin: https://HOST"),
        ("--origins https://example.org/", "'https://example.org/' is no origin"),
        ("--origins https://Example.org", "'https://Example.org' is no origin"),
        ("--origins *", "'*' is no origin"),
        ("--trusted-proxies 192.0.2.1,10.0.0.1/8", "10.0.0.1/8 has host bits set"),
        ("status", "name the database:"),
        (f"announce --database g {'x' * 201}", "1 to 200 printable"),
        ("announce --database g \x1b[2J", "1 to 200 printable"),
        ("ban --database g 192.0.2.1 --for soon", "'soon' is no duration"),
        ("ban --database g 192.0.2.1 --reason a\nb", "1 to 100 printable"),
        ("arena", "the following arguments are required: --bot"),
        ("arena knuth", "the following arguments are required: --bot"),
        ("arena --bot knuth --games 0", "argument --games: '0' is no number of games: 1 to 100000"),
        ("arena --bot knuth --games -1", "argument --games: '-1' is no number of games"),
        ("arena --bot knuth --games ten", "argument --games: 'ten' is no number of games"),
        ("arena --bot knuth --games 1.5", "argument --games: '1.5' is no number of games"),
        ("arena --bot knuth --games 1000001", "'1000001' is no number of games"),
        (f"arena --bot knuth --games {'9' * 5000}", "is no number of games: 1 to 1000000"),
        ("arena --bot knuth --games 5 --all", "--all: not allowed with argument --games"),
        ("arena --bot knuth --seed x", "argument --seed: 'x' is no seed"),
        ("arena --bot knuth --rules chess", "'chess' names no rules"),
        (
            "arena --bot knuth --rules 9x3",
            "9x3/12 has 19,683 codes: choose --all to play every one, or --games N to play some",
        ),
    ],
)
def test_a_wrong_option_is_explained_and_status_2(line, error, capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(line.split(" "))
    assert ended.value.code == 2
    out, err = capsys.readouterr()
    first, *others = err.splitlines()
    command = line.split(" ")[0] if line.split(" ")[0] in cli.COMMANDS else ""
    assert out == ""
    assert first.startswith(f"mastermind-server {command}".rstrip() + ": error: ")
    assert error in first
    assert others == [f"Help: mastermind-server {command}".rstrip() + " --help"]


def test_help_names_every_option(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--help"])
    assert ended.value.code == 0
    text = capsys.readouterr().out
    for option in ("--host", "--port", "--database", "--log-level", "8765", "127.0.0.1"):
        assert option in text
    assert "(()" not in text, "an empty tuple is no default to show"


def test_help_names_the_commands_and_each_has_its_own_help(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    text = capsys.readouterr().out
    for name, command in cli.COMMANDS.items():
        assert f"  {name:10} {command.summary}" in text
        with pytest.raises(SystemExit) as ended:
            cli.main([name, "--help"])
        assert ended.value.code == 0
        assert f"usage: mastermind-server {name} " in capsys.readouterr().out
