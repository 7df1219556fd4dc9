import ast
import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import mastermind_client
from mastermind_client.context import Writer

CLIENT = Path(mastermind_client.__file__).parent
PROCESS = {
    "os.environ", "os.getenv", "sys.argv", "sys.stdin", "sys.stdout", "sys.stderr", "print",
    "platformdirs", "locale", "signal", "add_signal_handler", "set_exception_handler", "get_app",
}  # fmt: skip
# Below cli/, the process may be used only by what has one of its own, reads keys for a shell, or
# stops and continues the process.
ALLOWED = {
    "lines/editing.py": {"signal"},  # what Ctrl-C and Ctrl-\ raise on a terminal
    "bot_runner/process.py": {"signal"},  # of the bot's process
    "tty/job_control.py": {"add_signal_handler", "signal", "sys.stdin"},
    "bot_runner/worker.py": {"os.environ", "signal", "sys.argv", "sys.stdout"},  # is that process
}


def find_uses(source: str) -> Iterator[str]:
    """Yield the parts of the process that a module uses; `print` with a file is none."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=str(module)):
                yield module
            case ast.Attribute(value=ast.Name(id=owner), attr=name):
                yield from (f"{owner}.{name}", name)
            case ast.Attribute(attr=name):
                yield name
            case ast.Call(func=ast.Name(id=name), keywords=keywords):
                if not any(keyword.arg == "file" for keyword in keywords):
                    yield name


def test_only_the_command_line_uses_what_belongs_to_the_process():
    used = {}
    for path in CLIENT.rglob("*.py"):
        module = path.relative_to(CLIENT).as_posix()
        found = PROCESS.intersection(find_uses(path.read_text("utf-8")))
        if found and not module.startswith("cli/"):
            used[module] = found
    assert used == ALLOWED


async def test_files_are_written_in_order_and_not_by_the_event_loop():
    writer, written, failed = Writer(), list[str](), list[OSError]()

    def write(name: str) -> None:
        assert threading.current_thread() is not threading.main_thread()
        written.append(name)

    def fail() -> None:
        raise OSError("the disk is full")

    for number in range(3):
        writer.put(lambda number=number: write(str(number)), failed.append)  # type: ignore[misc]
        writer.put(fail, failed.append)
    assert written == []
    await writer.flush()
    writer.put(lambda: write("later"), failed.append)
    other = asyncio.create_task(writer.flush())
    await asyncio.sleep(0)  # it waits already
    await writer.flush()
    assert written == ["0", "1", "2", "later"]
    await other
    assert [str(error) for error in failed] == ["the disk is full"] * 3
