"""Matches that were left before their cup, which has the real firmware, had revealed its seed."""

import json
from contextlib import suppress

import pytest

from engine import NotNow
from engine.events.codec import from_json
from engine.events.cup import CupRevealed
from engine.events.record import Corrected, MatchContinued, MatchPaused
from engine.match.amendments import effective_events
from hardware.client import CupState
from hardware.connection import CupConnection
from hardware.match import end_left_match
from hardware.ports import PortSearch
from tableside import cli
from tableside.cup.history import CupHistory
from tableside.cup.match_events import ledger_of
from tableside.cup.verify import verify_match
from tableside.record.export import chronological
from tableside.record.files import events_text
from tableside.record.store import Store
from tests.hardware.emulated import Emulated, built
from tests.hardware.lines import TWO
from tests.hardware.test_connection import next_roll
from tests.tableside.recording.test_manual_match import ManualMatch
from webui.contracts.desk import DeskCommand, PlayEntered


@pytest.fixture(scope="module", autouse=True)
def _is_built():
    built()


@pytest.fixture
def chip(tmp_path):
    (tmp_path / "chip").mkdir()
    with Emulated(tmp_path / "chip", speed=4) as one:  # a seed takes 8 s of its time
        yield one


def rolled_at(running, cup):
    """Roll the cup until somebody has won the opening roll."""

    def is_rolled():
        if cup.requested is not None:
            with suppress(NotNow):  # it has been made in the meantime
                running.desk.execute(DeskCommand.CUP_ROLL)
        return running.state.to_move is not None

    running.until(is_rolled)


def played(folder, chip, *commands):
    """A match at the cup from its commitment to its opening roll, left like that; its number.

    commands: what the referee does after that.
    """
    with CupConnection(PortSearch(chip.url)) as cup:
        running = ManualMatch(folder, cup=cup)
        try:
            rolled_at(running, cup)
            for command in commands:
                running.desk.execute(command)
        finally:
            running.close()
        return running.match


def gone_on(folder, chip, match):
    """The match goes on until its cup can roll, and is left again."""
    with CupConnection(PortSearch(chip.url)) as cup:
        running = ManualMatch(folder, cup=cup, match=match)
        try:
            running.until(lambda: running.live._cup._is_sealed and cup.view.state is CupState.READY)
        finally:
            running.close()


def events_of(folder, match):
    with Store.open_read_only(folder / "record.sqlite") as store:
        return store.events(match)


def verdicts(folder, match):
    return [verify_match(one) for one in CupHistory(events_of(folder, match)).matches]


def test_a_match_that_was_left_is_proven_once_another_begins_at_its_cup(tmp_path, chip, capsys):
    first = played(tmp_path, chip)
    assert [one.match.seed for one in verdicts(tmp_path, first)] == [None]
    files = tmp_path / f"match-{first}"
    files.mkdir()
    second = played(tmp_path, chip)
    assert cli.main(["cup", "verify", str(files / "events.jsonl")]) == 0
    (left,) = verdicts(tmp_path, first)
    assert left.is_proven
    assert left.match.rolls
    assert cli.main(["cup", "verify", str(first), "--record", str(tmp_path / "record.sqlite")]) == 0
    assert "all proven" in capsys.readouterr().out
    assert [one.match.seed for one in verdicts(tmp_path, second)] == [None]

    gone_on(tmp_path, chip, first)  # with a new seed
    assert [one.is_proven for one in verdicts(tmp_path, second)] == [True]
    assert len(verdicts(tmp_path, first)) == 2


def test_a_seed_that_was_added_to_a_match_stays_when_that_is_judged_again(tmp_path, chip):
    first = played(tmp_path, chip)
    played(tmp_path, chip)
    running = ManualMatch(tmp_path, match=first)
    play = running.desk.turn_to_play()["plays"][0]["play"]
    running.desk.execute(PlayEntered(play))
    running.desk.execute(DeskCommand.UNDO)
    running.close()
    assert running.of(Corrected)
    lines = events_text(chronological(events_of(tmp_path, first))).splitlines()
    (left,) = CupHistory(from_json(json.loads(line)) for line in lines).matches
    assert verify_match(left).is_proven


def test_a_roll_that_the_cup_made_as_the_program_died_is_recorded_with_the_seed(tmp_path, chip):
    first = played(tmp_path, chip)
    (match,) = CupHistory(events_of(tmp_path, first)).matches
    ledger = ledger_of(match)
    assert ledger is not None
    with CupConnection(PortSearch(chip.url)) as cup:  # a program that records nothing any more
        cup.resume(ledger)
        cup.roll(TWO)
        missed = next_roll(cup)
    played(tmp_path, chip)
    (left,) = verdicts(tmp_path, first)
    assert left.is_proven
    assert (left.match.rolls[-1].number, left.match.rolls[-1].dice) == (missed.number, missed.faces)
    assert left.match.rolls[-1].unused == "unasked"


