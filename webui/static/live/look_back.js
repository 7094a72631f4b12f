// Earlier positions of the match in play, on the board of the live page: by buttons, keys, or a tap
// on a move of the score sheet. What happens meanwhile goes on in all the rest of the page.

import { request } from "../shared/api.js";
import { byId, changed, setText } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { markLooked } from "../shared/sheet.js";

const KEYS = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "now", Escape: "now" };

// What is on the board now is the newest step, or the play before a roll that is still to be played.
function newestOf(steps) {
  let index = steps.length - 1;
  while (index > 0 && steps[index].kind === "roll") index -= 1;
  return index;
}

export class LookBack {
  // showNow(): draws the newest state on the board.
  constructor(board, showNow) {
    Object.assign(this, { board, showNow, bar: byId("look"), at: null, steps: [], isStale: true, state: null });
    // Whoever may not read the record has no bar.
    if (!this.bar) return;
    for (const button of document.querySelectorAll("[data-look]")) {
      button.addEventListener("click", () => this.run(button.dataset.look));
    }
    byId("sheet-rows").addEventListener("click", ({ target }) => this.goTo(target.closest(".turn")?.id));
    document.addEventListener("keydown", (event) => this.handleKey(event));
  }

  get isOn() { return this.at !== null; }

  /** The earlier step on the board; undefined if there is none. */
  get step() { return this.steps[this.at]; }

  handleKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const action = KEYS[event.key];
    if (!action || event.target.matches("input, textarea, select")) return;
    // These scroll the score sheet.
    if (["Home", "End"].includes(event.key) && event.target.matches(".sheet-scroll")) return;
    if (!this.isOn && action !== "back") return;
    event.preventDefault();
    this.run(action);
  }

  /** Takes a new state; the board shows it unless somebody looks back. */
  update(state) {
    const isOther = this.state && state.record.match !== this.state.record.match;
    this.state = state;
    if (!this.bar) return;
    byId("look-open").hidden = !state.record.match;
    if (isOther) {
      this.steps = [];
      this.leave();
    }
    if (changed("look-moves", [state.moves, state.games]) || isOther) this.isStale = true;
    const { last } = state.shown;
    setText(byId("look-news"), last ? _("Now: {name} {play}", last) : "");
  }

  async run(action) {
    if (action === "now") return this.leave();
    if (!await this.load()) return undefined;
    const newest = newestOf(this.steps);
    const at = { first: 0, back: (this.at ?? newest) - 1, on: (this.at ?? newest) + 1 }[action];
    return this.go(at, newest);
  }

  // The id of a play in the score sheet is that of its step.
  async goTo(id) {
    if (!id || !await this.load()) return;
    const index = this.steps.findIndex((step) => step.id === id);
    if (index < 0) return;
    this.go(index, newestOf(this.steps));
    this.board.drawing.scrollIntoView({ block: "nearest" });
  }

  // The steps are asked for when somebody looks back, and again when there are others.
  async load() {
    const { match } = this.state?.record ?? {};
    if (!match) return false;
    if (this.isStale) {
      this.isStale = false;
      const { ok, body, message } = await request(`/api/matches/${match}`);
      this.isStale ||= !ok;
      if (ok && match === this.state.record.match) Object.assign(this, { steps: body.steps, shown: body.shown });
      else if (this.isOn) setText(byId("look-news"), message);
    }
    return this.steps.length > 0 && match === this.state.record.match;
  }

  /** Draws what is on the board again. */
  redraw() {
    if (this.isOn) this.show(this.at);
    else this.showNow();
  }

  go(at, newest) {
    if (at >= newest) return this.leave();
    return this.show(Math.max(0, at));
  }

  show(at) {
    this.at = at;
    const step = this.steps[at];
    const { shown, player } = step;
    this.setLooking(true);
    this.board.show({ shown: { ...shown, colours: this.state.shown.colours, cells: this.shown.cells }, light_home: this.state.light_home });
    this.bar.dataset.side = player ?? "";
    setText(byId("look-count"), `${at + 1} / ${this.steps.length}`);
    setText(byId("look-name"), player ? this.state.players[player] : "");
    setText(byId("look-dice"), shown.faces.map((face) => face ?? "?").join("-"));
    setText(byId("look-text"), shown.text);
    for (const action of ["first", "back"]) this.bar.querySelector(`[data-look=${action}]`).ariaDisabled = String(at === 0);
    markLooked(step.id);
    byId("spoken").textContent = `${_("Earlier position")}: ${byId("look-name").textContent} ${byId("look-dice").textContent} ${shown.text}`;
  }

  leave() {
    if (!this.isOn) return;
    this.at = null;
    this.setLooking(false);
    markLooked(null);
    this.showNow();
  }

  setLooking(isOn) {
    byId("main").dataset.looking = isOn ? "yes" : "no";
    const pressed = document.activeElement?.matches("[data-look]") ? document.activeElement : null;
    this.bar.hidden = !isOn;
    // The button that was pressed may have gone.
    if (pressed?.offsetParent === null) (isOn ? this.bar.querySelector("[data-look=back]") : byId("look-open")).focus();
  }
}
