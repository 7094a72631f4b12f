// The position on the board, set by tapping.

import { submit } from "../shared/api.js";
import { byId, checkedValue, onSubmit } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { borneOff } from "../shared/play_item.js";
import { NO_MARKS } from "./board_play_entry.js";
import { pointNumbers } from "../shared/point_numbers.js";
import { pilesOf, placeLabel } from "./places.js";

const SIDES = ["light", "dark"];
const CHECKERS = 15;
const sum = (counts) => counts.reduce((a, b) => a + b, 0);
const form = byId("position-form");

export class PositionEditor {
  // redraw(): the board is to be drawn again; onDone(status): the position is set.
  constructor({ redraw, onDone }) {
    Object.assign(this, { redraw, onDone, draft: null, chosen: null, answer: byId("position-answer") });
    this.isTouched = false;
    onSubmit(form, () => this.send());
    form.addEventListener("change", () => {
      this.isTouched = true;
      this.redraw();
    });
    byId("position-clear").addEventListener("click", () => this.clear());
    byId("position-reset").addEventListener("click", () => this.open(this.state));
    byId("spot-less").addEventListener("click", () => this.chosen && this.change(this.chosen, -1));
    byId("spot-more").addEventListener("click", () => this.chosen && this.change(this.chosen, 1));
  }

  get side() { return checkedValue(form, "side"); }

  // What nothing was changed in follows the match: an undo may be on its way when it is opened.
  update(state) {
    this.state = state;
    if (this.draft && !this.isTouched) this.begin(state);
    for (const name of form.querySelectorAll("[data-name]")) name.textContent = state.players[name.dataset.name];
  }

  open(state) {
    this.begin(state);
    this.answer.textContent = "";
    this.redraw();
  }

  /** Begins with the position of `state`, or with an empty board. */
  begin({ position, to_move: next }) {
    this.total = position ? sum(position.light) : CHECKERS;
    const counts = (side) => (position ? [...position[side]] : Array(26).fill(0));
    this.draft = { light: counts("light"), dark: counts("dark") };
    form.querySelector(`[name=next][value="${next ?? ""}"]`).checked = true;
    this.chosen = null;
    this.isTouched = false;
  }

  clear() {
    for (const side of SIDES) this.draft[side].fill(0);
    this.isTouched = true;
    this.redraw();
  }

  swapSides() {
    form.querySelector("[name=side]:not(:checked)").checked = true;
    this.redraw();
  }

  // A tray and a bar belong to a side, whichever side is being set.
  sideAt(cell) {
    return SIDES.find((side) => cell.endsWith(`-${side}`)) ?? this.side;
  }

  change(cell, by) {
    const side = this.sideAt(cell);
    const place = this.state.shown.cells[side].indexOf(cell);
    const counts = this.draft[side];
    counts[place] = Math.min(CHECKERS, Math.max(0, counts[place] + by));
    this.chosen = cell;
    this.isTouched = true;
    this.redraw();
  }

  /** What the board shows instead of the state. */
  get drawing() {
    const { cells } = this.state.shown;
    return {
      piles: pilesOf(this.draft, cells), off: borneOff(this.draft), numbers: pointNumbers(cells, this.side),
      marks: NO_MARKS, dice: [], cube: null,
    };
  }

  placeLabel(cell) {
    return placeLabel(cell, this.sideAt(cell), this.draft, this.state);
  }

  label(cell) {
    return _("{place}: add one; Delete removes one", { place: this.placeLabel(cell) });
  }

  get marks() {
    return this.chosen ? { [this.chosen]: "chosen" } : {};
  }

  get incompleteSides() {
    return SIDES.filter((side) => sum(this.draft[side]) !== this.total);
  }

  /** Shows the counts, and what is on the chosen place. */
  show() {
    for (const side of SIDES) {
      const count = sum(this.draft[side]);
      byId(`count-${side}`).textContent = _("{count} of {all}", { count, all: this.total });
      byId(`count-${side}`).dataset.right = count === this.total;
    }
    byId("position-set").setAttribute("aria-disabled", String(this.incompleteSides.length > 0));
    byId("spot-words").textContent = this.chosen ? this.placeLabel(this.chosen) : _("Tap a point to add a checker");
    for (const id of ["spot-less", "spot-more"]) byId(id).disabled = !this.chosen;
  }

  async send() {
    const [side] = this.incompleteSides;
    if (side) {
      this.answer.textContent = _("{name} needs {all} checkers on the board, on the bar and borne off, not {count}.", {
        name: this.state.players[side], count: sum(this.draft[side]), all: this.total,
      });
      return;
    }
    const position = { ...this.draft, to_move: checkedValue(form, "next") || null };
    const status = await submit("/api/desk/position", position, this.answer);
    if (status) this.onDone(status);
  }
}
