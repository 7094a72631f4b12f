"""The identifiers by which other programs know the position after a step."""

from __future__ import annotations

from engine import MatchState
from engine.errors import EngineError
from engine.formats.ids.match_id import gnubg_ids
from engine.formats.ids.snapshot import Snapshot
from engine.formats.ids.xgid import xgid
from engine.match.phase import BETWEEN_GAMES
from webui.contracts.archive import PositionIds


def position_ids(state: MatchState) -> PositionIds | None:
    """Its XGID and GNU Backgammon ID; None if nobody is to move, or if they cannot express it."""
    offer, roll = state.cube.offer, state.roll
    mover = state.to_move if offer is None else offer.by
    is_in_play = state.phase not in BETWEEN_GAMES and state.rules.has_cube
    if state.position is None or mover is None or not is_in_play:
        return None
    first, second = roll or (None, None)
    try:
        shown = Snapshot(
            state.position,
            mover,
            None if first is None or second is None else (first, second),
            state.cube.value,
            state.cube.owner,
            is_doubled=offer is not None,
            length=state.length,
            score=state.score,
            is_crawford=state.is_crawford,
            has_jacoby=state.cube_rules.jacoby and not state.length,
            has_beavers=state.cube_rules.beavers,
        )
        return PositionIds(xgid=xgid(shown), gnubg=":".join(gnubg_ids(shown)))
    except EngineError:  # no other game than theirs has an ID
        return None
