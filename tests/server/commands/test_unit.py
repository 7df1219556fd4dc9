"""docs/mastermind-server.service, a systemd unit, agrees with the server."""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections import defaultdict
from pathlib import Path

from mastermind_server.commands.resources import SPARE_DESCRIPTORS
from mastermind_server.commands.serve import SECONDS_UNTIL_KILLED, add_serve_command
from mastermind_server.limits import DEFAULT_LIMITS

UNIT = (Path(__file__).parents[3] / "docs" / "mastermind-server.service").read_text("utf-8")


def read_settings() -> dict[str, list[str]]:
    """Map each setting of the unit to its values, without comments."""
    settings = defaultdict[str, list[str]](list)
    for name, value in re.findall(r"(?m)^(\w+)=(.*)$", UNIT):
        settings[name].append(value)
    return settings


def test_the_unit_gives_a_server_time_to_stop_and_descriptors_for_all_connections():
    settings = read_settings()
    assert int(settings["TimeoutStopSec"][0]) > SECONDS_UNTIL_KILLED
    assert int(settings["LimitNOFILE"][0]) >= DEFAULT_LIMITS.connections + SPARE_DESCRIPTORS
    assert "ExecReload" not in settings  # without a certificate SIGHUP stops the server


def test_the_unit_sets_only_options_of_the_server():
    parser = ArgumentParser()
    add_serve_command(parser)
    for variable in set(re.findall(r"MASTERMIND_\w+", UNIT)):
        assert variable in parser.format_help()
    (database,) = read_settings()["Environment"]
    assert database.startswith(f"MASTERMIND_DATABASE=%S/{read_settings()['StateDirectory'][0]}/")
