// The connection: states as they come, and word of every loss and return.

const RETRY_MS = 1000;
const RETRY_MOST_MS = 10000;
// The server beats every 15 s; two beats missed mean a connection that died without a word
// (a sleeping laptop, a phone that changed networks).
const SILENCE_MS = 35000;

export class Live {
  constructor(address, { onState, onLink }) {
    Object.assign(this, { address, onState, onLink, retryMs: RETRY_MS });
    // A page kept for the back button must not keep its stream: browsers allow six for a host.
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", (event) => { if (event.persisted) this.connect(); });
    this.connect();
  }

  connect() {
    this.stop();
    this.events = new EventSource(this.address);
    this.events.addEventListener("open", () => this.heard());
    this.events.addEventListener("beat", () => this.heard());
    this.events.addEventListener("state", (event) => {
      this.heard();
      this.onState(JSON.parse(event.data));
    });
    this.events.addEventListener("error", () => this.lost());
  }

  stop() {
    this.events?.close();
    clearTimeout(this.watch);
    clearTimeout(this.retry);
  }

  heard() {
    this.retryMs = RETRY_MS;
    this.onLink("live");
    clearTimeout(this.watch);
    this.watch = setTimeout(() => { this.onLink("lost"); this.connect(); }, SILENCE_MS);
  }

  // EventSource tries again by itself after a broken connection, but gives up for ever after an
  // answer such as 503; then we try, ever more slowly.
  lost() {
    this.onLink("lost");
    clearTimeout(this.watch);
    if (this.events.readyState !== EventSource.CLOSED) return;
    this.retry = setTimeout(() => this.connect(), this.retryMs);
    this.retryMs = Math.min(2 * this.retryMs, RETRY_MOST_MS);
  }
}
