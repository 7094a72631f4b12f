// What the players say once the cup is bound to its seed, before its first roll.

import { ask } from "../shared/api.js";
import { byId } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

const BEGINS = 16;
const grouped = (hex) => hex.match(/.{1,4}/g)?.join(" ") ?? "";

export class CupWords {
  // done(now, words): it is in the record.
  constructor({ done }) {
    this.done = done;
    this.form = byId("cup-words");
    this.form.addEventListener("submit", (event) => { event.preventDefault(); this.sayTyped(); });
    byId("cup-wordless").addEventListener("click", () => this.say({ light: "", dark: "" }));
  }

  sayTyped() {
    const { light, dark } = this.form.elements;
    const words = { light: light.value.trim(), dark: dark.value.trim() };
    if (!words.light && !words.dark) return this.tell(_("Say a word, or play without."));
    return this.say(words);
  }

  follow({ cup }) {
    const isAsked = cup?.state === "words";
    if (isAsked && this.form.hidden) {
      this.form.reset();
      this.tell("");
    }
    this.form.hidden = !isAsked;
    const hex = cup?.commitment ?? "";
    byId("fingerprint-begins").textContent = grouped(hex.slice(0, BEGINS));
    byId("fingerprint-rest").textContent = grouped(hex.slice(BEGINS));
  }

  async say(words) {
    const isTyped = Boolean(words.light || words.dark);
    const { ok, told, message } = await ask("/api/desk/cup/words", words);
    this.tell(ok ? "" : message);
    if (ok) this.done(told, isTyped ? _("The words are part of every roll.") : _("The cup rolls without words."));
  }

  tell(words) {
    byId("cup-words-answer").textContent = words;
  }
}
