// The referee's desk: the live board, or one held still while a turn or the position is put right.

import { allow, ask, refusal, refusalOf, say } from "../shared/api.js";
import { Board } from "../shared/board.js";
import { watchCamera } from "../shared/camera.js";
import { Cells } from "./board_buttons.js";
import { CupWords } from "./cup_nonces.js";
import { Dispute } from "../shared/dispute.js";
import { byId, changed, copy, fill, write } from "../shared/dom.js";
import { listenToKeys } from "./keyboard.js";
import { Live } from "../shared/event_stream.js";
import { makeDie, showAlert, showCup, showLast, showPlayers } from "../shared/match_status.js";
import { PositionEditor } from "./position_editor.js";
import { MatchPanel } from "./match_form.js";
import { Resigning } from "./resignation_form.js";
import { Telling } from "./turn_entry.js";
import { OpenTurn } from "./turn_editor.js";
import { _, language, linkWords, playWords } from "../shared/i18n.js";

const SAID = {
  undo: _("The last correction is undone."), accept: _("The illegal play stands."), reject: _("A legal play is required."),
  end_turn: _("The turn is over."), double: _("The cube is offered."), beaver: _("Beaver."), raccoon: _("Raccoon."),
  take: _("The cube is taken."), drop: _("The cube is dropped."), board_moved: _("What was seen while the board moved is void."),
  pause: _("Paused: nothing is judged."), go_on: _("Judging again."), end_match: _("The match is over."),
  begin_game: _("The next game has begun."), clock: _("The clock is pressed."), clock_stop: _("The clock stands."), cup_roll: _("The cup rolls."), cup_aside: _("The cup is set aside."), cup_back: _("The cup is taken up again."),
  cup_identify: _("The cup blinks."), cup_reveal: _("The cup tells its seed."), cup_stands: _("The cup’s dice stand."), dice_stand: _("The dice on the board stand."),
};
const WORDS = "#commands [data-word], #cup-acts [data-word], #match-form [data-word]";
const MEANT_MS = 5000;
const ANSWERS = ["take", "drop"];
const RARE = ["beaver", "raccoon", "begin_game", "cup_back", "cup_reveal"];
const USED = ["cup_roll", "cup_aside"];
const SEEN = ["end_turn", "board_moved"];

const main = byId("main");
const board = new Board(byId("board"));
let state = null;
let now = null;
let mode = "live";

const turn = new OpenTurn(board, { redraw, done: (told, words) => corrected(told, words) });
const position = new PositionEditor({ redraw, done: (told) => { setMode("live"); heard(told, _("The position is set.")); } });
const resigning = new Resigning({ done: (told, words) => { setMode("live"); heard(told, words); } });
const matches = new MatchPanel({ heard });
const telling = new Telling(board, { redraw, done: heard });
const cells = new Cells(board, { press, remove });
const cupWords = new CupWords({ done: heard });
const dispute = new Dispute(board, (told) => heard(told, _("Decided.")));

// --- The board

function held() {
  if (mode === "turn" && turn.turn) return turn.held;
  if (mode === "live" && telling.isTapping) return telling.held;
  return mode === "position" && position.draft ? position.held : null;
}

function redraw() {
  if (!state) return;
  board.show({ ...state, shown: { ...state.shown, ...held() } });
  const editor = { live: telling.isTapping && telling, turn: turn.isTapping && turn, position: position.draft && position }[mode];
  cells.show(Boolean(editor));
  if (editor) cells.tell((cell) => editor.words(cell), editor.marks);
  if (mode === "position" && position.draft) position.show();
}

function press(cell) {
  if (mode === "position") position.change(cell, 1);
  else if (mode === "turn") turn.press(cell);
  else telling.press(cell);
}

function remove(cell) {
  if (mode === "position") position.change(cell, -1);
}

function setMode(next) {
  mode = main.dataset.mode = next;
  const live = _("The live board");
  byId("mode-word").textContent = { turn: _("A turn of the record"), position: _("Setting the position"), resign: live, match: live }[next] ?? "";
  if (next !== "turn") markRow(null);
  tell("");
  redraw();
}

// --- What is said

function tell(words, isDone = false) {
  const line = byId("desk-answer");
  line.textContent = words;
  line.dataset.done = isDone;
}

function heard(told, words) {
  showNow(told);
  tell(words, true);
  showTurns();
}

