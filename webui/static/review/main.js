// One recorded match: the steps on the board, by slider, buttons, keys and links, and the list.

import { watchAnalysis } from "./analysis.js";
import { Board } from "../shared/board.js";
import { offerFiles } from "./downloads.js";
import { _, decimal, playWords } from "../shared/i18n.js";

const PLAY_MS = 1300;
const NEWS_MS = 8000;
const MARKS = { doubtful: _("doubtful"), bad: _("bad"), "very bad": _("very bad") };

const byId = (id) => document.getElementById(id);
const now = (name) => document.querySelector(`[data-now="${name}"]`);
const main = byId("main");
const address = `/api/matches/${main.dataset.match}`;

class Replay {
  constructor({ steps, shown, light_home: home }) {
    Object.assign(this, { steps, colours: shown.colours, home, timer: 0 });
    this.board = new Board(byId("board"));
    this.slider = byId("slider");
    this.at = Number(this.slider.value);
    this.ids = new Map(steps.map((step, index) => [step.id, index]));
    this.losses = new Map();
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    for (const button of document.querySelectorAll("[data-go]")) {
      button.addEventListener("click", () => this.obey(button.dataset.go));
    }
    addEventListener("hashchange", () => this.follow());
    document.addEventListener("keydown", (event) => this.press(event));
    this.follow();
    this.show();
  }

  obey(word) {
    const last = this.steps.length - 1;
    if (word === "play") return this.isPlaying ? this.pause() : this.play();
    const target = { first: 0, back: this.at - 1, on: this.at + 1, last }[word];
    return this.go(target);
  }

  // What a link or the address names; an unknown name leaves the replay where it is.
  follow() {
    const wanted = this.ids.get(location.hash.slice(1));
    if (wanted !== undefined) this.go(wanted);
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const held = event.target;
    const word = {
      ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last", " ": "play",
    }[event.key];
    if (!word || held.matches("input:not(#slider), textarea, select")) return;
    // The slider moves itself by these keys; a button or a link takes the space bar.
    if (held === this.slider ? word !== "play" : word === "play" && held.closest("button, summary")) return;
    event.preventDefault();
    this.obey(word);
  }

  get isPlaying() {
    return this.timer !== 0;
  }

  play() {
    if (this.at === this.steps.length - 1) this.move(0);
    this.timer = setInterval(() => {
      this.move(this.at + 1);
      if (this.at === this.steps.length - 1) this.pause();
    }, PLAY_MS);
    this.tellPlaying();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    this.tellPlaying();
  }

  tellPlaying() {
    const button = document.querySelector("[data-go=play]");
    button.setAttribute("aria-label", this.isPlaying ? _("Pause") : _("Play"));
    button.dataset.playing = this.isPlaying;
  }

  // A step that somebody chose ends the playing.
  go(index) {
    if (this.isPlaying) this.pause();
    this.move(index);
  }

  move(index) {
    const at = Math.max(0, Math.min(index, this.steps.length - 1));
    if (at === this.at) return;
    this.at = at;
    history.replaceState(null, "", `${location.search}#${this.steps[at].id}`);
    this.show();
    byId("spoken").textContent = this.inWords(this.steps[at]);
  }

  inWords({ player, shown }) {
    const name = document.querySelector(`[data-player="${player}"] h2`)?.textContent ?? "";
    return `${name} ${shown.faces.join(" ")} ${shown.text}`.trim();
  }

