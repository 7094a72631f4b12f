// The orientation of the board in a game joined midway: pictures of the possible ones, from which
// the referee chooses.

import { submit } from "../shared/api.js";
import { byId, fromTemplate, renderList } from "../shared/dom.js";
import { smallBoard } from "../shared/play_item.js";
import { svg } from "../shared/svg.js";

const NO_PLAY = { side: null, legal: true, left: {}, reached: {} };

// A home is half a point wider than the middles of its outer points, and ends at the rail.
function homeArea(board, side, cells) {
  const { widths, height, band } = board.geometry;
  const across = cells.map((cell) => board.at(cell, 0).x);
  const x = Math.min(...across) - widths.point / 2;
  const y = board.geometry.anchors[cells[0]].step > 0 ? band : height / 2;
  const size = { width: cells.length * widths.point, height: height / 2 - band };
  return svg("rect", { class: `home home-${side}`, x, y, ...size });
}

function makeNumbering(board, { turned, mirrored, sits, home, piles, off, homes, light, dark }) {
  const node = fromTemplate("numbering", { light, dark });
  const small = smallBoard(board);
  // As the camera sees it.
  small.setView("");
  small.setHome(home);
  small.drawPosition({ piles, off, marks: NO_PLAY });
  small.layer("ghosts").append(...Object.entries(homes).map(([side, cells]) => homeArea(small, side, cells)));
  node.querySelector("[data-small-board]").append(small.drawing);
  const button = node.querySelector("button");
  button.dataset.sits = sits;
  button.addEventListener("click", () => (
    submit("/api/desk/numbering", { turned, mirrored }, byId("numberings-answer"))));
  return node;
}

/** Shows the possible orientations, on a page that may choose. */
export function showNumberings(board, numberings) {
  if (!byId("numberings")) return;
  byId("numberings").hidden = numberings.length === 0;
  renderList("numberings", numberings, (one) => makeNumbering(board, one));
}
