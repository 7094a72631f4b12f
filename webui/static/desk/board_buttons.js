// Buttons over the drawn board, one for each place, so that fingers, keys and screen readers can
// press what the drawing shows.

import { byId } from "../shared/dom.js";

const HOLD_MS = 450;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const percent = (part, whole) => `${(100 * part) / whole}%`;

export class Cells {
  constructor(board, { press, remove }) {
    Object.assign(this, { board, press, remove, box: byId("cells"), buttons: new Map() });
    for (const cell of Object.keys(board.geometry.anchors)) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "cell" });
      button.dataset.cell = cell;
      this.buttons.set(cell, button);
      this.box.append(button);
      this.listen(button, cell);
    }
    this.box.addEventListener("keydown", (event) => this.walk(event));
    this.place();
  }

  listen(button, cell) {
    let timer = 0;
    let wasHeld = false;
    const let_go = () => clearTimeout(timer);
    button.addEventListener("click", () => { if (!wasHeld) this.press(cell); wasHeld = false; });
    button.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      if (!wasHeld) this.remove(cell);
    });
    // A finger that rests; a mouse has its other button.
    button.addEventListener("pointerdown", (event) => {
      wasHeld = false;
      if (event.pointerType === "mouse") return;
      timer = setTimeout(() => { wasHeld = true; this.remove(cell); }, HOLD_MS);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) button.addEventListener(end, let_go);
  }

  // Where each place is drawn; again when the board is turned round.
  place() {
    const { geometry, home } = this.board;
    if (home === this.home) return;
    this.home = home;
    const { width, height, anchors, widths } = geometry;
    this.box.style.aspectRatio = `${width} / ${height}`;
    for (const [cell, button] of this.buttons) {
      const wide = widths[cell.split("-")[0]] ?? widths.point;
      const isTop = anchors[cell].y < height / 2;
      button.style.left = percent(this.board.mirrored(anchors[cell].x) - wide / 2, width);
      button.style.width = percent(wide, width);
      button.style.top = percent(isTop ? 0 : height / 2, height);
      button.style.height = percent(height / 2, height);
      button.dataset.row = isTop ? "top" : "bottom";
    }
  }

  show(isOn) {
    this.box.hidden = !isOn;
    this.place();
  }

  // words(cell): what a screen reader says of a place; marks: {cell: "source" | "target" | "chosen"}.
  tell(words, marks = {}) {
    for (const [cell, button] of this.buttons) {
      button.setAttribute("aria-label", words(cell));
      button.dataset.mark = marks[cell] ?? "";
    }
    if (![...this.buttons.values()].some((button) => button.tabIndex === 0)) this.rove("24");
  }

  rove(cell) {
    for (const [name, button] of this.buttons) button.tabIndex = name === cell ? 0 : -1;
  }

  focus(cell) {
    this.rove(cell);
    this.buttons.get(cell).focus();
  }

  walk(event) {
    const here = event.target.closest(".cell");
    if (!here || event.ctrlKey || event.altKey || event.metaKey) return;
    if (["Delete", "Backspace", "-"].includes(event.key)) this.remove(here.dataset.cell);
    else if (event.key === "+") this.press(here.dataset.cell);
    else if (STEPS[event.key]) this.focus(this.beside(here, STEPS[event.key]));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  beside(here, [right, down]) {
    const x = (button) => parseFloat(button.style.left);
    const row = down ? (down < 0 ? "top" : "bottom") : here.dataset.row;
    const others = [...this.buttons.values()].filter((button) => (
      button.dataset.row === row && button !== here && (down || right * (x(button) - x(here)) > 0.1)));
    if (!others.length || (down && here.dataset.row === row)) return here.dataset.cell;
    const near = (button) => Math.abs(x(button) - x(here));
    return others.reduce((a, b) => (near(b) < near(a) ? b : a)).dataset.cell;
  }
}
