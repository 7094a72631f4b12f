// The turn in progress, entered by hand: its dice, then its play, which is recorded as soon as only
// one is possible.

import { request, submit } from "../shared/api.js";
import { byId, changed, onSubmit } from "../shared/dom.js";
import { _, playText } from "../shared/i18n.js";
import { makePlayItem } from "../shared/play_item.js";
import { PlayForm } from "./play_form.js";

export class TurnEntry extends PlayForm {
  constructor(board, callbacks) {
    super(board, "entry", callbacks);
    Object.assign(this, { step: "", isOpen: false, dice: [0, 0], section: byId("turn-entry") });
    for (const button of this.section.querySelectorAll("[data-die]")) {
      button.addEventListener("click", () => this.chooseDie(Number(button.dataset.die), Number(button.dataset.face)));
    }
    for (const button of this.rolls) {
      // A double click is one roll: after a roll without a play, the next would be the opponent's.
      button.addEventListener("click", ({ detail }) => {
        if (detail <= 1) this.sendRoll(button.dataset.roll.split("-").map(Number));
      });
    }
    onSubmit(byId("entry-play"), () => this.sendPlay(byId("entry-notation").value));
  }

  get rolls() { return this.section.querySelectorAll("[data-roll]"); }

  get isTapping() { return this.step === "play" && super.isTapping; }

  /** What the board shows instead of the state; null before the first move. */
  get drawing() { return this.entry.isBegun ? this.entry.drawing : null; }

  toggle() {
    this.isOpen = !this.isOpen;
    if (this.state && this.status) this.update(this.state, this.status);
    if (this.isOpen && !this.step) this.answer.textContent = this.status.telling.roll || this.status.telling.play;
  }

  /** status: what the desk may do now. */
  update(state, status) {
    Object.assign(this, { state, status });
    const { telling } = status;
    const hasCup = state.cup && state.cup.state !== "aside";
    const step = telling.dice ? "play" : telling.roll || hasCup ? "" : "roll";
    // Where a video has ended, the match rests until somebody wants to go on.
    const isAsked = status.by_hand && (state.phase !== "ended" || !step);
    this.step = isAsked || this.isOpen ? step : "";
    this.section.hidden = this.step === "" && !this.isOpen;
    byId("entry-roll").hidden = this.step !== "roll";
    byId("entry-play").hidden = this.step !== "play";
    byId("entry-open").hidden = isAsked;
    byId("entry-open").setAttribute("aria-expanded", String(this.isOpen));
    if (this.step === "roll") this.showDice();
    if (!changed("turn-entry", [this.step, status.turns, status.to_move, telling])) return;
    Object.assign(this, { entry: null, plays: [], dice: [0, 0] });
    this.answer.textContent = "";
    this.showDice();
    if (this.step === "play") this.requestPlays();
    else this.redraw();
  }

  // --- The roll

  showDice() {
    const { telling, players } = this.status;
    byId("entry-lots").hidden = !telling.lots;
    byId("entry-rolls").hidden = telling.lots;
    this.section.querySelectorAll("[data-legend]").forEach((legend, n) => { legend.textContent = [players.light, players.dark][n]; });
    // After the first digit: the rolls with that die.
    for (const button of this.rolls) button.dataset.fits = !this.dice[0] || button.dataset.roll.includes(this.dice[0]);
    for (const button of this.section.querySelectorAll("[data-die]")) {
      button.setAttribute("aria-pressed", String(this.dice[button.dataset.die] === Number(button.dataset.face)));
    }
  }

  /** A digit of the keyboard: the first is the first die. */
  enterDigit(face) {
    this.chooseDie(this.dice[0] ? 1 : 0, face);
  }

  chooseDie(die, face) {
    this.dice[die] = face;
    this.showDice();
    if (this.dice.includes(0)) return;
    const { dice } = this;
    this.dice = [0, 0];
    this.sendRoll(dice);
  }

  async sendRoll(dice) {
    const status = await submit("/api/desk/roll", { dice }, this.answer);
    this.showDice();
    if (status) this.onDone(status, _("Roll: {dice}.", { dice: dice.join("-") }));
  }

  // --- The play

  async requestPlays() {
    // Before the answer: what is typed meanwhile stays.
    byId("entry-notation").value = "";
    byId("entry-any").checked = false;
    byId("entry-legal").open = false;
    const { ok, body } = await request("/api/desk/plays");
    if (!ok || this.step !== "play") return;
    Object.assign(this, { turn: body, plays: body.plays });
    this.showLegalPlays();
    this.startTapping();
  }

  press(cell, isSmaller) {
    super.press(cell, isSmaller);
    this.sendOnly();
  }

  drop(cell) {
    super.drop(cell);
    this.sendOnly();
  }

  sendOnly() {
    const { only } = this.entry;
    if (only) this.sendPlay(only.play);
  }

  makeItem(play) {
    const node = makePlayItem(this.board, "choose-play", play);
    node.querySelector("button").addEventListener("click", () => this.sendPlay(play.play));
    return node;
  }

  async sendPlay(notation) {
    const play = notation.trim();
    if (!play) {
      this.answer.textContent = _("Type or tap the play, such as 8/5 6/5.");
      return;
    }
    const status = await submit("/api/desk/play", { play }, this.answer);
    if (status) this.onDone(status, _("Recorded: {play}.", { play: playText(play) }));
  }
}
