"""`tableside record`: match files become matches, and unfinished ones are listed and ended."""

from __future__ import annotations

from tableside import cli
from tableside.record.store import Store
from tests.match_files import GNUBG_MATCHES, mat_of, stored
from tests.tableside.sample_record import match_events, record_match


def test_a_folder_of_match_files_is_added_once(tmp_path, capsys):
    folder, record = tmp_path / "matches" / "2026", str(tmp_path / "record.sqlite")
    folder.mkdir(parents=True)
    for name in GNUBG_MATCHES[:2]:
        (folder / f"{name}.mat").write_bytes(stored(f"{name}.mat.gz"))
    (folder / "readme.txt").write_text("not a match")
    assert cli.main(["record", "add", str(tmp_path / "matches"), "--record", record]) == 0
    assert capsys.readouterr().out.count(": match ") == 2
    with Store.open_read_only(tmp_path / "record.sqlite") as store:
        assert [entry.is_open for entry in store.matches()] == [False, False]
    assert cli.main(["record", "add", str(folder), "--record", record]) == 1
    assert capsys.readouterr().err.count("is the same, play by play") == 2
    with Store.open_read_only(tmp_path / "record.sqlite") as store:
        assert len(store.matches()) == 2


def test_what_cannot_be_added_is_named_and_the_rest_goes_on(tmp_path, capsys):
    bad, odd = tmp_path / "bad.mat", tmp_path / "odd.mat"
    bad.write_text("hello")
    odd.write_bytes(mat_of("  1) 31: 8/3                   62: 24/18 13/11"))
    missing, record = tmp_path / "missing.mat", tmp_path / "record.sqlite"
    files = [str(path) for path in (bad, missing, odd)]
    assert cli.main(["record", "add", *files, "--record", str(record)]) == 1
    out, err = capsys.readouterr()
    assert f"{bad}: not a match file" in err
    assert f"{missing}: No such file" in err
    assert out == f"{odd}: match 1, with faults: tableside check {odd}\n"


def test_unfinished_matches_are_listed_ended_and_then_cannot_be_resumed(tmp_path, capsys):
    path = tmp_path / "record.sqlite"
    record = ["--record", str(path)]
    with Store.open(path) as store:
        record_match(store, match_events(light="Zoe"))
    assert cli.main(["record", "unfinished", *record]) == 0
    out = capsys.readouterr().out
    assert out.startswith("1: Zoe and Ben, 2-0 (3 points), last played "), out
    assert cli.main(["record", "end", "1", *record]) == 0
    assert cli.main(["record", "unfinished", *record]) == 0
    assert capsys.readouterr().out == ""
    assert cli.main(["record", "end", "1", "7", *record]) == 1
    err = capsys.readouterr().err
    assert "match 1 is over already" in err
    assert "there is no match 7" in err
    assert cli.main(["live", "--no-camera", "--port", "0", "--resume", "1", *record]) == 1
    assert "match 1 cannot go on" in capsys.readouterr().err
