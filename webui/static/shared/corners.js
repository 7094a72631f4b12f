// Four corners that are dragged over a picture, by mouse, finger or arrow keys, under a magnifier.

const MAGNIFICATION = 4;
const KEY_DELAY_MS = 500;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const INITIAL_SHARES = [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]];

const clamp = (value, max) => Math.min(max, Math.max(0, value));
const toTenth = (value) => Math.round(value * 10) / 10;

export class Corners {
  // onChange(places): a corner was moved; places: four [x, y] in pixels of the picture.
  constructor(box, onChange) {
    Object.assign(this, { box, onChange, isOn: false, size: [16, 9], places: [], held: null });
    this.handles = [...box.querySelectorAll(".handle")];
    this.polygon = box.querySelector(".outline polygon");
    this.magnifier = box.querySelector(".magnifier");
    this.handles.forEach((handle, index) => this.listen(handle, index));
  }

  listen(handle, index) {
    handle.addEventListener("pointerdown", (event) => this.grab(event, index));
    handle.addEventListener("pointermove", (event) => this.drag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      handle.addEventListener(end, () => this.release());
    }
    handle.addEventListener("keydown", (event) => this.handleKey(event, index));
    handle.addEventListener("blur", () => { this.magnifier.hidden = true; });
  }

  /** Shows the server's corners and the picture's size; not while somebody moves one. */
  update(places, size) {
    if (size) this.size = size;
    if (this.held || this.timer) return;
    const [width, height] = this.size;
    const known = places ?? (this.isOn ? this.places : null);
    this.places = (known?.length ? known : INITIAL_SHARES.map(([x, y]) => [x * width, y * height]))
      .map(([x, y]) => [clamp(x, width - 1), clamp(y, height - 1)]);
    this.draw();
  }

  setEditable(isOn) {
    this.isOn = isOn;
    this.box.dataset.corners = isOn ? "yes" : "no";
    this.handles[0].parentElement.hidden = !isOn;
    this.magnifier.hidden = true;
    this.draw();
  }

  draw() {
    const [width, height] = this.size;
    this.polygon.ownerSVGElement.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.polygon.setAttribute("points", this.places.map((place) => place.join()).join(" "));
    this.places.forEach(([x, y], index) => {
      const { style } = this.handles[index];
      style.left = `${(100 * (x + 0.5)) / width}%`;
      style.top = `${(100 * (y + 0.5)) / height}%`;
    });
  }

  grab(event, index) {
    event.preventDefault();
    const handle = this.handles[index];
    handle.focus({ preventScroll: true });
    handle.setPointerCapture(event.pointerId);
    handle.dataset.held = "yes";
    // The corner moves as the finger does, from wherever on the handle it was taken.
    this.held = { index, from: [event.clientX, event.clientY], place: this.places[index] };
    this.enlarge(index);
  }

  drag(event) {
    if (!this.held) return;
    const { index, from, place } = this.held;
    const scale = this.size[0] / this.box.getBoundingClientRect().width;
    this.move(index, [
      place[0] + (event.clientX - from[0]) * scale,
      place[1] + (event.clientY - from[1]) * scale,
    ]);
  }

  release() {
    if (!this.held) return;
    const { index, place } = this.held;
    this.handles[index].dataset.held = "no";
    this.held = null;
    this.magnifier.hidden = true;
    if (place !== this.places[index]) this.onChange(this.places);
  }

  handleKey(event, index) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const length = event.shiftKey ? 10 : 1;
    const [x, y] = this.places[index];
    this.move(index, [x + step[0] * length, y + step[1] * length]);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => { this.timer = 0; this.onChange(this.places); }, KEY_DELAY_MS);
  }

  move(index, [x, y]) {
    const place = [toTenth(clamp(x, this.size[0] - 1)), toTenth(clamp(y, this.size[1] - 1))];
    this.places = this.places.map((old, n) => (n === index ? place : old));
    this.draw();
    this.enlarge(index);
  }

  enlarge(index) {
    const { magnifier } = this;
    const image = this.box.querySelector("img");
    const [x, y] = this.places[index];
    const scale = image.naturalWidth / this.size[0] || 1;
    const span = (magnifier.width / 2 / MAGNIFICATION) * scale;
    const context = magnifier.getContext("2d");
    context.fillStyle = "#0c0d0f";
    context.fillRect(0, 0, magnifier.width, magnifier.height);
    context.imageSmoothingEnabled = false;
    context.drawImage(image, (x + 0.5) * scale - span / 2, (y + 0.5) * scale - span / 2, span, span,
      0, 0, magnifier.width, magnifier.height);
    const middle = magnifier.width / 2;
    context.strokeStyle = "#ffd23f";
    context.lineWidth = 2;
    context.beginPath();
    for (const [dx, dy] of [[1, 0], [-1, 0], [0, 1], [0, -1]]) {
      context.moveTo(middle + 12 * dx, middle + 12 * dy);
      context.lineTo(middle + middle * dx, middle + middle * dy);
    }
    context.stroke();
    magnifier.dataset.side = x < this.size[0] / 2 ? "right" : "left";
    magnifier.hidden = false;
  }
}
