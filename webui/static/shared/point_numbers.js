// The numbers on the rim: those of the player whose play is shown, or always one side's.

import { byId } from "./dom.js";
import { store, stored } from "./stored.js";

const STORAGE_KEY = "point-numbers";
let chosen = stored(STORAGE_KEY) ?? "";

/** The numbers counted by `side`, in the order of light's points 1 to 24. */
export const pointNumbers = (cells, side) => (
  Array.from({ length: 24 }, (_element, n) => cells[side].indexOf(String(n + 1))));

/** The numbers to show instead of `numbers`, if somebody has chosen a side. */
export const shownNumbers = (numbers, cells) => (chosen && cells ? pointNumbers(cells, chosen) : numbers);

/** Lets the reader choose; onChange(): the numbers are to be drawn again. */
export function bindPointNumbers(onChange) {
  const select = byId("point-numbers");
  select.value = chosen;
  select.addEventListener("change", () => {
    chosen = select.value;
    store(STORAGE_KEY, chosen);
    onChange();
  });
}