def test_a_seed_that_was_revealed_as_the_program_died_is_recorded_after_a_restart(tmp_path, chip):
    first = played(tmp_path, chip)
    with CupConnection(PortSearch(chip.url)) as cup:
        end_left_match(cup, lambda *_: None)
    gone_on(tmp_path, chip, first)
    before, now = verdicts(tmp_path, first)
    assert before.is_proven
    assert now.match.seed is None


def test_the_seed_of_a_match_in_another_record_is_kept_in_the_one_that_begins(tmp_path, chip):
    (tmp_path / "other").mkdir()
    first = played(tmp_path, chip)
    second = played(tmp_path / "other", chip)
    both = [*events_of(tmp_path, first), *events_of(tmp_path / "other", second)]
    left, _ = map(verify_match, CupHistory(both).matches)
    assert left.is_proven


def test_a_cup_in_a_match_rolls_for_nobody_else_until_that_is_ended(tmp_path, chip, capsys):
    first, record = played(tmp_path, chip), str(tmp_path / "record.sqlite")
    roll = ["cup", "roll", "--port", chip.url, "--words", "Ann", "Bob"]
    assert cli.main(roll) == 1
    refused = capsys.readouterr()
    assert refused.out == ""
    assert refused.err.splitlines()[-1].endswith(
        "the cup is in match 1, which is not over: end it where it is played, or with "
        "`tableside cup reveal`"
    )
    assert not verdicts(tmp_path, first)[0].is_proven
    assert cli.main(["cup", "reveal", "--port", chip.url, "--record", record]) == 0
    assert f"its seed is in match {first} of" in capsys.readouterr().out
    assert verdicts(tmp_path, first)[0].is_proven
    assert cli.main(roll) == 0
    assert "all proven" in capsys.readouterr().err


def test_a_match_left_in_a_pause_is_proven_by_reveal_and_goes_on_paused(tmp_path, chip, capsys):
    match = played(tmp_path, chip, DeskCommand.PAUSE)
    record = ["--record", str(tmp_path / "record.sqlite")]
    assert cli.main(["cup", "reveal", "--port", chip.url, *record]) == 0
    assert f"its seed is in match {match} of" in capsys.readouterr().out
    assert cli.main(["cup", "verify", str(match), *record]) == 0
    running = ManualMatch(tmp_path, match=match)
    try:
        assert running.state.is_paused
        running.desk.execute(DeskCommand.GO_ON)
        running.desk.execute(PlayEntered(running.desk.turn_to_play()["plays"][0]["play"]))
        running.desk.execute(DeskCommand.UNDO)
    finally:
        running.close()
    assert running.of(Corrected)
    assert [one.is_proven for one in verdicts(tmp_path, match)] == [True]
    effective = effective_events(events_of(tmp_path, match))
    kinds = [
        one for one in effective if isinstance(one, MatchPaused | CupRevealed | MatchContinued)
    ]
    assert [type(one) for one in kinds] == [MatchPaused, CupRevealed, MatchContinued]


def test_rolls_that_were_interrupted_can_be_verified(tmp_path, chip, capsys, monkeypatch):
    made = []

    def printed(args, fields, text):
        made.append(text)
        if len(made) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("tableside.commands.cup._print", printed)
    out = tmp_path / "rolls.jsonl"
    assert cli.main(["cup", "roll", "--port", chip.url, "--count", "9", "--out", str(out)]) == 1
    assert cli.main(["cup", "verify", str(out)]) == 0
    assert "3 rolls, all proven" in capsys.readouterr().out


def test_a_seed_of_no_record_is_printed_for_the_file_of_its_events(tmp_path, chip, capsys):
    out = tmp_path / "rolls.jsonl"
    assert cli.main(["cup", "roll", "--port", chip.url, "--count", "2", "--out", str(out)]) == 0
    *lines, _ = out.read_text("utf-8").splitlines(keepends=True)
    capsys.readouterr()
    record = str(tmp_path / "record.sqlite")
    assert cli.main(["cup", "reveal", "--port", chip.url, "--record", record]) == 0
    line = capsys.readouterr().out
    assert isinstance(from_json(json.loads(line)), CupRevealed)
    out.write_text("".join([*lines, line]), "utf-8")
    assert cli.main(["cup", "verify", str(out)]) == 0


def test_a_cup_that_nobody_has_played_with_has_nothing_to_reveal(tmp_path, chip, capsys):
    record = str(tmp_path / "record.sqlite")
    assert cli.main(["cup", "reveal", "--port", chip.url, "--record", record]) == 0
    assert "no match was left" in capsys.readouterr().err
