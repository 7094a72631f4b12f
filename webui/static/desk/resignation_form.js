// A game given up, or the result of one that was broken off.

import { submit } from "../shared/api.js";
import { byId, changed, checkedValue, onSubmit } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

const form = byId("resign-form");

export class ResignationForm {
  // onDone(status, text): it is recorded.
  constructor({ onDone }) {
    Object.assign(this, { onDone, unfinished: [], answer: byId("resign-answer") });
    onSubmit(form, () => this.send());
  }

  update(state, status) {
    if (state) {
      this.players = state.players;
      for (const name of form.querySelectorAll("[data-name]")) name.textContent = state.players[name.dataset.name];
    }
    if (!status || !changed("asked", [status.asked, status.game])) return;
    this.unfinished = status.asked;
    byId("resign-which").hidden = status.asked.length === 0;
    const options = status.asked.map((game) => new Option(_("Game {number}, cut short", { number: game }), game));
    byId("resign-game").replaceChildren(...options, new Option(_("The current game"), ""));
  }

  async send() {
    const player = checkedValue(form, "player");
    if (!player) {
      this.answer.textContent = _("Choose who resigns.");
      return;
    }
    const resignation = { player, result: checkedValue(form, "result") };
    if (this.unfinished.length) {
      const game = Number(byId("resign-game").value);
      const points = Number(byId("resign-points").value);
      Object.assign(resignation, game ? { game } : {}, points ? { points } : {});
    }
    const status = await submit("/api/desk/resignation", resignation, this.answer);
    if (status) this.onDone(status, _("{name} has resigned.", { name: this.players[player] }));
  }
}
