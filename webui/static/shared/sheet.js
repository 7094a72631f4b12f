// The score sheet: the rows of one game, and a tab for each game of the match.

import { request } from "./api.js";
import { byId, changed, fill, fromTemplate, setText } from "./dom.js";
import { language } from "./i18n.js";

// Rows are updated in place, the server's too: rebuilding those of a long match takes a phone 0.1 s.
function showRows(rows) {
  const body = byId("sheet-rows");
  while (body.rows.length > rows.length) body.deleteRow(-1);
  rows.forEach((line, n) => fillRow(body.rows[n] ?? body.appendChild(fromTemplate("row")), line));
}

function fillRow(row, line) {
  setText(row.cells[0], line.number);
  [line.light, line.dark].forEach((turn, column) => fillTurn(row.cells[column + 1], turn));
}

function fillTurn(cell, turn) {
  const dice = (turn?.dice ?? []).map((face) => face ?? "?").join("");
  fill(cell, { dice, play: turn?.text });
  cell.id = turn?.id ? `turn-${turn.id}` : "";
  cell.dataset.kind = turn?.kind ?? "";
  cell.toggleAttribute("data-looked", looked !== null && cell.id === looked);
  for (const flag of ["illegal", "review"]) setFlag(cell, flag, Boolean(turn?.[flag]));
}

let looked = null;

/** Marks the move whose position is on the board, wherever its cell is; null: none. */
export function markLooked(id) {
  looked = id;
  for (const cell of document.querySelectorAll(".turn")) cell.toggleAttribute("data-looked", looked !== null && cell.id === looked);
}

function setFlag(cell, flag, isSet) {
  if (cell.dataset[flag] === String(isSet)) return;
  cell.dataset[flag] = isSet;
  cell.querySelector(`.tag-${flag}`)?.remove();
  if (isSet) cell.append(fromTemplate(`tag-${flag}`));
}

export class ScoreSheet {
  // asks: what an earlier game is asked for with, such as "as=viewer".
  constructor(asks) {
    Object.assign(this, { asks, games: [], chosen: null, follows: true });
    this.frame = byId("sheet-scroll");
    this.bindTabs();
    // The sheet follows the game, unless somebody has scrolled up to read.
    const observer = new ResizeObserver(() => this.toEnd());
    this.frame.addEventListener("scroll", () => {
      this.follows = this.frame.scrollHeight - this.frame.scrollTop - this.frame.clientHeight < 40;
    });
    for (const part of [this.frame, byId("sheet-rows")]) observer.observe(part);
  }

  toEnd() {
    if (this.follows && this.chosen === null) this.frame.scrollTop = this.frame.scrollHeight;
  }

  /** Shows a state: its newest game, or the one that somebody has chosen. */
  show({ moves, shown }) {
    this.games = shown.games;
    this.moves = moves;
    if (changed("sheet-tabs", this.games.map((game) => game.number))) this.makeTabs();
    if (this.chosen === null || this.chosen >= this.games.length) this.showNewest();
    else if (changed("sheet-earlier", this.games)) this.showEarlier(this.chosen);
  }

  makeTabs() {
    byId("sheet-tabs").hidden = this.games.length < 2;
    byId("sheet-tabs").replaceChildren(...this.games.map((game) => fromTemplate("sheet-tab", game)));
    this.bindTabs();
  }

  bindTabs() {
    [...byId("sheet-tabs").children].forEach((tab, n, all) => {
      tab.addEventListener("click", () => (n === all.length - 1 ? this.showNewest() : this.showEarlier(n + 1)));
    });
  }

  showNewest() {
    this.chosen = null;
    this.mark();
    if (changed("moves", this.moves)) showRows(this.moves);
    this.toEnd();
  }

  async showEarlier(number) {
    this.chosen = number;
    this.mark();
    const { ok, body } = await request(`/api/games/${number}?${this.asks}&lang=${language}`);
    if (!ok || this.chosen !== number) return;
    changed("moves", body.rows);
    showRows(body.rows);
    this.frame.scrollTop = 0;
  }

  /** Marks the tab of the game that is shown, and writes what is known of the game. */
  mark() {
    const number = this.chosen ?? this.games.length;
    const tabs = byId("sheet-tabs");
    [...tabs.children].forEach((tab, n) => tab.setAttribute("aria-pressed", n + 1 === number));
    // A long match has more tabs than the line has room for.
    const pressed = tabs.children[number - 1];
    if (pressed && changed("sheet-tab", number)) tabs.scrollLeft = pressed.offsetLeft - (tabs.clientWidth - pressed.clientWidth) / 2;
    const game = this.games[number - 1];
    setText(byId("sheet-note"), game?.note);
    setText(byId("sheet-end"), game?.end);
  }
}
