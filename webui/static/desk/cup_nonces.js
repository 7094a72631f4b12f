// The players' nonces for the dice cup, entered once it has committed to its seed.

import { submit } from "../shared/api.js";
import { byId, onSubmit } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

const FIRST_DIGITS = 24;
const grouped = (hex) => hex.match(/.{1,4}/g)?.join(" ") ?? "";

export class CupNonceForm {
  // onDone(status, text): the nonces are recorded.
  constructor({ onDone }) {
    this.onDone = onDone;
    this.form = byId("cup-words");
    this.answer = byId("cup-words-answer");
    onSubmit(this.form, () => this.sendTyped());
    byId("cup-wordless").addEventListener("click", () => this.send({ light: "", dark: "" }));
  }

  /** Shows the form while the cup waits for nonces, with its commitment. */
  update({ cup }) {
    const isAwaited = cup?.state === "words";
    if (isAwaited && this.form.hidden) {
      this.form.reset();
      this.answer.textContent = "";
    }
    this.form.hidden = !isAwaited;
    const hex = cup?.commitment ?? "";
    byId("fingerprint-begins").textContent = grouped(hex.slice(0, FIRST_DIGITS));
    byId("fingerprint-rest").textContent = grouped(hex.slice(FIRST_DIGITS));
  }

  sendTyped() {
    const { light, dark } = this.form.elements;
    const nonces = { light: light.value.trim(), dark: dark.value.trim() };
    if (nonces.light || nonces.dark) this.send(nonces);
    else this.answer.textContent = _("Enter a word, or play without.");
  }

  async send(nonces) {
    const isTyped = Boolean(nonces.light || nonces.dark);
    const status = await submit("/api/desk/cup/words", nonces, this.answer);
    if (status) this.onDone(status, isTyped ? _("The words are now part of every roll.") : _("The cup rolls without words."));
  }
}
