"""The identifiers by which other programs know the position after a step."""

from __future__ import annotations

from engine import MatchState, Side
from engine.errors import EngineError
from engine.formats.ids.match_id import gnubg_ids
from engine.formats.ids.snapshot import Snapshot
from engine.formats.ids.xgid import xgid
from engine.match.phase import BETWEEN_GAMES
from webui.contracts.state import PositionIds


def position_ids(state: MatchState) -> PositionIds | None:
    """Its XGID and GNU Backgammon ID; None if there is no game, or if they cannot express it.

    After a game they describe the end of it, as the board shows it, with the score and the cube
    that it was played at. Before the opening roll, when nobody is to move yet, it is light.
    """
    while state.phase in BETWEEN_GAMES and state.previous is not None:
        state = state.previous
    if state.position is None or state.phase in BETWEEN_GAMES or not state.rules.has_cube:
        return None
    offer = state.cube.offer
    mover = (state.to_move or Side.LIGHT) if offer is None else offer.by
    first, second = state.roll or (None, None)
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
