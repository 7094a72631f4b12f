"""Draws how the cup is wired: `python hardware/firmware/wiring.py > docs/images/cup-wiring.svg`.

The pins are those of avr/main.c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape


@dataclass(frozen=True, slots=True)
class Wire:
    """A wire from a pin of the board through a part to its other end."""

    pin: str
    """As printed on an Uno or Nano."""
    port: str
    """As in avr/main.c; empty for power."""
    part: str
    far_end: str
    is_optional: bool = False


WIRES: Final = (
    Wire("D2", "PD2", "ball switch: rattles when shaken", "GND"),
    Wire("D3", "PD3", "reed switch in the cup, magnet in the base", "GND"),
    Wire("D4", "PD4", "tilt switch: closed mouth down", "GND"),
    Wire("D5", "PD5", "330 ohm, red of the RGB LED", "GND", is_optional=True),
    Wire("D6", "PD6", "330 ohm, green of the RGB LED", "GND", is_optional=True),
    Wire("D7", "PD7", "330 ohm, blue of the RGB LED", "GND", is_optional=True),
    Wire("A0", "PC0", "5 cm of wire, or nothing: noise", "open"),
    Wire("A1", "PC1", "330 ohm, LED of the light player", "GND", is_optional=True),
    Wire("A2", "PC2", "330 ohm, LED of the dark player", "GND", is_optional=True),
    Wire("D10", "PB2", "latch: RCLK (12) of both 74HC595", "", is_optional=True),
    Wire("D11", "PB3", "data: SER (14) of the first 74HC595", "", is_optional=True),
    Wire("D13", "PB5", "clock: SRCLK (11) of both 74HC595", "", is_optional=True),
    Wire("5V", "", "Vcc (16) and SRCLR (10) of both 74HC595", "", is_optional=True),
    Wire("GND", "", "GND (8) and OE (13) of both 74HC595", "", is_optional=True),
)
NOTES: Final = (
    "QH' (9) of the first 74HC595 goes to SER (14) of the second. The first shows the first die.",
    "Of each, QA (15) to QG (6) go through 330 ohm and an LED to GND: top left, top right,",
    "middle left, middle, middle right, bottom left, bottom right.",
    "Dashed: optional. The chip's pull-ups are on: no switch needs a resistor.",
)
ROW: Final = 34
TOP: Final = 56
WIDTH: Final = 760
STYLE: Final = (
    "text{font:14px system-ui,sans-serif;fill:#222}.soft{fill:#555;font-size:12px}"
    ".board{fill:#0b6e75}.pin{fill:#fff;font-weight:700}.part{fill:#fff;stroke:#222;stroke-width:1.5}"
    ".extra{stroke-dasharray:5 4}.wire{stroke:#222;stroke-width:2;fill:none}.ground{fill:#fbfaf7}"
)


def wiring_svg() -> str:
    """The drawing; dashed parts are optional."""
    rows = ROW * len(WIRES)
    tall = TOP + rows + 92
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {tall}" role="img" '
        f'aria-label="Wiring of the dice cup, pin by pin"><style>{STYLE}</style>',
        f'<rect class="ground" width="{WIDTH}" height="{tall}"/>',
        '<text x="20" y="34">Arduino Uno or Nano (ATmega328P, 16 MHz, 5 V)</text>',
        f'<rect class="board" x="20" y="{TOP - 8}" width="150" height="{rows + 4}" rx="8"/>',
    ]
    parts += [_row(number, wire) for number, wire in enumerate(WIRES)]
    below = TOP + rows + 22
    parts += [
        f'<text class="soft" x="20" y="{below + 18 * number}">{escape(note)}</text>'
        for number, note in enumerate(NOTES)
    ]
    return "\n".join((*parts, "</svg>")) + "\n"


def _row(number: int, wire: Wire) -> str:
    middle = TOP + ROW * number + 10
    extra = " extra" if wire.is_optional else ""
    end = (
        f'<path class="wire" d="M620 {middle}h50"/>'
        f'<text x="678" y="{middle + 5}">{escape(wire.far_end)}</text>'
        if wire.far_end
        else ""
    )
    return (
        f'<text class="pin" x="34" y="{middle + 5}">{escape(wire.pin)}</text>'
        f'<text class="pin" x="160" y="{middle + 5}" text-anchor="end">{escape(wire.port)}</text>'
        f'<path class="wire" d="M170 {middle}h90"/>'
        f'<rect class="part{extra}" x="260" y="{middle - 13}" width="360" height="26" rx="5"/>'
        f'<text x="272" y="{middle + 5}">{escape(wire.part)}</text>{end}'
    )


if __name__ == "__main__":
    print(wiring_svg(), end="")
