"""The journal has every row of the record, whatever the disk did when its files were begun."""

import pytest

from engine.events.record import BoardMoved
from tableside.record.check import findings
from tableside.record.store import Store


@pytest.mark.parametrize("left", ["", '{"table": "mat'])
def test_a_file_whose_first_line_could_not_be_written_is_begun_anew(tmp_path, left):
    path = tmp_path / "record.sqlite"
    with Store.open(path) as store:
        match = store.new_match()
        (file,) = (tmp_path / "record.sqlite.journal").glob("match-1.jsonl")
        file.write_text(left)
        store.append(match, [BoardMoved(time=0.0, frame=0)])
    tables = [line.split('"')[3] for line in file.read_text().splitlines()]
    assert tables == ["matches", "events"]
    assert findings(path) == []
