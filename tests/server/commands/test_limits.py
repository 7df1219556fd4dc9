from mastermind_server import cli
from mastermind_server.limits import Limits, Rate, read_limits


def test_every_limit_is_printed_as_a_file_may_have_it_and_where_it_comes_from(
    tmp_path, capsys, monkeypatch
):
    file = tmp_path / "limits.toml"
    file.write_text("connections = 5000\ntokens = 2\nchat = { burst = 1, per_second = 0.1 }\n")
    monkeypatch.setenv("MASTERMIND_LIMIT_TOKENS", "3")
    assert cli.main(["limits", "--limits", str(file)]) == 0
    printed = capsys.readouterr().out
    for line in (
        "connections = 5000  # file",  # as usual, and yet by the file
        "tokens = 3  # environment",
        "chat = { burst = 1, per_second = 0.1 }  # file",
        "hello_seconds = 10.0  # usual",
    ):
        assert f"{line}\n" in printed
    assert read_limits(printed, {}) == Limits(tokens=3, chat=Rate(burst=1, per_second=0.1))
