// The overlay: the live page's board and texts. It does not show a lost connection: an audience
// cannot help, and the last known position is the best available.

import { Board } from "../shared/board.js";
import { byId, changed, renderList, write } from "../shared/dom.js";
import { EventStream } from "../shared/event_stream.js";
import { language } from "../shared/i18n.js";
import { makeDie, showAlert, showLastPlay, showPlayers, showStudy } from "../shared/match_status.js";

const root = document.documentElement;
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

function showState(state) {
  const { shown } = state;
  board.show(state);
  showPlayers(state);
  showAlert(shown.flag);
  showLastPlay(shown.last);
  showStudy(shown.study);
  if (changed("names", state.players)) fitNames();
  write("length", shown.length);
  byId("strip-dice").dataset.side = shown.dice[0]?.side ?? "";
  renderList("strip-dice", shown.dice.map((die) => die.value), makeDie);
}

const { as, delay, token } = root.dataset;
const key = token ? `&token=${encodeURIComponent(token)}` : "";

new EventStream(`/api/events?as=${as}&delay=${delay}&lang=${language}${key}`, {
  onState: showState,
  onLink: (link) => { root.dataset.link = link; },
});
