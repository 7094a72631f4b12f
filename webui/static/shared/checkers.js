// The checkers on points and bar. An element always stands where the position says; a movement
// is only an animation laid over that, so that an interrupted one, or none at all, leaves the
// board right.

import { draw, set, translate } from "./svg.js";

const MOVE_MS = 460;
const STAGGER_MS = 110;
// More than a double's four and four hit: a new game or a correction, which is not a movement.
const MOST_MOVED = 8;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const key = ({ side, cell }) => `${side} ${cell}`;
const pixels = ({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` });

// How far a side's checker still has to go, the bar furthest: those that left and those that
// came are paired in this order, the hindmost with the hindmost.
function distance(side, cell) {
  if (cell.startsWith("bar")) return 25;
  return side === "light" ? Number(cell) : 25 - cell;
}

// One taken from the count of `name`, if there is any.
function take(counts, name) {
  const left = counts.get(name) ?? 0;
  counts.set(name, left - 1);
  return left > 0;
}

export class Checkers {
  // `place(cell, index)` is where the checker of that height in a pile stands.
  // isStill: nothing is animated, ever.
  constructor(layer, place, isStill = false) {
    Object.assign(this, { layer, place, isStill });
    this.pieces = [...layer.children].map((element) => ({ element, ...element.dataset }));
    this.settle([]);
  }

  show(piles) {
    const wanted = new Map(piles.map((pile) => [key(pile), pile.count]));
    const movers = this.pieces.filter((piece) => !take(wanted, key(piece)));
    const places = piles.flatMap((pile) => (
      Array.from({ length: Math.max(0, wanted.get(key(pile))) }, () => pile)));
    this.pieces = this.pieces.filter((piece) => !movers.includes(piece));
    this.still = this.isStill || calm.matches || document.hidden || movers.length + places.length > 2 * MOST_MOVED;
    const arrived = ["light", "dark"].flatMap((side) => this.pair(
      side,
      movers.filter((piece) => piece.side === side),
      places.filter((place) => place.side === side),
    ));
    // Those that stay keep the lower places of a pile; those that arrive go on top.
    this.pieces.push(...arrived);
    this.settle(arrived);
  }

  pair(side, movers, places) {
    const hindmost = (a, b) => distance(side, b.cell) - distance(side, a.cell);
    const free = movers.sort(hindmost);
    const arrived = places.sort(hindmost).map(({ cell }) => {
      const piece = free.shift() ?? this.enter(side);
      piece.cell = piece.element.dataset.cell = cell;
      // The last drawn lies on top.
      this.layer.append(piece.element);
      return piece;
    });
    free.forEach((piece) => this.leave(piece));
    return arrived;
  }

  enter(side) {
    const element = draw("use", { href: `#checker-${side}`, "data-side": side });
    return { element, side, at: this.place(`off-${side}`, 0) };
  }

  leave({ element, side, at }) {
    delete element.dataset.cell;
    const flight = this.animate(element, at, this.place(`off-${side}`, 0), 0);
    // A cancelled flight rejects; the checker is gone all the same.
    if (flight) flight.finished.finally(() => element.remove()).catch(() => {});
    else element.remove();
  }

  settle(arrived) {
    const heights = new Map();
    for (const piece of this.pieces) {
      const height = heights.get(piece.cell) ?? 0;
      heights.set(piece.cell, height + 1);
      const from = piece.at;
      piece.at = this.place(piece.cell, height);
      set(piece.element, "transform", translate(piece.at));
      const turn = arrived.indexOf(piece);
      if (turn >= 0) this.animate(piece.element, from, piece.at, turn * STAGGER_MS);
    }
  }

  animate(element, from, to, delay) {
    element.getAnimations().forEach((running) => running.cancel());
    if (this.still) return null;
    const timing = { duration: MOVE_MS, delay, fill: "both", easing: "cubic-bezier(.3, .1, .2, 1)" };
    const flight = element.animate([pixels(from), pixels(to)], timing);
    // Held to its end only so that a leaving checker does not jump back before it is removed.
    flight.finished.then(() => { if (element.dataset.cell) flight.cancel(); }, () => {});
    return flight;
  }
}
