// Labels photos: one at a time, what was read is put right and saved.

import { request } from "../shared/api.js";
import { Corners } from "../shared/corners.js";
import { byId, setText, write } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { total, withCheckers, withNew, withThing } from "./edit.js";
import { Marks, nearest, targets } from "./marks.js";

const COMPLETE = 15;
const REACH = 0.02; // of the photo's width: how near a tap means a die, a cube, the bar or a tray
const MARGIN = 0.1; // of the board's size, shown around it

const root = byId("label");
const view = byId("view");
const whole = byId("whole");
const editor = byId("editor");
const image = view.querySelector("img");
const names = JSON.parse(root.dataset.names);
let labeled = JSON.parse(root.dataset.labeled);
const kept = new Map(); // what is shown of each photo, with unsaved changes

let number = 0;
let shown = null;
let selected = null;
let adding = null;
let isMarked = false; // whether a corner was moved since the photo was read

const marks = new Marks(byId("marks"), (key) => pick(key));
const corners = new Corners(view, () => { isMarked = true; });

function reportProblem(text) {
  byId("problem").hidden = !text;
  setText(byId("problem").querySelector("span"), text);
}

const all = () => (shown?.places ? targets(shown.label, shown.places, shown.doubtful) : []);
const target = () => all().find(({ key }) => key === selected);

async function open(next) {
  number = next;
  [shown, selected, adding] = [null, null, null];
  view.dataset.picture = "first";
  reportProblem("");
  editCorners(false);
  write("saved", "");
  image.src = `/api/label/${number}.jpg`;
  if (!kept.has(number)) {
    const answer = await request(`/api/label/${number}`);
    if (number !== next) return;
    if (!answer.ok) return reportProblem(answer.message);
    kept.set(number, answer.body);
  }
  show(kept.get(number));
  // The next photo is read while this one is looked at.
  if (number + 1 < names.length) request(`/api/label/${number + 1}`);
}

function show(next) {
  shown = next;
  kept.set(number, shown);
  view.dataset.picture = "yes";
  reportProblem(shown.fault ?? "");
  isMarked = !shown.corners;
  corners.update(shown.corners, shown.size);
  if (isMarked) editCorners(true);
  draw();
}

const extent = (places, axis) => [Math.min(...places.map((place) => place[axis])), Math.max(...places.map((place) => place[axis]))];

// On one axis, from where and how much of the photo is shown: the board and its dice, or all if `isAll`.
function span(axis, isAll) {
  const { size, corners: board, label } = shown;
  if (isAll || !board) return [0, size[axis]];
  const things = [...label.dice, ...(label.cube ? [label.cube] : [])].map(({ center }) => center);
  const margin = MARGIN * Math.max(...[0, 1].map((one) => extent(board, one)[1] - extent(board, one)[0]));
  const [first, last] = extent([...board, ...things], axis);
  const from = Math.max(0, first - margin);
  return [from, Math.min(size[axis], last + margin) - from];
}

function frame() {
  const isAll = corners.isOn || adding;
  const [[x, width], [y, height]] = [span(0, isAll), span(1, isAll)];
  view.style.aspectRatio = `${width} / ${height}`;
  Object.assign(whole.style, {
    left: `${(-100 * x) / width}%`,
    top: `${(-100 * y) / height}%`,
    width: `${(100 * shown.size[0]) / width}%`,
    height: `${(100 * shown.size[1]) / height}%`,
  });
}

function draw() {
  if (shown) frame();
  write("name", names[number]);
  write("progress", _("{number} of {count}", { number: number + 1, count: names.length }));
  for (const button of document.querySelectorAll("[data-go]")) {
    button.disabled = !names[number + Number(button.dataset.go)];
  }
  const isKnown = Boolean(shown?.places);
  byId("save").disabled = !isKnown;
  marks.draw(all(), shown?.size ?? [1, 1], selected);
  drawEditor();
  for (const button of document.querySelectorAll("[data-add]")) {
    button.setAttribute("aria-pressed", button.dataset.add === adding);
    button.disabled = !isKnown || (button.dataset.add === "cube" && Boolean(shown.label.cube));
  }
  if (!isKnown) return write("totals", "");
  const [light, dark] = [total(shown.label, "light"), total(shown.label, "dark")];
  write("totals", _("Light {light}, dark {dark} checkers in all", { light, dark }));
  document.querySelector("[data-text=totals]").dataset.wrong = Math.max(light, dark) > COMPLETE ? "yes" : "no";
}

