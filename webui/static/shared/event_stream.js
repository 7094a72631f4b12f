// The stream of states: reconnects, and reports every loss and return of the connection.

import { byId, setText } from "./dom.js";
import { _ } from "./i18n.js";

const MIN_RETRY_MS = 1000;
const MAX_RETRY_MS = 10000;
// The server beats every 15 s; two beats missed mean a connection that died unnoticed (a sleeping
// laptop, a phone that changed networks).
const MAX_SILENCE_MS = 35000;
const LINK_TEXTS = { live: _("Connected"), lost: _("Reconnecting"), wait: _("Connecting") };

/** Shows `live` or `lost` in the head of a page; live is only what is being played. */
export function showLink(link) {
  const chip = byId("link");
  const isPlayed = document.documentElement.dataset.phase === "playing";
  chip.dataset.link = link;
  setText(chip.querySelector("span"), link === "live" && isPlayed ? _("Live") : LINK_TEXTS[link]);
  byId("lost").hidden = link !== "lost";
}

export class EventStream {
  // onState(state); onLink("live" or "lost").
  constructor(address, { onState, onLink }) {
    Object.assign(this, { address, onState, onLink, retryMs: MIN_RETRY_MS });
    // A page kept for the back button must not keep its stream: browsers allow six per host.
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", (event) => { if (event.persisted) this.connect(); });
    this.connect();
  }

  connect() {
    this.stop();
    this.source = new EventSource(this.address);
    for (const name of ["open", "beat"]) this.source.addEventListener(name, () => this.markAlive());
    this.source.addEventListener("state", (event) => {
      this.onState(JSON.parse(event.data));
      this.markAlive();
    });
    this.source.addEventListener("error", () => this.markLost());
  }

  stop() {
    this.source?.close();
    clearTimeout(this.silence);
    clearTimeout(this.retry);
  }

  markAlive() {
    this.retryMs = MIN_RETRY_MS;
    this.onLink("live");
    clearTimeout(this.silence);
    this.silence = setTimeout(() => { this.onLink("lost"); this.connect(); }, MAX_SILENCE_MS);
  }

  // EventSource retries by itself after a broken connection, but gives up for good after a response
  // such as 503; then we retry, ever more slowly.
  markLost() {
    this.onLink("lost");
    clearTimeout(this.silence);
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.retry = setTimeout(() => this.connect(), this.retryMs);
    this.retryMs = Math.min(2 * this.retryMs, MAX_RETRY_MS);
  }
}
