// A play as it is tapped: each tap moves a checker by one die, or chooses it, to be put down where
// it is now. Places are counted by the mover: 25 is the bar, 0 is off.

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

const without = (list, value) => list.filter((_one, n) => n !== list.indexOf(value));

// Whether `dice` take the checkers `left` to the places `reached`.
function canReach([from, ...others], reached, dice) {
  if (from === undefined) return true;
  return [...new Set(dice)].some((die) => {
    const to = Math.max(from - die, OFF);
    const rest = without(dice, die);
    return (reached.includes(to) && canReach(others, without(reached, to), rest))
      || (to !== OFF && canReach([to, ...others], reached, rest));
  });
}

export class PlayBuilder {
  // plays: the legal ones, as the API gives them; empty where any move may be tapped.
  // across(place): its number counted by the opponent.
  constructor({ before, player, dice }, plays, across) {
    Object.assign(this, { plays, player, across, dice: dice ?? [], source: null, moves: [], steps: [] });
    this.opponent = player === "light" ? "dark" : "light";
    this.position = { ...before, light: [...before.light], dark: [...before.dark] };
    this.isGuided = plays.length > 0;
    const read = this.dice.filter(Boolean);
    this.left = read[0] === read[1] ? [...read, ...read] : read;
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

  /** Taps `place`, which moves its checker by the larger die, or by the smaller one if that is
   * `isSmaller`; false if that is not possible. */
  tap(place, isSmaller = false) {
    if (this.source === place) this.source = null;
    else if (this.targets().has(place)) this.move(this.source, place, null);
    else if (this.sources().has(place)) this.step(place, isSmaller);
    else return this.swapDie(place);
    return true;
  }

  step(from, isSmaller) {
    const dice = [...new Set(this.left)].sort((a, b) => (isSmaller ? a - b : b - a));
    const die = this.isGuided ? dice.find((one) => this.isStep(from, one)) : undefined;
    if (die === undefined) this.source = from;
    else this.move(from, Math.max(from - die, OFF), die);
  }

  isStep(from, die) {
    const to = Math.max(from - die, OFF);
    const own = [...this.own];
    own[from] -= 1;
    own[to] += 1;
    const rest = without(this.left, die);
    return this.isOpen(to) && this.plays.some((play) => this.isReading(play, own, rest));
  }

  // Whether a checker may stop there: it is empty, or a play ends or hits there.
  isOpen(place) {
    const count = place === OFF ? 0 : this.position[this.opponent][this.across(place)];
    return !count || this.plays.some((play) => (
      play.position[this.player][place] > this.own[place] || play.position[this.opponent][this.across(place)] < count));
  }

  // Whether `dice` can take the checkers from `own` to the end of this play.
  isReading({ position }, own, dice) {
    const rest = difference(own, position[this.player]);
    const isHitToo = this.position[this.opponent].every((count, place) => place === BAR || position[this.opponent][place] <= count);
    return rest !== null && isHitToo && canReach(rest.left, rest.reached, dice);
  }

  // Another tap where the last checker came from: it was the other die.
  swapDie(place) {
    const last = this.steps.at(-1);
    if (last?.from !== place || last.die === null || this.source !== null) return false;
    this.undo();
    const other = this.left.find((die) => die !== last.die && this.isStep(place, die));
    this.move(place, Math.max(place - (other ?? last.die), OFF), other ?? last.die);
    return other !== undefined;
  }

  /** Moves one checker; die: null where it was put down. */
  move(from, to, die) {
    const { left, moves } = this;
    const position = { ...this.position, light: [...this.position.light], dark: [...this.position.dark] };
    this.steps.push({ from, die, before: { left, moves: moves.map((move) => ({ ...move })), position: this.position } });
    Object.assign(this, { position, source: null, left: die === null ? left : without(left, die) });
    this.own[from] -= 1;
    this.own[to] += 1;
    this.hit(to === OFF ? null : this.across(to));
    const onward = moves.find((move) => move.to === from);
    if (onward) onward.to = to;
    else moves.push({ from, to });
  }

  /** Takes back the last tap. */
  undo() {
    if (this.source === null && this.steps.length) Object.assign(this, this.steps.pop().before);
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
    const ended = this.plays.filter((play) => difference(this.own, play.position[this.player])?.left.length === 0);
    // Moved die by die, it is known what was hit.
    const isHitAlike = (play) => play.position[this.opponent].every((count, place) => count === this.position[this.opponent][place]);
    const exact = this.steps.every(({ die }) => die !== null) ? ended.filter(isHitAlike) : [];
    return exact.length ? exact : ended;
  }

  /** The only legal play that this can still become; null if there are several. */
  get only() {
    if (!this.moves.length) return null;
    const completed = this.completed();
    const isStepped = this.steps.every(({ die }) => die !== null);
    const left = completed.length ? completed : this.plays.filter((play) => (
      isStepped ? this.isReading(play, this.own, this.left) : difference(this.own, play.position[this.player])));
    return left.length === 1 ? left[0] : null;
  }

  get notation() {
    const completed = this.completed();
    if (completed.length === 1) return completed[0].play;
    return this.moves.map(({ from, to }) => `${placeName(from)}/${placeName(to)}`).join(" ");
  }
}
