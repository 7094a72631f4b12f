// Sends the camera's pictures, the newest each time: while one is on its way, at most one more
// starts, and what the network cannot take in time is never made.

import { drawUpright, turnFor } from "./upright.js";

const FPS = 15;
const QUALITY = 0.85;
const MOST_UNDER_WAY = 2;
const PATIENCE_MS = 4000;
const RETRY_MS = 500;
const RATE_MS = 2000;
// A camera's pictures come unevenly: one that comes a little early is not left out.
const EARLY_MS = 12;

export class FrameSender {
  // onAnswer(guide); onTrouble("lost" | "refused"); battery(): {level, charging} or null.
  constructor(video, { longest, battery, onAnswer, onTrouble }) {
    Object.assign(this, { video, longest, battery, onAnswer, onTrouble });
    Object.assign(this, { canvas: document.createElement("canvas"), first: null, facing: "", underWay: 0, due: 0, pausedUntil: 0, sentAt: [] });
    this.isStopped = false;
    this.watch();
  }

  stop() {
    this.isStopped = true;
  }

  get fps() {
    const since = performance.now() - RATE_MS;
    this.sentAt = this.sentAt.filter((at) => at > since);
    return (this.sentAt.length * 1000) / RATE_MS;
  }

  // requestVideoFrameCallback knows when a picture was taken; without it, that is now.
  watch() {
    if (this.isStopped) return;
    const next = (now, about) => { this.offer(about?.captureTime ?? now); this.watch(); };
    if (this.video.requestVideoFrameCallback) this.video.requestVideoFrameCallback(next);
    else setTimeout(() => next(performance.now()), 1000 / FPS);
  }

  offer(taken) {
    const now = performance.now();
    const { videoWidth: width, videoHeight: height } = this.video;
    if (this.isStopped || !width || now < Math.max(this.due - EARLY_MS, this.pausedUntil) || this.underWay >= MOST_UNDER_WAY) return;
    this.due = Math.max(this.due + 1000 / FPS, now);
    this.underWay += 1;
    this.capture(width, height).then((blob) => this.send(blob, taken)).finally(() => { this.underWay -= 1; });
  }

  capture(width, height) {
    const angle = screen.orientation?.angle ?? 0;
    this.first ??= { width, height, angle };
    const turn = turnFor(this.first, { width, height, angle, facing: this.facing });
    drawUpright(this.canvas, this.video, { width, height, turn, longest: this.longest });
    return new Promise((resolve) => { this.canvas.toBlob(resolve, "image/jpeg", QUALITY); });
  }

  async send(blob, taken) {
    if (!blob) return;
    const { level, charging } = this.battery() ?? { level: -0.01, charging: false };
    const query = new URLSearchParams({ taken, battery: Math.round(level * 100), charging: charging ? 1 : 0 });
    try {
      const response = await fetch(`/camera/frame?${query}`, {
        method: "POST", body: blob, headers: { "Content-Type": "image/jpeg" }, signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const guide = response.ok ? await response.json() : null;
      if (this.isStopped) return; // another picture was refused meanwhile
      if (guide) {
        this.sentAt.push(performance.now());
        this.onAnswer(guide);
      } else if (response.status === 403) {
        this.stop();
        this.onTrouble("refused");
      } else this.pause();
    } catch {
      this.pause();
    }
  }

  pause() {
    this.pausedUntil = performance.now() + RETRY_MS;
    if (!this.isStopped) this.onTrouble("lost");
  }
}
