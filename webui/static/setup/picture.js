// The live picture of the set-up, asked for again when the last one has arrived.

const NEXT_MS = 200;
const MISSING_MS = 700;

export class SetupPicture {
  constructor(box) {
    Object.assign(this, { box, shown: box.querySelector("img"), count: 0, plain: false, timer: 0 });
    document.addEventListener("visibilitychange", () => this.ask());
  }

  // Whether there is a source to ask, and whether the board is drawn on its pictures.
  show(isOn, isPlain) {
    const changed = isOn !== this.isOn || isPlain !== this.plain;
    Object.assign(this, { isOn, plain: isPlain });
    if (!isOn) this.box.dataset.picture = "first";
    if (changed) this.ask();
  }

  ask() {
    clearTimeout(this.timer);
    if (!this.isOn || document.hidden) return;
    this.count += 1;
    const asked = this.count;
    const next = new Image();
    next.id = this.shown.id;
    next.alt = this.shown.alt;
    next.addEventListener("load", () => {
      if (asked !== this.count || !this.isOn) return;
      this.shown.replaceWith(next);
      this.shown = next;
      this.box.dataset.picture = "yes";
      this.again(NEXT_MS);
    });
    next.addEventListener("error", () => { if (asked === this.count) this.again(MISSING_MS); });
    next.src = `/api/setup/picture.jpg?n=${asked}${this.plain ? "&plain=1" : ""}`;
  }

  again(pause) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), pause);
  }
}
