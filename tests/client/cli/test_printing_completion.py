import os
import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest

from kit.players import identities
from mastermind_client.cli.command import EXIT_OK, EXIT_USAGE, main
from mastermind_client.cli.commands import COMMANDS
from mastermind_client.cli.printing import write_completion
from mastermind_client.config.options import ANYONE, FRIEND, LEVELS
from mastermind_client.config.settings import SETTINGS
from mastermind_protocol.rules import PRESETS


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    """The script for bash, in a file."""
    file = tmp_path_factory.mktemp("completion") / "mastermind.bash"
    people = file.with_name("people.txt")
    people.write_text("Bob\nBartholomew Featherston\nNoor\n")
    file.write_text(write_completion("bash", people))
    return file


def complete(script: Path, line: str) -> set[str]:
    """Return bash's completions of the last word of a line."""
    words = line.split(" ")
    asked = f"""
        source {script}
        COMP_WORDS=({" ".join(repr(word) for word in words)})
        COMP_CWORD={len(words) - 1}
        $(complete -p mastermind | sed 's/.*-F \\([^ ]*\\).*/\\1/') \\
            mastermind "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD-1]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", asked],  # noqa: S607 - the bash there is
        capture_output=True, text=True, timeout=30, check=True,
    )  # fmt: skip
    return set(filter(None, done.stdout.splitlines()))


def read_only(shell: str, script: Path) -> tuple[int, str]:
    """Return the status and the errors of a shell that checks a script."""
    done = subprocess.run([shell, "-n", script], capture_output=True, text=True, timeout=30)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("mastermind ", set(COMMANDS)),
        ("mastermind bo", {"bot", "bots"}),
        ("mastermind play --ru", {"--rules"}),
        ("mastermind play --rules ", set(PRESETS)),
        ("mastermind watch --rules k", {"knuth"}),
        ("mastermind arena --rules l", {"lab"}),
        ("mastermind bot --rules m", {"mini"}),
        ("mastermind play --versus ", {FRIEND, ANYONE, *LEVELS}),
        ("mastermind play --as ", {"maker", "breaker"}),
        ("mastermind join --palette h", {"high-contrast"}),
        ("mastermind review --color ", {"auto", "never", "16", "256", "true"}),
        ("mastermind watch --no", {"--no-mouse"}),
        ("mastermind bots --lang ", {"en", "pl"}),
        ("mastermind config --re", {"--reset"}),
        ("mastermind completion ", {"bash", "zsh"}),
        ("mastermind challenge B", {"Bob", "Bartholomew\\ Featherston"}),
        ("mastermind solve --level ", {"1", "2", "3"}),
        ("mastermind solve /dev/nul", {"/dev/null"}),
        ("mastermind play --cafile /dev/nul", {"/dev/null"}),
    ],
)
def test_bash_completes_commands_options_and_values(script, line, offered):
    assert complete(script, line) == offered


def test_zsh_is_offered_the_same():
    text = write_completion("zsh", Path("people.txt"))
    assert text.startswith("#compdef mastermind\n")
    for name in COMMANDS:
        assert f"\n    {name}:'" in text
        assert f"\n_shtab_mastermind_{name}_options=(" in text
    for offered in (
        PRESETS,
        (FRIEND, ANYONE, *LEVELS),
        SETTINGS["palette"].choices,
        ("bash", "zsh"),
    ):
        assert f':({" ".join(offered)})"\n' in text


def test_the_script_for_zsh_works_or_can_be_read(tmp_path):
    (tmp_path / "people.txt").write_text("Bob\nNoor\n")
    (tmp_path / "_mastermind").write_text(write_completion("zsh", tmp_path / "people.txt"))
    if (zsh := shutil.which("zsh")) is None:
        # Without a zsh there is another reader of its quotes and brackets, which are bash's too.
        assert read_only("bash", tmp_path / "_mastermind") == (0, "")
        return
    assert read_only(zsh, tmp_path / "_mastermind") == (0, "")
    (tmp_path / ".zshrc").write_text(
        "autoload -Uz compinit; compinit -u -D; PS1='READY> '\n"
        f'eval "$(cat {tmp_path}/_mastermind)"\n'
    )
    environment = {**os.environ, "ZDOTDIR": str(tmp_path), "TERM": "dumb"}
    shell = pexpect.spawn(zsh, ["-d", "-i"], 30, encoding="utf-8", env=environment)
    for begun, completed in (
        ("mastermind pla", "mastermind play "),
        ("mastermind config --re", "mastermind config --reset "),
        ("mastermind watch --rules kn", "mastermind watch --rules knuth "),
        ("mastermind join --palette oka", "mastermind join --palette okabe-ito "),
        ("mastermind completion b", "mastermind completion bash "),
        ("mastermind challenge No", "mastermind challenge Noor "),
    ):
        shell.expect_exact("READY> ")
        shell.send(f"{begun}\t")
        shell.expect_exact(completed)
        shell.send("\x15\n")  # Ctrl-U: not to be run
    shell.close(force=True)


def test_the_command_prints_the_script_alone(capsys):
    assert main(["completion", "bash"]) == EXIT_OK
    said = capsys.readouterr()
    assert said.out == write_completion("bash", identities().people_file) + "\n"
    assert not said.err


@pytest.mark.parametrize("line", [["completion"], ["completion", "fish"]])
def test_other_shells_are_refused(line, capsys):
    with pytest.raises(SystemExit) as ended:
        main(line)
    assert ended.value.code == EXIT_USAGE
    assert "shell" in capsys.readouterr().err
