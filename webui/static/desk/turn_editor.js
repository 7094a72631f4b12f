// One turn, opened: what else it may have been, another play by tapping or in notation, its roll.

import { allow, ask, refusal } from "../shared/api.js";
import { byId, copy, fill } from "../shared/dom.js";
import { makeDie } from "../shared/match_status.js";
import { numbersOf } from "./places.js";
import { drawPlay, offOf } from "../shared/play_item.js";
import { TurnStills } from "./turn_stills.js";
import { Tapping } from "./board_play_entry.js";
import { _, decimal, playWords } from "../shared/i18n.js";

const NUMBERED = 9;
const percent = (share) => {
  if (share > 0.999) return `> ${decimal(99.9, 1)} %`;
  return share < 0.005 ? "< 1 %" : `${Math.round(100 * share)} %`;
};
const picked = (name) => Number(document.querySelector(`#roll-form [name=${name}]:checked`)?.value ?? 0);

function dicePair(dice) {
  const pair = document.createElement("span");
  pair.className = "pair";
  pair.append(...dice.map(makeDie));
  return pair;
}

export class OpenTurn {
  // redraw(): the board is to be drawn again; done(now, words): something was put right.
  constructor(board, { redraw, done }) {
    Object.assign(this, { board, redraw, done, turn: null, tapping: null, preview: null, stills: new TurnStills() });
    byId("play-form").addEventListener("submit", (event) => { event.preventDefault(); this.choose(byId("notation").value); });
    byId("tap").addEventListener("click", () => this.toggleTaps());
    byId("tap-again").addEventListener("click", () => this.startTaps());
    byId("tap-any").addEventListener("change", () => this.startTaps());
    byId("turn-legal").addEventListener("toggle", () => this.turn && this.drawLegal());
    byId("roll-form").addEventListener("submit", (event) => { event.preventDefault(); this.setRoll([picked("first"), picked("second")]); });
  }

  get number() { return this.turn?.number ?? null; }

  // Whether it is open now; if not, `failed` has the line that says why.
  async open(number, state) {
    const [turn, plays] = await Promise.all([ask(`/api/turns/${number}`), ask(`/api/turns/${number}/plays`)]);
    this.failed = turn.message ?? "";
    if (!turn.ok) return false;
    if (number !== this.number) {
      byId("notation").value = "";
      byId("tap-any").checked = false;
    }
    Object.assign(this, { turn: turn.told, state, tapping: null, preview: null });
    this.plays = plays.ok ? plays.told.plays : [];
    this.tell("play-answer", plays.ok ? "" : plays.message);
    this.tell("roll-answer", "");
    this.draw();
    this.stills.show(number);
    return true;
  }

  draw() {
    const { turn, state } = this;
    const dice = (turn.dice ?? []).map((face) => face ?? "?").join("-");
    const told = { hand: state.by_hand ? _("told by hand") : _("put right by hand"), rules: _("nothing could be moved") };
    const by = told[turn.by] ?? _("{percent} sure", { percent: percent(turn.confidence) });
    const rule = turn.rejected ? _("rejected") : turn.legal ? "" : turn.rule;
    fill(byId("turn-panel"), { title: _("Turn {number}", { number: turn.number }), name: state.players[turn.player], dice, play: playWords(turn.play), by, rule });
    Object.assign(byId("turn-panel").dataset, { legal: turn.legal, side: turn.player });
    this.drawOthers();
    this.drawLegal();
    this.drawRolls();
    this.showTaps();
  }

  drawOthers() {
    const others = this.turn.alternatives.filter((one) => one.play !== this.turn.play);
    byId("others").replaceChildren(...others.map((one, n) => {
      const fields = { percent: percent(one.confidence), key: n < NUMBERED ? n + 1 : "" };
      return this.choice(drawPlay(this.board, "other-play", one, fields), one);
    }));
    byId("others-none").hidden = others.length > 0;
  }

  // A double may have a hundred plays: they are drawn when they are looked at.
  drawLegal() {
    const { turn, plays, board } = this;
    const isOpen = byId("turn-legal").open;
    byId("turn-legal-count").textContent = plays.length;
    byId("turn-legal").hidden = plays.length === 0;
    byId("turn-legal-plays").replaceChildren(...isOpen ? plays.map((play) => (
      this.choice(drawPlay(board, "choose-play", { ...play, played: play.played && turn.legal }), play))) : []);
  }

