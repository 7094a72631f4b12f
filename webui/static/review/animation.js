// A video of the game shown, which the browser records from a canvas as the steps pass.

import { byId } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { boardImage } from "../shared/copy.js";

const STEP_MS = 1000;
const LAST_MS = 2500;
const FRAMES_PER_SECOND = 30;
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"];
const [WIDTH, HEAD, FOOT, PAD] = [1280, 76, 72, 24];
const GROUND = "#1b1e22";
const [INK, SOFT] = ["#f6f2ea", "#b9b2a6"];

const delay = (ms) => new Promise((done) => { setTimeout(done, ms); });

function write(context, text, { x, y, size, align = "left", color = INK, room }) {
  Object.assign(context, { font: `650 ${size}px system-ui, sans-serif`, textAlign: align, textBaseline: "middle", fillStyle: color });
  context.fillText(text, x, y, room);
}

// The players and the score above the board, what happened below it.
function draw(context, image, step, names) {
  const { width, height } = context.canvas;
  context.fillStyle = GROUND;
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, HEAD, width, height - HEAD - FOOT);
  const room = width / 2 - 120;
  write(context, names.light, { x: PAD, y: HEAD / 2, size: 36, room });
  write(context, names.dark, { x: width - PAD, y: HEAD / 2, size: 36, align: "right", room });
  write(context, `${step.score.light} – ${step.score.dark}`, { x: width / 2, y: HEAD / 2, size: 40, align: "center" });
  const y = height - FOOT / 2;
  const who = names[step.player] ?? "";
  write(context, [who, step.shown.faces.map((face) => face ?? "?").join("-")].filter(Boolean).join("  "), { x: PAD, y, size: 28, color: SOFT, room });
  write(context, step.shown.text, { x: width - PAD, y, size: 34, align: "right", room: width / 2 });
}

class Recording {
  constructor(replay, type) {
    const { width, height } = replay.board.geometry;
    // Encoders want even numbers.
    const tall = 2 * Math.round((HEAD + FOOT + (WIDTH * height) / width) / 2);
    Object.assign(this, { replay, isStopped: false, parts: [] });
    this.canvas = Object.assign(document.createElement("canvas"), { width: WIDTH, height: tall });
    this.recorder = new MediaRecorder(this.canvas.captureStream(FRAMES_PER_SECOND), { mimeType: type, videoBitsPerSecond: 4e6 });
    this.recorder.addEventListener("dataavailable", ({ data }) => this.parts.push(data));
  }

  /** The video; null if it was stopped. */
  async make(steps, onProgress) {
    const context = this.canvas.getContext("2d");
    const names = Object.fromEntries(["light", "dark"].map((side) => [side, document.querySelector(`[data-player="${side}"] h2`).textContent]));
    const ended = new Promise((done) => { this.recorder.addEventListener("stop", done); });
    for (const [n, [at, step]] of steps.entries()) {
      this.replay.go(at);
      await this.settled();
      const image = await boardImage(this.replay.board.drawing);
      draw(context, image, step, names);
      if (n === 0) this.recorder.start();
      onProgress((n + 1) / steps.length);
      await this.hold(context, n === steps.length - 1 ? LAST_MS : STEP_MS);
      if (this.isStopped) break;
    }
    if (this.recorder.state !== "inactive") this.recorder.stop();
    await ended;
    return this.isStopped ? null : new Blob(this.parts, { type: this.recorder.mimeType });
  }

  // Checkers that move are drawn once they lie.
  settled() {
    return Promise.all(this.replay.board.drawing.getAnimations({ subtree: true }).map((one) => one.finished.catch(() => null)));
  }

  // Some browsers record only what is drawn anew.
  async hold(context, ms) {
    const until = performance.now() + ms;
    while (performance.now() < until && !this.isStopped) {
      context.drawImage(this.canvas, 0, 0);
      await delay(100);
    }
  }
}

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Lets the reader make a video of the game that `replay` shows. */
export function bindAnimation(replay) {
  const [make, stop, bar, note] = ["make", "stop", "progress", "note"].map((name) => byId(`animation-${name}`));
  const type = window.MediaRecorder && TYPES.find((one) => MediaRecorder.isTypeSupported(one));
  let recording = null;
  if (!type) {
    make.hidden = true;
    note.textContent = _("This browser cannot record videos.");
    return;
  }
  const show = (isOn) => {
    make.hidden = isOn;
    stop.hidden = bar.hidden = !isOn;
  };
  stop.addEventListener("click", () => { recording.isStopped = true; });
  make.addEventListener("click", async () => {
    const { game } = replay.steps[replay.at];
    const steps = [...replay.steps.entries()].filter(([, step]) => step.game === game);
    const before = replay.at;
    recording = new Recording(replay, type);
    note.textContent = "";
    show(true);
    const video = await recording.make(steps, (share) => { bar.value = share; }).catch(() => undefined);
    show(false);
    replay.go(before);
    if (video) save(video, `replay-game-${game}.${type.includes("mp4") ? "mp4" : "webm"}`);
    note.textContent = video ? _("Saved") : video === null ? "" : _("The video could not be made.");
  });
}
