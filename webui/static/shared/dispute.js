// An illegal play on the board: the referee accepts it, or requires a legal one; and the legal
// plays on demand.

import { refusalOf, refusalOn, request, sendCommand, setRefusal } from "./api.js";
import { byId } from "./dom.js";
import { _ } from "./i18n.js";
import { makePlayItem } from "./play_item.js";

export class Dispute {
  // onDone(status): a decision is recorded; status: what the desk may do now.
  constructor(board, onDone = () => {}) {
    Object.assign(this, { board, onDone, turn: null });
    this.actions = byId("alert-acts");
    // Only the referee's page has buttons.
    if (!this.actions) return;
    this.button = byId("alert-legal");
    this.button.addEventListener("click", () => this.toggle());
    this.decisions = [...this.actions.querySelectorAll("[data-command]")];
    for (const button of this.decisions) button.addEventListener("click", () => this.decide(button));
  }

  /** Shows the buttons while the state has an illegal play. */
  show({ shown, last_play: last }) {
    if (!this.actions) return;
    const turn = shown.alert?.kind === "illegal" ? last.id : null;
    if (turn === this.turn) return;
    this.turn = turn;
    this.actions.hidden = turn === null;
    byId("alert-answer").textContent = "";
    this.close();
    if (turn !== null) this.requestStatus();
  }

  async requestStatus() {
    const { ok, body } = await request("/api/desk");
    if (ok) this.showAllowed(body);
  }

  /** Marks the decisions that are not allowed now. */
  showAllowed(status) {
    for (const button of this.decisions ?? []) setRefusal(button, refusalOf(status, button.dataset.command));
  }

  async decide(button) {
    if (refusalOn(button)) return this.answer(refusalOn(button));
    const { ok, body, message } = await sendCommand(button.dataset.command);
    this.answer(ok ? "" : message);
    return ok && this.onDone(body);
  }

  // Without an illegal play there is no alert to write in; a key may be pressed all the same.
  answer(text) {
    byId(this.turn === null ? "desk-answer" : "alert-answer")?.replaceChildren(text);
  }

  toggle() {
    if (this.turn === null) return this.answer(_("There is no illegal play on the board."));
    return this.button.getAttribute("aria-expanded") === "true" ? this.close() : this.open();
  }

  close() {
    this.button.setAttribute("aria-expanded", "false");
    byId("legal").hidden = true;
    byId("legal-plays").replaceChildren();
  }

  async open() {
    const turn = this.turn;
    // To find them takes seconds, and the panel says so meanwhile.
    this.button.setAttribute("aria-busy", "true");
    byId("legal-count").textContent = "…";
    byId("legal").hidden = false;
    const { ok, body, message } = await request(`/api/turns/${turn}/plays`);
    this.button.removeAttribute("aria-busy");
    if (turn !== this.turn) return;
    this.answer(ok ? "" : message);
    if (!ok) {
      this.close();
      return;
    }
    this.button.setAttribute("aria-expanded", "true");
    byId("legal-plays").replaceChildren(...body.plays.map((play) => makePlayItem(this.board, "legal-play", play)));
    byId("legal-count").textContent = body.plays.length;
    if (!matchMedia("(min-width: 901px)").matches) byId("legal").scrollIntoView({ block: "start" });
  }
}