async function corrected(told, words) {
  heard(told, words);
  if (mode !== "turn") return;
  // What was undone may have been the turn itself.
  if (await turn.open(turn.number, state)) redraw();
  else setMode("live");
}

async function sayWord(button) {
  const { word } = button.dataset;
  if (refusal(button)) return tell(refusal(button));
  const { ok, told, message } = await say(word);
  if (!ok) return tell(message);
  return corrected(told, SAID[word]);
}

// What cannot be undone is pressed twice.
function isMeant(button) {
  const { again, armed } = button.dataset;
  if (!again || armed || refusal(button)) return true;
  const words = button.textContent;
  button.textContent = again;
  button.dataset.armed = "yes";
  setTimeout(() => { button.textContent = words; delete button.dataset.armed; }, MEANT_MS);
  return false;
}

function showNow(told) {
  now = told;
  for (const button of document.querySelectorAll(WORDS)) {
    const { word } = button.dataset;
    allow(button, refusalOf(now, word));
    button.hidden = isIdle(word);
  }
  byId("cup-acts").hidden = !state?.cup?.disagrees;
  byId("tell-open").hidden = now.by_hand;
  if (state) telling.follow(state, now);
  dispute.allow(now);
  resigning.follow(state, now);
  matches.follow(now, state?.clock);
  byId("facts").textContent = [_("Game {number}", { number: now.game }), state?.shown.length, _("rules: {name}", { name: now.rules_name })].filter(Boolean).join(" · ");
}

// What is not in question now is not in the way: its key still tells why it cannot be said.
function isIdle(word) {
  const isOffered = Boolean(now.cube?.offered);
  if (word === "pause" || word === "go_on") return now.paused !== (word === "go_on");
  if (word === "double") return isOffered || !now.cube;
  if (ANSWERS.includes(word)) return !isOffered;
  if (SEEN.includes(word)) return now.by_hand;
  if (USED.includes(word)) return !state?.cup || state.cup.state === "aside";
  if (word === "clock") return !state?.clock;
  if (word === "clock_stop") return !state?.clock?.runs;
  if (word === "cup_identify") return !state?.cup;
  return RARE.includes(word) && !now.can.includes(word);
}

// --- The turns

function makeTurn(one) {
  const node = copy("turn-row");
  const button = node.querySelector("button");
  const flags = { illegal: !one.legal, review: one.review, rejected: one.rejected, hand: one.by === "hand" && !state.by_hand };
  fill(node, { number: one.number, play: playWords(one.play), name: state.players[one.player] });
  node.querySelector("[data-dice]").append(...(one.dice ?? []).map(makeDie));
  Object.assign(button.dataset, { number: one.number, side: one.player });
  for (const [name, isSet] of Object.entries(flags)) node.querySelector(`.tag-${name}`).hidden = !isSet;
  button.addEventListener("click", () => openTurn(one.number));
  return node;
}

function gameHead(game) {
  const node = document.createElement("li");
  node.className = "game-head";
  node.textContent = _("Game {number}", { number: game });
  return node;
}

async function showTurns() {
  const { ok, told } = await ask("/api/turns");
  if (!ok || !changed("turns", [told.turns, state?.players])) return;
  const newest = [...told.turns].reverse();
  const isFocused = document.activeElement?.dataset?.number;
  byId("turns").replaceChildren(...newest.flatMap((one, n) => (
    newest[n - 1]?.game === one.game ? [makeTurn(one)] : [gameHead(one.game), makeTurn(one)])));
  byId("turns-none").hidden = newest.length > 0;
  markRow(mode === "turn" ? turn.number : null);
  if (isFocused) rowOf(isFocused)?.focus();
}

const rows = () => [...document.querySelectorAll("#turns button")];
const rowOf = (number) => document.querySelector(`#turns [data-number="${number}"]`);

function markRow(number) {
  for (const row of rows()) {
    if (row.dataset.number === String(number)) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }
}

async function openTurn(number) {
  if (!(await turn.open(number, state))) return tell(turn.failed);
  setMode("turn");
  markRow(number);
  byId("turn-panel").scrollTop = 0;
  byId("turn-title").focus({ preventScroll: true });
  return toBoard();
}

// On a phone what is opened begins with the board that shows it.
function toBoard() {
  if (!matchMedia("(min-width: 901px)").matches) byId("board-top").scrollIntoView({ block: "start" });
}

