// The set-up's API: the state, asked for as long as the page is seen, and commands.

import { _ } from "../shared/i18n.js";

const ASK_MS = 600;
const LOST_MS = 2000;

export class SetupApi {
  constructor({ onState, onProblem }) {
    Object.assign(this, { onState, onProblem, timer: 0, sent: 0 });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.ask(); });
    this.ask();
  }

  async ask() {
    clearTimeout(this.timer);
    const sent = this.sent;
    let pause = ASK_MS;
    try {
      const answer = await fetch("/api/setup");
      const state = await answer.json();
      // An answer that a command has overtaken tells what is no longer so.
      if (answer.ok && sent === this.sent) this.onState(state);
    } catch {
      this.onProblem(_("the program does not answer: is it still running?"));
      pause = LOST_MS;
    }
    clearTimeout(this.timer);
    if (!document.hidden) this.timer = setTimeout(() => this.ask(), pause);
  }

  async post(command, body = {}) {
    this.sent += 1;
    try {
      const answer = await fetch(`/api/setup/${command}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Tableside": "1" },
        body: JSON.stringify(body),
      });
      const state = await answer.json();
      if (answer.ok) this.onState(state);
      else this.onProblem(state.message ?? _("that cannot be done now"));
      return answer.ok;
    } catch {
      this.onProblem(_("the program does not answer: is it still running?"));
      return false;
    }
  }
}
