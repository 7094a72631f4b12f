// The stills of a turn: small beside its alternatives, and large when one is pressed; and its clip.

import { request } from "../shared/api.js";
import { byId, changed, fromTemplate } from "../shared/dom.js";
import { svg } from "../shared/svg.js";

const WIDTH = 1280;
const LABEL_RADIUS = 23;
const { sure, doubtful } = byId("still").dataset;

function sureness(probability) {
  if (probability >= Number(sure)) return "sure";
  return probability >= Number(doubtful) ? "doubtful" : "unsure";
}

// A die's value is drawn above it, or below where the picture ends.
function makeLabel({ x, y, kind, text, sure: probability }, height) {
  const isDie = kind === "die";
  const down = y * height;
  const offset = isDie ? 2 * LABEL_RADIUS * (down > 3 * LABEL_RADIUS ? -1 : 1) : 0;
  const shape = isDie
    ? svg("rect", { x: -LABEL_RADIUS, y: -LABEL_RADIUS, width: 2 * LABEL_RADIUS, height: 2 * LABEL_RADIUS, rx: 8 })
    : svg("circle", { r: LABEL_RADIUS });
  const transform = `translate(${(x * WIDTH).toFixed(1)} ${(down + offset).toFixed(1)})`;
  return svg("g", { class: "mark", "data-kind": kind, "data-sure": sureness(probability), transform },
    shape, svg("text", {}, text));
}

function makeLabels({ width, height, marks }) {
  const scaled = Math.round((WIDTH * height) / width);
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${scaled}`, "aria-hidden": "true" }, ...marks.map((mark) => makeLabel(mark, scaled)));
}

export class TurnStills {
  constructor() {
    this.dialog = byId("still-large");
    byId("still-close").addEventListener("click", () => this.dialog.close());
    byId("still-marks").addEventListener("change", (event) => { this.dialog.dataset.marks = event.target.checked; });
    // A click beside the content hits the dialog itself.
    this.dialog.addEventListener("click", (event) => { if (event.target === this.dialog) this.dialog.close(); });
  }

  /** Shows the stills of turn `number`; unchanged ones stay, in case one is being looked at. */
  async show(number) {
    this.number = number;
    const { ok, body } = await request(`/api/turns/${number}/stills`);
    if (number !== this.number) return;
    const kept = ok ? body.stills.filter((still) => still.is_kept) : [];
    const hasClip = ok && body.has_clip;
    if (!changed("stills", [number, kept, hasClip])) return;
    byId("stills").hidden = kept.length === 0 && !hasClip;
    byId("stills").replaceChildren(...kept.map((still) => this.figure(still)), ...hasClip ? [this.clip()] : []);
  }

  clip() {
    const node = fromTemplate("clip");
    node.querySelector("video").src = `/api/turns/${this.number}/clip.mp4`;
    return node;
  }

  figure(still) {
    const node = fromTemplate("still", { shows: still.shows });
    const button = node.querySelector("button");
    this.fill(button, still);
    button.addEventListener("click", () => this.enlarge(still));
    return node;
  }

  fill(box, still) {
    const picture = box.querySelector("img") ?? box.appendChild(new Image());
    Object.assign(picture, { width: still.width, height: still.height, alt: still.shows });
    picture.src = `/api/turns/${this.number}/stills/${still.frame}.jpg`;
  }

  enlarge(still) {
    byId("still-shows").textContent = still.shows;
    const box = byId("still-picture");
    this.fill(box, still);
    box.querySelector("svg")?.remove();
    box.append(makeLabels(still));
    this.dialog.showModal();
  }
}
