// What only the live page shows: review items, the score sheet, what the program waits for.

import { byId, changed, fill, fromTemplate, renderList, setText, textItem, write } from "../shared/dom.js";
import { playText } from "../shared/i18n.js";
import { showMatch } from "../shared/match_status.js";

function makeOption(option) {
  const node = fromTemplate("option", option);
  node.querySelector(".share-part").setAttribute("width", 100 * option.share);
  return node;
}

function makeReviewItem(item) {
  const node = fromTemplate("review-item", item);
  node.dataset.kind = item.kind;
  node.querySelector("a").href = `#turn-${item.id}`;
  node.querySelector(".options").replaceChildren(...item.options.map(makeOption));
  return node;
}

function showReview(items) {
  byId("badge").hidden = byId("review").hidden = items.length === 0;
  write("review-count", items.length);
  renderList("review-items", items, makeReviewItem);
}

// Rows are updated in place, the server's too: rebuilding those of a long match takes a phone 0.1 s.
function showMoves(moves) {
  const body = document.querySelector("[data-list=moves]");
  while (body.rows.length > moves.length) body.deleteRow(-1);
  moves.forEach((line, n) => fillRow(body.rows[n] ?? body.appendChild(fromTemplate("row")), line));
}

function fillRow(row, line) {
  setText(row.cells[0], line.number);
  [line.light, line.dark].forEach((turn, column) => fillTurn(row.cells[column + 1], turn));
}

function fillTurn(cell, turn) {
  const dice = (turn?.dice ?? []).map((face) => face ?? "?").join("");
  fill(cell, { dice, play: turn ? playText(turn.play) : "" });
  cell.id = turn ? `turn-${turn.id}` : "";
  for (const flag of ["illegal", "review"]) setFlag(cell, flag, Boolean(turn?.[flag]));
}

function setFlag(cell, flag, isSet) {
  if (cell.dataset[flag] === String(isSet)) return;
  cell.dataset[flag] = isSet;
  cell.querySelector(`.tag-${flag}`)?.remove();
  if (isSet) cell.append(fromTemplate(`tag-${flag}`));
}

// The sheet follows the game, unless somebody has scrolled up to read.
const sheet = byId("sheet-scroll");
let follows = true;
const observer = new ResizeObserver(() => { if (follows) sheet.scrollTop = sheet.scrollHeight; });
sheet.addEventListener("scroll", () => {
  follows = sheet.scrollHeight - sheet.scrollTop - sheet.clientHeight < 40;
});
for (const part of [sheet, sheet.querySelector("table")]) observer.observe(part);

/** Everything on the page but the board and the camera's picture. */
export function showPanels(state) {
  const { shown } = state;
  byId("main").dataset.board = state.position ? "yes" : "no";
  document.title = shown.title;
  showMatch(state);
  renderList("lines", shown.lines, textItem);
  showReview(shown.doubts);
  if (changed("moves", state.moves)) showMoves(state.moves);
  write("record", state.record.path);
  byId("record").hidden = !state.record.path;
}
