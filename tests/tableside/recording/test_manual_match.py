"""A match without a camera: a virtual cup rolls, plays are entered at the desk."""

from __future__ import annotations

import os
import random
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from functools import partial

import pytest

from engine import NotNow, PlayAccepted, PlayMade, Side, Unseen, fold
from engine.dice import Roll
from engine.events.clock import ClockSet, ClockTurned
from engine.events.cup import CupCommitted, CupEvent, CupRevealed, CupRolled, CupSealed
from engine.events.match import DiceRolled, GameStart, OpeningRolled
from engine.events.record import MatchPaused
from engine.match.phase import Phase
from engine.rules import SHORT
from engine.rules.legal import legal_plays
from hardware.connection import CupConnection
from hardware.errors import NoCup
from hardware.ports import PortSearch
from hardware.proof import CupRoll
from hardware.protocol_constants import CupPhase, RollKind, RollPurpose
from hardware.served_cup import ServedCup
from hardware.virtual_cup import CupMemory
from tableside.cup.game import CupInMatch
from tableside.cup.history import CupHistory, CupMatch
from tableside.cup.left_matches import LeftMatches
from tableside.cup.open_cup import memory_from, memory_text, open_cup, read_memory
from tableside.cup.verify import count_cup_rolls, verify_match
from tableside.match.config import MatchConfig
from tableside.record.recorder import Recorder
from tableside.record.store import Store
from tableside.recording.frame_queue import FrameQueue
from tableside.recording.job import MatchOutputs
from tableside.recording.live_match import LiveMatch
from tableside.recording.match_sequence import _rewrite_files
from tableside.recording.preview import PreviewEncoder
from tableside.recording.timeline import NoCamera, Timeline
from tableside.review.output_files import write_record_files
from tableside.review.stills import StillKeeper
from tableside.site.state_hub import StateHub
from tests.hardware.lines import begin_at
from tests.tableside.running_match import LocalDesk
from webui.contracts.desk import CupWords, DeskCommand, PlayEntered, PositionEntered, RollEntered
from webui.http.metrics import Metrics

PATIENCE = 60


class ManualMatch:
    """A match without a camera, in its own thread."""

    def __init__(self, folder, cup=None, match=None, words=("Ann", "Bob"), roller=None, **options):
        """`roller` makes the rolls of a recorder's match if no `cup` does."""
        self.store = Store.open(folder / "record.sqlite")
        self.match = match or self.store.new_match(light="Ann", dark="Bob", length=1)
        self.recorder = Recorder(self.store, self.match)
        resumed = self.recorder.state if self.recorder.events else None
        self.table = StateHub()
        self.source = NoCamera()
        options = {"light": "Ann", "dark": "Bob", "length": 1, "resumed": resumed, **options}
        config = MatchConfig(SHORT, is_manual=True, **options)
        left = LeftMatches(self.store, self.match, partial(_rewrite_files, self.store))
        game = cup and CupInMatch(cup, self.recorder.events, words, left, is_manual=True)
        game = game or (roller and roller(self.recorder))
        self.live = LiveMatch(
            Timeline(self.source),
            config,
            self.recorder,
            StillKeeper(folder / "stills"),
            MatchOutputs(self.table, PreviewEncoder(), Metrics()),
            cup=game,
        )
        self.desk = LocalDesk(self.live, self.recorder, config, game)
        self.thread = threading.Thread(target=self.live.run)
        self.thread.start()

    def close(self):
        self.live.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        self.store.close()

    @property
    def state(self):
        return self.recorder.state

    def of(self, kind):
        return [event for event in self.recorder.events if isinstance(event, kind)]

    def until(self, is_so):
        end = time.monotonic() + PATIENCE
        while not is_so():
            assert time.monotonic() < end, (
                self.live._cup and self.live._cup.shown(self.state),
                self.state,
            )
            time.sleep(0.005)

    def any_play(self, chance):
        state = self.state
        plays = legal_plays(state.position, state.to_move, Roll(*state.roll), SHORT)
        return str(plays[chance.randrange(len(plays))].play)


