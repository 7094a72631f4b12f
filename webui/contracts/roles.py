"""Who may see and say what: every role, and its rights."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from engine.position import Side


class Visibility(Enum):
    """Which of the states of a match is shown; each has its own versions."""

    PLAYERS = "viewer"
    """What the rule set lets players know while they play."""
    AUDIENCE = "audience"
    """What it lets the audience of a stream know; never without a delay of the server's."""
    EVERYTHING = "referee"


class Role(Enum):
    """Who is asking. Each role has its own password; `RIGHTS` says what it opens."""

    AUDIENCE = "audience"
    """Watches the broadcast."""
    VIEWER = "viewer"
    """Watches on a page of their own, in the hall or the club."""
    LIGHT_PLAYER = "light_player"
    DARK_PLAYER = "dark_player"
    REFEREE = "referee"


@dataclass(frozen=True, slots=True)
class Rights:
    """What a role may see and say; by default, the least that a log-in can give."""

    sees: Visibility = Visibility.PLAYERS
    is_delayed: bool = True
    """Whether it is shown the match as late as `--delay` says."""
    reads_record: bool = False
    """Whether it may open the matches and the dice of the record."""
    seat: Side | None = None
    """The player for whom it answers and acts; None for those who do not play."""
    commands: bool = False
    """Whether it may enter everything."""

    @property
    def speaks(self) -> bool:
        """Whether the match waits for what this role says."""
        return self.commands or self.seat is not None


RIGHTS: Final = {
    Role.AUDIENCE: Rights(Visibility.AUDIENCE),
    Role.VIEWER: Rights(reads_record=True),
    Role.LIGHT_PLAYER: Rights(is_delayed=False, reads_record=True, seat=Side.LIGHT),
    Role.DARK_PLAYER: Rights(is_delayed=False, reads_record=True, seat=Side.DARK),
    Role.REFEREE: Rights(Visibility.EVERYTHING, is_delayed=False, reads_record=True, commands=True),
}
"""What every role may see and say; SECURITY.md has the same table in words."""
