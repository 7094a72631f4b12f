// What several pages show of a match beside its board: players, clock, alert, troubles, cup, last play.

import { byId, changed, fromTemplate, renderList, textItem, write } from "./dom.js";
import { showEndCard } from "./end_card.js";
import { showPlace } from "./place.js";

/** A small die that shows `face`, a question mark where it is unread. */
export function makeDie(face) {
  const node = fromTemplate("small-die");
  node.querySelector(".die-pips").setAttribute("href", `#pips-${face ?? "unread"}`);
  return node;
}

/** What the live page and the desk have in common. */
export function showMatch(state) {
  const { shown } = state;
  const main = byId("main");
  main.dataset.phase = document.documentElement.dataset.phase = state.phase;
  main.dataset.camera = state.by_hand ? "no" : "yes";
  for (const name of ["headline", "variant", "source"]) write(name, shown[name]);
  showPlace(shown.place);
  showPlayers(state);
  showAlert(shown.alert);
  renderList("troubles", shown.troubles, textItem);
  showStudy(shown.study);
  showCup(shown.cup);
  showLastPlay(shown.last);
  showEndCard(state);
  if (state.analysis) for (const part of document.querySelectorAll(".nav, .to-commentary")) part.hidden = false;
  if (changed("spoken", shown.spoken.event)) byId("spoken").textContent = shown.spoken.event;
}

/** Names, scores, pip counts and clocks, and who is on turn. */
export function showPlayers(state) {
  for (const side of ["light", "dark"]) {
    write(`name-${side}`, state.players[side]);
    write(`score-${side}`, state.score[side]);
    write(`pips-${side}`, state.pips?.[side]);
    // The rules of the match may hide the pip counts.
    document.querySelector(`[data-text="pips-${side}"]`).closest("p").hidden = !state.pips;
    const isOnTurn = state.to_move === side && state.phase === "playing";
    document.querySelector(`[data-player="${side}"]`).dataset.turn = isOnTurn;
    showClock(side, state.shown.clock?.[side]);
  }
}

/** Take points, gammon values and effective pip counts; hidden if there are none. */
export function showStudy(lines) {
  byId("study").hidden = !lines.length;
  renderList("study-lines", lines, textItem);
}

function showClock(side, clock) {
  const line = document.querySelector(`[data-clock="${side}"]`);
  line.hidden = !clock;
  if (!clock) return;
  Object.assign(line.dataset, { runs: clock.runs, out: clock.out });
  write(`clock-${side}`, clock.text);
  write(`delay-${side}`, clock.delay);
}

/** An illegal play, a void throw or a fault; hidden if `alert` is null. */
export function showAlert(alert) {
  const section = byId("alert");
  section.hidden = !alert;
  section.dataset.kind = alert?.kind ?? "";
  write("alert-title", alert?.title);
  write("alert-text", alert?.text);
}

function showCup(cup) {
  const line = byId("cup");
  line.hidden = !cup;
  line.dataset.state = cup?.state ?? "";
  write("cup-text", cup?.text);
  write("cup-why", cup?.why);
}

/** The last play and how certain it is; hidden if `last` is null. */
export function showLastPlay(last) {
  const section = byId("last");
  section.hidden = !last;
  if (!last) return;
  Object.assign(section.dataset, { verdict: last.verdict, side: last.side });
  for (const name of ["label", "name", "play", "percent"]) write(`last-${name}`, last[name]);
  if (changed("last-dice", last.dice)) byId("last-dice").replaceChildren(...last.dice.map(makeDie));
}