@pytest.fixture
def start(tmp_path):
    """`start(...)` is a match without a camera, in one record."""
    matches = []

    def begin(**options):
        for one in matches:
            if one.thread.is_alive():
                one.close()
        matches.append(ManualMatch(tmp_path, **options))
        return matches[-1]

    yield begin
    for one in matches:
        if one.thread.is_alive():
            one.close()


@pytest.fixture
def served():
    with ServedCup(os.urandom) as one:
        yield one


@pytest.fixture
def cup(served):
    with CupConnection(PortSearch(served.url)) as one:
        yield one


def stood():
    """No camera, and a world in which no time passes."""
    return NoCamera(clock=lambda: 0.0)


def finish(live):
    """End the match as a stop does."""
    frames = FrameQueue(live.timeline.source, live._outputs.pictures.show)
    frames.close()
    live.finish(frames)


def resumed_at(folder, seconds):
    """Ann's clock ran at 10 s, then the program was killed; it is back at `seconds`, stopped."""
    store = Store.open(folder / "record.sqlite")
    recorder = Recorder(store, store.new_match(light="Ann", dark="Bob"))
    config = MatchConfig(SHORT, light="Ann", dark="Bob", is_manual=True)
    outputs = MatchOutputs(StateHub(), PreviewEncoder(), Metrics())

    def run(start, resumed=None):
        source = Timeline(stood(), start)
        stills = StillKeeper(folder / "stills")
        return LiveMatch(source, replace(config, resumed=resumed), recorder, stills, outputs)

    first = run(0.0)
    for event in (
        ClockSet(time=5.0, frame=2, light=600.0, dark=600.0),
        ClockTurned(time=10.0, frame=3, runs=Side.LIGHT),
    ):
        first._session.enter(event)
    return recorder, partial(run, seconds)


def test_no_player_loses_time_while_the_program_is_not_running(tmp_path):
    recorder, run = resumed_at(tmp_path, 500.0)
    recorder.note_alive(14.0)
    again = run(recorder.state)
    clock = recorder.state.clock
    assert (clock.runs, clock.light) == (None, 596.0)
    finish(again)
    doubts = [event for event in recorder.events if isinstance(event, Unseen)]
    assert doubts == []


@pytest.mark.parametrize("is_killed_halfway", [False, True])
def test_a_pause_and_whose_clock_it_stopped_outlast_the_program(tmp_path, is_killed_halfway):
    recorder, run = resumed_at(tmp_path, 10.0)
    paused = run(recorder.state)
    paused._session.enter(ClockTurned(time=10.0, frame=5, runs=Side.LIGHT))
    if is_killed_halfway:  # before the clock was stopped
        paused._session.enter(MatchPaused(time=10.0, frame=6, clock=Side.LIGHT))
    else:
        carry_out(paused, DeskCommand.PAUSE)
        carry_out(paused, DeskCommand.PAUSE)
    again = run(recorder.state)
    assert again._outputs.page.state()["paused"]
    assert recorder.state.clock.runs is None
    carry_out(again, DeskCommand.GO_ON)
    carry_out(again, DeskCommand.GO_ON)
    assert not again._outputs.page.state()["paused"]
    assert recorder.state.clock.runs is Side.LIGHT
    types = [event.type for event in recorder.events]
    assert (types.count("paused"), types.count("continued")) == (1, 1)


def carry_out(live, command):
    for _ in live._execute(command):
        pass


def test_a_clock_stops_with_the_program(tmp_path):
    recorder, run = resumed_at(tmp_path, 14.0)
    again = run(recorder.state)
    again._session.enter(ClockTurned(time=14.0, frame=5, runs=Side.LIGHT))
    again.timeline = Timeline(stood(), 20.0)
    finish(again)
    clock = recorder.state.clock
    assert (clock.runs, clock.light) == (None, 594.0)


