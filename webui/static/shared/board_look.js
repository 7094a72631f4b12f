// From which side the board is drawn, and in which colors: as it lies and in the set's own, until
// somebody chooses otherwise on this device.

import { byId } from "./dom.js";
import { store, stored } from "./stored.js";

// "ink" is legible on "frame", and both sides' checkers stand out from the field and its points.
const THEMES = {
  green: { light: "#f7efdc", dark: "#2b2624", field: "#3b6b4d", odd: "#b8895a", even: "#8d2f2a", frame: "#3f2a1c", ink: "#ffffff" },
  blue: { light: "#fbf7ec", dark: "#1d1f24", field: "#7f9bb3", odd: "#34506b", even: "#d3dde6", frame: "#1f2d3d", ink: "#ffffff" },
  contrast: { light: "#ffffff", dark: "#000000", field: "#8a8f94", odd: "#5c6166", even: "#b9bec3", frame: "#000000", ink: "#ffffff" },
};
let theme = null;

/** The colors to draw with: those of the chosen theme, else the set's own. */
export const themed = (colours) => THEMES[theme] ?? colours;

/** Lets the reader choose, on a page with the choices; redraw(): the colors have changed. */
export function bindBoardLook(board, redraw) {
  const bind = (name, apply) => {
    const select = byId(name);
    select.value = stored(name) ?? "";
    // What an older or a newer version stored may be none of the choices.
    if (select.selectedIndex < 0) select.value = "";
    apply(select.value);
    select.addEventListener("change", () => {
      store(name, select.value);
      apply(select.value);
      redraw();
    });
  };
  bind("board-view", (view) => board.setView(view));
  bind("board-theme", (chosen) => {
    theme = chosen;
    if (theme) board.setColours(themed({}));
  });
}
