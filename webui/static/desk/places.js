// Places of the board: what stands on them, for the drawing and in words.

import { _ } from "../shared/i18n.js";

const COUNTED = {
  light: (count) => _("{count} light", { count }),
  dark: (count) => _("{count} dark", { count }),
};

export function pilesOf(position, cells) {
  return ["light", "dark"].flatMap((side) => (
    position[side].map((count, place) => ({ cell: cells[side][place], side, count }))
      .filter(({ cell, count }) => count && !cell.startsWith("off"))));
}

// The rim's numbers of light's points 1..24, counted by `side`.
export const numbersOf = (cells, side) => (
  Array.from({ length: 24 }, (_, n) => cells[side].indexOf(String(n + 1))));

function placeWords(cell, side, { shown, players }) {
  if (cell.startsWith("bar")) return _("Bar, {name}", { name: players[cell.slice(4)] });
  if (cell.startsWith("off")) return _("Borne off, {name}", { name: players[cell.slice(4)] });
  return _("{number} point", { number: shown.cells[side].indexOf(cell) });
}

// A place by `side`'s numbers and who stands on it.
export function saidOf(cell, side, position, state) {
  const standing = ["light", "dark"].flatMap((one) => {
    const place = state.shown.cells[one].indexOf(cell);
    const count = place < 0 ? 0 : position[one][place];
    return count ? [COUNTED[one](count)] : [];
  });
  return `${placeWords(cell, side, state)}, ${standing.join(_(" and ")) || _("empty")}`;
}