def rolled(running):
    """Roll the cup as soon as possible, until there is something to play."""
    while running.state.phase is Phase.TO_ROLL:
        rolls = len(running.of(CupRolled))
        running.until(lambda: "cup_roll" in running.desk.status()["can"])
        try:
            running.desk.execute(DeskCommand.CUP_ROLL)
        except NotNow:
            continue
        running.until(lambda rolls=rolls: len(running.of(CupRolled)) > rolls)
        running.until(
            lambda: len(running.of(DiceRolled | OpeningRolled)) == len(running.of(CupRolled))
        )


def test_a_match_is_played_with_a_cup_and_no_camera_and_its_rolls_are_proven(start, cup, tmp_path):
    running, chance = start(cup=cup), random.Random(3)
    for _ in range(4):
        rolled(running)
        running.desk.execute(PlayEntered(running.any_play(chance)))
    near = (13, 1, 1, *[0] * 23)
    running.desk.execute(PositionEntered(near, near, Side.DARK))
    while not running.state.is_over:
        rolled(running)
        running.desk.execute(PlayEntered(running.any_play(chance)))
    running.until(lambda: running.of(CupRevealed))
    events = running.store.events(running.match)
    (proof,) = CupHistory(events).matches
    assert verify_match(proof).is_proven
    assert count_cup_rolls(events).others == 0
    assert fold(events) == running.state
    assert {made.by for made in running.of(PlayMade)} <= {"hand", "rules"}
    files = {path.name: path for path in write_record_files(tmp_path / "files", events)}
    assert "Ann" in files["match.mat"].read_text("utf-8")
    assert "cup" in files["rolls.csv"].read_text("utf-8")


def test_a_match_whose_end_is_undone_goes_on_with_a_new_seed(start, cup):
    running = start(cup=cup)
    rolled(running)
    running.desk.execute(PlayEntered(running.any_play(random.Random(3))))
    last = (14, 1, *[0] * 24)
    running.desk.execute(PositionEntered(last, last, Side.DARK))
    rolled(running)
    running.desk.execute(PlayEntered("1/off"))
    running.until(lambda: running.of(CupRevealed))
    running.desk.execute(DeskCommand.UNDO)
    assert not running.state.is_over
    running.desk.execute(PositionEntered(last, last, Side.LIGHT))
    rolled(running)
    running.desk.execute(PlayEntered("1/off"))
    assert running.state.winner is Side.LIGHT
    running.until(lambda: running.of(CupRevealed)[-1].match == 2)
    assert [verify_match(one).is_proven for one in CupHistory(running.recorder.events).matches] == [
        True,
        True,
    ]


def test_a_match_is_entered_wholly_by_hand_and_goes_on_after_a_restart(start):
    running = start()
    assert len(running.of(GameStart)) == 1
    assert running.desk.status()["telling"]["lots"]
    running.desk.execute(RollEntered((1, 3)))
    assert running.desk.turn_to_play()["player"] == "dark"
    assert running.desk.turn_to_play()["dice"] == [3, 1]
    running.desk.execute(PlayEntered("6/5 8/5"))
    running.desk.execute(RollEntered((2, 4)))
    again = start(match=running.match)
    assert again.state == running.state
    again.desk.execute(PlayEntered("24/22 13/9"))
    assert [turn.event.play for turn in again.state.turns] == ["8/5 6/5", "24/22 13/9"]
    for _ in range(4):
        again.desk.execute(DeskCommand.UNDO)
    assert again.state.turns == ()
    assert again.state.to_move is None
    assert "undo" not in again.desk.status()["can"]


def test_the_page_shows_that_there_is_no_camera_and_whose_turn_it_is(start):
    running = start()
    shown = running.table.state()
    assert (shown["by_hand"], shown["source"], shown["phase"]) == (True, None, "playing")
    assert str(shown["message"]) == "either player to roll"
    running.desk.execute(RollEntered((3, 1)))
    assert running.table.state()["roll"]["dice"] == [3, 1]


