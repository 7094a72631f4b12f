// The engine's analysis: requested, waited for, shown.

import { request } from "../shared/api.js";
import { byId } from "../shared/dom.js";
import { _, decimal } from "../shared/i18n.js";

const POLL_MS = 1000;
const DIGITS = { error_rate: 1, error_total: 3, luck: 3 };
const NOTES = {
  none: _("Error rates and the best plays, in a minute or less."),
  running: _("Analyzing the match…"),
};

function figureText(name, value) {
  if (typeof value !== "number") return value;
  const text = decimal(Math.abs(value), DIGITS[name]);
  if (name !== "luck") return text;
  return value < 0 ? `−${text}` : `+${text}`;
}

function showFigures(figures) {
  byId("analysis-engine").textContent = figures.engine;
  for (const cell of document.querySelectorAll("[data-figure]")) {
    const [side, name] = cell.dataset.figure.split("-");
    cell.textContent = figureText(name, figures[side][name]);
  }
  byId("figures").hidden = false;
}

/** Shows the analysis at `address` and its progress; onTurns(turns) once it is done. */
export function watchAnalysis(address, onTurns) {
  const show = ({ state, note, figures }) => {
    byId("analysis").dataset.state = state;
    byId("analysis-note").textContent = note || NOTES[state] || "";
    byId("analyse").hidden = !["none", "failed"].includes(state);
    if (state === "done") {
      showFigures(figures);
      onTurns(figures.turns);
    }
    if (state === "running") setTimeout(update, POLL_MS);
  };
  const update = async (options) => {
    const { ok, body, message } = await request(address, options, _("The program does not respond."));
    if (ok) show(body);
    else byId("analysis-note").textContent = message;
  };
  byId("analyse").addEventListener("click", () => update({}));
  update();
}
