// What only the page has in words: review, score sheet, what the program waits for.

import { byId, changed, copy, fill, list, write } from "../shared/dom.js";
import { showAlert, showCup, showLast, showPlayers } from "../shared/match_status.js";
import { playWords } from "../shared/i18n.js";

function makeLine(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

function makeOption(option) {
  const node = copy("option", option);
  node.querySelector(".share-part").setAttribute("width", 100 * option.share);
  return node;
}

function makeDoubt(doubt) {
  const node = copy("doubt", doubt);
  node.dataset.kind = doubt.kind;
  node.querySelector("a").href = `#turn-${doubt.id}`;
  node.querySelector(".options").replaceChildren(...doubt.options.map(makeOption));
  return node;
}

// Rows are written where they stand, the server's too: to make a long match's anew takes a phone
// a tenth of a second.
function showMoves(moves) {
  const body = document.querySelector("[data-list=moves]");
  while (body.rows.length > moves.length) body.deleteRow(-1);
  moves.forEach((line, n) => fillRow(body.rows[n] ?? body.appendChild(copy("row")), line));
}

function fillRow(row, line) {
  const number = String(line.number);
  if (row.cells[0].textContent !== number) row.cells[0].textContent = number;
  [line.light, line.dark].forEach((turn, column) => fillTurn(row.cells[column + 1], turn));
}

function fillTurn(cell, turn) {
  const dice = (turn?.dice ?? []).map((face) => face ?? "?").join("");
  fill(cell, { dice, play: turn ? playWords(turn.play) : "" });
  cell.id = turn ? `turn-${turn.id}` : "";
  for (const flag of ["illegal", "review"]) raise(cell, flag, Boolean(turn?.[flag]));
}

function raise(cell, flag, isRaised) {
  if (cell.dataset[flag] === String(isRaised)) return;
  cell.dataset[flag] = isRaised;
  cell.querySelector(`.tag-${flag}`)?.remove();
  if (isRaised) cell.append(copy(`tag-${flag}`));
}

function showReview(doubts) {
  byId("badge").hidden = byId("review").hidden = doubts.length === 0;
  write("doubt-count", doubts.length);
  list("doubts", doubts, makeDoubt);
}

// The sheet follows the game, unless somebody has scrolled up to read.
const sheet = byId("sheet-scroll");
let follows = true;
const observer = new ResizeObserver(() => { if (follows) sheet.scrollTop = sheet.scrollHeight; });
sheet.addEventListener("scroll", () => {
  follows = sheet.scrollHeight - sheet.scrollTop - sheet.clientHeight < 40;
});
for (const part of [sheet, sheet.querySelector("table")]) observer.observe(part);

export function showPanels(state) {
  const { shown } = state;
  const main = byId("main");
  main.dataset.phase = document.documentElement.dataset.phase = state.phase;
  main.dataset.board = state.position ? "yes" : "no";
  main.dataset.camera = state.by_hand ? "no" : "yes";
  document.title = shown.title;
  for (const name of ["headline", "variant", "source"]) write(name, shown[name]);
  list("lines", shown.lines, makeLine);
  showPlayers(state);
  showAlert(shown.alert);
  showCup(shown.cup);
  showLast(shown.last);
  showReview(shown.doubts);
  if (changed("moves", state.moves)) showMoves(state.moves);
  write("record", state.record.path ?? "");
  byId("record").hidden = !state.record.path;
  if (changed("spoken", shown.spoken.event)) byId("spoken").textContent = shown.spoken.event;
}
