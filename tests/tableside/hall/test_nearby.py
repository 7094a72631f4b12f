"""A table finds the hall of its network by mDNS; the hall is a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing, contextmanager

import pytest

pytest.importorskip("zeroconf", reason="zeroconf is not installed (extra hall)")

from tableside.errors import WrongUsage
from tableside.hall.broker import NearBroker, find_broker
from tableside.hall.nearby import announced, find_hall
from tableside.hall.own_broker import RestartedProgram, mosquitto, own_broker
from tests.tableside.hall.servers import answers, free_port, wait_for
from tests.tableside.hall.tables import Table
from tests.tableside.sample_record import match_events


@pytest.fixture(scope="module")
def multicast():
    """Skips where this machine's network carries no multicast."""
    try:
        with announced("127.0.0.1", free_port(), is_encrypted=False):
            find_hall(threading.Event())
    except WrongUsage as error:
        if "several" in str(error):
            pytest.skip("another hall announces itself on this network")
        pytest.skip(f"needs multicast: {error}")


@contextmanager
def announcing(tmp_path, *options):
    """The store of `tableside hall --announce`, once it says so."""
    command = ["hall", "--announce", "--no-browser", *options]
    store = tmp_path / "hall.sqlite"
    process = subprocess.Popen(
        [sys.executable, "-m", "tableside", *command, "--port", "0", "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "TABLESIDE_HOME": str(tmp_path / "home")},
    )
    with process:
        for line in process.stdout:
            if "mdns://" in line:
                break
        try:
            yield store
        finally:
            process.send_signal(signal.SIGINT)
            process.stdout.read()


@contextmanager
def playing(tmp_path, found):
    """A table that plays a match at the broker that was found."""
    with closing(Table(tmp_path / "table", found)) as table:
        table.begin()
        table.record(*match_events())
        yield table


def wait_until_stored(path, table):
    from tableside.hall.store import HallStore

    with closing(HallStore.open(str(path))) as store:
        wait_for(lambda: list(store.stored(table.name).values()) == [len(match_events())])


def test_a_table_finds_the_broker_of_the_hall_and_is_stored_there(multicast, broker, tmp_path):
    with announcing(tmp_path, "--broker", broker.url) as store:
        found = find_broker("mdns://")
        assert (found.port, found.is_encrypted, found.user) == (broker.port, False, None)
        with playing(tmp_path, found) as table:
            wait_until_stored(store, table)


def test_a_hall_without_a_broker_starts_one_which_ends_with_it(multicast, tmp_path):
    with announcing(tmp_path) as store:
        found = find_broker("mdns://")
        with playing(tmp_path, found) as table:
            wait_until_stored(store, table)
    wait_for(lambda: not answers(found.port))


def test_a_program_that_ends_is_started_again_until_it_is_closed(tmp_path):
    starts = tmp_path / "starts"
    code = "import pathlib, sys; pathlib.Path(sys.argv[1]).open('a').write('.')"
    with closing(RestartedProgram([sys.executable, "-c", code, str(starts)])) as program:
        wait_for(lambda: starts.exists() and len(starts.read_text()) == 2)
    assert program.starts == 2


FASTER = """\
#!/bin/sh
if mkdir "{folder}/once" 2>/dev/null; then
    {program} -p "$(sed -n 's/^listener //p' "$2")" >/dev/null 2>&1 &
    echo $! >"{folder}/pid"
    while ! grep -q . "{folder}/seen" 2>/dev/null; do sleep 0.05; done
fi
exec {program} "$@"
"""


def test_a_broker_that_takes_the_port_first_is_not_taken_for_the_halls_own(
    broker, tmp_path, monkeypatch
):
    """The program `mosquitto` starts another broker on the port before it becomes the hall's."""
    script = tmp_path / "mosquitto"
    script.write_text(FASTER.format(program=mosquitto(), folder=tmp_path))
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    ports = [free_port(), free_port()]
    monkeypatch.setattr("tableside.hall.own_broker._PORTS", ports)

    def let_it_fail():
        wait_for(lambda: answers(ports[0]))
        (tmp_path / "seen").write_text("x")

    foreign = threading.Thread(target=let_it_fail)
    foreign.start()
    try:
        with own_broker() as found:
            assert found.port == ports[1]
    finally:
        foreign.join()
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGTERM)


def test_a_hall_whose_machine_has_no_broker_says_what_to_install(monkeypatch):
    monkeypatch.setattr("tableside.hall.own_broker.mosquitto", lambda: None)
    with pytest.raises(WrongUsage, match="apt install mosquitto"), own_broker():
        pytest.fail("there is none")


def test_a_password_is_told_to_nobody_who_only_says_that_it_is_a_hall():
    with pytest.raises(WrongUsage, match="give the hall's certificate with --hall-ca"):
        find_broker("mdns://7@")


def test_a_user_is_sent_only_encrypted(multicast, broker, tmp_path):
    with (
        announced("127.0.0.1", broker.port, is_encrypted=False),
        pytest.raises(WrongUsage, match="does not encrypt"),
    ):
        NearBroker(tmp_path / "hall.crt", "7").find(threading.Event())


def test_without_a_hall_the_answer_says_what_to_do(multicast):
    with pytest.raises(WrongUsage, match="no hall announces itself"):
        find_hall(threading.Event(), wait=0.5)


def test_a_broker_on_another_machine_is_announced_by_its_name(multicast):
    with announced("hall.example", 8884, is_encrypted=True):
        found = find_hall(threading.Event())
    assert (found.reached_at, found.port, found.is_encrypted) == ("hall.example", 8884, True)