// Newest first: down is back in time.
function walk(step) {
  const all = rows();
  const here = all.findIndex((row) => row === document.activeElement
    || (mode === "turn" && row.dataset.number === String(turn.number)));
  const next = all[here < 0 ? 0 : Math.min(all.length - 1, Math.max(0, here + step))];
  if (!next) return;
  if (mode === "turn") openTurn(Number(next.dataset.number));
  else next.focus();
}

// --- The state

// Only what may change the record: the picture's clock ticks all the time.
const recorded = ({ phase, paused, to_move: mover, roll, cube, position: at, score, moves, review, last_play: last, cup, message, clock }) => (
  [phase, paused, mover, roll, cube, at, score, moves, review, last, cup, message, Boolean(clock), clock?.runs]);

async function askNow() {
  const { ok, told } = await ask("/api/desk");
  if (ok) showNow(told);
}

function showState(next) {
  state = next;
  const { shown } = state;
  document.title = `${_("Desk")} · ${shown.title}`;
  main.dataset.phase = document.documentElement.dataset.phase = state.phase;
  main.dataset.board = "yes";
  main.dataset.paused = state.paused;
  main.dataset.camera = state.by_hand ? "no" : "yes";
  for (const name of ["headline", "variant", "source"]) write(name, shown[name]);
  showPlayers(state);
  showAlert(shown.alert);
  showCup(shown.cup);
  cupWords.follow(state);
  showLast(shown.last);
  byId("lines").textContent = shown.lines.join(" · ");
  dispute.show(state);
  position.follow(state);
  resigning.follow(state, now);
  redraw();
  if (changed("spoken", shown.spoken.event)) byId("spoken").textContent = shown.spoken.event;
  if (!changed("recorded", recorded(state))) return;
  askNow();
  showTurns();
}

function showLink(link) {
  const chip = byId("link");
  if (chip.dataset.link === link) return;
  chip.dataset.link = link;
  chip.querySelector("span").textContent = linkWords(link);
  byId("lost").hidden = link !== "lost";
}

// --- Buttons and keys

function openPosition() {
  if (!state) return;
  position.begin(state);
  setMode("position");
  cells.focus("24");
  toBoard();
}

function openResign() {
  setMode("resign");
  byId("resign-title").focus();
}

function openMatch() {
  matches.begin();
  setMode("match");
  byId("match-title").focus();
}

const OPENS = { tell: () => telling.toggle(), match: openMatch, position: openPosition, resign: openResign, live: () => setMode("live") };
for (const button of document.querySelectorAll("[data-open]")) {
  button.addEventListener("click", () => OPENS[button.dataset.open]());
}
for (const button of document.querySelectorAll(WORDS)) {
  button.addEventListener("click", () => isMeant(button) && sayWord(button));
}

// A clock that runs, or one that stands, is pressed where it is shown too; the button is for keys.
for (const line of document.querySelectorAll("[data-clock]")) {
  line.addEventListener("click", () => {
    const runs = state?.clock?.runs ?? null;
    if (runs === null || runs === line.dataset.clock) document.querySelector("#commands [data-word=clock]").click();
  });
}

const KEYS = {
  ArrowDown: () => walk(1),
  ArrowUp: () => walk(-1),
  " ": () => document.querySelector("#commands [data-word=pause]:not([hidden]), #commands [data-word=go_on]:not([hidden])")?.click(),
};
const IN_TELLING = { n: () => byId("tell-notation").focus(), w: () => { if (telling.isTapping) cells.focus("24"); } };
const IN_TURN = { n: () => byId("notation").focus(), w: () => { byId("tap").click(); if (turn.isTapping) cells.focus("24"); } };
const IN_POSITION = { s: () => position.swap() };

function onKey(key) {
  const known = { ...KEYS, ...{ live: telling.step === "play" && IN_TELLING, turn: IN_TURN, position: IN_POSITION }[mode] };
  if (mode === "live" && telling.step === "roll" && /^[1-6]$/.test(key)) telling.digit(Number(key));
  if (mode === "turn" && /^[1-9]$/.test(key)) turn.chooseNumbered(Number(key));
  known[key]?.();
  return key in known;
}

function onEscape() {
  if (mode === "turn" && turn.isTapping) return turn.endTaps();
  const from = mode === "turn" ? rowOf(turn.number) : null;
  setMode("live");
  return from?.focus();
}

listenToKeys({ onKey, onEscape });
watchCamera(byId("picture"));
new Live(`/api/events?lang=${language}`, { onState: showState, onLink: showLink });
