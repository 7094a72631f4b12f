"""What the pages show of a match that can go on."""

from __future__ import annotations

from tableside.record.open_matches import OpenMatch
from webui.contracts.archive import UnfinishedMatch
from webui.contracts.state import Names, Numbers


def unfinished_match(match: OpenMatch) -> UnfinishedMatch:
    """The match as the pages show it."""
    state = match.state
    return UnfinishedMatch(
        id=match.entry.id,
        players=Names(light=state.light, dark=state.dark),
        variant=state.variant,
        length=state.length,
        score=Numbers(light=state.score[0], dark=state.score[1]),
        games=state.games,
        plays=len(state.effective_turns),
        last=match.last_played,
        by_hand=match.is_by_hand,
    )
