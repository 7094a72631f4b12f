// A play as it is tapped: where a checker came from, then where it is now. Places are counted by
// the mover: 25 is the bar, 0 is off.

const OFF = 0;
const BAR = 25;
const placeName = (place) => ({ [OFF]: "off", [BAR]: "bar" })[place] ?? String(place);

// The checkers that have to go from `before` to `after`, hindmost first; null where one would have
// to go back.
function difference(before, after) {
  const left = [];
  const reached = [];
  for (let place = BAR; place >= OFF; place -= 1) {
    const change = after[place] - before[place];
    for (let n = 0; n < Math.abs(change); n += 1) (change < 0 ? left : reached).push(place);
  }
  const isForward = left.length === reached.length && left.every((from, n) => from > reached[n]);
  return isForward ? { left, reached } : null;
}

export class PlayBuilder {
  // plays: the legal ones, as the API gives them; empty where any move may be tapped.
  constructor({ before, player, dice }, plays) {
    Object.assign(this, { plays, player, dice: dice ?? [], source: null, moves: [] });
    this.opponent = player === "light" ? "dark" : "light";
    this.position = { ...before, light: [...before.light], dark: [...before.dark] };
    this.isGuided = plays.length > 0;
  }

  get own() { return this.position[this.player]; }

  differences() {
    return this.plays.map((play) => difference(this.own, play.position[this.player])).filter(Boolean);
  }

  /** The places from which a checker may have moved. */
  sources() {
    if (this.isGuided) return new Set(this.differences().flatMap(({ left }) => left));
    return new Set(this.own.flatMap((count, place) => (count && place !== OFF ? [place] : [])));
  }

  /** The places that the chosen checker may have reached. */
  targets() {
    const from = this.source;
    if (from === null) return new Set();
    const ahead = [...this.own.keys()].filter((place) => place < from);
    if (!this.isGuided) return new Set(ahead);
    const ends = new Set(this.differences().flatMap(({ reached }) => reached));
    return new Set(ahead.filter((place) => (
      (ends.has(place) || this.dice.includes(from - place)) && this.canLead(from, place))));
  }

  canLead(from, to) {
    const own = [...this.own];
    own[from] -= 1;
    own[to] += 1;
    return this.plays.some((play) => difference(own, play.position[this.player]));
  }

  /** Taps `place`; false if that is not possible. across(place): its number counted by the opponent. */
  tap(place, across) {
    if (this.source === place) this.source = null;
    else if (this.targets().has(place)) this.move(place, across);
    else if (this.sources().has(place)) this.source = place;
    else return false;
    return true;
  }

  move(to, across) {
    const from = this.source;
    this.own[from] -= 1;
    this.own[to] += 1;
    this.hit(to === OFF ? null : across(to));
    const onward = this.moves.find((move) => move.to === from);
    if (onward) onward.to = to;
    else this.moves.push({ from, to });
    this.source = null;
  }

  hit(place) {
    const checkers = this.position[this.opponent];
    const isSafe = this.isGuided && !this.plays.some((play) => play.position[this.opponent][place] < checkers[place]);
    if (place === null || checkers[place] !== 1 || isSafe) return;
    checkers[place] = 0;
    checkers[BAR] += 1;
  }

  /** The legal plays with this result: more than one where they differ in what they hit. */
  completed() {
    return this.plays.filter((play) => difference(this.own, play.position[this.player])?.left.length === 0);
  }

  get notation() {
    const completed = this.completed();
    if (completed.length === 1) return completed[0].play;
    return this.moves.map(({ from, to }) => `${placeName(from)}/${placeName(to)}`).join(" ");
  }
}
