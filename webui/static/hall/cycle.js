// On a television: as many tables as are legible, some at a time; what needs the referee stays.

const PAUSE_MS = 12000;
const URGENT = ["dispute", "call"];
const COLUMNS = 5;
const AT_ONCE = 3 * COLUMNS;

export class Cycle {
  constructor(list) {
    Object.assign(this, { list, page: 0 });
    setInterval(() => { this.page += 1; this.update(); }, PAUSE_MS);
  }

  /** Shows the tables whose turn it is. */
  update() {
    const all = [...this.list.children];
    const urgent = all.filter(({ dataset }) => URGENT.includes(dataset.kind)).slice(0, AT_ONCE / 2);
    const others = all.filter((tile) => !urgent.includes(tile));
    const room = AT_ONCE - urgent.length;
    const first = room * (this.page % Math.max(1, Math.ceil(others.length / room)));
    const shown = new Set([...urgent, ...others.slice(first, first + room)]);
    for (const tile of all) tile.hidden = !shown.has(tile);
    // A wide screen has more columns than rows.
    const columns = Math.min(COLUMNS, Math.ceil(Math.sqrt(1.6 * shown.size)));
    this.list.style.setProperty("--columns", columns);
    this.list.style.setProperty("--rows", Math.ceil(shown.size / columns));
  }
}
