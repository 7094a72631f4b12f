// Buttons over the drawn board, one for each cell, so that fingers, keys and screen readers can
// press what the drawing shows; checkers can be dragged from one to another.

import { byId } from "../shared/dom.js";
import { svg } from "../shared/svg.js";

const HOLD_MS = 450;
const DRAG_FROM_PX = 8;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const percent = (part, whole) => `${(100 * part) / whole}%`;

export class BoardButtons {
  // press(cell): clicked or tapped; remove(cell): held, right-clicked, or Delete; lift(cell): the
  // side whose checker may be dragged from there, or null; drop(cell): it is put down, null beside
  // the board.
  constructor(board, { press, remove, lift, drop }) {
    Object.assign(this, { board, press, remove, lift, drop, box: byId("cells"), buttons: new Map() });
    for (const cell of Object.keys(board.geometry.anchors)) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "cell" });
      button.dataset.cell = cell;
      this.buttons.set(cell, button);
      this.box.append(button);
      this.listen(button, cell);
    }
    this.box.addEventListener("keydown", (event) => this.handleKey(event));
    this.layOut();
  }

  listen(button, cell) {
    let timer = 0;
    let wasHeld = false;
    let start = null;
    let dragged = null;
    button.addEventListener("click", () => { if (!wasHeld) this.press(cell); wasHeld = false; });
    button.addEventListener("contextmenu", (event) => {
      event.preventDefault();
      if (!wasHeld) this.remove(cell);
    });
    // A long touch; a mouse has its right button.
    button.addEventListener("pointerdown", (event) => {
      wasHeld = false;
      start = event.button === 0 ? event : null;
      // A fast drag may leave the cell with its first movement.
      if (start && button.dataset.mark === "source") button.setPointerCapture(event.pointerId);
      if (event.pointerType === "mouse") return;
      timer = setTimeout(() => { wasHeld = true; this.remove(cell); }, HOLD_MS);
    });
    button.addEventListener("pointermove", (event) => {
      if (start && !wasHeld && Math.hypot(event.clientX - start.clientX, event.clientY - start.clientY) > DRAG_FROM_PX) {
        clearTimeout(timer);
        start = null;
        dragged = this.beginDrag(cell);
        wasHeld = Boolean(dragged);
      }
      if (dragged) this.placeDragged(dragged, event);
    });
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) {
      button.addEventListener(end, (event) => {
        clearTimeout(timer);
        start = null;
        if (!dragged || end === "pointerleave") return;
        dragged.remove();
        dragged = null;
        this.drop(end === "pointerup" ? this.cellUnder(event) : null);
      });
    }
  }

  // The checker under the pointer; null where none may be dragged.
  beginDrag(cell) {
    const side = this.lift(cell);
    if (!side) return null;
    const picture = svg("svg", { class: "dragged", viewBox: "-30 -30 60 60" }, svg("use", { href: `#checker-${side}` }));
    picture.style.width = `${(60 * this.box.clientWidth) / this.board.geometry.width}px`;
    return this.box.appendChild(picture);
  }

  placeDragged(picture, { clientX, clientY }) {
    const { left, top } = this.box.getBoundingClientRect();
    picture.style.left = `${clientX - left}px`;
    picture.style.top = `${clientY - top}px`;
  }

  cellUnder({ clientX, clientY }) {
    return document.elementFromPoint(clientX, clientY)?.closest(".cell")?.dataset.cell ?? null;
  }

  // Puts each button where its cell is drawn; called again when the board is turned.
  layOut() {
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

  setVisible(isVisible) {
    this.box.hidden = !isVisible;
    this.layOut();
  }

  /** label(cell): its text for screen readers; marks: {cell: "source", "target" or "chosen"}. */
  describe(label, marks = {}) {
    for (const [cell, button] of this.buttons) {
      button.setAttribute("aria-label", label(cell));
      button.dataset.mark = marks[cell] ?? "";
    }
    if (![...this.buttons.values()].some((button) => button.tabIndex === 0)) this.setTabStop("24");
  }

  setTabStop(cell) {
    for (const [name, button] of this.buttons) button.tabIndex = name === cell ? 0 : -1;
  }

  focus(cell) {
    this.setTabStop(cell);
    this.buttons.get(cell).focus();
  }

  handleKey(event) {
    const button = event.target.closest(".cell");
    if (!button || event.ctrlKey || event.altKey || event.metaKey) return;
    if (["Delete", "Backspace", "-"].includes(event.key)) this.remove(button.dataset.cell);
    else if (event.key === "+") this.press(button.dataset.cell);
    else if (STEPS[event.key]) this.focus(this.neighbour(button, STEPS[event.key]));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  neighbour(button, [right, down]) {
    const x = (other) => parseFloat(other.style.left);
    const row = down ? (down < 0 ? "top" : "bottom") : button.dataset.row;
    const others = [...this.buttons.values()].filter((other) => (
      other.dataset.row === row && other !== button && (down || right * (x(other) - x(button)) > 0.1)));
    if (!others.length || (down && button.dataset.row === row)) return button.dataset.cell;
    const distance = (other) => Math.abs(x(other) - x(button));
    return others.reduce((a, b) => (distance(b) < distance(a) ? b : a)).dataset.cell;
  }
}
