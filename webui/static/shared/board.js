// The board: updates the server's drawing, with the same table of anchors (webui/views/geometry.py).
// A cell is a place of the drawing: "1" to "24" counted by light, "bar-light", "off-dark".

import { themed } from "./board_look.js";
import { Checkers } from "./checkers.js";
import { byId, changed } from "./dom.js";
import { _ } from "./i18n.js";
import { shownNumbers } from "./point_numbers.js";
import { setAttribute, svg, translate } from "./svg.js";

const DIE_SPACING = 66;

const repeat = (count, make) => Array.from({ length: count }, (_element, n) => make(n));

export class Board {
  // isStill: checkers are never animated, as in the small board of a play.
  constructor(drawing, { isStill = false } = {}) {
    this.drawing = drawing;
    this.geometry = JSON.parse(drawing.dataset.geometry);
    this.home = drawing.dataset.home;
    this.view = drawing.dataset.view ?? "";
    this.copies = new WeakMap();
    this.checkers = new Checkers(this.layer("checkers"), (cell, index) => this.at(cell, index), isStill);
  }

  layer(name) {
    return this.drawing.querySelector(`.${name}`);
  }

  /** Draws a state: position, dice, cube, colours and numbers. */
  show({ shown, light_home: home }) {
    if (home !== this.home) this.setHome(home);
    this.setColours(themed(shown.colours));
    this.setNumbers(shownNumbers(shown.numbers, shown.cells));
    this.drawPosition(shown);
    this.drawDice(shown.dice);
    this.drawCube(shown.cube);
    this.describe(shown.spoken.position);
  }

  /** Draws checkers alone, and the marks of a play on them. */
  drawPosition({ piles, off, marks }) {
    this.checkers.show(piles);
    this.drawTrays(off);
    this.drawCounts(piles);
    this.drawMarks(marks, piles);
  }

  mirrored(x) {
    return this.home === "right" ? x : this.geometry.width - x;
  }

  /** Where the checker number `index` of a pile lies. */
  at(cell, index) {
    const { x, y, step } = this.geometry.anchors[cell];
    const height = cell.startsWith("off") ? index : Math.min(index, this.geometry.shown - 1);
    return this.seen({ x: this.mirrored(x), y: y + step * height });
  }

  get flipsAcross() { return this.view.includes("mirrored"); }

  get flipsUp() { return this.view.includes("turned"); }

  /** Where a place of the board is drawn in the chosen view. */
  seen({ x, y }) {
    const { width, height } = this.geometry;
    return { x: this.flipsAcross ? width - x : x, y: this.flipsUp ? height - y : y };
  }

  setHome(home) {
    this.home = this.drawing.dataset.home = home;
    const { width, height, band } = this.geometry;
    const flipsAcross = (home === "left") !== this.flipsAcross;
    const flip = `matrix(${flipsAcross ? -1 : 1} 0 0 ${this.flipsUp ? -1 : 1} ${flipsAcross ? width : 0} ${this.flipsUp ? height : 0})`;
    this.layer("felt").setAttribute("transform", flip);
    for (const text of this.layer("numbers").children) {
      const { x } = this.at(text.dataset.cell, 0);
      const { y } = this.seen({ x, y: text.dataset.cell <= 12 ? height - band / 2 : band / 2 });
      text.setAttribute("x", x);
      text.setAttribute("y", y);
    }
  }

  /** Draws everything as seen in `view`: "mirrored" left and right, "turned" upside down, both, or neither. */
  setView(view) {
    const { flipsAcross, flipsUp } = this;
    this.view = this.drawing.dataset.view = view;
    this.setHome(this.home);
    const { width, height } = this.geometry;
    for (const name of ["trays", "ghosts", "labels", "marks", "cube", "dice"]) {
      for (const one of this.layer(name).children) {
        const { e: x, f: y } = one.transform.baseVal.consolidate().matrix;
        setAttribute(one, "transform", translate({
          x: flipsAcross === this.flipsAcross ? x : width - x, y: flipsUp === this.flipsUp ? y : height - y,
        }));
      }
    }
    this.checkers.place([]);
    for (const drawn of document.querySelectorAll(".small-board .board")) this.copies.get(drawn)?.setView(view);
  }

  /** Lets a small board follow the view of this one, as long as it is on the page. */
  lead(small) {
    this.copies.set(small.drawing, small);
  }

