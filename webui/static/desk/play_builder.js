// A play as it is tapped: where a checker came from, where it stands now. Places are the mover's
// own: 25 is the bar, 0 is off.

const OFF = 0;
const BAR = 25;
const placeName = (place) => ({ [OFF]: "off", [BAR]: "bar" })[place] ?? String(place);

// The checkers that have to go from `here` to `there`, hindmost first; null where one would have
// to go back.
function wayTo(here, there) {
  const left = [];
  const reached = [];
  for (let place = BAR; place >= OFF; place -= 1) {
    const change = there[place] - here[place];
    for (let n = 0; n < Math.abs(change); n += 1) (change < 0 ? left : reached).push(place);
  }
  const isForward = left.length === reached.length && left.every((from, n) => from > reached[n]);
  return isForward ? { left, reached } : null;
}

export class Taps {
  // plays: the legal ones, as the API tells them; none where anything may be tapped.
  constructor({ before, player }, plays, dice) {
    Object.assign(this, { plays, player, dice: dice ?? [], source: null, moves: [] });
    this.rival = player === "light" ? "dark" : "light";
    this.now = { ...before, light: [...before.light], dark: [...before.dark] };
    this.isGuided = plays.length > 0;
  }

  get own() { return this.now[this.player]; }

  ways() {
    return this.plays.map((play) => wayTo(this.own, play.position[this.player])).filter(Boolean);
  }

  sources() {
    if (this.isGuided) return new Set(this.ways().flatMap((way) => way.left));
    return new Set(this.own.map((count, place) => (count && place !== OFF ? place : -1)).filter((p) => p >= 0));
  }

  targets() {
    const from = this.source;
    if (from === null) return new Set();
    const all = this.own.map((_, place) => place).filter((place) => place < from);
    if (!this.isGuided) return new Set(all);
    const ends = new Set(this.ways().flatMap((way) => way.reached));
    return new Set(all.filter((place) => (
      (ends.has(place) || this.dice.includes(from - place)) && this.leads(from, place))));
  }

  leads(from, to) {
    const own = [...this.own];
    own[from] -= 1;
    own[to] += 1;
    return this.plays.some((play) => wayTo(own, play.position[this.player]));
  }

  // across(place): the rival's number of the mover's place. False if that is not possible.
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
    const rival = this.now[this.rival];
    const stays = this.isGuided && !this.plays.some((play) => play.position[this.rival][place] < rival[place]);
    if (place === null || rival[place] !== 1 || stays) return;
    rival[place] = 0;
    rival[BAR] += 1;
  }

  // The legal plays that end as the taps do: more than one where they differ in what they hit.
  ended() {
    return this.plays.filter((play) => wayTo(this.own, play.position[this.player])?.left.length === 0);
  }

  get text() {
    const ended = this.ended();
    if (ended.length === 1) return ended[0].play;
    return this.moves.map(({ from, to }) => `${placeName(from)}/${placeName(to)}`).join(" ");
  }
}
