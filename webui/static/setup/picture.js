// The live picture of the set-up, requested again once the last one has arrived.

const INTERVAL_MS = 200;
const RETRY_MS = 700;

export class SetupPicture {
  constructor(box) {
    Object.assign(this, { box, image: box.querySelector("img"), count: 0, isOn: false, isPlain: false, timer: 0 });
    document.addEventListener("visibilitychange", () => this.request());
  }

  /** isOn: whether there is a source; isPlain: whether the board is not drawn on its pictures. */
  show(isOn, isPlain) {
    const isChanged = isOn !== this.isOn || isPlain !== this.isPlain;
    Object.assign(this, { isOn, isPlain });
    if (!isOn) this.box.dataset.picture = "first";
    if (isChanged) this.request();
  }

  request() {
    clearTimeout(this.timer);
    if (!this.isOn || document.hidden) return;
    this.count += 1;
    const { count } = this;
    const next = new Image();
    next.id = this.image.id;
    next.alt = this.image.alt;
    next.addEventListener("load", () => {
      if (count !== this.count || !this.isOn) return;
      this.image.replaceWith(next);
      this.image = next;
      this.box.dataset.picture = "yes";
      this.schedule(INTERVAL_MS);
    });
    next.addEventListener("error", () => { if (count === this.count) this.schedule(RETRY_MS); });
    next.src = `/api/setup/picture.jpg?n=${count}${this.isPlain ? "&plain=1" : ""}`;
  }

  schedule(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.request(), pause);
  }
}