  // Attributes, because the security policy forbids style attributes in the server's drawing.
  setColours(colours) {
    for (const element of document.querySelectorAll("[data-colour]")) {
      setAttribute(element, "fill", colours[element.dataset.colour]);
    }
  }

  setNumbers(numbers) {
    for (const text of this.layer("numbers").children) {
      const number = String(numbers[text.dataset.cell - 1]);
      if (text.textContent !== number) text.textContent = number;
    }
  }

  drawTrays(off) {
    const slabs = Object.entries(off).flatMap(([side, count]) => repeat(count, (n) => svg("use", {
      href: `#slab-${side}`, transform: translate(this.at(`off-${side}`, n)),
    })));
    this.layer("trays").replaceChildren(...slabs);
  }

  drawCounts(piles) {
    const tall = piles.filter((pile) => pile.count > this.geometry.shown);
    this.layer("labels").replaceChildren(...tall.map(({ cell, count }) => (
      svg("g", { class: "count", transform: translate(this.at(cell, count)) },
        svg("circle", { r: 16 }), svg("text", {}, count)))));
  }

  // A dashed ring where each checker of the last play was, a full one where it is now.
  drawMarks({ side, legal, left, reached }, piles) {
    const own = piles.filter((pile) => pile.side === side);
    const heights = new Map(own.map((pile) => [pile.cell, pile.count]));
    const height = (cell) => heights.get(cell) ?? 0;
    const top = (cell) => Math.min(height(cell), this.geometry.shown) - 1;
    const occupied = Object.entries(reached).filter(([cell]) => height(cell) > 0);
    this.layer("ghosts").replaceChildren(
      ...this.rings(Object.entries(left), "left", (cell, n) => height(cell) + n));
    this.layer("marks").replaceChildren(
      ...this.rings(occupied, "reached", (cell, n) => Math.max(0, top(cell) - n)));
    this.drawing.dataset.legal = legal;
  }

  rings(counts, kind, index) {
    const onBoard = counts.filter(([cell]) => !cell.startsWith("off"));
    return onBoard.flatMap(([cell, count]) => repeat(count, (n) => (
      svg("circle", { class: kind, r: 28, transform: translate(this.at(cell, index(cell, n))) }))));
  }

  drawDice(dice) {
    // Dice that are drawn already must not be animated again with every state.
    const drawn = JSON.stringify(dice);
    if (drawn === this.drawnDice) return;
    this.drawnDice = drawn;
    this.layer("dice").replaceChildren(...["light", "dark"].flatMap((side) => {
      const own = dice.filter((die) => die.side === side);
      const middle = this.geometry.dice[side];
      return own.map((die, n) => this.die(die, middle + (n - (own.length - 1) / 2) * DIE_SPACING));
    }));
  }

  die({ side, value, flat, sure }, x) {
    const transform = translate(this.seen({ x, y: this.geometry.height / 2 }));
    const body = svg("use", { class: "die-body", href: "#die-body" });
    const pips = svg("use", { class: "die-pips", href: `#pips-${value ?? "unread"}` });
    const state = { "data-side": side, "data-flat": flat, "data-sure": sure };
    const cocked = flat ? [] : [svg("text", { class: "die-word", y: 52 }, _("cocked"))];
    return svg("g", { class: "die", transform, ...state }, body, pips, ...cocked);
  }

  drawCube(cube) {
    const drawn = JSON.stringify([cube, this.home]);
    if (drawn === this.drawnCube) return;
    this.drawnCube = drawn;
    this.layer("cube").replaceChildren(...cube ? [this.cube(cube)] : []);
  }

  // An offered cube lies where dice are thrown, which is not mirrored.
  cube({ face, place }) {
    const [across, y] = this.geometry.cubes[place];
    const x = place.startsWith("offered") ? across : this.mirrored(across);
    return svg("g", { class: "cube-one", "data-place": place, transform: translate(this.seen({ x, y })) },
      svg("rect", { class: "cube-body", x: -22, y: -22, width: 44, height: 44, rx: 8 }),
      svg("text", { class: "cube-face", "data-digits": String(face).length }, face));
  }

  /** Writes the position for screen readers. */
  describe(lines) {
    if (!changed("position-words", lines)) return;
    byId("position-words").replaceChildren(...lines.map((line) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      return paragraph;
    }));
  }
}