  // What is pointed at is seen on the big board before it is chosen.
  choice(node, one) {
    const button = node.querySelector("button");
    button.addEventListener("click", () => this.choose(one.play, button));
    const preview = (shown) => () => { this.preview = shown; this.redraw(); };
    for (const begins of ["pointerenter", "focus"]) button.addEventListener(begins, preview(one.position && one));
    for (const ends of ["pointerleave", "blur"]) button.addEventListener(ends, preview(null));
    allow(button, one.position === null ? _("It cannot be made from the position before.") : null);
    return node;
  }

  drawRolls() {
    const { turn } = this;
    const same = (dice) => String([...dice].sort()) === String([...turn.dice ?? []].sort());
    const fitting = turn.rolls.filter(({ dice, explains }) => explains && !same(dice));
    byId("rolls").replaceChildren(...fitting.map(({ dice }) => {
      const node = copy("roll-choice");
      const button = node.querySelector("button");
      button.setAttribute("aria-label", _("The roll was {dice}, which explains the play", { dice: dice.join("-") }));
      button.append(dicePair(dice));
      button.addEventListener("click", () => this.setRoll(dice));
      return node;
    }));
    byId("rolls-fit").hidden = fitting.length === 0;
    [["first", 0], ["second", 1]].forEach(([name, n]) => {
      const face = document.querySelector(`#roll-form [name=${name}][value="${turn.dice?.[n]}"]`);
      if (face) face.checked = true;
      else for (const one of document.querySelectorAll(`#roll-form [name=${name}]`)) one.checked = false;
    });
  }

  // --- Tapping

  get isTapping() { return this.tapping !== null; }

  toggleTaps() {
    if (this.isTapping) this.endTaps();
    else this.startTaps();
  }

  startTaps() {
    const plays = byId("tap-any").checked ? [] : this.plays;
    this.tapping = new Tapping(this.turn, plays, this.state);
    this.showTaps();
    this.redraw();
  }

  endTaps() {
    this.tapping = null;
    this.showTaps();
    this.redraw();
  }

  showTaps() {
    byId("tap").setAttribute("aria-pressed", String(this.isTapping));
    byId("tapping").hidden = !this.isTapping;
    if (!this.isTapping) return;
    const ended = this.tapping.ended();
    byId("tap-words").textContent = this.tapping.hint;
    byId("tap-ends").replaceChildren(...ended.length > 1 ? ended.map((play) => (
      this.choice(drawPlay(this.board, "choose-play", play), play))) : []);
  }

  press(cell) {
    const isPossible = this.tapping.press(cell);
    this.tell("play-answer", isPossible ? "" : _("No legal play with this roll does that. Tick “not legal” below if it was played all the same."));
    if (isPossible && this.tapping.isBetweenMoves) byId("notation").value = this.tapping.text;
    this.showTaps();
    this.redraw();
  }

  get marks() { return this.tapping.marks; }

  words(cell) { return this.tapping.words(cell); }

  // What the board shows while the turn is open.
  get held() {
    const { turn, state, preview, tapping } = this;
    const { cells } = state.shown;
    const numbers = numbersOf(cells, turn.player);
    const dice = (turn.dice ?? []).map((value) => ({ side: turn.player, value, flat: true, sure: value !== null }));
    const common = { numbers, dice, cube: null };
    if (preview) return { ...common, piles: preview.piles, off: offOf(preview.position), marks: preview.marks };
    if (tapping) return { ...common, ...tapping.held };
    return { ...common, piles: turn.piles_after, off: offOf(turn.after), marks: turn.marks };
  }

  // --- Saying it

  async choose(play, button = null) {
    const why = button && refusal(button);
    if (why || !play.trim()) return this.tell("play-answer", why || _("Type or tap what was played, such as 8/5 6/5."));
    const { ok, told, message } = await ask(`/api/turns/${this.number}/play`, { play: play.trim() });
    this.tell("play-answer", ok ? "" : message);
    if (ok) byId("notation").value = "";
    return ok && this.done(told, _("Turn {number} is {play} now.", { number: this.number, play: playWords(play.trim()) }));
  }

  async setRoll(dice) {
    if (dice.includes(0)) return this.tell("roll-answer", _("Choose both dice."));
    const { ok, told, message } = await ask(`/api/turns/${this.number}/roll`, { dice });
    this.tell("roll-answer", ok ? "" : message);
    return ok && this.done(told, _("The roll of turn {number} is {dice} now.", { number: this.number, dice: dice.join("-") }));
  }

  chooseNumbered(n) {
    byId("others").querySelectorAll("button")[n - 1]?.click();
  }

  tell(id, words) {
    byId(id).textContent = words;
  }
}
