// The overlay: the live page's board and texts. It does not show a lost connection: an audience
// cannot help, and the last known position is the best available.

import { Board } from "../shared/board.js";
import { byId, changed, renderList, write } from "../shared/dom.js";
import { EventStream } from "../shared/event_stream.js";
import { _, language } from "../shared/i18n.js";
import { MARKS, bestText, kindText, lossText, showChances, worst } from "../shared/judged.js";
import { makeDie, showAlert, showLastPlay, showPlayers, showStudy } from "../shared/match_status.js";
import { showPlace } from "../shared/place.js";

const root = document.documentElement;
const { as, delay, token } = root.dataset;
const key = token ? `token=${encodeURIComponent(token)}` : "";
const board = new Board(byId("board"));

// A long name is written smaller; only one that would be too small to read is cut.
const NAME_REM = 1.5;
const MIN_REM = 0.95;
// The widths of letters do not shrink quite as much as their size.
const SPARE = 0.97;

function fitNames() {
  for (const name of document.querySelectorAll(".name")) {
    name.style.fontSize = "";
    const fits = SPARE * NAME_REM * (name.clientWidth / name.scrollWidth);
    if (name.clientWidth < name.scrollWidth) name.style.fontSize = `${Math.max(MIN_REM, fits)}rem`;
  }
}

// What the server sends to nobody who plays, and to the audience only late.
function showJudged(newest, last) {
  const error = newest && worst(newest);
  const isError = Boolean(error?.mark);
  byId("judged").hidden = !newest;
  showChances(newest?.chances ?? null);
  byId("error").hidden = !isError;
  byId("error").dataset.side = newest?.player ?? "";
  write("error-what", isError ? kindText(error) : "");
  byId("error-loss").dataset.mark = error?.mark ?? "";
  byId("error-loss").textContent = isError ? `${lossText(error)} · ${MARKS[error.mark]}` : "";
  write("error-best", isError ? _("better: {choice}", { choice: bestText(error) }) : "");
  // The last play takes the color of its error.
  byId("last").dataset.mark = last && newest?.turn === Number(last.id) ? error?.mark ?? "" : "";
}

function showState(state) {
  const { shown } = state;
  board.show(state);
  showPlayers(state);
  showAlert(shown.flag);
  showLastPlay(shown.last);
  showStudy(shown.study);
  showJudged(state.analysis?.newest, state.last_play);
  showPlace(shown.place, key && `?${key}`);
  if (changed("names", state.players)) fitNames();
  write("length", shown.length);
  byId("strip-dice").dataset.side = shown.dice[0]?.side ?? "";
  renderList("strip-dice", shown.dice.map((die) => die.value), makeDie);
}

new EventStream(`/api/events?as=${as}&delay=${delay}&lang=${language}${key && `&${key}`}`, {
  onState: showState,
  onLink: (link) => { root.dataset.link = link; },
});
