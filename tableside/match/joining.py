"""A game that is joined under way: followed until it shows which way its board runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from calibration.profile import Profile
from engine import Event, NotNow, Observation, Referee
from engine.arrays import Ints
from engine.evidence.orientation import Orientation
from engine.evidence.still_period import Motion
from engine.message import Sentence, msg
from engine.referee.join import JoinHypothesis, JoinSearch
from engine.timestamp import Timestamp
from tableside.match.config import MatchConfig
from tableside.match.numberings import numberings
from tableside.record.observation_codec import as_stored
from vision.reading.acquire import JOINED
from webui.contracts.state import Numbering

Seen = Event | Observation | Motion
"""What a frame showed: an observation or a motion, after events that are nobody's turn."""
IS_KNOWN: Final = msg("the direction of play is already known")
CHOSEN: Final = msg("play on: the game starts here with the next play")
CONTRADICTED: Final = msg(
    "the plays contradict the direction you chose: choose another, or play on and it will become "
    "clear"
)


class JoinedGame:
    """What is seen of the game, kept back until its numbering is decided."""

    def __init__(
        self, config: MatchConfig, profile: Profile, cells: Ints, when: Timestamp, since: float
    ) -> None:
        """`cells`: (28,) what stands on the board at `when`, by the profile's numbering.

        since: when the source began, in seconds of the source.
        """
        at_board = replace(config, profile=profile)

        def referee_at(way: Orientation) -> Referee:
            return at_board.referee(throws_mirrored=way.is_mirrored)

        self._pose = profile.pose
        self._search = JoinSearch(referee_at, config.rules, cells, when, since)

    @property
    def is_refuted(self) -> bool:
        """Whether it is no such game: perhaps the board was only being set up."""
        return self._search.is_refuted

    @property
    def likeliest(self) -> JoinHypothesis | None:
        """The game by its likeliest numbering; None while no play was seen."""
        return self._search.best if self._search.best.turn_count else None

    @property
    def is_chosen(self) -> bool:
        """Whether somebody has said which way the board runs, and no play contradicts it."""
        return self._search.is_chosen

    @property
    def message(self) -> Sentence:
        """What the players should know."""
        if self.is_chosen:
            return CHOSEN
        return CONTRADICTED if self._search.is_contradicted else JOINED

    @property
    def open_numberings(self) -> list[Numbering]:
        """How the points may be numbered, while that is open and nobody has said it."""
        return [] if self.is_chosen else numberings(self._search.open_starts, self._pose)

    def choose(self, way: Orientation) -> None:
        """Number the board so once a play bears it out; `NotNow` if that is not open."""
        if self.is_chosen:
            raise NotNow(IS_KNOWN)
        self._search.choose(way)

    def take_in(self, shown: Iterable[Seen]) -> JoinHypothesis | None:
        """Take in what a frame showed, in its order; the game once it is decided."""
        decided = None
        for seen in shown:
            if isinstance(seen, Event):
                self._search.enter(seen)
            else:  # as it will be read back from the record
                known = as_stored(seen) if isinstance(seen, Observation) else seen
                decided = self._search.observe(known)
        return decided
