// The position as it stands on the board, set by tapping.

import { ask } from "../shared/api.js";
import { byId } from "../shared/dom.js";
import { offOf } from "../shared/play_item.js";
import { numbersOf, pilesOf, saidOf } from "./places.js";
import { _ } from "../shared/i18n.js";

const SIDES = ["light", "dark"];
const FULL = 15;
const sum = (counts) => counts.reduce((a, b) => a + b, 0);
const picked = (name) => document.querySelector(`#position-form [name=${name}]:checked`);

export class PositionEditor {
  // redraw(): the board is to be drawn again; done(now): the position is set.
  constructor({ redraw, done }) {
    Object.assign(this, { redraw, done, draft: null, spot: null });
    byId("position-form").addEventListener("submit", (event) => { event.preventDefault(); this.set(); });
    byId("position-form").addEventListener("change", () => this.redraw());
    byId("position-clear").addEventListener("click", () => this.clear());
    byId("position-reset").addEventListener("click", () => this.begin(this.state));
    byId("spot-less").addEventListener("click", () => this.spot && this.change(this.spot, -1));
    byId("spot-more").addEventListener("click", () => this.spot && this.change(this.spot, 1));
  }

  get side() { return picked("side").value; }

  follow(state) {
    this.state = state;
    for (const side of SIDES) {
      for (const name of document.querySelectorAll(`#position-form [data-name=${side}]`)) {
        name.textContent = state.players[side];
      }
    }
  }

  begin(state) {
    const { position } = state;
    this.full = position ? sum(position.light) : FULL;
    this.draft = position
      ? { light: [...position.light], dark: [...position.dark] }
      : { light: Array(26).fill(0), dark: Array(26).fill(0) };
    const next = document.querySelector(`#position-form [name=next][value="${state.to_move ?? ""}"]`);
    next.checked = true;
    this.spot = null;
    this.tell("");
    this.redraw();
  }

  clear() {
    for (const side of SIDES) this.draft[side].fill(0);
    this.redraw();
  }

  swap() {
    const other = document.querySelector("#position-form [name=side]:not(:checked)");
    other.checked = true;
    this.redraw();
  }

  // A tray and a bar belong to a side, whichever is being set.
  sideAt(cell) {
    return SIDES.find((side) => cell.endsWith(`-${side}`)) ?? this.side;
  }

  change(cell, by) {
    const side = this.sideAt(cell);
    const place = this.state.shown.cells[side].indexOf(cell);
    const counts = this.draft[side];
    counts[place] = Math.min(FULL, Math.max(0, counts[place] + by));
    this.spot = cell;
    this.redraw();
  }

  get held() {
    const none = { side: null, legal: true, left: {}, reached: {} };
    const { cells } = this.state.shown;
    return {
      piles: pilesOf(this.draft, cells), off: offOf(this.draft), numbers: numbersOf(cells, this.side),
      marks: none, dice: [], cube: null,
    };
  }

  words(cell) {
    const place = saidOf(cell, this.sideAt(cell), this.draft, this.state);
    return _("{place}: add one; Delete takes one away", { place });
  }

  get marks() {
    return this.spot ? { [this.spot]: "chosen" } : {};
  }

  show() {
    for (const side of SIDES) {
      const count = sum(this.draft[side]);
      const told = byId(`count-${side}`);
      told.textContent = _("{count} of {all}", { count, all: this.full });
      told.dataset.right = count === this.full;
    }
    const wrong = SIDES.filter((side) => sum(this.draft[side]) !== this.full);
    byId("position-set").setAttribute("aria-disabled", String(wrong.length > 0));
    const spot = this.spot && this.draft[this.sideAt(this.spot)];
    byId("spot-words").textContent = spot
      ? saidOf(this.spot, this.sideAt(this.spot), this.draft, this.state)
      : _("Tap a point to add a checker");
    for (const id of ["spot-less", "spot-more"]) byId(id).disabled = !spot;
  }

  tell(words) {
    byId("position-answer").textContent = words;
  }

  wrong() {
    const side = SIDES.find((one) => sum(this.draft[one]) !== this.full);
    if (!side) return "";
    const count = sum(this.draft[side]);
    return _("{name} has {count} checkers on the board, the bar and off: there must be {all}.", {
      name: this.state.players[side], count, all: this.full,
    });
  }

  async set() {
    this.tell(this.wrong());
    if (this.wrong()) return;
    const next = picked("next").value || null;
    const { ok, told, message } = await ask("/api/desk/position", { ...this.draft, to_move: next });
    this.tell(ok ? "" : message);
    if (ok) this.done(told);
  }
}