def test_a_cup_that_is_set_aside_rolls_no_more_until_it_is_taken_up_again(start, cup, served):
    running = start(cup=cup)
    running.until(lambda: cup.requested is not None)
    running.desk.execute(DeskCommand.CUP_ASIDE)
    running.until(lambda: cup.requested is None)
    assert running.table.state()["cup"]["state"] == "aside"
    now = running.desk.status()
    assert "cup_back" in now["can"]
    assert str(now["cannot"]["cup_roll"]) == "the cup is not ready to roll"
    running.desk.execute(RollEntered((3, 1)))
    running.desk.execute(PlayEntered("8/5 6/5"))
    running.desk.execute(DeskCommand.CUP_BACK)
    running.until(lambda: served.is_armed)
    served.throw()
    running.until(lambda: running.state.phase is Phase.TO_PLAY)
    assert running.of(DiceRolled)[-1].by == "cup"
    assert count_cup_rolls(running.recorder.events).others == 1


def test_a_shake_while_play_is_paused_rolls_nothing_and_the_page_says_so(start, cup, served):
    match = start(cup=cup)
    match.until(lambda: cup.requested is not None)
    match.desk.execute(DeskCommand.PAUSE)
    match.until(lambda: cup.requested is None)
    with pytest.raises(NotNow, match="play is paused"):
        match.desk.execute(DeskCommand.CUP_ROLL)
    match.until(lambda: not served.is_armed)
    served.throw()
    match.until(lambda: "while play is paused" in str(match.table.state()["cup"]["why"]))
    match.desk.execute(DeskCommand.GO_ON)
    match.until(lambda: served.is_armed)
    assert match.of(CupRolled) == match.of(OpeningRolled) == []
    served.throw()
    match.until(lambda: match.of(OpeningRolled))
    match.until(lambda: not match.table.state()["cup"]["why"])


def test_a_cup_that_is_set_aside_stays_so_over_a_restart(start, cup, served):
    running = start(cup=cup)
    running.until(lambda: served.is_armed)
    running.desk.execute(DeskCommand.CUP_ASIDE)
    with pytest.raises(NotNow, match="already set aside"):
        running.desk.execute(DeskCommand.CUP_ASIDE)
    again = start(cup=cup, match=running.match)
    again.until(lambda: again.table.state()["cup"]["state"] == "aside")
    assert "cup_back" in again.desk.status()["can"]
    again.desk.execute(RollEntered((3, 1)))
    again.desk.execute(DeskCommand.CUP_BACK)
    again.desk.execute(PlayEntered("8/5 6/5"))
    again.until(lambda: served.is_armed)
    again.until(lambda: again.table.state()["cup"]["state"] == "rolling")


def bound(running):
    """Make the cup wait for the players' words; return the fingerprint that the page shows."""
    running.until(lambda: running.table.state()["cup"]["state"] == "words")
    return running.table.state()["cup"]["commitment"]


def test_the_players_enter_their_words_after_the_commitment_and_before_the_first_roll(start, cup):
    running = start(cup=cup, words=None)
    shown = bound(running)
    (committed,) = running.of(CupCommitted)
    assert shown == CupMatch(committed).fingerprint
    assert shown != committed.commitment
    assert running.of(CupSealed) == []
    assert str(running.desk.status()["cannot"]["cup_roll"]) == "the cup is not ready to roll"
    assert running.table.state()["cup"]["words"] is None
    running.desk.execute(CupWords("walnut", "Гамбит"))
    running.until(lambda: running.table.state()["cup"]["words"] == ["walnut", "Гамбит"])
    rolled(running)
    running.until(lambda: running.table.state()["cup"]["words"] is None)
    with pytest.raises(NotNow, match="its first roll"):
        running.desk.execute(CupWords("another", "one"))
    running.desk.execute(DeskCommand.END_MATCH)
    running.until(lambda: running.of(CupRevealed))
    events = running.store.events(running.match)
    (proof,) = CupHistory(events).matches
    assert verify_match(proof).is_proven
    assert (proof.sealed.light_words, proof.sealed.dark_words) == ("walnut", "Гамбит")
    kinds = [type(one) for one in events if isinstance(one, CupEvent)]
    assert kinds[:3] == [CupCommitted, CupSealed, CupRolled]
    assert running.table.state()["cup"]["state"] == "revealed"


