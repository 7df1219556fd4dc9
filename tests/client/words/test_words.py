import subprocess
import sys
from pathlib import Path

from mastermind_client import words

HEAVY = ("asyncio", "websockets", "prompt_toolkit", "rich", "socket", "ssl", "numpy")
MODULES = sorted(path.stem for path in Path(words.__path__[0]).glob("[!_]*.py"))


def test_to_have_words_is_cheap():
    imports = "".join(f"import mastermind_client.words.{module}\n" for module in MODULES)
    found = subprocess.run(
        [sys.executable, "-c", f"{imports}import sys\nprint(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    assert set(found).isdisjoint(HEAVY)
    assert "mastermind_client.words.events" in found
