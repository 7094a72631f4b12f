// A recorded turn: what else it may have been, another play by tapping or in notation, its roll.

import { refusalOn, request, setRefusal, submit } from "../shared/api.js";
import { byId, checkedValue, fill, fromTemplate, onSubmit } from "../shared/dom.js";
import { _, decimal, playText } from "../shared/i18n.js";
import { makeDie } from "../shared/match_status.js";
import { borneOff, makePlayItem } from "../shared/play_item.js";
import { pointNumbers } from "../shared/point_numbers.js";
import { PlayForm } from "./play_form.js";
import { TurnStills } from "./turn_stills.js";

const NUMBERED = 9;
const rollForm = byId("roll-form");

function percent(probability) {
  if (probability > 0.999) return `> ${decimal(99.9, 1)} %`;
  return probability < 0.005 ? "< 1 %" : `${Math.round(100 * probability)} %`;
}

function dicePair(dice) {
  const pair = document.createElement("span");
  pair.className = "pair";
  pair.append(...dice.map(makeDie));
  return pair;
}

export class TurnEditor extends PlayForm {
  constructor(board, callbacks) {
    super(board, "turn", callbacks);
    Object.assign(this, { preview: null, stills: new TurnStills() });
    onSubmit(byId("play-form"), () => this.sendPlay(byId("turn-notation").value));
    onSubmit(rollForm, () => this.sendRoll(["first", "second"].map((name) => Number(checkedValue(rollForm, name) ?? 0))));
    byId("turn-restart").addEventListener("click", () => this.startTapping());
    byId("tap").addEventListener("click", () => (this.isTapping ? this.stopTapping() : this.startTapping()));
  }

  get number() { return this.turn?.number ?? null; }

  /** Whether turn `number` is open now; if not, `failure` says why. */
  async open(number, state) {
    const [turn, plays] = await Promise.all([request(`/api/turns/${number}`), request(`/api/turns/${number}/plays`)]);
    this.failure = turn.message ?? "";
    if (!turn.ok) return false;
    if (number !== this.number) {
      byId("turn-notation").value = "";
      byId("turn-any").checked = false;
    }
    Object.assign(this, { turn: turn.body, state, entry: null, preview: null });
    this.plays = plays.ok ? plays.body.plays : [];
    this.answer.textContent = plays.ok ? "" : plays.message;
    byId("roll-answer").textContent = "";
    this.show();
    this.stills.show(number);
    return true;
  }

  show() {
    const { turn, state } = this;
    const dice = (turn.dice ?? []).map((face) => face ?? "?").join("-");
    const sources = { hand: state.by_hand ? _("entered by hand") : _("corrected by hand"), rules: _("no move was possible") };
    const by = sources[turn.by] ?? _("{percent} sure", { percent: percent(turn.confidence) });
    const rule = turn.rejected ? _("rejected") : turn.rule;
    fill(byId("turn-panel"), { title: _("Turn {number}", { number: turn.number }), name: state.players[turn.player], dice, play: playText(turn.play), by, rule });
    byId("turn-panel").dataset.side = turn.player;
    byId("turn-legal").hidden = this.plays.length === 0;
    this.showAlternatives();
    this.showLegalPlays();
    this.showRolls();
    this.showTapping();
  }

  showAlternatives() {
    const others = this.turn.alternatives.filter((one) => one.play !== this.turn.play);
    byId("others").replaceChildren(...others.map((one, n) => {
      const fields = { percent: percent(one.confidence), key: n < NUMBERED ? n + 1 : "" };
      return this.choice(makePlayItem(this.board, "other-play", one, fields), one);
    }));
    byId("others-none").hidden = others.length > 0;
  }

  makeItem(play) {
    const played = play.played && this.turn.legal;
    return this.choice(makePlayItem(this.board, "choose-play", { ...play, played }), play);
  }

  // The alternative under the pointer is shown on the main board before it is chosen.
  choice(node, play) {
    const button = node.querySelector("button");
    button.addEventListener("click", () => this.sendPlay(play.play, button));
    const preview = (shown) => () => { this.preview = shown; this.redraw(); };
    for (const begins of ["pointerenter", "focus"]) button.addEventListener(begins, preview(play.position && play));
    for (const ends of ["pointerleave", "blur"]) button.addEventListener(ends, preview(null));
    setRefusal(button, play.position === null ? _("This play is not possible from the position before.") : null);
    return node;
  }

  chooseNumbered(n) {
    byId("others").querySelectorAll("button")[n - 1]?.click();
  }

  showRolls() {
    const recorded = this.turn.dice ?? [];
    const isRecorded = (dice) => String([...dice].sort()) === String([...recorded].sort());
    const explaining = this.turn.rolls.filter(({ dice, explains }) => explains && !isRecorded(dice));
    byId("rolls").replaceChildren(...explaining.map(({ dice }) => this.rollChoice(dice)));
    byId("rolls-fit").hidden = explaining.length === 0;
    ["first", "second"].forEach((name, n) => {
      for (const face of rollForm.elements[name]) face.checked = Number(face.value) === recorded[n];
    });
  }

  rollChoice(dice) {
    const node = fromTemplate("roll-choice");
    const button = node.querySelector("button");
    button.setAttribute("aria-label", _("The roll was {dice}, which explains the play", { dice: dice.join("-") }));
    button.append(dicePair(dice));
    button.addEventListener("click", () => this.sendRoll(dice));
    return node;
  }

  // --- Tapping

  stopTapping() {
    this.entry = null;
    this.showTapping();
    this.redraw();
  }

  showTapping() {
    byId("tap").setAttribute("aria-pressed", String(this.isTapping));
    byId("tapping").hidden = !this.isTapping;
    if (this.isTapping) super.showTapping();
  }

  /** What the board shows instead of the state. */
  get drawing() {
    const { turn, state, preview, entry } = this;
    const numbers = pointNumbers(state.shown.cells, turn.player);
    const dice = (turn.dice ?? []).map((value) => ({ side: turn.player, value, flat: true, sure: value !== null }));
    const common = { numbers, dice, cube: null };
    if (preview) return { ...common, piles: preview.piles, off: borneOff(preview.position), marks: preview.marks };
    if (entry) return { ...common, ...entry.drawing };
    return { ...common, piles: turn.piles_after, off: borneOff(turn.after), marks: turn.marks };
  }

  // --- Corrections

  async sendPlay(notation, button = null) {
    const play = notation.trim();
    const refusal = button ? refusalOn(button) : "";
    if (refusal || !play) {
      this.answer.textContent = refusal || _("Type or tap the play, such as 8/5 6/5.");
      return;
    }
    const status = await submit(`/api/turns/${this.number}/play`, { play }, this.answer);
    if (!status) return;
    byId("turn-notation").value = "";
    this.onDone(status, _("Turn {number} is now {play}.", { number: this.number, play: playText(play) }));
  }

  async sendRoll(dice) {
    const answer = byId("roll-answer");
    if (dice.includes(0)) {
      answer.textContent = _("Choose both dice.");
      return;
    }
    const status = await submit(`/api/turns/${this.number}/roll`, { dice }, answer);
    if (status) this.onDone(status, _("The roll of turn {number} is now {dice}.", { number: this.number, dice: dice.join("-") }));
  }
}
