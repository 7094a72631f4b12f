"""Reads an unknown board: the trained nets count without learning the set first.

The positions of the counted checkers come from the picture's own colors, learned on the occupied
points. The points are not numbered.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from calibration.appearance import to_perceptual
from calibration.grid import Grid
from calibration.known_position import USUAL_DIAMETER, appearance_of, column
from engine import Side
from engine.arrays import Floats, Floats32, Image
from engine.evidence.observation import CELLS, DARK_OFF, FIRST_LAYER, LIGHT_OFF
from engine.position import CHECKERS
from vision.checkers.conservation import (
    ALL_IN_PLAY,
    conserve_checkers,
    likeliest_board,
    may_have_borne_off,
    weigh_as_in_games,
)
from vision.checkers.disc_model import DiscCounts, count_checkers, has_bar
from vision.checkers.fine_tune import SetAdaptation
from vision.checkers.net_counts import net_probabilities
from vision.checkers.occlusion import allow_hidden, occluded_shares
from vision.checkers.side_colours import mixed_points, refine_with_colours
from vision.checkers.stacks import refine_with_stacks
from vision.checkers.strips import NEAR_HALF, POINTS
from vision.checkers.temperature import doubt_about
from vision.checkers.trays import borne_off_likelihoods

MIN_COUNT_PROBABILITY: Final = 1e-9


def count_unknown_set(
    image: Image, grid: Grid, adaptation: SetAdaptation | None = None
) -> DiscCounts:
    """The checkers in an (H, W, 3) BGR picture; cells are numbered by the grid's orientation.

    `adaptation`: what another picture has taught about the set.
    """
    picture = grid.rectify(image)
    by_net = net_probabilities(picture, grid, adaptation, augmented=True)
    colours = None if adaptation is None else adaptation.colours
    owned = refine_with_colours(picture, grid, by_net, colours)
    seen = refine_with_stacks(image, picture, grid, owned)
    occluded = occluded_shares(picture, grid)
    placed = weigh_as_in_games(allow_hidden(seen, occluded), has_bar=has_bar(grid.layout))
    points = placed[:24].argmax(axis=1) - CHECKERS
    trays = (
        borne_off_likelihoods(image, picture, grid, points) if may_have_borne_off(placed) else None
    )
    complete = ALL_IN_PLAY if adaptation is None else adaptation.in_play
    chances, totals = conserve_checkers(placed, complete, trays)
    board = likeliest_board(placed, chances, complete, trays)
    counts = np.full((CELLS, chances.shape[1]), np.log(MIN_COUNT_PROBABILITY), np.float32)
    counts[: len(chances)] = np.log(np.maximum(chances, MIN_COUNT_PROBABILITY))
    gone = CHECKERS - np.arange(CHECKERS + 1)
    for cell, way, left in zip((LIGHT_OFF, DARK_OFF), (1, -1), totals, strict=True):
        counts[cell, CHECKERS + way * gone] = np.log(np.maximum(left, MIN_COUNT_PROBABILITY))
    hidden, columns = _locate_checkers(picture, grid, board[:24].tolist())
    covered = np.append(occluded[:POINTS], [occluded[NEAR_HALF:].max()] * 2)  # either bar cell
    hidden[: len(covered)] = np.maximum(hidden[: len(covered)], covered)
    mixed = mixed_points(picture, grid, by_net)
    in_play = np.maximum(board, 0).sum(), np.maximum(-board, 0).sum()
    off = np.maximum(CHECKERS - np.array(in_play), 0) * (1, -1)
    return DiscCounts(
        counts, hidden, columns, mixed, doubt_about(by_net, chances), board=np.append(board, off)
    )


def _locate_checkers(
    picture: Image, grid: Grid, counts: list[int]
) -> tuple[Floats32, dict[tuple[int, Side], list[Floats]]]:
    """Each cell's hidden fraction and the columns of the counted checkers, as in `DiscCounts`."""
    rows = {
        cell: column(grid, cell + 1, min(abs(count), FIRST_LAYER), USUAL_DIAMETER)
        for cell, count in enumerate(counts)
        if count
    }
    centers = {
        side: np.concatenate(
            [np.zeros((0, 2))]
            + [row for cell, row in rows.items() if (counts[cell] > 0) == (side is Side.LIGHT)]
        )
        for side in Side
    }
    if min(len(each) for each in centers.values()) and 0 in counts:
        appearance = appearance_of(picture, grid, counts, centers, USUAL_DIAMETER)
        seen = count_checkers(to_perceptual(picture), grid, appearance)
        return seen.hidden, seen.columns
    columns = {
        (cell, Side.LIGHT if counts[cell] > 0 else Side.DARK): [
            row[: shown + 1] for shown in range(len(row))
        ]
        for cell, row in rows.items()
    }
    return np.zeros(CELLS, np.float32), columns