def test_words_are_still_expected_after_a_restart_and_requested_once(start, cup):
    running = start(cup=cup, words=None)
    commitment = bound(running)
    again = start(cup=cup, words=None, match=running.match)
    assert bound(again) == commitment
    assert len(again.of(CupCommitted)) == 1
    again.live._cup._seal_cup = lambda: None  # killed before the cup has received them
    again.desk.execute(CupWords("walnut", ""))
    last = start(cup=cup, words=None, match=running.match)
    rolled(last)
    assert len(last.of(CupSealed)) == 1
    (proof,) = CupHistory(last.recorder.events).matches
    assert verify_match(proof).faults == ()


def test_a_throw_before_any_word_was_entered_seals_without_words(start, cup, served):
    running = start(cup=cup, words=None)
    bound(running)
    served.throw()
    running.until(lambda: served.is_armed)
    assert [(one.light_words, one.dark_words) for one in running.of(CupSealed)] == [("", "")]
    assert running.of(CupRolled) == []


def test_a_cup_that_was_used_elsewhere_meanwhile_is_bound_anew(start, cup):
    running = start(cup=cup, words=None)
    commitment = bound(running)
    begin_at(cup)
    running.desk.execute(CupWords("walnut", "elm"))
    running.until(lambda: running.table.state()["cup"]["commitment"] != commitment)
    assert bound(running) != commitment
    running.desk.execute(CupWords("walnut", "elm"))
    rolled(running)
    assert all(
        verify_match(one).faults == () for one in CupHistory(running.recorder.events).matches
    )


def test_the_rolls_are_proven_in_mid_match_and_the_next_have_another_seed(start, cup):
    running = start(cup=cup)
    assert str(running.desk.status()["cannot"]["cup_reveal"]) == "the cup has no seed to reveal now"
    rolled(running)
    running.desk.execute(PlayEntered(running.any_play(random.Random(2))))
    running.until(lambda: "cup_reveal" in running.desk.status()["can"])
    running.desk.execute(DeskCommand.CUP_REVEAL)
    running.until(lambda: len(running.of(CupCommitted)) == 2)
    rolled(running)
    first, second = CupHistory(running.recorder.events).matches
    assert verify_match(first).is_proven
    assert first.committed.commitment != second.committed.commitment
    assert len(second.rolls) == 1
    running.desk.execute(DeskCommand.END_MATCH)
    running.until(lambda: len(running.of(CupRevealed)) == 2)
    assert [verify_match(one).is_proven for one in CupHistory(running.recorder.events).matches] == [
        True,
        True,
    ]


def test_a_seed_that_is_revealed_while_play_is_paused_is_recorded_at_once(start, cup):
    running = start(cup=cup)
    rolled(running)
    running.desk.execute(DeskCommand.PAUSE)
    running.until(lambda: "cup_reveal" in running.desk.status()["can"])
    running.desk.execute(DeskCommand.CUP_REVEAL)
    running.until(lambda: running.of(CupRevealed))
    assert running.state.is_paused
    (match,) = CupHistory(running.store.events(running.match)).matches
    assert verify_match(match).is_proven
    running.desk.execute(DeskCommand.GO_ON)
    running.desk.execute(PlayEntered(running.any_play(random.Random(2))))
    rolled(running)
    assert len(CupHistory(running.recorder.events).matches) == 2


def test_a_cup_that_is_to_be_identified_blinks_for_a_while(start, cup, served, monkeypatch):
    monkeypatch.setattr("tableside.cup.game.LIT_SECONDS", 0.2)
    lamps = []
    running = start(cup=cup)
    running.until(lambda: served.is_armed)
    served.handle(lambda one: lamps.append(one.lamp))
    running.desk.execute(DeskCommand.CUP_IDENTIFY)

    def shows(lamp):
        served.handle(lambda one: lamps.append(one.lamp))
        return lamps[-1] == lamp

    running.until(lambda: shows((7, 1)))
    running.until(lambda: shows((2, 1)))
    assert served.is_armed


