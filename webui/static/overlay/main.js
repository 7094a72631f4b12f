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

// A long name is written smaller, then on several lines, and broken within a word only if it must
// be: no part of it is ever cut. Of these sizes, in rems, the first that fits is taken.
const SIZES = { one: [1.5, 1.2], several: [1.35, 0.7], broken: [1.1, 0.7] };
const STEP = 0.05;
// The rest of the strip's height stays free for the line of the player on roll.
const HEIGHT = 0.9;

function fitName(name) {
  const [who, strip, text] = [name.closest(".who"), name.closest(".strip"), document.createRange()];
  text.selectNodeContents(name);
  // The width of the text, since what juts out on the left is no part of a scroll width.
  const fits = () => text.getBoundingClientRect().width <= name.clientWidth && who.offsetHeight <= HEIGHT * strip.clientHeight;
  for (const [lines, [most, least]] of Object.entries(SIZES)) {
    name.dataset.lines = lines;
    for (let size = most; size >= least; size -= STEP) {
      name.style.fontSize = `${size}rem`;
      if (fits()) return;
    }
  }
}

// The line about an error is one line, written smaller where its play is long.
function fitError(line) {
  line.style.fontSize = "";
  const size = parseFloat(getComputedStyle(line).fontSize);
  if (line.scrollWidth > line.clientWidth) line.style.fontSize = `${0.97 * size * (line.clientWidth / line.scrollWidth)}px`;
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
  if (changed("error", byId("error").textContent)) fitError(byId("error"));
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
  if (changed("names", [state.players, state.score, Boolean(shown.clock)])) document.querySelectorAll(".name").forEach(fitName);
  write("length", shown.length);
  byId("strip-dice").dataset.side = shown.dice[0]?.side ?? "";
  renderList("strip-dice", shown.dice.map((die) => die.value), makeDie);
}

new EventStream(`/api/events?as=${as}&delay=${delay}&lang=${language}${key && `&${key}`}`, {
  onState: showState,
  onLink: (link) => { root.dataset.link = link; },
});