  show() {
    const step = this.steps[this.at];
    const { shown } = step;
    this.board.show({ shown: { ...shown, colours: this.colours }, light_home: this.home });
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `${this.at + 1}: ${this.inWords(step)}`);
    now("count").textContent = `${this.at + 1} / ${this.steps.length}`;
    for (const [word, isThere] of [["first", this.at > 0], ["back", this.at > 0],
      ["on", this.at < this.steps.length - 1], ["last", this.at < this.steps.length - 1]]) {
      document.querySelector(`[data-go=${word}]`).ariaDisabled = String(!isThere);
    }
    this.showPlayers(step);
    this.showCaption(step);
    this.mark(step.id);
  }

  showPlayers({ player, score, pips, cube, game, is_crawford: isCrawford }) {
    for (const side of ["light", "dark"]) {
      now(`score-${side}`).textContent = score[side];
      now(`pips-${side}`).textContent = pips?.[side] ?? "–";
      document.querySelector(`[data-player="${side}"]`).dataset.turn = player === side;
    }
    for (const chip of document.querySelectorAll("[data-cube]")) {
      chip.hidden = chip.dataset.cube !== (cube.owner ?? "middle");
      chip.dataset.offered = cube.offered !== null;
      chip.querySelector("b").textContent = cube.offered ?? cube.value;
    }
    now("game").textContent = _("Game {number}", { number: game });
    now("crawford").hidden = !isCrawford;
  }

  showCaption({ kind, turn, player, shown }) {
    const caption = document.querySelector(".caption");
    Object.assign(caption.dataset, { kind, verdict: shown.verdict, side: player ?? "" });
    now("label").textContent = turn ? _("Turn {number}", { number: turn }) : "";
    now("text").textContent = shown.text;
    now("percent").textContent = shown.percent;
    now("dice").replaceChildren(...shown.faces.map((face) => {
      const die = byId("small-die").content.firstElementChild.cloneNode(true);
      die.querySelector(".die-pips").setAttribute("href", `#pips-${face ?? "unread"}`);
      return die;
    }));
    now("best").textContent = this.lossOf(turn);
  }

  lossOf(turn) {
    const told = this.losses.get(turn);
    if (!told || !told.mark) return "";
    return _("Lost {points}; better {play}", { points: decimal(told.loss, 3), play: playWords(told.best) });
  }

  // What the engine said of each play, in the list and under the board.
  judge(turns) {
    this.losses = new Map(turns.map((one) => [one.turn, one]));
    for (const { turn, loss, mark } of turns) {
      const cell = byId(`line-turn-${turn}`)?.querySelector(".line-loss");
      if (!cell) continue;
      cell.textContent = mark ? `−${decimal(loss, 3)}` : "";
      cell.dataset.mark = mark;
      cell.title = MARKS[mark] ?? "";
    }
    now("best").textContent = this.lossOf(this.steps[this.at].turn);
  }

  mark(id) {
    document.querySelector(".line[aria-current]")?.removeAttribute("aria-current");
    const line = byId(`line-${id}`);
    if (!line) return;
    line.setAttribute("aria-current", "step");
    for (const matter of line.querySelectorAll("details")) matter.open = true;
    // Only the list's own scroll: on a phone the page itself must stay where it is.
    const list = byId("lines-scroll");
    const [box, room] = [line.getBoundingClientRect(), list.getBoundingClientRect()];
    if (list.scrollHeight <= list.clientHeight) return;
    const below = Math.min(box.bottom - room.bottom, box.top - room.top - 40);
    if (box.top < room.top + 40) list.scrollTop += box.top - room.top - 40;
    else if (below > 0) list.scrollTop += below + 12;
  }
}

function watchFilter() {
  const lines = byId("lines");
  for (const button of document.querySelectorAll(".filter button")) {
    button.addEventListener("click", () => {
      const isReview = button.dataset.show === "review";
      lines.dataset.show = button.dataset.show;
      for (const one of document.querySelectorAll(".filter button")) {
        one.setAttribute("aria-pressed", one === button);
      }
      for (const matter of lines.querySelectorAll("details")) matter.open = isReview;
      byId("lines-scroll").scrollTop = 0;
      const query = isReview ? "?show=review" : "";
      history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
    });
  }
}

// Of a match that goes on: says that there is more, and never moves what somebody looks at.
function watchNews() {
  if (main.dataset.open !== "true") return;
  const ask = async () => {
    const answer = document.hidden ? null
      : await fetch(`${address}?known=${main.dataset.version}`).catch(() => null);
    if (answer?.status === 200) byId("news").hidden = false;
    else setTimeout(ask, NEWS_MS);
  };
  setTimeout(ask, NEWS_MS);
}

async function begin() {
  watchNews();
  if (main.dataset.board === "no") return;
  watchFilter();
  const answer = await fetch(address);
  if (!answer.ok) return;
  const replay = new Replay(await answer.json());
  offerFiles();
  watchAnalysis(`${address}/analysis`, (turns) => replay.judge(turns));
  main.dataset.ready = "yes";
}

begin();
