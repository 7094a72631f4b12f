// The match itself: what the players are called, its end, and the one that follows at this board.

import { allow, ask, refusal } from "../shared/api.js";
import { byId, changed } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

const form = byId("match-form");
const field = (name) => form.elements.namedItem(name);

export class MatchPanel {
  // heard(now, words): it is in the record.
  constructor({ heard }) {
    this.heard = heard;
    byId("names-set").addEventListener("click", () => this.send("/api/desk/names", this.names, _("The names are changed.")));
    byId("clock-set").addEventListener("click", () => this.send("/api/desk/clock", this.clock, _("The clock is set. Press it when play begins.")));
    byId("clock-away").addEventListener("click", () => this.send("/api/desk/clock", { light: 0, dark: 0 }, _("No clock is used.")));
    form.addEventListener("submit", (event) => { event.preventDefault(); this.start(); });
  }

  get names() {
    return { light: field("light").value, dark: field("dark").value };
  }

  // Typed in minutes, sent in seconds.
  get clock() {
    const seconds = (side) => Math.round(60 * Number(field(`clock-${side}`).value));
    return { light: seconds("light"), dark: seconds("dark"), delay: Number(field("clock-delay").value) };
  }

  // What is being typed is left alone.
  begin() {
    this.tell("");
    this.fill(this.now);
  }

  fill(now) {
    if (!now) return;
    for (const side of ["light", "dark"]) field(side).value = now.players[side];
    field("length").value = now.length;
    field("variant").value = now.variant;
    // Two minutes a point, as federations have it; ten where points are not counted.
    for (const side of ["light", "dark"]) {
      const left = this.left ? Math.ceil(this.left[side] / 6) / 10 : 2 * (now.length || 5);
      field(`clock-${side}`).value = left;
    }
  }

  follow(now, left) {
    Object.assign(this, { now, left });
    allow(byId("match-begin"), now.begin || null);
    byId("match-why").textContent = now.begin;
    if (changed("match", [now.players, now.length, now.variant]) && !form.contains(document.activeElement)) this.fill(now);
  }

  start() {
    if (refusal(byId("match-begin"))) return this.tell(refusal(byId("match-begin")));
    const length = Number(field("length").value);
    const said = { ...this.names, length, variant: field("variant").value, rules: field("rules").value };
    return this.send("/api/desk/match", said, _("The next match has begun."));
  }

  async send(address, said, words) {
    const { ok, told, message } = await ask(address, said);
    this.tell(ok ? "" : message);
    if (ok) this.heard(told, words);
  }

  tell(words) {
    byId("match-answer").textContent = words;
  }
}
