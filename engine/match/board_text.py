"""A position as text that shows the board."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine.position import BAR, OFF, Position, Side

ROWS: Final = 5
"""Checkers of a point that are drawn; a number stands for more."""
SYMBOLS: Final = {Side.LIGHT: "O", Side.DARK: "X"}
_TOP, _BOTTOM = range(13, 25), range(12, 0, -1)


def board_text(position: Position) -> str:
    """The board by light's numbers: `O` is light, `X` is dark, whose bar is below.

    A count stands where more than five checkers stand on a point or the bar.
    """
    counts = position.signed()
    bars = {side: position.of(side)[BAR] for side in Side}
    lines = [_edge(_TOP)]
    lines += _half([counts[point - 1] for point in _TOP], bars[Side.LIGHT])
    lines.append(f"|{' ' * 19}|BAR|{' ' * 19}|")
    lines += [*_half([counts[point - 1] for point in _BOTTOM], -bars[Side.DARK])][::-1]
    lines.append(_edge(_BOTTOM))
    off = (f"{SYMBOLS[side]} off: {position.of(side)[OFF]}" for side in Side)
    return "\n".join([*lines, "  ".join(off)])


def _edge(points: Iterable[int]) -> str:
    numbers = [f"{point:>3}" for point in points]
    return f"+{''.join(numbers[:6])}-+---+{''.join(numbers[6:])}-+".replace(" ", "-")


def _half(counts: list[int], bar: int) -> Iterator[str]:
    """The rows of one half of the board, from the rail to the middle."""
    for row in range(ROWS):
        cells = [f"{_cell(count, row):>3}" for count in counts]
        yield f"|{''.join(cells[:6])} |{_cell(bar, row):^3}|{''.join(cells[6:])} |"


def _cell(count: int, row: int) -> str:
    """What is drawn in one row of a point; a positive count is light's."""
    held = abs(count)
    if row >= held:
        return ""
    return str(held) if row == ROWS - 1 < held - 1 else SYMBOLS[_owner(count)]


def _owner(count: int) -> Side:
    return Side.LIGHT if count > 0 else Side.DARK
