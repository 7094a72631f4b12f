// The unfinished matches of the record: each can go on, or be ended as it stands.

import { refusalOn, request, setRefusal } from "./api.js";
import { fromTemplate } from "./dom.js";
import { _, language } from "./i18n.js";

const MOST_SHOWN = 4;
const DAY_MS = 86400000;

/** `yesterday`, by the reader's calendar. */
export function dayText(seconds) {
  const then = new Date(seconds * 1000);
  const midnight = (date) => new Date(date).setHours(0, 0, 0, 0);
  const days = Math.round((midnight(Date.now()) - midnight(then)) / DAY_MS);
  if (days <= 0) return _("today");
  if (days === 1) return _("yesterday");
  return _("on {date}", { date: then.toLocaleDateString(language, { day: "numeric", month: "long" }) });
}

export class UnfinishedMatches {
  // Empty until `load`. box: holds _unfinished.html, and is hidden while there is none. onResume(match): it shall go on.
  constructor(box, onResume) {
    Object.assign(this, { box, onResume, refusal: null });
    [this.list, this.more, this.answer] = ["", "-more", "-answer"].map((part) => box.querySelector(`[data-unfinished${part}]`));
  }

  async load() {
    const { ok, body } = await request("/api/matches/unfinished");
    if (ok) this.show(body);
  }

  show(matches) {
    this.list.replaceChildren(...matches.slice(0, MOST_SHOWN).map((match) => this.row(match)));
    this.more.hidden = matches.length <= MOST_SHOWN;
    this.box.hidden = matches.length === 0;
    this.refuse(this.refusal);
  }

  /** reason: why none can go on now; null if they can. */
  refuse(reason) {
    this.refusal = reason;
    for (const button of this.list.querySelectorAll("[data-resume]")) setRefusal(button, reason);
  }

  row(match) {
    const day = { when: dayText(match.last) };
    const when = match.games ? _("Last played {when}", day) : _("Set up {when}, not begun", day);
    const row = fromTemplate("unfinished-match", { ...match, when });
    const [resume, ask, end, keep] = ["resume", "ask", "end", "keep"].map((name) => row.querySelector(`[data-${name}]`));
    const sure = row.querySelector(".unfinished-sure");
    const asks = (isAsked) => {
      sure.hidden = !isAsked;
      ask.setAttribute("aria-expanded", isAsked);
    };
    for (const button of [resume, ask]) button.setAttribute("aria-label", `${button.textContent}: ${match.title}`);
    resume.addEventListener("click", () => {
      this.answer.textContent = refusalOn(resume);
      if (!this.answer.textContent) this.onResume(match);
    });
    ask.addEventListener("click", () => asks(sure.hidden));
    keep.addEventListener("click", () => { asks(false); ask.focus(); });
    end.addEventListener("click", () => this.end(match));
    return row;
  }

  async end({ id, title }) {
    const { ok, body, message } = await request(`/api/matches/${id}/end`, {});
    if (ok) this.show(body);
    else this.load();
    this.answer.textContent = ok ? _("{title}: ended.", { title }) : message;
  }
}
