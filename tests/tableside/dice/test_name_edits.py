"""Dice that users declare to be the same: by commands, in the record, at the page's addresses."""

from __future__ import annotations

import json
import sqlite3

import pytest

from engine import NotNow
from engine.dice_sets.edits import DiceMerged, DiceRenamed, DiceUndone
from tableside import cli
from tableside.dice.book import RecordDice
from tableside.dice.sources import dice_of_record
from tableside.record.store import Store
from tests.tableside.dice.test_identity import RED, WHITE, match
from tests.webui.conftest import ScriptedTable
from webui.app import create_app
from webui.http.auth import HEADER
from webui.pages.dice import install_dice

DIM = (52.0, -1.0, 30.0)
"""What the white ones look like under a yellow lamp."""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "record.sqlite"
    with Store.open(path) as store:
        for bodies in ((WHITE, WHITE), (DIM, DIM)):
            number = store.new_match(light="Ann", dark="Ben")
            store.append(number, match(light=bodies, dark=(RED, RED)))
            store.close_match(number)
    return path


def names(path):
    return set(dice_of_record(path).log.die.names)


def counted(path):
    log = dice_of_record(path).log
    return {name: int((log.die.codes == code).sum()) for code, name in enumerate(log.die.names)}


def other(path):
    return next(iter(names(path) - {"white pair", "red pair"}))


def test_commands_merge_rename_and_undo_names_of_dice(path, capsys):
    was, wrong = counted(path), other(path)
    db = ["--record", str(path)]
    assert cli.main(["dice", "merge", "white pair", wrong, *db]) == 0
    assert f"{wrong} and white pair are the same dice" in capsys.readouterr().err
    assert counted(path)["white pair"] == was["white pair"] + was[wrong]
    assert cli.main(["dice", "rename", "white pair", "club dice", *db]) == 0
    assert names(path) == {"club dice", "red pair"}
    capsys.readouterr()
    assert cli.main(["dice", "report", "--json", *db]) == 0
    assert set(json.loads(capsys.readouterr().out)["dice"]) == {"club dice", "red pair"}
    for _ in range(2):
        assert cli.main(["dice", "undo", *db]) == 0
    assert counted(path) == was
    capsys.readouterr()
    assert cli.main(["dice", "undo", *db]) == 1
    assert "there is no change to the dice names" in capsys.readouterr().err
    assert cli.main(["dice", "merge", "white pair", "green pair", *db]) == 1
    assert (
        cli.main(["dice", "merge", "a", "b", "--record", str(path.with_name("none.sqlite"))]) == 1
    )


def test_a_match_that_follows_keeps_the_names_that_were_given(path):
    wrong = other(path)
    with Store.open(path) as store:
        store.append_dice_edit(DiceMerged("white pair", wrong))
        store.append_dice_edit(DiceRenamed("white pair", "club dice"))
        for bodies in ((WHITE, WHITE), (DIM, DIM)):
            number = store.new_match(light="Cid", dark="Dora")
            store.append(number, match(light=bodies, dark=(RED, RED)))
    assert names(path) == {"club dice", "red pair"}


def test_the_record_keeps_every_word_and_refuses_to_change_one(path):
    with Store.open(path) as store:
        for word in (DiceMerged("white pair", "red pair"), DiceUndone()):
            store.append_dice_edit(word)
        assert store.dice_edits() == (DiceMerged("white pair", "red pair"), DiceUndone())
        with pytest.raises(sqlite3.Error, match="append-only"):
            store._connection.execute("DELETE FROM dice_words")


def test_a_record_of_an_older_format_is_read_without_words(path):
    with sqlite3.connect(path) as old:
        old.execute("DROP TABLE dice_words")
        old.execute("PRAGMA user_version = 3")
    old.close()
    assert "white pair" in names(path)


def test_an_open_page_is_notified_of_an_edit(path):
    wrong = other(path)
    with Store.open_read_only(path) as store:
        book = RecordDice(store)
        before, version = book.report(with_open=True), book.version(with_open=True)
        book.edit_names(DiceMerged("white pair", wrong))
        assert book.version(with_open=True) != version
        assert str(book.last_edit()) == f"{wrong} and white pair are the same dice"
        after = book.report(with_open=True)
        assert {unit.name for unit in before.ended.groups["dice"]} == {
            "white pair", "red pair", wrong
        }  # fmt: skip
        assert {unit.name for unit in after.ended.groups["dice"]} == {"white pair", "red pair"}
        assert wrong not in "".join(book.rolls_csv(with_open=True))
        with pytest.raises(NotNow):
            book.edit_names(DiceMerged("white pair", wrong))


def test_the_referee_edits_names_by_the_api_and_a_refusal_is_one_line(path):
    wrong = other(path)
    with Store.open_read_only(path) as store:
        app = create_app(ScriptedTable())
        install_dice(app, RecordDice(store))
        client = app.test_client()
        page = client.get("/dice").text
        assert f'<option value="{wrong}">' in page

        def say(word, **fields):
            return client.post(f"/api/dice/{word}", json=fields, headers={HEADER: "1"})

        done = say("merge", keep="white pair", other=wrong)
        assert done.status_code == 200
        assert done.json["last_said"] == f"{wrong} and white pair are the same dice"
        refused = say("merge", keep="white pair", other=wrong)
        assert (refused.status_code, refused.json["message"]) == (
            409, f"no dice in the record are called {wrong}"
        )  # fmt: skip
        assert say("rename", name="white pair", to="club dice").status_code == 200
        assert "club dice" in client.get("/dice").text
        assert say("undo").status_code == 200
        assert say("undo").json["last_said"] == ""
        assert client.post("/api/dice/undo", json={}, base_url="http://x").status_code in (403, 421)
