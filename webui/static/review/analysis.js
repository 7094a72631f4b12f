// The engine's analysis: asked for, waited for, shown.

import { _, decimal } from "../shared/i18n.js";

const POLL_MS = 1000;
const DIGITS = { error_rate: 1, error_total: 3, luck: 3 };

const byId = (id) => document.getElementById(id);

function inWords(name, value) {
  if (typeof value !== "number") return value;
  const text = decimal(Math.abs(value), DIGITS[name]);
  if (name !== "luck") return text;
  return value < 0 ? `−${text}` : `+${text}`;
}

function showFigures(figures) {
  byId("analysis-engine").textContent = figures.engine;
  for (const cell of document.querySelectorAll("[data-figure]")) {
    const [side, name] = cell.dataset.figure.split("-");
    cell.textContent = inWords(name, figures[side][name]);
  }
  byId("figures").hidden = false;
}

const NOTES = {
  none: _("Error rates and the best plays, in a minute or less."),
  running: _("The match is being analysed …"),
};

export function watchAnalysis(address, onTurns) {
  const section = byId("analysis");
  const show = (told) => {
    section.dataset.state = told.state;
    byId("analysis-note").textContent = told.note || NOTES[told.state] || "";
    byId("analyse").hidden = !["none", "failed"].includes(told.state);
    if (told.state === "done") {
      showFigures(told.figures);
      onTurns(told.figures.turns);
    }
    if (told.state === "running") setTimeout(ask, POLL_MS);
  };
  const read = async (options) => {
    const answer = await fetch(address, options).catch(() => null);
    if (answer?.ok) show(await answer.json());
    else byId("analysis-note").textContent = answer ? (await answer.json()).message : _("The program does not answer.");
  };
  const ask = () => read({});
  byId("analyse").addEventListener("click", () => read({
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Tableside": "1" },
    body: "{}",
  }));
  ask();
}
