// What the camera saw of a turn: small beside its alternatives, and large when it is pressed.

import { ask } from "../shared/api.js";
import { draw } from "../shared/svg.js";
import { byId, copy } from "../shared/dom.js";

const WIDE = 1280;
const HALF = 23;
const template = byId("still");
const { sure, doubtful } = template.dataset;

function sureness(share) {
  if (share >= Number(sure)) return "sure";
  return share >= Number(doubtful) ? "doubtful" : "unsure";
}

// A die's value stands above it, or below where the picture ends.
function makeMark({ x, y, kind, text, sure: share }, tall) {
  const isDie = kind === "die";
  const down = y * tall;
  const aside = isDie ? 2 * HALF * (down > 3 * HALF ? -1 : 1) : 0;
  const shape = isDie
    ? draw("rect", { x: -HALF, y: -HALF, width: 2 * HALF, height: 2 * HALF, rx: 8 })
    : draw("circle", { r: HALF });
  const place = `translate(${(x * WIDE).toFixed(1)} ${(down + aside).toFixed(1)})`;
  return draw("g", { class: "mark", "data-kind": kind, "data-sure": sureness(share), transform: place },
    shape, draw("text", {}, text));
}

function makeMarks({ width, height, marks }) {
  const tall = Math.round((WIDE * height) / width);
  return draw("svg", { viewBox: `0 0 ${WIDE} ${tall}`, "aria-hidden": "true" }, ...marks.map((mark) => makeMark(mark, tall)));
}

export class TurnStills {
  constructor() {
    this.large = byId("still-large");
    byId("still-close").addEventListener("click", () => this.large.close());
    byId("still-marks").addEventListener("change", (event) => { this.large.dataset.marks = event.target.checked; });
    // Beside the picture is out of it.
    this.large.addEventListener("click", (event) => { if (event.target === this.large) this.large.close(); });
  }

  // The pictures of another turn, or the same ones anew: who looks at one keeps it.
  async show(number) {
    this.number = number;
    const { ok, told } = await ask(`/api/turns/${number}/stills`);
    if (number !== this.number) return;
    const kept = ok ? told.stills.filter((one) => one.is_kept) : [];
    const names = JSON.stringify([number, kept]);
    if (names === this.shown) return;
    this.shown = names;
    byId("stills").hidden = kept.length === 0;
    byId("stills").replaceChildren(...kept.map((one) => this.figure(one)));
  }

  figure(one) {
    const node = copy("still", { shows: one.shows });
    const button = node.querySelector("button");
    this.fill(button, one);
    button.addEventListener("click", () => this.enlarge(one));
    return node;
  }

  fill(box, one) {
    const picture = box.querySelector("img") ?? box.appendChild(new Image());
    Object.assign(picture, { width: one.width, height: one.height, alt: one.shows });
    picture.src = `/api/turns/${this.number}/stills/${one.frame}.jpg`;
  }

  enlarge(one) {
    byId("still-shows").textContent = one.shows;
    const box = byId("still-picture");
    this.fill(box, one);
    box.querySelector("svg")?.remove();
    box.append(makeMarks(one));
    this.large.showModal();
  }
}
