// What occupies the places of the board, for the drawing and for screen readers.

import { _ } from "../shared/i18n.js";

const SIDES = ["light", "dark"];
const COUNTS = {
  light: (count) => _("{count} light", { count }),
  dark: (count) => _("{count} dark", { count }),
};

/** The piles on the points and the bar: [{cell, side, count}]. */
export function pilesOf(position, cells) {
  return SIDES.flatMap((side) => (
    position[side].map((count, place) => ({ cell: cells[side][place], side, count }))
      .filter(({ cell, count }) => count && !cell.startsWith("off"))));
}

function placeName(cell, side, { shown, players }) {
  if (cell.startsWith("bar")) return _("Bar, {name}", { name: players[cell.slice(4)] });
  if (cell.startsWith("off")) return _("Borne off, {name}", { name: players[cell.slice(4)] });
  return _("{number} point", { number: shown.cells[side].indexOf(cell) });
}

/** The name of a place, counted by `side`, and what is on it. */
export function placeLabel(cell, side, position, state) {
  const counts = SIDES.flatMap((one) => {
    const place = state.shown.cells[one].indexOf(cell);
    const count = place < 0 ? 0 : position[one][place];
    return count ? [COUNTS[one](count)] : [];
  });
  return `${placeName(cell, side, state)}, ${counts.join(_(" and ")) || _("empty")}`;
}
