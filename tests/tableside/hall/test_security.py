"""TLS and a password for each table, as the guide describes them, with a real broker."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tableside.errors import WrongUsage
from tableside.hall.boards import Boards
from tableside.hall.broker import find_broker, new_client
from tableside.hall.store import HallStore
from tableside.hall.subscriber import Subscriber
from tests.tableside.hall.servers import Mosquitto, wait_for
from tests.tableside.hall.tables import Table
from tests.tableside.sample_record import match_events

EVENTS = match_events()
ACL = "user hall\ntopic readwrite tableside/#\n\npattern readwrite tableside/tables/%u/#\n"


class SecureBroker(NamedTuple):
    """A broker, and the certificate that vouches for it."""

    mosquitto: Mosquitto
    certificate: Path


@pytest.fixture
def secure(tmp_path):
    """A broker with a certificate of its own, and passwords for the hall and tables 7 and 8."""
    for program in ("mosquitto_passwd", "openssl"):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    folder = tmp_path / "broker"
    folder.mkdir()
    certificate, key = folder / "hall.crt", folder / "hall.key"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run(
        ["openssl", *made, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    passwords = folder / "passwords"
    passwords.touch(0o600)
    for user in ("hall", "7", "8"):
        command = ["mosquitto_passwd", "-b", passwords, user, f"password-of-{user}"]
        subprocess.run(command, check=True, capture_output=True)
    (folder / "acl").write_text(ACL)
    mosquitto = Mosquitto(
        folder,
        f"certfile {certificate}",
        f"keyfile {key}",
        f"password_file {passwords}",
        f"acl_file {folder / 'acl'}",
    )
    yield SecureBroker(mosquitto, certificate)
    mosquitto.kill()


def broker_for(secure, user, password=None, authority=None):
    url = f"mqtts://{user}:{password or f'password-of-{user}'}@127.0.0.1:{secure.mosquitto.port}"
    return find_broker(url, authority or secure.certificate)


def test_a_table_with_its_password_reaches_the_hall(secure, tmp_path):
    store = HallStore.open(str(tmp_path / "hall.sqlite"))
    boards = Boards(store)
    subscriber = Subscriber(broker_for(secure, "hall"), store, boards)
    table = Table(tmp_path / "table", broker_for(secure, "7"))
    table.begin()
    table.record(*EVENTS)
    wait_for(lambda: list(store.stored("7").values()) == [len(EVENTS)])
    table.close()
    subscriber.close()
    store.close()


def test_a_table_cannot_speak_for_another_and_its_record_stays_whole(secure, tmp_path, capsys):
    table = Table(tmp_path / "table", broker_for(secure, "8"), name="7")
    table.begin()
    sent = table.publisher._shown
    for event in EVENTS:
        table.record(event)
        if not table.publisher.fault:
            wait_for(lambda: table.publisher.fault)
    wait_for(lambda: sent["state"][1]["position"] == table.page.state()["position"])
    assert "does not let 8 speak for table 7: check --table" in table.publisher.fault
    assert len(table.store.events(table.match)) == len(EVENTS)
    table.close()
    told = capsys.readouterr().err
    assert told.count("does not let 8") == 1, "a state that leaves does not clear it"


# paho-mqtt leaves the socket of a failed handshake to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_wrong_password_and_an_unknown_certificate_are_told_apart(secure, tmp_path):
    table = Table(tmp_path / "one", broker_for(secure, "7", "wrong"))
    wait_for(lambda: "refuses 7: check the user in --hall" in table.publisher.fault)
    table.close()
    other = tmp_path / "other.crt"
    other.write_text("no certificate")
    with pytest.raises(WrongUsage, match="holds no certificates"):
        new_client(broker_for(secure, "7", authority=other), "x")
    system = find_broker(f"mqtts://7:x@127.0.0.1:{secure.mosquitto.port}")
    table = Table(tmp_path / "two", system)
    wait_for(lambda: "certificate" in table.publisher.fault)
    table.close()


def test_a_hall_with_a_wrong_password_says_so_once_and_on_its_page(
    secure, tmp_path, monkeypatch, caplog
):
    with closing(HallStore.open(str(tmp_path / "hall.sqlite"))) as store:
        boards, tries = Boards(store), []
        subscriber = Subscriber(broker_for(secure, "hall", "wrong"), store, boards)
        report = subscriber._report

        def count(fault):
            report(fault)
            tries.append(fault)

        monkeypatch.setattr(subscriber, "_report", count)
        wait_for(lambda: len(tries) >= 2)
        (trouble,) = boards.troubles()
        assert "refuses hall: check the user in --broker and TABLESIDE" in str(trouble)
        assert caplog.text.count("refuses hall") == 1
        subscriber.close()


def test_a_hall_that_may_not_write_says_so_and_stores_what_it_hears(secure, tmp_path):
    (secure.mosquitto._conf.parent / "acl").write_text(
        ACL.replace("readwrite tableside/#", "read #")
    )
    secure.mosquitto.kill()
    secure.mosquitto.start()
    with closing(HallStore.open(str(tmp_path / "hall.sqlite"))) as store:
        boards = Boards(store)
        with closing(Subscriber(broker_for(secure, "hall"), store, boards)):
            table = Table(tmp_path / "table", broker_for(secure, "7"))
            table.begin()
            table.record(*EVENTS)
            wait_for(lambda: list(store.stored("7").values()) == [len(EVENTS)])
            (trouble,) = wait_for(boards.troubles)
            assert "refuses what hall says: Not authorized" in str(trouble)
            table.close()
