// What entering the turn in progress and correcting a recorded one share: a play that is tapped on
// the board, typed, or chosen among the legal ones.

import { byId } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { BoardPlayEntry } from "./board_play_entry.js";

/** The base of both: a subclass has `makeItem(play)`, the list item that chooses a legal play. */
export class PlayForm {
  // prefix: of the ids of its elements; redraw(): the board is to be drawn again; onDone(status,
  // text): something is recorded.
  constructor(board, prefix, { redraw, onDone }) {
    Object.assign(this, { board, prefix, redraw, onDone, turn: null, state: null, plays: [], entry: null });
    this.answer = this.element("answer");
    this.element("any").addEventListener("change", () => this.startTapping());
    this.element("legal").addEventListener("toggle", () => this.showLegalPlays());
  }

  element(name) {
    return byId(`${this.prefix}-${name}`);
  }

  get isTapping() { return this.entry !== null; }

  get marks() { return this.entry.marks; }

  label(cell) { return this.entry.label(cell); }

  startTapping() {
    if (!this.turn) return;
    this.entry = new BoardPlayEntry(this.turn, this.element("any").checked ? [] : this.plays, this.state);
    this.showTapping();
    this.redraw();
  }

  press(cell, isSmaller = false) {
    this.take(this.entry.press(cell, isSmaller));
  }

  /** Whether a checker of the cell may be dragged. */
  lift(cell) {
    const isMovable = this.entry.lift(cell);
    this.redraw();
    return isMovable;
  }

  /** A checker that was lifted is put down; cell: null beside the board. */
  drop(cell) {
    const isPossible = this.entry.drop(cell);
    if (cell) this.take(isPossible);
    else this.redraw();
  }

  /** Takes back the last tap. */
  undo() {
    this.entry.undo();
    this.take(true);
  }

  take(isPossible) {
    this.answer.textContent = isPossible ? "" : _("No legal play of this roll does that. Check “Illegal, but it was played” below if it was played anyway.");
    if (isPossible && this.entry.isBetweenMoves) this.element("notation").value = this.entry.isBegun ? this.entry.notation : "";
    this.showTapping();
    this.redraw();
  }

  /** Shows what to do next, and the plays to choose from where several have this result. */
  showTapping() {
    const completed = this.entry.completed();
    this.element("hint").textContent = this.entry.hint;
    this.element("results").replaceChildren(...completed.length > 1 ? completed.map((play) => this.makeItem(play)) : []);
  }

  // A double may have a hundred plays: they are drawn when they are looked at.
  showLegalPlays() {
    const plays = this.element("legal").open ? this.plays : [];
    this.element("legal-count").textContent = this.plays.length;
    this.element("legal-plays").replaceChildren(...plays.map((play) => this.makeItem(play)));
  }
}
