// The board: goes on from the server's drawing, with the same table of places.

import { Checkers } from "./checkers.js";
import { draw, set, translate } from "./svg.js";
import { _ } from "./i18n.js";

const DIE_GAP = 66;

export class Board {
  // still: nothing flies, as in a small picture of a position.
  constructor(svg, { still = false } = {}) {
    this.svg = svg;
    this.geometry = JSON.parse(svg.dataset.geometry);
    this.home = svg.dataset.home;
    this.checkers = new Checkers(this.layer("checkers"), (cell, index) => this.at(cell, index), still);
  }

  layer(name) {
    return this.svg.querySelector(`.${name}`);
  }

  show({ shown, light_home: home }) {
    if (home !== this.home) this.turn(home);
    this.paint(shown.colours);
    this.number(shown.numbers);
    this.lay(shown);
    this.roll(shown.dice);
    this.turnCube(shown.cube);
    this.describe(shown.spoken.position);
  }

  // Checkers alone, and the marks of a play on them.
  lay({ piles, off, marks }) {
    this.checkers.show(piles);
    this.fillTrays(off);
    this.label(piles);
    this.mark(marks, piles);
  }

  mirrored(x) {
    return this.home === "right" ? x : this.geometry.width - x;
  }

  at(cell, index) {
    const { x, y, step } = this.geometry.anchors[cell];
    const height = cell.startsWith("off") ? index : Math.min(index, this.geometry.shown - 1);
    return { x: this.mirrored(x), y: y + step * height };
  }

  turn(home) {
    this.home = this.svg.dataset.home = home;
    const flip = home === "left" ? `matrix(-1 0 0 1 ${this.geometry.width} 0)` : "";
    this.layer("felt").setAttribute("transform", flip);
    for (const text of this.layer("numbers").children) {
      text.setAttribute("x", this.at(text.dataset.cell, 0).x);
    }
  }

  // Attributes, because the security policy forbids style attributes in the server's drawing
  // and there must be one way.
  paint(colours) {
    for (const element of document.querySelectorAll("[data-colour]")) {
      set(element, "fill", colours[element.dataset.colour]);
    }
  }

  number(numbers) {
    for (const text of this.layer("numbers").children) {
      const number = String(numbers[text.dataset.cell - 1]);
      if (text.textContent !== number) text.textContent = number;
    }
  }

  fillTrays(off) {
    const slabs = Object.entries(off).flatMap(([side, count]) => (
      Array.from({ length: count }, (_, n) => draw("use", {
        href: `#slab-${side}`, transform: translate(this.at(`off-${side}`, n)),
      }))));
    this.layer("trays").replaceChildren(...slabs);
  }

  label(piles) {
    const tall = piles.filter((pile) => pile.count > this.geometry.shown);
    this.layer("labels").replaceChildren(...tall.map(({ cell, count }) => {
      const text = draw("text", {});
      text.textContent = count;
      const transform = translate(this.at(cell, count));
      return draw("g", { class: "count", transform }, draw("circle", { r: 16 }), text);
    }));
  }

  // A dashed ring where each checker of the last play stood, a full one where it stands now.
  mark({ side, legal, left, reached }, piles) {
    const own = piles.filter((pile) => pile.side === side);
    const heights = new Map(own.map((pile) => [pile.cell, pile.count]));
    const height = (cell) => heights.get(cell) ?? 0;
    const top = (cell) => Math.min(height(cell), this.geometry.shown) - 1;
    const stands = Object.entries(reached).filter(([cell]) => height(cell) > 0);
    this.layer("ghosts").replaceChildren(
      ...this.rings(Object.entries(left), "left", (cell, n) => height(cell) + n));
    this.layer("marks").replaceChildren(
      ...this.rings(stands, "reached", (cell, n) => Math.max(0, top(cell) - n)));
    this.svg.dataset.legal = legal;
  }

  rings(ends, kind, index) {
    const onBoard = ends.filter(([cell]) => !cell.startsWith("off"));
    return onBoard.flatMap(([cell, count]) => Array.from({ length: count }, (_, n) => (
      draw("circle", { class: kind, r: 28, transform: translate(this.at(cell, index(cell, n))) }))));
  }

  roll(dice) {
    // Dice that lie still must not land again with every state.
    const lying = JSON.stringify(dice);
    if (lying === this.lying) return;
    this.lying = lying;
    const drawn = ["light", "dark"].flatMap((side) => {
      const own = dice.filter((die) => die.side === side);
      const middle = this.geometry.dice[side];
      return own.map((die, n) => this.die(die, middle + (n - (own.length - 1) / 2) * DIE_GAP));
    });
    this.layer("dice").replaceChildren(...drawn);
  }

  die({ side, value, flat, sure }, x) {
    const transform = translate({ x, y: this.geometry.height / 2 });
    const body = draw("use", { class: "die-body", href: "#die-body" });
    const pips = draw("use", { class: "die-pips", href: `#pips-${value ?? "unread"}` });
    const state = { "data-side": side, "data-flat": flat, "data-sure": sure };
    const words = flat ? [] : [draw("text", { class: "die-word", y: 52 })];
    words.forEach((word) => { word.textContent = _("not flat"); });
    return draw("g", { class: "die", transform, ...state }, body, pips, ...words);
  }

  turnCube(cube) {
    const lying = JSON.stringify([cube, this.home]);
    if (lying === this.cubeLying) return;
    this.cubeLying = lying;
    this.layer("cube").replaceChildren(...cube ? [this.cube(cube)] : []);
  }

  // An offered cube lies where dice are thrown, which is not mirrored.
  cube({ face, place }) {
    const [across, y] = this.geometry.cubes[place];
    const x = place.startsWith("offered") ? across : this.mirrored(across);
    const text = draw("text", { class: "cube-face", "data-digits": String(face).length });
    text.textContent = face;
    const body = { class: "cube-body", x: -22, y: -22, width: 44, height: 44, rx: 8 };
    const one = { class: "cube-one", "data-place": place, transform: translate({ x, y }) };
    return draw("g", one, draw("rect", body), text);
  }

  describe(lines) {
    const box = document.getElementById("position-words");
    const said = Array.from(box.children, (paragraph) => paragraph.textContent);
    if (said.join("\n") === lines.join("\n")) return;
    box.replaceChildren(...lines.map((line) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      return paragraph;
    }));
  }
}
