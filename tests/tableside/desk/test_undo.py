"""Undo at the desk takes back the last entry, whatever it was, and no other; across games too."""

import dataclasses
import random

import pytest

from engine import USUAL, Phase, Side, find_rules
from engine.errors import EngineError
from engine.events.codec import as_json
from engine.match.amendments import effective_events
from engine.match.corrections import PlayChosen, RollFixed
from engine.match.phase import BETWEEN_GAMES
from tableside.desk.availability import why_not
from tableside.match.config import MatchConfig, agreed
from tests.tableside.desk.test_whole_games import DirectDesk
from webui.contracts.desk import DeskCommand, PlayEntered, PositionEntered, Resignation, RollEntered


def desk_of(variant="short", length=0, **choices):
    config = MatchConfig(
        find_rules("short"), light="Ann", dark="Bob", length=length, is_manual=True
    )
    return DirectDesk(agreed(config, dataclasses.replace(USUAL, **choices), variant, length))


def standing(desk):
    """What the record says, without the times at which it was entered."""
    events = map(as_json, effective_events(desk.events))
    return [
        {key: one for key, one in event.items() if key not in ("time", "frame")} for event in events
    ]


def opened(desk):
    desk.execute(DeskCommand.BEGIN_GAME)
    desk.execute(RollEntered((3, 1)))
    desk.execute(PlayEntered("8/5 6/5"))


ENDS = {
    "drop": [DeskCommand.DOUBLE, DeskCommand.DROP],
    "resignation": [Resignation(player=Side.DARK, times=2)],
    "bearing off": [
        PositionEntered(
            light=(14, 1, *(0,) * 24),
            dark=(14, 0, 0, 1, *(0,) * 22),
            to_move=Side.LIGHT,
        ),
        RollEntered((2, 1)),
        PlayEntered("1/off"),
    ],
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_undo_takes_back_the_next_game_and_not_the_result_of_the_last(end):
    desk = desk_of()
    opened(desk)
    stages = []
    for command in (*end, DeskCommand.BEGIN_GAME):
        stages.append((standing(desk), desk.session.state.phase, desk.session.state.score))
        desk.execute(command)
    over = desk.session.state
    assert over.games == 2
    assert max(over.score) > 0
    while stages:
        desk.execute(DeskCommand.UNDO)
        state = desk.session.state
        assert (standing(desk), state.phase, state.score) == stages.pop()
    for command in (*end, DeskCommand.BEGIN_GAME):
        desk.execute(command)
    assert (desk.session.state.score, desk.session.state.games) == (over.score, 2)


def test_a_game_that_has_gone_on_is_taken_back_entry_by_entry_before_its_beginning():
    desk = desk_of()
    opened(desk)
    desk.execute(DeskCommand.DOUBLE)
    desk.execute(DeskCommand.DROP)
    opened(desk)
    score = desk.session.state.score
    for phase in (Phase.TO_PLAY, Phase.TO_ROLL, Phase.OVER):
        desk.execute(DeskCommand.UNDO)
        assert (desk.session.state.phase, desk.session.state.score) == (phase, score)
    desk.execute(DeskCommand.UNDO)
    assert desk.session.state.score == (0, 0)


def test_the_beginning_of_the_match_is_not_undone():
    desk = desk_of()
    desk.execute(DeskCommand.BEGIN_GAME)
    assert not desk.session.can_undo
    assert str(why_not(DeskCommand.UNDO, desk.context())) == "there is nothing to undo"


class RandomReferee:
    """Enters whatever the rules allow, at random."""

    def __init__(self, desk, seed):
        self.desk, self.chance = desk, random.Random(seed)

    def next_command(self):
        state, chance = self.desk.session.state, self.chance
        if state.phase in BETWEEN_GAMES:
            return DeskCommand.BEGIN_GAME
        if state.phase is Phase.DOUBLED:
            answers = [DeskCommand.TAKE, DeskCommand.DROP, DeskCommand.BEAVER]
            return chance.choice([one for one in answers if self.is_possible(one)])
        if state.turns and chance.random() < 0.1:
            return self.correction()
        if chance.random() < 0.04:
            return Resignation(player=chance.choice(list(Side)), times=chance.randint(1, 3))
        if state.phase is Phase.TO_PLAY or state.leftover:
            return PlayEntered(chance.choice(self.plays()))
        if chance.random() < 0.2 and self.is_possible(DeskCommand.DOUBLE):
            return DeskCommand.DOUBLE
        return RollEntered((chance.randint(1, 6), chance.randint(1, 6)))

    def is_possible(self, command):
        return not why_not(command, self.desk.context())

    def plays(self):
        return [one["play"] for one in self.desk.turn_to_play()["plays"]]

    def correction(self):
        """Another roll, or another play with the same roll, in a turn of the match."""
        number = self.chance.randint(1, len(self.desk.session.state.turns))
        other = self.desk.legal_plays(number, None) or []
        if other and self.chance.random() < 0.7:
            return PlayChosen(number, self.chance.choice(other)["play"])
        return RollFixed(number, (self.chance.randint(1, 6), self.chance.randint(1, 6)))


VARIANTS = [("short", 0), ("short", 5), ("narde", 0), ("hypergammon", 3), ("nackgammon", 3)]


@pytest.mark.parametrize(("variant", "length"), VARIANTS)
@pytest.mark.parametrize("seed", [1, 2])
def test_any_entry_undone_and_entered_again_changes_nothing(variant, length, seed):
    desk = desk_of(variant, length)
    desk.execute(DeskCommand.BEGIN_GAME)
    referee, done = RandomReferee(desk, seed), 0
    while done < 60 and not desk.session.state.is_over:
        command, before = referee.next_command(), standing(desk)
        try:
            desk.execute(command)
        except EngineError:
            assert standing(desk) == before
            continue
        after = standing(desk)
        desk.execute(DeskCommand.UNDO)
        assert standing(desk) == before, command
        desk.execute(command)
        assert standing(desk) == after, command
        done += 1
