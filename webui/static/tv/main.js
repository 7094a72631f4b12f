// The match on a television: what players may see, large, with a button for the full screen.

import { Board } from "../shared/board.js";
import { bindBoardLook } from "../shared/board_look.js";
import { byId, changed, write } from "../shared/dom.js";
import { EventStream, showLink } from "../shared/event_stream.js";
import { fitNames } from "../shared/fit_names.js";
import { language } from "../shared/i18n.js";
import { makeDie, showAlert, showPlayers } from "../shared/match_status.js";
import { showPlace } from "../shared/place.js";
import { Voice } from "./voice.js";

const board = new Board(byId("board"));
const full = byId("full");
const voice = new Voice();
let newest = null;

function showState(state) {
  newest = state;
  const { shown } = state;
  document.title = shown.title;
  document.documentElement.dataset.phase = state.phase;
  board.show(state);
  showPlayers(state);
  showAlert(shown.alert);
  for (const name of ["headline", "variant"]) write(name, shown[name]);
  showPlace(shown.place);
  write("end-title", shown.end?.title);
  const faces = shown.dice.map(({ value }) => value);
  if (changed("tv-dice", faces)) byId("tv-dice").replaceChildren(...faces.map(makeDie));
  voice.update(state);
  if (changed("spoken", shown.spoken.event)) byId("spoken").textContent = shown.spoken.event;
}

fitNames();
bindBoardLook(board, () => newest && board.show(newest));
full.hidden = !document.fullscreenEnabled;
full.addEventListener("click", () => document.documentElement.requestFullscreen());
new EventStream(`/api/events?as=viewer&lang=${language}`, { onState: showState, onLink: showLink });
