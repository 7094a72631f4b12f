"""`live --hall`: a table that publishes, and what is wrong with its options in one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tableside.cli import build_parser
from tableside.commands.live import table_link
from tableside.errors import WrongUsage
from tableside.hall.broker import NearBroker


def link(*options):
    return table_link(build_parser(["live"]).parse_args(["live", *options]))


def test_a_table_is_published_under_its_name(monkeypatch):
    monkeypatch.setenv("TABLESIDE_HALL_PASSWORD", "secret word")
    found = link("--hall", "mqtts://table7@hall.local", "--table", "7")
    assert (found.name, found.broker.name, found.broker.is_encrypted) == (
        "7",
        "hall.local:8883",
        True,
    )
    assert (found.broker.user, found.broker.password) == ("table7", "secret word")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--hall", "mqtt://hall"], "--hall needs --table NAME"),
        (["--hall", "mqtt://hall", "--table", "a/b"], "without / + or #"),
        (["--hall", "http://hall", "--table", "7"], "not the address of a broker"),
        (["--hall", "mqtt://hall:x", "--table", "7"], "not the address of a broker"),
        (["--hall", "mqtt://h", "--table", "7", "--hall-ca", "no.pem"], "there is no file no.pem"),
        (["--hall", "mdns://", "--table", "7", "--hall-ca", "no.pem"], "there is no file no.pem"),
        (["--hall", "mqtt://h", "--table", "7", "--hall-ca", __file__], "holds no certificates"),
        (["--hall", "mdns://7@", "--table", "7"], "would be told the password"),
        (["--hall-ca", "no.pem"], "--hall-ca needs --hall"),
    ],
)
def test_options_that_cannot_work_are_refused(options, why):
    with pytest.raises(WrongUsage, match=why.replace("+", r"\+")):
        link(*options)


def test_a_hall_of_the_network_is_looked_for_only_once_the_table_is_served():
    assert link("--hall", "mdns://", "--table", "7").broker == NearBroker()


def test_without_the_option_nothing_of_a_hall_is_imported():
    program = (
        "import sys, tableside.cli as cli, tableside.commands.live as live\n"
        "assert live.table_link(cli.build_parser(['live']).parse_args(['live'])) is None\n"
        "print([name for name in sys.modules if name.startswith(('paho', 'tableside.hall'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
