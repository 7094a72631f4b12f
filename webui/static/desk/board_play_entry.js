// A turn that is tapped on the big board: what may be pressed, what is drawn, and what is said of it.

import { numbersOf, pilesOf, saidOf } from "./places.js";
import { offOf } from "../shared/play_item.js";
import { Taps } from "./play_builder.js";
import { _, playWords } from "../shared/i18n.js";

const NOTHING = { side: null, legal: true, left: {}, reached: {} };

export class Tapping {
  // turn: {player, before, dice}; plays: the legal ones, none where anything may be tapped.
  constructor(turn, plays, state) {
    Object.assign(this, { turn, state, taps: new Taps(turn, plays, turn.dice) });
  }

  get text() { return this.taps.text; }

  get isBegun() { return this.taps.moves.length > 0; }

  get isBetweenMoves() { return this.taps.source === null; }

  ended() { return this.taps.ended(); }

  // Whether the place could be pressed.
  press(cell) {
    const { cells } = this.state.shown;
    const { player } = this.turn;
    const rival = player === "light" ? "dark" : "light";
    const place = cells[player].indexOf(cell);
    const across = (own) => cells[rival].indexOf(cells[player][own]);
    return place >= 0 && this.taps.tap(place, across);
  }

  get marks() {
    const own = this.state.shown.cells[this.turn.player];
    const { source } = this.taps;
    const named = (places, mark) => [...places].map((place) => [own[place], mark]);
    if (source === null) return Object.fromEntries(named(this.taps.sources(), "source"));
    return Object.fromEntries([...named(this.taps.targets(), "target"), [own[source], "chosen"]]);
  }

  words(cell) {
    const mark = { source: _(", may have moved"), target: _(", may have come here"), chosen: _(", chosen") }[this.marks[cell]] ?? "";
    return `${saidOf(cell, this.turn.player, this.taps.now, this.state)}${mark}`;
  }

  // What is to be done next.
  get hint() {
    const ended = this.ended();
    if (ended.length === 1) return _("{play}: set it with the button below, or tap on.", { play: playWords(ended[0].play) });
    if (ended.length > 1) return _("These plays end like this; choose one.");
    if (this.taps.source !== null) return _("Tap where it stands now.");
    return this.isBegun ? _("Tap the next checker that moved.") : _("Tap the checker that moved.");
  }

  get held() {
    const { cells } = this.state.shown;
    const { now } = this.taps;
    return { numbers: numbersOf(cells, this.turn.player), piles: pilesOf(now, cells), off: offOf(now), marks: NOTHING };
  }
}
