"""Prometheus's own word on docs/monitoring: that it loads the rules, and when each of them fires.

`python tests/tools/promtool.py` needs Prometheus's `promtool`. The queries of the dashboard are
given to it as rules, which is how it reads queries.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FOLDER = Path(__file__).parents[2] / "docs" / "monitoring"


def read_queries() -> list[str]:
    """Return the queries of the dashboard."""
    dashboard = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def main() -> int:
    """Ask promtool; return its status, the first that is not 0."""
    if (promtool := shutil.which("promtool")) is None:
        print("promtool is not on the PATH: it comes with Prometheus", file=sys.stderr)
        return 1
    with TemporaryDirectory() as folder:
        queries = Path(folder) / "dashboard.yml"  # JSON is YAML
        rules = [
            {"record": f"query:{number}", "expr": query}
            for number, query in enumerate(read_queries(), 1)
        ]
        groups = [{"name": "dashboard", "rules": rules}]
        queries.write_text(json.dumps({"groups": groups}), "utf-8")
        for asked in (
            ("check", "rules", "--lint-fatal", FOLDER / "alerts.yml", queries),
            ("test", "rules", FOLDER / "alerts_test.yml"),
        ):
            if status := subprocess.call([promtool, *asked]):
                return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