function drawEditor() {
  const chosen = target();
  editor.dataset.kind = chosen?.kind ?? "none";
  write("editor-title", chosen?.name ?? hint());
  if (!chosen) return;
  byId("count").textContent = chosen.text;
  const { kind, index } = chosen;
  const thing = kind === "die" ? shown.label.dice[index] : shown.label.cube;
  const value = String(thing?.value ?? "");
  for (const button of editor.querySelectorAll("[aria-pressed]")) {
    button.setAttribute("aria-pressed", (button.dataset.side ?? button.dataset.value) === (chosen.state ?? value));
  }
  if (kind === "die") byId("state").value = thing.state;
}

function hint() {
  if (corners.isOn) return _("Mark the corners of the playing field");
  if (adding === "die") return _("Tap the die in the photo");
  if (adding === "cube") return _("Tap the cube in the photo");
  return _("Tap what is wrong in the photo");
}

function pick(key) {
  selected = key;
  adding = null;
  draw();
}

function change(label) {
  shown = { ...shown, label };
  kept.set(number, shown);
  write("saved", "");
  draw();
}

view.addEventListener("click", (event) => {
  if (!shown?.places || corners.isOn) return;
  const box = whole.getBoundingClientRect();
  const [width, height] = shown.size;
  const place = [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height]
    .map((value) => Math.round(10 * value) / 10);
  if (!adding) return pick(nearest(all(), place, REACH * width).key);
  const kind = adding;
  change(withNew(shown.label, kind, place));
  pick(kind === "die" ? `die-${shown.label.dice.length - 1}` : "cube");
});

editor.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const chosen = target();
  if (!button || !chosen) return;
  const { side, step, value, remove } = button.dataset;
  if (side || step) change(withCheckers(shown.label, chosen, { side, step: Number(step) }));
  else if (value !== undefined) change(withThing(shown.label, chosen, { value: value ? Number(value) : null }));
  else if (remove !== undefined) {
    selected = null;
    change(withThing(shown.label, chosen, null));
  }
});

byId("state").addEventListener("change", ({ target: field }) => {
  change(withThing(shown.label, target(), { state: field.value }));
});

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.go) open(number + Number(button.dataset.go));
  if (!button?.dataset.add) return;
  adding = adding === button.dataset.add ? null : button.dataset.add;
  selected = null;
  draw();
});

function editCorners(isOn) {
  corners.setEditable(isOn);
  byId("move-corners").setAttribute("aria-pressed", isOn);
  byId("move-corners").textContent = isOn ? _("The corners are right") : _("Move the corners");
  byId("corner-help").hidden = !isOn;
  draw();
}

// Reads the photo again once all corners are right.
byId("move-corners").addEventListener("click", async () => {
  if (!shown || !corners.isOn || !isMarked) return editCorners(!corners.isOn);
  const own = number;
  view.dataset.picture = "first";
  const answer = await request(`/api/label/${own}/corners`, { corners: corners.places });
  if (own !== number) return;
  view.dataset.picture = "yes";
  if (!answer.ok) return reportProblem(answer.message);
  editCorners(false);
  show(answer.body);
});

byId("save").addEventListener("click", async () => {
  const own = number;
  const answer = await request(`/api/label/${own}`, shown.label);
  if (!answer.ok) return reportProblem(answer.message);
  labeled = answer.body.labeled;
  const next = names.findIndex((_name, n) => !labeled.includes(n));
  if (next >= 0) await open(next);
  write("saved", next < 0 ? _("All photos are labeled. You can close this page.") : _("{name} is saved.", { name: names[own] }));
});

open(Number(root.dataset.first));