def test_a_throw_of_the_cup_still_counts_where_the_play_before_it_is_undone(start, cup):
    running = start(cup=cup)
    rolled(running)
    running.desk.execute(PlayEntered(running.any_play(random.Random(1))))
    rolled(running)
    dice = running.state.roll
    running.desk.execute(DeskCommand.UNDO)
    assert (running.state.phase, running.state.turns) == (Phase.TO_PLAY, ())
    running.desk.execute(PlayEntered(running.any_play(random.Random(2))))
    running.until(lambda: running.state.roll is not None)
    assert running.state.roll == dice
    assert (
        len(running.of(CupRolled)) == len({one.number for one in running.of(CupRolled)}) + 1
    )  # recorded again
    (proof,) = CupHistory(running.recorder.events).matches
    assert verify_match(proof).faults == ()


def test_a_throw_lets_an_illegal_play_stand_where_the_rules_have_it_so(start, cup, served):
    running = start(cup=cup)
    rolled(running)
    running.desk.execute(PlayEntered("24/23"))
    assert running.state.phase is Phase.DISPUTED
    running.until(lambda: served.is_armed)
    served.throw()
    running.until(lambda: running.of(DiceRolled))
    assert [one.by for one in running.of(PlayAccepted)] == ["roll"]
    assert running.state.turns[0].event.play == "24/23"


def test_a_command_that_cannot_be_executed_is_refused_in_one_line(start):
    running = start()
    for command in (
        PlayEntered("8/5 6/5"),
        DeskCommand.END_TURN,
        DeskCommand.CUP_ROLL,
        DeskCommand.BEGIN_GAME,
    ):
        before = list(running.recorder.events)
        with pytest.raises(NotNow) as refused:
            running.desk.execute(command)
        assert "\n" not in str(refused.value)
        assert running.recorder.events == before


def test_a_virtual_cup_goes_on_with_its_match_after_a_restart(start, tmp_path):
    path, chance, match = tmp_path / "virtual-cup.json", random.Random(5), None
    for _ in range(2):
        with ExitStack() as stack:
            cup = open_cup(stack, None, is_virtual=True, memory=path, is_shaken_at_once=False)
            running = start(cup=cup, match=match)
            match = running.match
            rolled(running)
            running.desk.execute(PlayEntered(running.any_play(chance)))
            rolled(running)
            running.desk.execute(PlayEntered(running.any_play(chance)))
            running.close()
    (proof,) = CupHistory(running.recorder.events).matches
    assert len(proof.rolls) >= 4
    assert verify_match(proof).faults == ()


def test_what_a_virtual_cup_remembers_is_read_back_or_refused_in_one_line(tmp_path):
    memory = CupMemory(bytes(8), match=2, phase=CupPhase.SEALED, number=1, seed=bytes(range(32)))
    memory.rolls[1] = CupRoll(1, RollPurpose(RollKind.TWO, Side.DARK), b"salt", (6, 3))
    assert memory_from(memory_text(memory)) == memory
    path = tmp_path / "cup.json"
    known = memory_text(memory)
    wrong_phase, huge = (known.replace(f'"{name}": 2', f'"{name}": {value}')
                         for name, value in (("phase", 9), ("match", "1e999")))  # fmt: skip
    for text in ("", "{}", "[1]", wrong_phase, huge):
        path.write_text(text)
        with pytest.raises(NoCup, match="move it away") as refused:
            read_memory(path)
        assert "\n" not in str(refused.value)


def test_a_roll_that_cannot_be_stored_is_not_recorded(start):
    def full(memory):
        if memory.number:
            raise OSError(28, "No space left on device")

    with ServedCup(os.urandom, save=full) as served, CupConnection(PortSearch(served.url)) as cup:
        running = start(cup=cup)
        running.until(lambda: served.is_armed)
        served.throw()
        running.until(lambda: running.table.state()["cup"]["state"] == "fault")
        assert running.of(CupRolled) == []
        running.close()
