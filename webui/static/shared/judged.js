// What the engine says of one event: the chances after it, and each decision with its choices.

import { byId, fromTemplate } from "./dom.js";
import { _, decimal, playText } from "./i18n.js";

export const MARKS = { doubtful: _("doubtful"), bad: _("bad"), "very bad": _("very bad") };
const KINDS = {
  play: _("Checker play"), no_double: _("No double"), double: _("Double"), take: _("Take"), drop: _("Drop"),
};
const ACTIONS = {
  no_double: _("No double"), double_take: _("Double, take"), double_drop: _("Double, drop"),
};
const MADE = { no_double: "no_double", take: "double_take", drop: "double_drop" };

/** An equity with its sign. */
export const signed = (value, digits = 3) => `${value < 0 ? "−" : "+"}${decimal(Math.abs(value), digits)}`;

/** What a decision gave up, for a list: empty for one that is not marked. */
export const lossText = ({ mark, loss }) => (mark ? signed(-loss) : "");

/** The worse of the decisions of an event; undefined if there are none. */
export const worst = ({ decisions }) => [...decisions].sort((a, b) => b.loss - a.loss)[0];

/** The best choice of a decision in words. */
export const bestText = ({ best }) => ACTIONS[best] ?? playText(best);

/** What was decided, in words. */
export const kindText = ({ kind }) => KINDS[kind];

function showBar(name, x, width) {
  const bar = document.querySelector(`[data-bar="${name}"]`);
  bar.setAttribute("x", x);
  bar.setAttribute("width", width);
}

/** Shows the chances of both sides, as numbers and as a bar; nothing for null. */
export function showChances(chances) {
  byId("chances").hidden = !chances;
  if (!chances) return;
  const { light, light_gammon: lightGammon, dark_gammon: darkGammon } = chances;
  const percent = (share) => `${decimal(100 * share, 1)}\u2009%`;
  const texts = {
    light: percent(light), "light-gammon": _("gammon {share}", { share: percent(lightGammon) }),
    dark: percent(1 - light), "dark-gammon": _("gammon {share}", { share: percent(darkGammon) }),
  };
  for (const [name, text] of Object.entries(texts)) document.querySelector(`[data-chance="${name}"]`).textContent = text;
  showBar("light", 0, 1000 * light);
  showBar("light-gammon", 0, 1000 * lightGammon);
  showBar("dark-gammon", 1000 * (1 - darkGammon), 1000 * darkGammon);
}

function choiceRow(decision, made, { choice, equity }, best) {
  const isBest = choice === decision.best;
  const row = fromTemplate("choice", {
    choice: ACTIONS[choice] ?? playText(choice), equity: signed(equity), loss: isBest ? "" : signed(equity - best),
  });
  row.dataset.best = isBest;
  row.dataset.made = choice === made;
  return row;
}

// A double is worth what its better answer leaves of it.
function answered(choices) {
  const doubles = choices.filter(({ choice }) => choice !== "no_double");
  return doubles.sort((a, b) => a.equity - b.equity)[0].choice;
}

function decisionItem(decision, play) {
  const { kind, mark, loss, choices } = decision;
  const item = fromTemplate("decision", {
    what: KINDS[kind], loss: loss ? `${signed(-loss)}${mark ? ` · ${MARKS[mark]}` : ""}` : _("best"),
  });
  item.querySelector(".mark").dataset.mark = mark;
  const made = kind === "play" ? play : MADE[kind] ?? answered(choices);
  // A play is compared with the best, a cube action with the one that it should have been.
  const best = choices.find(({ choice }) => choice === decision.best)?.equity ?? 0;
  item.querySelector("tbody").replaceChildren(...choices.map((one) => choiceRow(decision, made, one, best)));
  return item;
}

/** Shows the decisions of an event; `play` is the play made, in notation. */
export function showDecisions(decisions, play) {
  byId("decisions").replaceChildren(...decisions.filter(({ counts, loss }) => counts || loss).map((one) => decisionItem(one, play)));
}
