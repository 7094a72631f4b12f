// Everything in words: scoreboard, alert, last play, review, score sheet. Text enters the page
// through textContent only, so a name with markup in it stays a name.

const byId = (id) => document.getElementById(id);
const drawn = new Map();

// Rebuilding a list that has not changed would take away the reader's focus and selection.
function changed(name, value) {
  const text = JSON.stringify(value);
  const isNew = drawn.get(name) !== text;
  drawn.set(name, text);
  return isNew;
}

function write(name, value) {
  for (const element of document.querySelectorAll(`[data-text="${name}"]`)) {
    // An unchanged text is left alone: a live region would read it out again.
    if (element.textContent !== String(value)) element.textContent = value;
  }
}

function copy(template, values = {}) {
  const node = byId(template).content.firstElementChild.cloneNode(true);
  fill(node, values);
  return node;
}

function fill(node, values) {
  for (const field of node.querySelectorAll("[data-field]")) {
    field.textContent = values[field.dataset.field] ?? "";
  }
}

function list(name, values, make) {
  if (!changed(name, values)) return false;
  document.querySelector(`[data-list="${name}"]`).replaceChildren(...values.map(make));
  return true;
}

function makeLine(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

function makeOption(option) {
  const node = copy("option", option);
  node.querySelector(".share-part").setAttribute("width", 100 * option.share);
  return node;
}

function makeDoubt(doubt) {
  const node = copy("doubt", doubt);
  node.dataset.kind = doubt.kind;
  node.querySelector("a").href = `#turn-${doubt.id}`;
  node.querySelector(".options").replaceChildren(...doubt.options.map(makeOption));
  return node;
}

function makeRow(line) {
  const node = copy("row");
  node.querySelector("th").textContent = line.number;
  [line.light, line.dark].forEach((turn, column) => {
    if (turn) fillTurn(node.cells[column + 1], turn);
  });
  return node;
}

function fillTurn(cell, turn) {
  const dice = (turn.dice ?? []).map((face) => face ?? "?").join("");
  fill(cell, { dice, play: turn.play });
  cell.id = `turn-${turn.id}`;
  cell.dataset.illegal = turn.illegal;
  cell.dataset.review = turn.review;
}

function makeDie(face) {
  const node = copy("small-die");
  node.querySelector(".die-pips").setAttribute("href", `#pips-${face ?? "unread"}`);
  return node;
}

function showPlayers(state) {
  for (const side of ["light", "dark"]) {
    write(`name-${side}`, state.players[side]);
    write(`score-${side}`, state.score[side]);
    write(`pips-${side}`, state.pips?.[side] ?? "–");
    const isOnTurn = state.to_move === side && state.phase === "playing";
    document.querySelector(`[data-player="${side}"]`).dataset.turn = isOnTurn;
  }
}

function showAlert(alert) {
  const section = byId("alert");
  section.hidden = !alert;
  section.dataset.kind = alert?.kind ?? "";
  write("alert-title", alert?.title ?? "");
  write("alert-text", alert?.text ?? "");
}

function showLast(last) {
  const section = byId("last");
  section.hidden = !last;
  if (!last) return;
  Object.assign(section.dataset, { verdict: last.verdict, side: last.side });
  write("last-label", last.label);
  write("last-name", last.name);
  write("last-play", last.play);
  write("last-percent", last.percent);
  if (changed("last-dice", last.dice)) byId("last-dice").replaceChildren(...last.dice.map(makeDie));
}

function showReview(doubts) {
  byId("badge").hidden = byId("review").hidden = doubts.length === 0;
  write("doubt-count", doubts.length);
  list("doubts", doubts, makeDoubt);
}

// The sheet follows the game, unless somebody has scrolled up to read.
const sheet = byId("sheet-scroll");
let follows = true;
const toEnd = () => { if (follows) sheet.scrollTop = sheet.scrollHeight; };
sheet.addEventListener("scroll", () => {
  follows = sheet.scrollHeight - sheet.scrollTop - sheet.clientHeight < 40;
});
new ResizeObserver(toEnd).observe(sheet);

export function showPanels(state) {
  const { shown } = state;
  const main = byId("main");
  main.dataset.phase = document.documentElement.dataset.phase = state.phase;
  main.dataset.board = state.position ? "yes" : "no";
  document.title = shown.title;
  for (const name of ["headline", "variant", "source"]) write(name, shown[name]);
  list("lines", shown.lines, makeLine);
  showPlayers(state);
  showAlert(shown.alert);
  showLast(shown.last);
  showReview(shown.doubts);
  if (list("moves", state.moves, makeRow)) toEnd();
  write("record", state.record.path ?? "");
  byId("record").hidden = !state.record.path;
  if (changed("spoken", shown.spoken.event)) byId("spoken").textContent = shown.spoken.event;
}
