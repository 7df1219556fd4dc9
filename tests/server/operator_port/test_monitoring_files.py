"""docs/monitoring: the dashboard and the alert rules name existing metrics."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import yaml
from grafana_foundation_sdk.cog import plugins
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from kit.server import watching

FOLDER = Path(__file__).parents[3] / "docs" / "monitoring"
DASHBOARD: dict[str, Any] = json.loads((FOLDER / "dashboard.json").read_text("utf-8"))
ALERTS: dict[str, Any] = yaml.safe_load((FOLDER / "alerts.yml").read_text("utf-8"))
TESTS: dict[str, Any] = yaml.safe_load((FOLDER / "alerts_test.yml").read_text("utf-8"))
RULES: list[dict[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
NAME = re.compile(r"\b(?:mastermind|process)_[a-z_]+")
LABELS = re.compile(r"((?:mastermind|process)_[a-z_]+)\{(\w+)=~?\"([^\"]*)\"\}")


def read_queries() -> Iterator[str]:
    """Yield all queries of the dashboard and of the rules."""
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    yield from (rule["expr"] for rule in RULES)


def find_lost(written: Any, read: Any, place: str = "") -> Iterator[str]:
    """Yield the paths of written values that were not read."""
    if isinstance(written, dict) and isinstance(read, dict):
        for key, value in written.items():
            yield from find_lost(value, read.get(key), f"{place}/{key}")
    elif isinstance(written, list) and isinstance(read, list) and len(written) == len(read):
        for number, (one, other) in enumerate(zip(written, read, strict=True)):
            yield from find_lost(one, other, f"{place}/{number}")
    elif written != read:
        yield place


def read_by_grafana(dashboard: dict[str, Any]) -> dict[str, Any]:
    """Return a dashboard as Grafana's own models read it, without unknown fields."""
    plugins.register_default_plugins()
    read: dict[str, Any] = json.loads(
        JSONEncoder(sort_keys=True).encode(Dashboard.from_json(dashboard))
    )
    return read


def test_grafana_reads_every_field_of_the_dashboard():
    assert not list(find_lost(DASHBOARD, read_by_grafana(DASHBOARD)))


def test_the_panels_do_not_overlap_and_query_the_chosen_prometheus():
    (source,) = DASHBOARD["templating"]["list"]
    assert (source["name"], source["type"]) == ("datasource", "datasource")
    places, ids = set(), set()
    for panel in DASHBOARD["panels"]:
        assert panel["type"] == "timeseries"
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        assert len({target["refId"] for target in panel["targets"]}) == len(panel["targets"]) > 0
        grid = panel["gridPos"]
        assert grid["x"] + grid["w"] <= 24
        places.add((grid["x"], grid["y"]))
        ids.add(panel["id"])
    assert len(places) == len(ids) == len(DASHBOARD["panels"])


def test_each_metric_of_a_rule_has_a_panel():
    drawn = {target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]}
    judged = {rule["expr"] for rule in RULES}
    names = [set(NAME.findall(" ".join(queries))) for queries in (judged, drawn)]
    assert names[0] - names[1] == {"mastermind_server_info"}  # its absence is judged


def test_each_rule_has_a_severity_and_a_summary():
    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "warn")
        assert rule["annotations"]["summary"].endswith(".")


def test_each_rule_has_tests_that_it_fires_and_stays_quiet():
    shown = Counter(
        (test["alertname"], "exp_alerts" in test)
        for case in TESTS["tests"]
        for test in case["alert_rule_test"]
    )
    assert {(rule["alert"], fires) for rule in RULES for fires in (False, True)} <= shown.keys()


async def test_each_metric_in_a_query_exists_with_its_labels(hall):
    await hall.meet("Ada")
    async with watching(hall) as operator:
        _, text = await operator.get("/metrics")
    samples = re.findall(r"^([a-z_]+)(?:\{(.*)\})? ", text, re.MULTILINE)
    types = re.findall(r"^# TYPE (\w+) (\w+)", text, re.MULTILINE)
    names = {name for name, _ in samples} | {name for name, _ in types}
    names |= {f"{name}_bucket" for name, kind in types if kind == "histogram"}
    named = set(chain.from_iterable(map(NAME.findall, read_queries())))
    assert named
    assert named <= names
    for name, label, values in chain.from_iterable(map(LABELS.findall, read_queries())):
        known = " ".join(labels for sample, labels in samples if sample == name)
        for value in values.split("|"):
            assert f'{label}="{value}"' in known or (label, value) == ("code", "internal")
