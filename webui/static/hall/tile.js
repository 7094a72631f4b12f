// One table of the hall: its board, its players, and why somebody should come.

import { Board } from "../shared/board.js";
import { fill, fromTemplate, setText, textItem } from "../shared/dom.js";

const SIDES = ["light", "dark"];

const clockText = (seconds) => {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

export class TileView {
  constructor(name) {
    this.element = fromTemplate("tile", { name });
    this.kind = "wait";
    // The drawing is a copy: what only one element of a page may have goes.
    const drawing = this.element.querySelector(".board");
    this.element.querySelector("#position-words").remove();
    for (const attribute of ["id", "aria-describedby"]) drawing.removeAttribute(attribute);
    this.board = new Board(drawing, { isStill: true });
  }

  show(tile) {
    this.kind = tile.kind;
    this.clock = tile.clock;
    this.clockSince = performance.now() - 1000 * tile.age;
    const { element } = this;
    Object.assign(element.dataset, { kind: tile.kind, turn: tile.turn });
    fill(element, {
      name: tile.name, title: tile.title, light: tile.players.light, dark: tile.players.dark,
      "score-light": tile.score.light, "score-dark": tile.score.dark,
    });
    const link = element.querySelector(".tile-name");
    if (tile.page) link.href = tile.page;
    else link.removeAttribute("href");
    link.title = [tile.place, tile.length].filter(Boolean).join(" · ");
    element.querySelector(".tile-notes").replaceChildren(...tile.notes.map(textItem));
    this.board.setHome(tile.light_home);
    this.board.drawPosition(tile);
    this.board.drawDice(tile.dice);
    this.board.drawCube(tile.cube);
    this.showClock();
  }

  /** Lets the clock run on between two messages. */
  showClock() {
    const { clock } = this;
    for (const side of SIDES) {
      const line = this.element.querySelector(`[data-clock="${side}"]`);
      line.hidden = !clock;
      if (!clock) continue;
      const spent = clock.runs === side ? (performance.now() - this.clockSince) / 1000 : 0;
      const left = clock[side] - Math.max(0, spent - clock.delay);
      setText(line, clockText(left));
      Object.assign(line.dataset, { runs: clock.runs === side, out: left <= 0 });
    }
  }
}
