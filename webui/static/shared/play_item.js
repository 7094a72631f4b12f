// Plays, each drawn as a small board.

import { Board } from "./board.js";
import { copy } from "./dom.js";
import { playWords } from "./i18n.js";

const LAYERS = ["trays", "ghosts", "checkers", "labels", "marks", "cube", "dice"];

function smallBoard(board) {
  const svg = board.svg.cloneNode(true);
  for (const name of ["id", "aria-label", "aria-describedby", "role"]) svg.removeAttribute(name);
  svg.setAttribute("aria-hidden", "true");
  for (const name of LAYERS) svg.querySelector(`.${name}`).replaceChildren();
  return new Board(svg, { still: true });
}

export const offOf = (position) => ({ light: position.light[0], dark: position.dark[0] });

// `template` has a [data-small-board] and fields `play`, `percent`.
export function drawPlay(board, template, { play, piles, position, marks, played }, fields = {}) {
  const node = copy(template, { play: playWords(play), ...fields });
  node.dataset.play = play;
  node.dataset.played = Boolean(played);
  if (position) {
    const small = smallBoard(board);
    small.lay({ piles, off: offOf(position), marks });
    node.querySelector("[data-small-board]").append(small.svg);
  }
  return node;
}
