// The API of the set-up: its state, polled while the page is visible, and commands.

import { request } from "../shared/api.js";
import { _ } from "../shared/i18n.js";

const POLL_MS = 600;
const RETRY_MS = 2000;
const NO_ANSWER = _("the program does not respond: is it still running?");

export class SetupApi {
  // onState(state); onProblem(text): a command is refused, or nothing answers.
  constructor({ onState, onProblem }) {
    Object.assign(this, { onState, onProblem, timer: 0, sent: 0 });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.poll(); });
    this.poll();
  }

  async poll() {
    clearTimeout(this.timer);
    const { sent } = this;
    const { ok, body, message } = await request("/api/setup", undefined, NO_ANSWER);
    // A state that a command has overtaken is out of date.
    if (ok && sent === this.sent) this.onState(body);
    const isLost = message === NO_ANSWER;
    if (isLost) this.onProblem(message);
    clearTimeout(this.timer);
    if (!document.hidden) this.timer = setTimeout(() => this.poll(), isLost ? RETRY_MS : POLL_MS);
  }

  /** Whether the command was carried out. */
  async post(command, body = {}) {
    this.sent += 1;
    const result = await request(`/api/setup/${command}`, body, NO_ANSWER);
    if (result.ok) this.onState(result.body);
    else this.onProblem(result.message ?? _("that is not possible now"));
    return result.ok;
  }
}
