"""A game joined midway: followed until its plays determine the orientation of its board."""

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
"""What a frame showed: an observation or motion, preceded by events outside any turn."""
IS_KNOWN: Final = msg("the direction of play is already known")
CHOSEN: Final = msg("play on: the game starts here with the next play")
CONTRADICTED: Final = msg(
    "the plays contradict the direction you chose: choose another, or play on and it will become "
    "clear"
)


class JoinedGame:
    """What is seen of the game, held back until its numbering is decided."""

    def __init__(
        self, config: MatchConfig, profile: Profile, cells: Ints, when: Timestamp, since: float
    ) -> None:
        """`cells`: (28,) signed counts on the board at `when`, by the profile's numbering.

        since: when the source began, in seconds of the source.
        """
        at_board = replace(config, profile=profile)

        def referee_at(way: Orientation) -> Referee:
            return at_board.referee(throws_mirrored=way.is_mirrored)

        self._pose = profile.pose
        self._search = JoinSearch(referee_at, config.rules, cells, when, since)

    @property
    def is_refuted(self) -> bool:
        """Whether it is not such a game: the board may only have been being set up."""
        return self._search.is_refuted

    @property
    def likeliest(self) -> JoinHypothesis | None:
        """The game under its likeliest numbering; None while no play has been seen."""
        return self._search.best if self._search.best.turn_count else None

    @property
    def is_chosen(self) -> bool:
        """Whether a person has chosen the board's orientation, and no play contradicts it."""
        return self._search.is_chosen

    @property
    def message(self) -> Sentence:
        """What the players should know."""
        if self.is_chosen:
            return CHOSEN
        return CONTRADICTED if self._search.is_contradicted else JOINED

    @property
    def open_numberings(self) -> list[Numbering]:
        """The possible numberings of the points, while that is open and nobody has chosen one."""
        return [] if self.is_chosen else numberings(self._search.open_starts, self._pose)

    def choose(self, way: Orientation) -> None:
        """Number the board this way once a play confirms it; raises `NotNow` if not open."""
        if self.is_chosen:
            raise NotNow(IS_KNOWN)
        self._search.choose(way)

    def take_in(self, shown: Iterable[Seen]) -> JoinHypothesis | None:
        """Process what a frame showed, in order; return the game once it is decided."""
        decided = None
        for seen in shown:
            if isinstance(seen, Event):
                self._search.enter(seen)
            else:  # as it will be read back from the record
                known = as_stored(seen) if isinstance(seen, Observation) else seen
                decided = self._search.observe(known)
        return decided
