// The match itself: the players' names, its clock, its end, and the next match at this board.

import { refusalOn, setRefusal, submit } from "../shared/api.js";
import { byId, changed, onSubmit } from "../shared/dom.js";
import { GameOptions, explain } from "../shared/game_options.js";
import { _ } from "../shared/i18n.js";
import { PlaceFields } from "../shared/place_fields.js";
import { UnfinishedMatches } from "../shared/unfinished.js";

const SIDES = ["light", "dark"];
const form = byId("match-form");
const field = (name) => form.elements.namedItem(name);
const names = () => ({ light: field("light").value, dark: field("dark").value });

// Entered in minutes, sent in seconds.
function clock() {
  const [light, dark] = SIDES.map((side) => Math.round(60 * Number(field(`clock-${side}`).value)));
  return { light, dark, delay: Number(field("clock-delay").value) };
}

export class MatchForm {
  // onDone(status, text): it is recorded.
  constructor({ onDone }) {
    Object.assign(this, { onDone, answer: byId("match-answer") });
    byId("names-set").addEventListener("click", () => this.send("names", names(), _("Names changed.")));
    this.place = new PlaceFields();
    byId("place-set").addEventListener("click", () => this.send("place", this.place.value, _("It is shown now.")));
    byId("clock-set").addEventListener("click", () => this.send("clock", clock(), _("The clock is set. Press it when play begins.")));
    byId("clock-away").addEventListener("click", () => this.send("clock", { light: 0, dark: 0 }, _("The clock is off.")));
    byId("phone-away").querySelector("button").addEventListener("click", () => submit("/api/setup/phone/away", {}, this.answer));
    this.options = new GameOptions(byId("game-options"));
    this.explainRules = explain(field("rules"), byId("rules-note"));
    this.explainGame = explain(field("variant"), byId("variant-note"));
    field("variant").addEventListener("change", () => this.options.show(field("variant").value, field("length").value));
    field("length").addEventListener("input", () => this.options.limitTo(field("length").value));
    onSubmit(form, () => this.start());
    const box = byId("unfinished"); // none without a record
    this.unfinished = box && new UnfinishedMatches(box, (match) => this.resume(match));
  }

  open() {
    this.unfinished?.load();
    this.answer.textContent = "";
    this.fill(this.status);
  }

  fill(status) {
    if (!status) return;
    for (const side of SIDES) {
      field(side).value = status.players[side];
      // Two minutes a point, as in federation rules; ten in a money game.
      field(`clock-${side}`).value = this.left ? Math.ceil(this.left[side] / 6) / 10 : 2 * (status.length || 5);
    }
    field("length").value = status.length;
    field("variant").value = status.variant;
    this.explainGame();
    this.options.show(status.variant, status.length, status.options);
    const isListed = [...field("rules").options].some(({ value }) => value === status.rule_set);
    field("rules").value = isListed ? status.rule_set : "";
    this.explainRules();
  }

  /** status: what the desk may do now; left: the state's clock, or null; place: the state's. */
  update(status, left, place) {
    this.place.fill(place);
    Object.assign(this, { status, left });
    setRefusal(byId("match-begin"), status.begin || null);
    byId("match-why").textContent = status.begin;
    this.unfinished?.refuse(status.begin || null);
    // Does not change a field while somebody types in it.
    if (changed("match", [status.players, status.length, status.variant, status.options]) && !form.contains(document.activeElement)) this.fill(status);
  }

  start() {
    const refusal = refusalOn(byId("match-begin"));
    if (refusal) {
      this.answer.textContent = refusal;
      return;
    }
    const match = { ...names(), length: Number(field("length").value), variant: field("variant").value, rules: field("rules").value, options: this.options.chosen, place: this.place.value };
    this.send("match", match, _("The next match has started."));
  }

  resume({ id, title }) {
    return this.send("resume", { match: id }, _("{title}: the match goes on. Set up the checkers as the board shows them.", { title }));
  }

  async send(command, body, text) {
    const status = await submit(`/api/desk/${command}`, body, this.answer);
    if (status) this.onDone(status, text);
  }
}
