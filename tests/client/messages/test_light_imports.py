import subprocess
import sys
from pathlib import Path

from mastermind_client import messages

HEAVY = ("asyncio", "websockets", "prompt_toolkit", "rich", "socket", "ssl", "numpy")
MODULES = sorted(path.stem for path in Path(messages.__path__[0]).glob("[!_]*.py"))


def test_no_module_of_messages_imports_a_heavy_one():
    imports = "".join(f"import mastermind_client.messages.{module}\n" for module in MODULES)
    found = subprocess.run(
        [sys.executable, "-c", f"{imports}import sys\nprint(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert set(found).isdisjoint(HEAVY)
    assert "mastermind_client.messages.events" in found
