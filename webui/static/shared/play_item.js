// A play as a list item, with a small board that shows it.

import { Board } from "./board.js";
import { fromTemplate } from "./dom.js";
import { playText } from "./i18n.js";

const LAYERS = ["trays", "ghosts", "checkers", "labels", "marks", "cube", "dice"];

/** A still copy of the drawing, with nothing on it. */
export function smallBoard(board) {
  const drawing = board.drawing.cloneNode(true);
  for (const name of ["id", "aria-label", "aria-describedby", "role"]) drawing.removeAttribute(name);
  drawing.setAttribute("aria-hidden", "true");
  for (const name of LAYERS) drawing.querySelector(`.${name}`).replaceChildren();
  return new Board(drawing, { isStill: true });
}

/** How many checkers each side has borne off. */
export const borneOff = (position) => ({ light: position.light[0], dark: position.dark[0] });

/** The play as a copy of `template`, which has a [data-small-board] and fields `play`, `percent`. */
export function makePlayItem(board, template, { play, piles, position, marks, played }, fields = {}) {
  const node = fromTemplate(template, { play: playText(play), ...fields });
  node.dataset.play = play;
  node.dataset.played = Boolean(played);
  if (position) {
    const small = smallBoard(board);
    board.lead(small);
    small.drawPosition({ piles, off: borneOff(position), marks });
    node.querySelector("[data-small-board]").append(small.drawing);
  }
  return node;
}
