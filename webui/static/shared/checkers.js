// The checkers on points and bar. An element is always where the position says; a movement is an
// animation over that, so the board is right when one is interrupted or none runs.

import { setAttribute, svg, translate } from "./svg.js";

const MOVE_MS = 460;
const STAGGER_MS = 110;
// A double moves four and may hit four; more is a new game or a correction, not a movement.
const MAX_MOVED = 8;
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

const pileKey = ({ side, cell }) => `${side} ${cell}`;
const transformOf = ({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` });

// How far a checker still has to go, the bar furthest: those that left and those that arrived are
// paired in this order, the hindmost with the hindmost.
function distance(side, cell) {
  if (cell.startsWith("bar")) return 25;
  return side === "light" ? Number(cell) : 25 - cell;
}

// Decrements the count of `key`; returns whether it was above 0.
function take(counts, key) {
  const left = counts.get(key) ?? 0;
  counts.set(key, left - 1);
  return left > 0;
}

export class Checkers {
  // at(cell, index): where the checker number `index` of a pile lies; isStill: nothing is animated.
  constructor(layer, at, isStill = false) {
    Object.assign(this, { layer, at, isStill });
    this.pieces = [...layer.children].map((element) => ({ element, ...element.dataset }));
    this.place([]);
  }

  /** Moves the checkers to `piles`: [{side, cell, count}]. */
  show(piles) {
    const missing = new Map(piles.map((pile) => [pileKey(pile), pile.count]));
    const movers = this.pieces.filter((piece) => !take(missing, pileKey(piece)));
    const targets = piles.flatMap((pile) => (
      Array.from({ length: Math.max(0, missing.get(pileKey(pile))) }, () => pile)));
    this.pieces = this.pieces.filter((piece) => !movers.includes(piece));
    this.isAnimated = !this.isStill && !reducedMotion.matches && !document.hidden
      && movers.length + targets.length <= 2 * MAX_MOVED;
    const arrived = ["light", "dark"].flatMap((side) => this.pair(
      side,
      movers.filter((piece) => piece.side === side),
      targets.filter((target) => target.side === side),
    ));
    // Those that stay keep the lower places of a pile; those that arrive go on top.
    this.pieces.push(...arrived);
    this.place(arrived);
  }

  pair(side, movers, targets) {
    const hindmost = (a, b) => distance(side, b.cell) - distance(side, a.cell);
    const free = movers.sort(hindmost);
    const arrived = targets.sort(hindmost).map(({ cell }) => {
      const piece = free.shift() ?? this.enter(side);
      piece.cell = piece.element.dataset.cell = cell;
      // The last child is painted on top.
      this.layer.append(piece.element);
      return piece;
    });
    free.forEach((piece) => this.leave(piece));
    return arrived;
  }

  enter(side) {
    const element = svg("use", { href: `#checker-${side}`, "data-side": side });
    return { element, side, position: this.at(`off-${side}`, 0) };
  }

  leave({ element, side, position }) {
    delete element.dataset.cell;
    const animation = this.animate(element, position, this.at(`off-${side}`, 0), 0);
    // A cancelled animation rejects; the checker is gone all the same.
    if (animation) animation.finished.finally(() => element.remove()).catch(() => {});
    else element.remove();
  }

  place(arrived) {
    const heights = new Map();
    for (const piece of this.pieces) {
      const height = heights.get(piece.cell) ?? 0;
      heights.set(piece.cell, height + 1);
      const from = piece.position;
      piece.position = this.at(piece.cell, height);
      setAttribute(piece.element, "transform", translate(piece.position));
      const order = arrived.indexOf(piece);
      if (order >= 0) this.animate(piece.element, from, piece.position, order * STAGGER_MS);
    }
  }

  animate(element, from, to, delay) {
    element.getAnimations().forEach((running) => running.cancel());
    if (!this.isAnimated) return null;
    const timing = { duration: MOVE_MS, delay, fill: "both", easing: "cubic-bezier(.3, .1, .2, 1)" };
    const animation = element.animate([transformOf(from), transformOf(to)], timing);
    // Only a checker that leaves keeps the end state, so that it does not jump back before its removal.
    animation.finished.then(() => { if (element.dataset.cell) animation.cancel(); }, () => {});
    return animation;
  }
}
