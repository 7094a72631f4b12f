// A label with one thing changed; labels are never changed in place.

const MOST = 15;
const clamp = (count) => Math.min(MOST, Math.max(0, count));
const replaced = (list, index, value) => list.map((old, n) => (n === index ? value : old));

function withSide(count, side) {
  if (side === "hidden") return null;
  if (side === "empty") return 0;
  return (side === "light" ? 1 : -1) * (Math.abs(count ?? 0) || 1);
}

const withStep = (count, step) => Math.sign(count) * clamp(Math.abs(count) + step);

/** `label` with the checkers of a point, bar or tray changed: {side} or {step}. */
export function withCheckers(label, { kind, index, side }, change) {
  if (kind === "point") {
    const count = label.points[index];
    const next = change.side ? withSide(count, change.side) : withStep(count ?? 0, change.step);
    return { ...label, points: replaced(label.points, index, next) };
  }
  const count = change.side === "unseen" ? null : clamp((label[kind][side] ?? 0) + change.step);
  return { ...label, [kind]: { ...label[kind], [side]: count } };
}

/** `label` with `change` made to a die or the cube; null removes it. */
export function withThing(label, { kind, index }, change) {
  if (kind === "cube") return { ...label, cube: change && { ...label.cube, ...change } };
  const dice = change
    ? replaced(label.dice, index, { ...label.dice[index], ...change })
    : label.dice.filter((_die, n) => n !== index);
  return { ...label, dice };
}

/** `label` with a new die or cube at a pixel. */
export const withNew = (label, kind, center) => (kind === "die"
  ? { ...label, dice: [...label.dice, { value: null, state: "flat", center }] }
  : { ...label, cube: { value: 1, center } });

/** All checkers of `side` that the label tells of. */
export function total(label, side) {
  const sign = side === "light" ? 1 : -1;
  const onPoints = label.points.reduce((sum, count) => sum + Math.max(0, sign * (count ?? 0)), 0);
  return onPoints + label.bar[side] + (label.off[side] ?? 0);
}
