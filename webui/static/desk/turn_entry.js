// The turn in progress, told by hand: its dice, then its play, tapped on the live board or typed.

import { ask } from "../shared/api.js";
import { byId, changed } from "../shared/dom.js";
import { drawPlay } from "../shared/play_item.js";
import { Tapping } from "./board_play_entry.js";
import { _, playWords } from "../shared/i18n.js";

export class Telling {
  // redraw(): the board is to be drawn again; done(now, words): it is in the record.
  constructor(board, { redraw, done }) {
    Object.assign(this, { board, redraw, done, step: "", isOpen: false, tapping: null, plays: [], dice: [0, 0] });
    this.section = byId("telling");
    for (const button of this.section.querySelectorAll("[data-die]")) {
      button.addEventListener("click", () => this.chooseDie(Number(button.dataset.die), Number(button.dataset.face)));
    }
    byId("tell-play").addEventListener("submit", (event) => { event.preventDefault(); this.tellPlay(byId("tell-notation").value); });
    byId("tell-again").addEventListener("click", () => this.startTaps());
    byId("tell-any").addEventListener("change", () => this.startTaps());
    byId("tell-legal").addEventListener("toggle", () => this.drawLegal());
  }

  get isTapping() { return this.step === "play" && this.tapping !== null; }

  toggle() {
    this.isOpen = !this.isOpen;
    if (this.state && this.now) this.follow(this.state, this.now);
    if (this.isOpen && !this.step) this.answer(this.now.telling.roll || this.now.telling.play);
  }

  // state: what is shown; now: what can be said.
  follow(state, now) {
    Object.assign(this, { state, now });
    const { telling } = now;
    const isCups = state.cup && state.cup.state !== "aside";
    const step = telling.dice ? "play" : telling.roll || isCups ? "" : "roll";
    this.step = now.by_hand || this.isOpen ? step : "";
    this.section.hidden = this.step === "" && !this.isOpen;
    byId("tell-roll").hidden = this.step !== "roll";
    byId("tell-play").hidden = this.step !== "play";
    byId("tell-open")?.setAttribute("aria-expanded", String(this.isOpen));
    if (this.step === "roll") this.showDice();
    if (!changed("telling", [this.step, now.turns, now.to_move, telling])) return;
    Object.assign(this, { tapping: null, plays: [], dice: [0, 0] });
    this.answer("");
    this.showDice();
    if (this.step === "play") this.askPlays();
    else this.redraw();
  }

  // --- The roll

  showDice() {
    const { telling, players } = this.now;
    const legends = telling.lots ? [players.light, players.dark] : [_("First die"), _("Second die")];
    this.section.querySelectorAll("[data-legend]").forEach((legend, n) => { legend.textContent = legends[n]; });
    for (const button of this.section.querySelectorAll("[data-die]")) {
      button.setAttribute("aria-pressed", String(this.dice[button.dataset.die] === Number(button.dataset.face)));
    }
  }

  // A digit of the keyboard: the first is the first die.
  digit(face) {
    this.chooseDie(this.dice[0] ? 1 : 0, face);
  }

  async chooseDie(die, face) {
    this.dice[die] = face;
    this.showDice();
    if (this.dice.includes(0)) return;
    const { dice } = this;
    this.dice = [0, 0];
    const { ok, told, message } = await ask("/api/desk/roll", { dice });
    this.showDice();
    this.answer(ok ? "" : message);
    if (ok) this.done(told, _("The roll is {dice}.", { dice: dice.join("-") }));
  }

  // --- The play

  async askPlays() {
    const { ok, told } = await ask("/api/desk/plays");
    if (!ok || this.step !== "play") return;
    Object.assign(this, { turn: told, plays: told.plays });
    byId("tell-notation").value = "";
    byId("tell-any").checked = false;
    byId("tell-legal").open = false;
    byId("tell-legal-count").textContent = told.plays.length;
    this.startTaps();
  }

  startTaps() {
    if (!this.turn) return;
    this.tapping = new Tapping(this.turn, byId("tell-any").checked ? [] : this.plays, this.state);
    this.showTaps();
  }

  showTaps() {
    const ended = this.tapping.ended();
    byId("tell-words").textContent = this.tapping.hint;
    byId("tell-ends").replaceChildren(...ended.length > 1 ? ended.map((play) => this.choice(play)) : []);
    byId("tell-again").hidden = !this.tapping.isBegun;
    this.redraw();
  }

  drawLegal() {
    const isOpen = byId("tell-legal").open;
    byId("tell-legal-plays").replaceChildren(...isOpen ? this.plays.map((play) => this.choice(play)) : []);
  }

  choice(play) {
    const node = drawPlay(this.board, "choose-play", play);
    node.querySelector("button").addEventListener("click", () => this.tellPlay(play.play));
    return node;
  }

  press(cell) {
    const isPossible = this.tapping.press(cell);
    this.answer(isPossible ? "" : _("No legal play with this roll does that. Tick “not legal” below if it was played all the same."));
    if (isPossible && this.tapping.isBetweenMoves && this.tapping.isBegun) byId("tell-notation").value = this.tapping.text;
    this.showTaps();
  }

  get marks() { return this.tapping.marks; }

  words(cell) { return this.tapping.words(cell); }

  get held() { return this.tapping.isBegun ? this.tapping.held : null; }

  async tellPlay(play) {
    if (!play.trim()) return this.answer(_("Type or tap what was played, such as 8/5 6/5."));
    const { ok, told, message } = await ask("/api/desk/play", { play: play.trim() });
    this.answer(ok ? "" : message);
    return ok && this.done(told, _("Recorded: {play}.", { play: playWords(play.trim()) }));
  }

  answer(words) {
    byId("tell-answer").textContent = words;
  }
}
