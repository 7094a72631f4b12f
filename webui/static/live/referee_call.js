// The button with which a player calls the referee, and with which a referee says to have come.

import { request } from "../shared/api.js";
import { byId } from "../shared/dom.js";

const section = byId("call");

async function send(button) {
  const { ok, message } = await request(section.dataset.address, { word: button.dataset.word });
  byId("call-answer").textContent = ok ? "" : message;
}

/** Lets the buttons be pressed, where there are any. */
export function bindCall() {
  for (const button of section?.querySelectorAll("[data-word]") ?? []) button.addEventListener("click", () => send(button));
}

/** Shows whether the referee has been called. */
export function showCall({ call, record }) {
  if (!section) return;
  section.hidden = !record.match;
  section.dataset.called = Boolean(call);
}
