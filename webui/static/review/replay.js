// A recorded match, step by step: on the board, by slider, buttons, keys and links, and in the list.

import { Board } from "../shared/board.js";
import { bindBoardLook } from "../shared/board_look.js";
import { byId } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { MARKS, bestText, lossText, showChances, showDecisions, worst } from "../shared/judged.js";
import { makeDie } from "../shared/match_status.js";
import { bindPointNumbers } from "../shared/point_numbers.js";
import { bindCopying, showCopying } from "../shared/copy.js";

const STEP_MS = 1300;

const field = (name) => document.querySelector(`[data-now="${name}"]`);

export class Replay {
  constructor({ steps, shown, light_home: home }) {
    Object.assign(this, { steps, colours: shown.colours, cells: shown.cells, home, timer: 0 });
    this.board = new Board(byId("board"));
    this.slider = byId("slider");
    this.at = Number(this.slider.value);
    this.indices = new Map(steps.map((step, index) => [step.id, index]));
    this.judged = new Map();
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    for (const button of document.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => this.run(button.dataset.go));
    }
    addEventListener("hashchange", () => this.goToHash());
    document.addEventListener("keydown", (event) => this.handleKey(event));
    bindPointNumbers(() => this.show());
    bindBoardLook(this.board, () => this.show());
    bindCopying(() => this.steps[this.at]);
    // The analysis takes some of its height when it arrives.
    new ResizeObserver(() => this.keepInSight()).observe(byId("lines-scroll"));
    this.goToHash();
    this.show();
  }

  get last() { return this.steps.length - 1; }

  run(action) {
    if (action === "play") return this.isPlaying ? this.pause() : this.play();
    return this.go({ first: 0, back: this.at - 1, on: this.at + 1, last: this.last }[action]);
  }

  // An unknown hash leaves the replay where it is.
  goToHash() {
    const index = this.indices.get(location.hash.slice(1));
    if (index !== undefined) this.go(index);
  }

  handleKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { target } = event;
    const action = {
      ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play",
    }[event.key];
    if (!action || target.matches("input:not(#slider), textarea, select")) return;
    // The slider handles these keys itself; a focused button or link handles the space bar.
    if (target === this.slider ? action !== "play" : action === "play" && target.closest("button, summary")) return;
    event.preventDefault();
    this.run(action);
  }

  get isPlaying() {
    return this.timer !== 0;
  }

  play() {
    if (this.at === this.last) this.move(0);
    this.timer = setInterval(() => {
      this.move(this.at + 1);
      if (this.at === this.last) this.pause();
    }, STEP_MS);
    this.showPlaying();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.showPlaying();
  }

  showPlaying() {
    const button = document.querySelector("[data-go=play]");
    button.setAttribute("aria-label", this.isPlaying ? _("Pause") : _("Play"));
    button.dataset.playing = this.isPlaying;
  }

  // Choosing a step stops the playback.
  go(index) {
    if (this.isPlaying) this.pause();
    this.move(index);
  }

  move(index) {
    const at = Math.max(0, Math.min(index, this.last));
    if (at === this.at) return;
    this.at = at;
    history.replaceState(null, "", `${location.search}#${this.steps[at].id}`);
    this.show();
    byId("spoken").textContent = this.describe(this.steps[at]);
  }

  describe({ player, shown }) {
    const name = document.querySelector(`[data-player="${player}"] h2`)?.textContent ?? "";
    return `${name} ${shown.faces.join(" ")} ${shown.text}`.trim();
  }

  show() {
    const step = this.steps[this.at];
    const { shown } = step;
    this.board.show({ shown: { ...shown, colours: this.colours, cells: this.cells }, light_home: this.home });
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `${this.at + 1}: ${this.describe(step)}`);
    field("count").textContent = `${this.at + 1} / ${this.steps.length}`;
    for (const [actions, limit] of [[["first", "back"], 0], [["on", "last"], this.last]]) {
      for (const action of actions) document.querySelector(`[data-go=${action}]`).ariaDisabled = String(this.at === limit);
    }
    this.showPlayers(step);
    this.showCaption(step);
    showCopying(step);
    this.markLine(step.id);
    for (const tab of document.querySelectorAll("#game-tabs a")) {
      if (tab.dataset.game === String(step.game)) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    }
  }

  showPlayers({ player, score, pips, game, is_crawford: isCrawford }) {
    for (const side of ["light", "dark"]) {
      field(`score-${side}`).textContent = score[side];
      field(`pips-${side}`).textContent = pips?.[side];
      field(`pips-${side}`).closest("p").hidden = !pips;
      document.querySelector(`[data-player="${side}"]`).dataset.turn = player === side;
    }
    field("game").textContent = _("Game {number}", { number: game });
    field("crawford").hidden = !isCrawford;
  }

  showCaption({ id, kind, turn, player, shown }) {
    const caption = document.querySelector(".caption");
    Object.assign(caption.dataset, { kind, verdict: shown.verdict, side: player ?? "" });
    field("label").textContent = turn ? _("Turn {number}", { number: turn }) : "";
    field("text").textContent = shown.text;
    field("percent").textContent = shown.percent;
    field("dice").replaceChildren(...shown.faces.map(makeDie));
    this.showJudged(id);
  }

  // The newest event judged up to the step: its chances hold until the next one.
  showJudged(id) {
    const event = this.judged.get(id);
    const error = event && worst(event);
    const loss = field("loss");
    field("best").textContent = error?.mark ? _("better: {choice}", { choice: bestText(error) }) : "";
    loss.textContent = error ? lossText(error) : "";
    loss.dataset.mark = error?.mark ?? "";
    if (!this.judged.size) return;
    byId("judged").hidden = false;
    const earlier = this.steps.slice(0, this.at + 1).reverse().find((step) => this.judged.has(step.id));
    const isOver = ["end", "drop", "resign"].includes(this.steps[this.at].kind);
    showChances(isOver ? null : this.judged.get(earlier?.id)?.chances ?? null);
    showDecisions(event?.decisions ?? [], this.steps[this.at].play);
  }

  /** Shows what the engine found of each event, in the list and beside the board. */
  showAnalysis(events) {
    this.judged = new Map(events.map((one) => [one.step, one]));
    for (const event of events) {
      const cell = byId(`line-${event.step}`)?.querySelector(".line-loss");
      const error = worst(event);
      if (!cell || !error) continue;
      cell.textContent = lossText(error);
      cell.dataset.mark = error.mark;
      cell.title = MARKS[error.mark] ?? "";
    }
    this.showJudged(this.steps[this.at].id);
  }

  markLine(id) {
    document.querySelector(".line[aria-current]")?.removeAttribute("aria-current");
    const line = byId(`line-${id}`);
    if (!line) return;
    line.setAttribute("aria-current", "step");
    for (const details of line.querySelectorAll("details")) details.open = true;
    this.keepInSight();
  }

  keepInSight() {
    const line = document.querySelector(".line[aria-current]");
    if (!line?.getClientRects().length) return;
    // Only the list scrolls: on a phone the page itself must stay where it is.
    const list = byId("lines-scroll");
    if (list.scrollHeight <= list.clientHeight) return;
    const [box, frame] = [line.getBoundingClientRect(), list.getBoundingClientRect()];
    const below = Math.min(box.bottom - frame.bottom, box.top - frame.top - 40);
    if (box.top < frame.top + 40) list.scrollTop += box.top - frame.top - 40;
    else if (below > 0) list.scrollTop += below + 12;
  }
}
