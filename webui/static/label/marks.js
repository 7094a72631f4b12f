// What a label says, written on its photo: one button for each point, bar, tray, die and cube.

import { setText } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { setAttribute } from "../shared/svg.js";

const SIDES = ["light", "dark"];
const ROW = 12;

const sideOf = (count) => (count > 0 ? "light" : count < 0 ? "dark" : "none");

function pointName(index, count) {
  const values = { row: index < ROW ? 1 : 2, number: (index % ROW) + 1, count: Math.abs(count ?? 0) };
  if (count === null) return _("Row {row}, place {number}: hidden", values);
  if (!count) return _("Row {row}, place {number}: empty", values);
  return count > 0 ? _("Row {row}, place {number}: light {count}", values) : _("Row {row}, place {number}: dark {count}", values);
}

function trayName(side, count) {
  if (count === null) return side === "light" ? _("Borne off: light’s not seen") : _("Borne off: dark’s not seen");
  return side === "light" ? _("Borne off: light {count}", { count }) : _("Borne off: dark {count}", { count });
}

/** Everything that `label` says: {key, kind, at, to, text, side, name}; `at` and `to` are pixels of the photo. */
export function targets(label, places, doubtful) {
  const points = label.points.map((count, index) => ({
    key: `point-${index}`,
    kind: "point",
    index,
    at: places.points[index][0],
    to: places.points[index][1],
    side: sideOf(count ?? 0),
    text: count === null ? "?" : count ? String(Math.abs(count)) : "·",
    name: pointName(index, count),
    state: count === null ? "hidden" : count ? sideOf(count) : "empty",
    isDoubtful: doubtful.includes(index),
  }));
  const bars = SIDES.map((side) => ({
    key: `bar-${side}`, kind: "bar", side, at: places.bar[side], text: String(label.bar[side]),
    name: side === "light" ? _("Bar: light {count}", { count: label.bar.light }) : _("Bar: dark {count}", { count: label.bar.dark }),
  }));
  const trays = SIDES.map((side) => ({
    key: `off-${side}`, kind: "off", side, at: places.off[side], text: String(label.off[side] ?? "?"), name: trayName(side, label.off[side]),
    state: label.off[side] === null ? "unseen" : "",
  }));
  const dice = label.dice.map((die, index) => ({
    key: `die-${index}`, kind: "die", index, at: die.center, side: "none", text: String(die.value ?? "?"),
    name: die.value === null ? _("Die: not read") : _("Die: {value}", { value: die.value }),
  }));
  const cube = label.cube && {
    key: "cube", kind: "cube", at: label.cube.center, side: "none", text: label.cube.value === 1 ? "64" : String(label.cube.value),
    name: _("Doubling cube: {value}", { value: label.cube.value === 1 ? 64 : label.cube.value }),
  };
  return [...points, ...bars, ...trays, ...dice, ...(cube ? [cube] : [])];
}

const distance = ([x, y], [u, v]) => Math.hypot(x - u, y - v);

function distanceTo(target, place) {
  const { at, to = at } = target;
  const [dx, dy] = [to[0] - at[0], to[1] - at[1]];
  const along = dx || dy ? ((place[0] - at[0]) * dx + (place[1] - at[1]) * dy) / (dx * dx + dy * dy) : 0;
  const share = Math.min(1, Math.max(0, along));
  return distance(place, [at[0] + share * dx, at[1] + share * dy]);
}

/** The target nearest to a pixel. Dice and cube lie on points, so that they come first within `reach`. */
export function nearest(all, place, reach) {
  const sorted = all.map((target) => [distanceTo(target, place), target]).sort((a, b) => a[0] - b[0]);
  const thing = sorted.find(([far, { kind }]) => far < reach && kind !== "point");
  return (thing ?? sorted[0])[1];
}

export class Marks {
  // onPick(key): a mark was pressed.
  constructor(box, onPick) {
    Object.assign(this, { box, nodes: new Map() });
    box.addEventListener("click", (event) => {
      const mark = event.target.closest(".mark");
      if (!mark) return;
      event.stopPropagation();
      onPick(mark.dataset.key);
    });
  }

  draw(all, [width, height], selected) {
    const gone = new Set(this.nodes.keys());
    for (const target of all) {
      gone.delete(target.key);
      const node = this.nodes.get(target.key) ?? this.add(target.key);
      Object.assign(node.dataset, { kind: target.kind, side: target.side, doubtful: target.isDoubtful ? "yes" : "no" });
      node.style.left = `${(100 * target.at[0]) / width}%`;
      node.style.top = `${(100 * target.at[1]) / height}%`;
      setText(node, target.text);
      setAttribute(node, "aria-label", target.name);
      setAttribute(node, "aria-pressed", String(target.key === selected));
    }
    for (const key of gone) {
      this.nodes.get(key).remove();
      this.nodes.delete(key);
    }
  }

  add(key) {
    const node = document.createElement("button");
    Object.assign(node, { type: "button", className: "mark" });
    node.dataset.key = key;
    this.nodes.set(key, node);
    this.box.append(node);
    return node;
  }
}
