// How the game, the match or the video ended, and what to do next.

import { sendCommand } from "./api.js";
import { byId, write } from "./dom.js";

/** Lets the referee begin the next game; onDone(status): it has begun. */
export function bindEndCard(onDone = () => {}) {
  byId("end-next-game")?.addEventListener("click", async () => {
    const { ok, body, message } = await sendCommand("begin_game");
    byId("end-answer").textContent = ok ? "" : message;
    if (ok) onDone(body);
  });
}

/** Shows the card of a state, if it has one. */
export function showEndCard({ shown, result, record, by_hand: byHand }) {
  const { end } = shown;
  byId("end-card").hidden = !end;
  if (!end) byId("end-answer").textContent = "";
  write("end-title", end?.title);
  write("end-text", end?.text);
  setShown("end-next-game", byHand && result && !end?.is_final);
  setShown("end-next-match", result && end?.is_final);
  // Who sees the match late may open it once it is over.
  for (const link of document.querySelectorAll("[data-record]")) {
    link.hidden = !record.match || (link.dataset.late === "true" && !end?.is_final);
    link.href = `/matches/${record.match}${link.dataset.record}`;
  }
}

function setShown(id, isShown) {
  const element = byId(id);
  if (element) element.hidden = !isShown;
}
