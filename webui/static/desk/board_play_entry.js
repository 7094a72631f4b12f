// A play that is tapped on the board: what may be pressed, what is drawn, what to do next.

import { _, playText } from "../shared/i18n.js";
import { borneOff } from "../shared/play_item.js";
import { pointNumbers } from "../shared/point_numbers.js";
import { pilesOf, placeLabel } from "./places.js";
import { PlayBuilder } from "./play_builder.js";

/** The marks of a board that shows no play. */
export const NO_MARKS = { side: null, legal: true, left: {}, reached: {} };

export class BoardPlayEntry {
  // turn: {player, before, dice}; plays: the legal ones, empty where any move may be tapped.
  constructor(turn, plays, state) {
    const { cells } = state.shown;
    const opponent = turn.player === "light" ? "dark" : "light";
    const across = (place) => cells[opponent].indexOf(cells[turn.player][place]);
    Object.assign(this, { turn, state, builder: new PlayBuilder(turn, plays, across) });
  }

  get notation() { return this.builder.notation; }

  get isBegun() { return this.builder.moves.length > 0; }

  /** The only legal play left; null if there are several. */
  get only() { return this.builder.only; }

  get isBetweenMoves() { return this.builder.source === null; }

  completed() { return this.builder.completed(); }

  place(cell) {
    return this.state.shown.cells[this.turn.player].indexOf(cell);
  }

  /** Whether the cell could be pressed; isSmaller: it was held, for the smaller die. */
  press(cell, isSmaller = false) {
    const place = this.place(cell);
    return place >= 0 && this.builder.tap(place, isSmaller);
  }

  /** Whether a checker of the cell may be dragged; then its targets are marked. */
  lift(cell) {
    const place = this.place(cell);
    const isMovable = this.builder.sources().has(place);
    this.builder.source = isMovable ? place : null;
    return isMovable;
  }

  /** Whether the checker that was lifted may be put down there. */
  drop(cell) {
    const isPossible = this.builder.targets().has(this.place(cell));
    if (isPossible) this.press(cell);
    this.builder.source = null;
    return isPossible;
  }

  undo() { this.builder.undo(); }

  get marks() {
    const own = this.state.shown.cells[this.turn.player];
    const { source } = this.builder;
    const marked = (places, mark) => [...places].map((place) => [own[place], mark]);
    if (source === null) return Object.fromEntries(marked(this.builder.sources(), "source"));
    return Object.fromEntries([...marked(this.builder.targets(), "target"), [own[source], "chosen"]]);
  }

  label(cell) {
    const mark = { source: _(", may have moved"), target: _(", may have come here"), chosen: _(", chosen") }[this.marks[cell]] ?? "";
    return `${placeLabel(cell, this.turn.player, this.builder.position, this.state)}${mark}`;
  }

  /** What to do next. */
  get hint() {
    const completed = this.completed();
    if (completed.length === 1) return _("{play}: record it with the button below, or keep tapping.", { play: playText(completed[0].play) });
    if (completed.length > 1) return _("Several plays end like this: choose one.");
    if (this.builder.source !== null) return _("Tap where it is now.");
    return this.isBegun ? _("Tap the next checker that moved.") : _("Tap the checker that moved: it goes by the larger die. Hold it for the smaller one, or drag it.");
  }

  /** What the board shows instead of the state. */
  get drawing() {
    const { cells } = this.state.shown;
    const { position } = this.builder;
    return { numbers: pointNumbers(cells, this.turn.player), piles: pilesOf(position, cells), off: borneOff(position), marks: NO_MARKS };
  }
}
