// The match in play with its analysis: for the referee and a delayed audience.

import { Board } from "../shared/board.js";
import { byId, fromTemplate, renderList, write } from "../shared/dom.js";
import { EventStream, showLink } from "../shared/event_stream.js";
import { fitNames } from "../shared/fit_names.js";
import { _, decimal, language } from "../shared/i18n.js";
import { MARKS, bestText, kindText, lossText, showChances, showDecisions, signed } from "../shared/judged.js";
import { showPlayers } from "../shared/match_status.js";

const board = new Board(byId("board"));

function mistake(one) {
  const item = fromTemplate("mistake", {
    what: kindText(one), loss: `${lossText(one)} · ${MARKS[one.mark]}`, best: _("better: {choice}", { choice: bestText(one) }),
  });
  item.querySelector(".mark").dataset.mark = one.mark;
  item.querySelector(".mistake-who").append(fromTemplate(`mistake-${one.player}`));
  return item;
}

function showAnalysis(analysis) {
  byId("waits").hidden = Boolean(analysis);
  byId("note").hidden = !analysis?.note;
  write("note", analysis?.note ?? "");
  byId("ratings").hidden = !analysis?.engine;
  byId("newest").hidden = !analysis?.newest;
  byId("mistakes").hidden = !analysis?.errors.length;
  showChances(analysis?.newest?.chances ?? null);
  showDecisions(analysis?.newest?.decisions ?? [], analysis?.play);
  if (!analysis) return;
  write("engine", analysis.engine);
  for (const side of ["light", "dark"]) {
    const { decisions, rating, level, luck } = analysis[side];
    write(`${side}-rating`, decisions ? decimal(rating, 2) : "–");
    write(`${side}-level`, level);
    write(`${side}-luck`, signed(luck));
  }
  renderList("mistakes", analysis.errors, mistake);
}

function showState(state) {
  document.documentElement.dataset.phase = state.phase;
  board.show(state);
  for (const name of ["headline", "variant"]) write(name, state.shown[name]);
  showPlayers(state);
  showAnalysis(state.analysis);
}

fitNames();
showAnalysis(null);
new EventStream(`/api/events?as=${byId("main").dataset.as}&lang=${language}`, { onState: showState, onLink: showLink });
