// An illegal play on the board: it may stand, or be played again; and what is legal, on demand.

import { allow, ask, refusal, refusalOf, say } from "./api.js";
import { byId } from "./dom.js";
import { drawPlay } from "./play_item.js";
import { _ } from "./i18n.js";

export class Dispute {
  // onDone(now): something was said, and what can be said next.
  constructor(board, onDone = () => {}) {
    Object.assign(this, { board, onDone, turn: null });
    this.acts = byId("alert-acts");
    // Not the referee's page: there is nothing to press.
    if (!this.acts) return;
    this.button = byId("alert-legal");
    this.button.addEventListener("click", () => this.toggle());
    for (const button of this.acts.querySelectorAll("[data-word]")) {
      button.addEventListener("click", () => this.decide(button));
    }
  }

  show({ shown, last_play: last }) {
    if (!this.acts) return;
    const turn = shown.alert?.kind === "illegal" ? last.id : null;
    if (turn === this.turn) return;
    this.turn = turn;
    this.acts.hidden = turn === null;
    byId("alert-answer").textContent = "";
    this.close();
    if (turn !== null) this.askWhatCanBe();
  }

  async askWhatCanBe() {
    const { ok, told } = await ask("/api/desk");
    if (ok) this.allow(told);
  }

  allow({ can, cannot }) {
    for (const button of this.acts?.querySelectorAll("[data-word]") ?? []) {
      allow(button, refusalOf({ can, cannot }, button.dataset.word));
    }
  }

  async decide(button) {
    if (refusal(button)) return this.tell(refusal(button));
    const { ok, told, message } = await say(button.dataset.word);
    this.tell(ok ? "" : message);
    return ok && this.onDone(told);
  }

  // Without an illegal play there is no alert to tell it in; a key may be pressed all the same.
  tell(words) {
    byId(this.turn === null ? "desk-answer" : "alert-answer")?.replaceChildren(words);
  }

  toggle() {
    if (this.turn === null) return this.tell(_("There is no illegal play on the board."));
    return this.button.getAttribute("aria-expanded") === "true" ? this.close() : this.open();
  }

  close() {
    this.button.setAttribute("aria-expanded", "false");
    byId("legal").hidden = true;
    byId("legal-plays").replaceChildren();
  }

  async open() {
    const turn = this.turn;
    const { ok, told, message } = await ask(`/api/turns/${turn}/plays`);
    if (turn !== this.turn) return;
    this.tell(ok ? "" : message);
    if (!ok) return;
    this.button.setAttribute("aria-expanded", "true");
    const items = told.plays.map((play) => drawPlay(this.board, "legal-play", play));
    byId("legal-plays").replaceChildren(...items);
    byId("legal-count").textContent = told.plays.length;
    byId("legal").hidden = false;
    const isBeside = matchMedia("(min-width: 901px)").matches;
    if (!isBeside) byId("legal").scrollIntoView({ block: "start" });
  }
}
