"""docs/OPERATIONS.md has every option, metric and command of the server."""

import re

import pytest

from mastermind_server.cli import COMMANDS
from mastermind_server.limits import DEFAULT_LIMITS
from tools.operations import (
    DOCUMENT,
    ROW_WITH_EXPLANATION,
    UNEXPLAINED,
    list_options,
    read_metrics,
    write_tables,
)


@pytest.fixture
def text():
    return DOCUMENT.read_text("utf-8")


async def test_the_tables_are_written_again_as_they_are(text):
    assert write_tables(text, await read_metrics()) == text


async def test_a_new_option_gets_a_row_and_the_other_explanations_stay(text):
    first = next(list_options())
    shorter = "".join(line for line in text.splitlines(True) if not line.startswith(first))
    assert shorter != text
    written = write_tables(shorter, await read_metrics())
    assert written.replace(f"{first} {UNEXPLAINED} |\n", "") == shorter


def test_every_row_is_explained(text):
    assert UNEXPLAINED not in dict(ROW_WITH_EXPLANATION.findall(text)).values()


async def test_the_row_of_a_metric_names_its_labels(text):
    explained = dict(ROW_WITH_EXPLANATION.findall(text))
    for metric in await read_metrics():
        labels = {label for sample in metric.samples for label in sample.labels} - {"le"}
        rows = [name for name in explained if name.startswith(metric.name)]
        for label in labels:
            assert any(f"`{label}`" in explained[name] for name in rows), (metric.name, label)


def test_the_limits_of_the_log_are_those_of_the_code(text):
    assert f"`log_lines` ({DEFAULT_LIMITS.log_lines} of a level per second)" in text
    assert f"`log_bytes` ({DEFAULT_LIMITS.log_bytes:,} that wait for the reader)" in text


def test_every_command_for_operators_is_shown_and_exists(text):
    blocks = "".join(re.findall(r"(?s)```sh\n(.*?)```", text))
    shown = set(re.findall(r"\bmastermind-server ([a-z]+)", blocks))
    assert shown == COMMANDS.keys() - {"arena"}
