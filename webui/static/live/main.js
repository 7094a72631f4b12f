// Where it all meets: each state that arrives is handed to the parts of the page.

import { Board } from "../shared/board.js";
import { watchCamera } from "../shared/camera.js";
import { Dispute } from "../shared/dispute.js";
import { Live } from "../shared/event_stream.js";
import { showPanels } from "./panels.js";
import { language, linkWords } from "../shared/i18n.js";

const byId = (id) => document.getElementById(id);
const board = new Board(byId("board"));
const dispute = new Dispute(board);

function showState(state) {
  board.show(state);
  showPanels(state);
  dispute.show(state);
}

function showLink(link) {
  const chip = byId("link");
  if (chip.dataset.link === link) return;
  chip.dataset.link = link;
  chip.querySelector("span").textContent = linkWords(link);
  byId("lost").hidden = link !== "lost";
}

watchCamera(byId("picture"));
// What the players may see, whoever has the page open: it stands beside the board.
new Live(`/api/events?as=viewer&lang=${language}`, { onState: showState, onLink: showLink });
