"""What a match leaves on the disk can be opened by nobody but the user who runs the program."""

import logging
import os
import stat
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from hardware.virtual_cup import CupMemory
from tableside.cup.open_cup import write_memory
from tableside.errors import WrongUsage
from tableside.logs import logging_to
from tableside.paths import data_folder, own_folder, private_folder
from tableside.record.files import replace_file
from tableside.record.recorder import Recorder, WriterLock
from tableside.record.store import Store
from tableside.review.logos import LogoFolder
from tableside.review.stills import INDEX, StillKeeper
from tests.tableside.record.looked_at import ROLL, look

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
PNG = cv2.imencode(".png", np.zeros((8, 8, 3), np.uint8))[1].tobytes()


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def open_to_others(folder):
    return [path.name for path in (folder, *folder.rglob("*")) if mode(path) & 0o077]


def test_a_match_leaves_nothing_that_others_can_open(tmp_path):
    folder = tmp_path / "new" / "data"
    record = folder / "record.sqlite"
    with logging_to(folder / "tableside.log", logging.CRITICAL):
        logging.getLogger("tableside.test").warning("the log is the first to need the folder")
    lock = WriterLock(record)
    with Store.open(record) as store:
        Recorder(store, store.new_match())
    lock.release()
    write_memory(folder / "record.virtual-cup.json", CupMemory(b"12345678"))
    LogoFolder(folder / "record.logos").keep(PNG)
    stills = StillKeeper(folder / "record.stills-1")
    stills.add_frame(*look(24, 3, 1))
    stills.keep([ROLL])
    names = {path.name for path in folder.rglob("*")}
    assert names > {"tableside.log", "record.sqlite.lock", "record.sqlite.recording", INDEX}
    assert open_to_others(tmp_path / "new") == []


def test_a_folder_of_the_program_is_closed_and_one_of_the_user_is_left_as_it_is(tmp_path):
    own, users, shared = (tmp_path / name for name in ("own", "users", "shared"))
    for folder in (own, users, shared):
        folder.mkdir()
    shared.chmod(0o1777)
    own_folder(own)
    own_folder(shared)
    private_folder(users)
    assert [mode(own), mode(users), mode(shared)] == [0o700, 0o755, 0o1777]


def test_a_file_that_the_user_named_has_the_usual_rights(tmp_path):
    assert mode(replace_file(tmp_path / "out" / "match.mat", "")) == 0o644


def test_without_a_home_folder_the_data_folder_is_the_one_that_was_chosen(monkeypatch):
    monkeypatch.setattr(Path, "home", lambda: Path("~").expanduser())
    monkeypatch.setattr("os.path.expanduser", str)
    assert data_folder({"TABLESIDE_HOME": "/x"}) == Path("/x")
    with pytest.raises(WrongUsage, match="set TABLESIDE_HOME"):
        data_folder({})
