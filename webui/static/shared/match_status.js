// What the page and the overlay both have in words: players, alert, last play.

import { byId, changed, copy, write } from "./dom.js";

export function makeDie(face) {
  const node = copy("small-die");
  node.querySelector(".die-pips").setAttribute("href", `#pips-${face ?? "unread"}`);
  return node;
}

export function showPlayers(state) {
  for (const side of ["light", "dark"]) {
    write(`name-${side}`, state.players[side]);
    write(`score-${side}`, state.score[side]);
    write(`pips-${side}`, state.pips?.[side] ?? "–");
    const isOnTurn = state.to_move === side && state.phase === "playing";
    document.querySelector(`[data-player="${side}"]`).dataset.turn = isOnTurn;
  }
  showClock(state.shown.clock);
}

function showClock(clock) {
  for (const side of ["light", "dark"]) {
    const line = document.querySelector(`[data-clock="${side}"]`);
    line.hidden = !clock;
    if (!clock) continue;
    const { text, delay, runs, out } = clock[side];
    Object.assign(line.dataset, { runs, out });
    write(`clock-${side}`, text);
    write(`delay-${side}`, delay);
  }
}

export function showAlert(alert) {
  const section = byId("alert");
  section.hidden = !alert;
  section.dataset.kind = alert?.kind ?? "";
  write("alert-title", alert?.title ?? "");
  write("alert-text", alert?.text ?? "");
}

export function showCup(cup) {
  const line = byId("cup");
  line.hidden = !cup;
  line.dataset.state = cup?.state ?? "";
  write("cup-text", cup?.text ?? "");
  write("cup-why", cup?.why ?? "");
}

export function showLast(last) {
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
