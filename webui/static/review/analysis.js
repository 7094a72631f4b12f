// The engine's analysis: requested, waited for, shown.

import { request } from "../shared/api.js";
import { byId } from "../shared/dom.js";
import { _, decimal } from "../shared/i18n.js";
import { signed } from "../shared/judged.js";

const POLL_MS = 1000;
const FIGURES = {
  rating: (value) => decimal(value, 2), luck: signed, level: (value) => value,
};
const NOTES = { none: _("Errors, luck, performance ratings and the best plays.") };

/** Shows both players' performance ratings and luck. */
export function showFigures(figures) {
  byId("analysis-engine").textContent = figures.engine;
  for (const cell of document.querySelectorAll("[data-figure]")) {
    const [side, name] = cell.dataset.figure.split("-");
    cell.textContent = figures[side].decisions || name === "luck" ? FIGURES[name](figures[side][name]) : "–";
  }
  byId("figures").hidden = false;
}

/** Shows the analysis at `address` and its progress; onEvents(events) with what has been judged. */
export function watchAnalysis(address, onEvents) {
  const show = ({ state, note, figures, done, total }) => {
    byId("analysis").dataset.state = state;
    const progress = state === "running" ? _("{done} of {total} judged", { done, total }) : "";
    byId("analysis-note").textContent = note || progress || NOTES[state] || "";
    byId("analyse").hidden = !["none", "failed"].includes(state);
    byId("report-link").hidden = state !== "done";
    if (figures) {
      showFigures(figures);
      onEvents(figures.events);
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
