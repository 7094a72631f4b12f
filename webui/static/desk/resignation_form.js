// A game given up, or the result of one that was broken off.

import { ask } from "../shared/api.js";
import { byId, changed } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

const picked = (name) => document.querySelector(`#resign-form [name=${name}]:checked`)?.value;

export class Resigning {
  // done(now, words): it is in the record.
  constructor({ done }) {
    this.done = done;
    this.asked = [];
    byId("resign-form").addEventListener("submit", (event) => { event.preventDefault(); this.resign(); });
  }

  follow(state, now) {
    if (state) {
      this.players = state.players;
      for (const name of document.querySelectorAll("#resign-form [data-name]")) {
        name.textContent = state.players[name.dataset.name];
      }
    }
    if (!now || !changed("asked", [now.asked, now.game])) return;
    this.asked = now.asked;
    byId("resign-which").hidden = now.asked.length === 0;
    const games = [...now.asked.map((game) => [game, _("Game {number}, broken off", { number: game })]), ["", _("The game in play")]];
    byId("resign-game").replaceChildren(...games.map(([value, text]) => new Option(text, value)));
  }

  async resign() {
    const [player, result] = [picked("player"), picked("result")];
    if (!player) return this.tell(_("Choose who gives up."));
    const given = { player, result };
    if (this.asked.length) {
      const game = Number(byId("resign-game").value);
      const points = Number(byId("resign-points").value);
      Object.assign(given, game ? { game } : {}, points ? { points } : {});
    }
    const { ok, told, message } = await ask("/api/desk/resignation", given);
    this.tell(ok ? "" : message);
    return ok && this.done(told, _("{name} has resigned.", { name: this.players[player] }));
  }

  tell(words) {
    byId("resign-answer").textContent = words;
  }
}
