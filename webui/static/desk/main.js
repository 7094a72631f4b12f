// The referee's desk: the live board, or one held still while a turn or the position is corrected.

import { refusalOf, refusalOn, request, sendCommand, setRefusal } from "../shared/api.js";
import { Board } from "../shared/board.js";
import { watchCamera } from "../shared/camera.js";
import { bindCopying, showCopying } from "../shared/copy.js";
import { Dispute } from "../shared/dispute.js";
import { byId, changed, fromTemplate, textItem } from "../shared/dom.js";
import { bindEndCard } from "../shared/end_card.js";
import { EventStream, showLink } from "../shared/event_stream.js";
import { fitNames } from "../shared/fit_names.js";
import { _, language, playText } from "../shared/i18n.js";
import { makeDie, showMatch } from "../shared/match_status.js";
import { bindPointNumbers } from "../shared/point_numbers.js";
import { BoardButtons } from "./board_buttons.js";
import { CupNonceForm } from "./cup_nonces.js";
import { bindKeys } from "./keyboard.js";
import { MatchForm } from "./match_form.js";
import { PositionEditor } from "./position_editor.js";
import { ResignationForm } from "./resignation_form.js";
import { TurnEditor } from "./turn_editor.js";
import { TurnEntry } from "./turn_entry.js";

const DONE = {
  undo: _("The last entry was undone."), accept: _("The illegal play stands."), reject: _("A legal play is required."),
  end_turn: _("The turn is over."), double: _("Double offered."), beaver: _("Beaver."), raccoon: _("Raccoon."),
  take: _("Double taken."), drop: _("Double dropped."), board_moved: _("What was seen while the board moved does not count."),
  pause: _("Paused: nothing is judged."), go_on: _("Play resumed."), end_match: _("The match is over."),
  begin_game: _("The next game has started."), clock: _("Clock pressed."), clock_stop: _("Clock stopped."),
  call_referee: _("The referee has been called."), referee_came: _("The call has been answered."),
  cup_roll: _("The cup is rolling."), cup_aside: _("The cup is set aside."), cup_back: _("The cup is back in use."),
  cup_identify: _("The cup is blinking."), cup_reveal: _("The cup reveals its seed."), cup_stands: _("The cup’s dice count."), dice_stand: _("The dice on the board count."),
};
const CONFIRM_MS = 5000;
const MODE_TITLES = {
  turn: _("A turn from the record"), position: _("Setting the position"), resign: _("The live board"), match: _("The live board"),
};

const main = byId("main");
const board = new Board(byId("board"));
const commandButtons = document.querySelectorAll("#commands [data-command], #cup-acts [data-command], #match-form [data-command]");
const undoButton = document.querySelector("#commands [data-command=undo]");
let state = null;
let status = null;
let mode = "live";

const turn = new TurnEditor(board, { redraw, onDone: showCorrected });
const entry = new TurnEntry(board, { redraw, onDone: showDone });
const position = new PositionEditor({ redraw, onDone: (next) => backToLive(next, _("The position is set.")) });
const resignation = new ResignationForm({ onDone: backToLive });
const match = new MatchForm({ onDone: backToLive });
const nonces = new CupNonceForm({ onDone: showDone });
const dispute = new Dispute(board, (next) => showDone(next, _("Decided.")));
const buttons = new BoardButtons(board, { press, remove, lift, drop });

// --- The board

// What is drawn instead of the state, if anything is.
function heldDrawing() {
  if (mode === "turn" && turn.turn) return turn.drawing;
  if (mode === "live" && entry.isTapping) return entry.drawing;
  return mode === "position" && position.draft ? position.drawing : null;
}

function redraw() {
  if (!state) return;
  board.show({ ...state, shown: { ...state.shown, ...heldDrawing() } });
  const editor = { live: entry.isTapping && entry, turn: turn.isTapping && turn, position: position.draft && position }[mode];
  buttons.setVisible(Boolean(editor));
  if (editor) buttons.describe((cell) => editor.label(cell), editor.marks);
  if (mode === "position" && position.draft) position.show();
  showUndo();
}

// The play that is being tapped on the board, if one is.
const tapped = () => ({ live: entry, turn })[mode];

function press(cell) {
  if (mode === "position") position.change(cell, 1);
  else tapped()?.press(cell);
}

function remove(cell) {
  if (mode === "position") position.change(cell, -1);
  else tapped()?.press(cell, true);
}

function lift(cell) {
  return tapped()?.lift(cell) ? tapped().turn.player : null;
}

function drop(cell) {
  tapped()?.drop(cell);
}

function setMode(next) {
  mode = main.dataset.mode = next;
  byId("mode-word").textContent = MODE_TITLES[next] ?? "";
  if (next !== "turn") markRow(null);
  answer("");
  redraw();
}

// --- Commands

// What an answer speaks of; null: of a refusal, which may not be refused any more.
let answered = null;
const progress = ({ game, turns, to_move: next, cube, telling, phase, paused }) => (
  JSON.stringify([game, turns, next, cube, telling, phase, paused]));

function answer(text, about = null) {
  const line = byId("desk-answer");
  answered = about && progress(about);
  line.textContent = text;
  line.dataset.done = Boolean(about);
}

function showDone(next, text) {
  showStatus(next);
  answer(text, next);
  showTurns();
}

function backToLive(next, text) {
  setMode("live");
  showDone(next, text);
}

async function showCorrected(next, text) {
  showDone(next, text);
  if (mode !== "turn") return;
  // What was undone may have been the turn itself.
  if (await turn.open(turn.number, state)) redraw();
  else setMode("live");
}

// What is tapped is undone tap by tap, then what is recorded.
const isUndoneByTap = (command) => command === "undo" && Boolean(tapped()?.entry?.isBegun);

function showUndo() {
  if (status) setRefusal(undoButton, isUndoneByTap("undo") ? null : refusalOf(status, "undo"));
}

async function run(button) {
  const { command } = button.dataset;
  if (isUndoneByTap(command)) return tapped().undo();
  if (refusalOn(button)) return answer(refusalOn(button));
  const { ok, body, message } = await sendCommand(command);
  return ok ? showCorrected(body, DONE[command]) : answer(message);
}

// Commands that cannot be undone need a second press.
function isConfirmed(button) {
  const { again, armed } = button.dataset;
  if (!again || armed || refusalOn(button)) return true;
  const text = button.textContent;
  button.textContent = again;
  button.dataset.armed = "yes";
  setTimeout(() => { button.textContent = text; delete button.dataset.armed; }, CONFIRM_MS);
  return false;
}

function showStatus(next) {
  status = next;
  for (const button of commandButtons) {
    const { command } = button.dataset;
    setRefusal(button, refusalOf(status, command));
    button.hidden = isIdle(command);
  }
  showUndo();
  byId("cup-acts").hidden = !state?.cup?.disagrees;
  if (state) entry.update(state, status);
  dispute.showAllowed(status);
  resignation.update(state, status);
  match.update(status, state?.clock, state?.place);
  const facts = [_("Game {number}", { number: status.game }), state?.shown.length, _("rules: {name}", { name: status.rules_name })];
  byId("facts").textContent = facts.filter(Boolean).join(" · ");
}

// A button that does not apply now is hidden; its key still says why the command is refused.
function isIdle(command) {
  const { cube, paused, by_hand: byHand, can } = status;
  const isOffered = Boolean(cube?.offered);
  const hasCup = Boolean(state?.cup) && state.cup.state !== "aside";
  const idle = {
    pause: paused, go_on: !paused, double: isOffered || !cube, take: !isOffered, drop: !cube,
    end_turn: byHand || isOffered || can.includes("begin_game"), board_moved: byHand, cup_roll: !hasCup || state.cup.kind === "dice", cup_aside: !hasCup, cup_identify: state?.cup?.kind !== "cup",
    clock: !state?.clock, clock_stop: !state?.clock?.runs, referee_came: !state?.call,
  };
  for (const rare of ["beaver", "raccoon", "begin_game", "cup_back", "cup_reveal"]) idle[rare] = !can.includes(rare);
  return Boolean(idle[command]);
}

// --- The turns

function makeRow(one) {
  const node = fromTemplate("turn-row", { number: one.number, play: playText(one.play), name: state.players[one.player] });
  const button = node.querySelector("button");
  const flags = { illegal: Boolean(one.rule), review: one.review, rejected: one.rejected, hand: one.by === "hand" && Boolean(state.source) };
  node.querySelector("[data-dice]").append(...(one.dice ?? []).map(makeDie));
  Object.assign(button.dataset, { number: one.number, side: one.player });
  for (const [name, isSet] of Object.entries(flags)) node.querySelector(`.tag-${name}`).hidden = !isSet;
  button.addEventListener("click", () => openTurn(one.number));
  return node;
}

function gameHeading({ title, note }) {
  const node = textItem(`${title} · ${note}`);
  node.className = "game-head";
  return node;
}

function makeAction({ player, text }) {
  const node = fromTemplate("action-row", { text, name: state.players[player] });
  node.dataset.side = player ?? "";
  return node;
}

// Newest first, under the heading of its game; what follows a turn stands above it.
function makeTurnRows({ turns, actions, games }) {
  return [...games].reverse().flatMap((game) => {
    const own = (all) => all.filter((one) => one.game === game.number);
    const entries = [
      ...own(turns).map((one) => ({ at: one.number, make: () => makeRow(one) })),
      ...own(actions).map((one, n) => ({ at: one.after + (n + 1) / 1000, make: () => makeAction(one) })),
    ];
    return [gameHeading(game), ...entries.sort((a, b) => b.at - a.at).map((entry) => entry.make())];
  });
}

async function showTurns() {
  const { ok, body } = await request("/api/turns");
  if (!ok || !changed("turns", [body, state?.players])) return;
  const focused = document.activeElement?.dataset?.number;
  byId("turns").replaceChildren(...makeTurnRows(body));
  byId("turns-none").hidden = body.turns.length > 0;
  markRow(mode === "turn" ? turn.number : null);
  if (focused) rowOf(focused)?.focus();
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
  if (!(await turn.open(number, state))) return answer(turn.failure);
  setMode("turn");
  markRow(number);
  byId("turn-panel").scrollTop = 0;
  byId("turn-title").focus({ preventScroll: true });
  return scrollToBoard();
}

// On a phone, what is opened starts with the board that shows it.
function scrollToBoard() {
  if (!matchMedia("(min-width: 901px)").matches) byId("board-top").scrollIntoView({ block: "start" });
}

// Newest first: down is back in time.
function moveInTurns(step) {
  const all = rows();
  const current = all.findIndex((row) => row === document.activeElement
    || (mode === "turn" && row.dataset.number === String(turn.number)));
  const next = all[current < 0 ? 0 : Math.min(all.length - 1, Math.max(0, current + step))];
  if (!next) return;
  if (mode === "turn") openTurn(Number(next.dataset.number));
  else next.focus();
}

// --- The state

// Only what may change the record: the picture's clock ticks all the time.
const recordedPart = ({ phase, paused, to_move: next, roll, cube, position: counts, score, moves, review, last_play: last, cup, message, clock }) => (
  [phase, paused, next, roll, cube, counts, score, moves, review, last, cup, message, Boolean(clock), clock?.runs]);

async function requestStatus() {
  const { ok, body } = await request("/api/desk");
  if (!ok) return;
  showStatus(body);
  if (answered !== null && answered !== progress(body)) answer("");
}

function showState(next) {
  state = next;
  const { shown } = state;
  document.title = `${_("Desk")} · ${shown.title}`;
  main.dataset.board = "yes";
  main.dataset.paused = state.paused;
  showMatch(state);
  nonces.update(state);
  byId("lines").textContent = shown.lines.join(" · ");
  dispute.show(state);
  showCopying(state);
  byId("phone-away").hidden = !state.phone;
  position.update(state);
  resignation.update(state, status);
  redraw();
  if (!changed("recorded", recordedPart(state))) return;
  // What was refused may be possible now.
  if (answered === null) answer("");
  requestStatus();
  showTurns();
}

// --- Buttons and keys

function openPosition() {
  if (!state) return;
  position.open(state);
  setMode("position");
  buttons.focus("24");
  scrollToBoard();
}

function openResignation() {
  setMode("resign");
  byId("resign-title").focus();
}

function openMatch() {
  match.open();
  setMode("match");
  byId("match-title").focus();
}

const OPENS = { entry: () => entry.toggle(), match: openMatch, position: openPosition, resign: openResignation, live: () => setMode("live") };
for (const button of document.querySelectorAll("[data-open]")) {
  button.addEventListener("click", () => OPENS[button.dataset.open]());
}
for (const button of commandButtons) {
  button.addEventListener("click", () => isConfirmed(button) && run(button));
}

// A clock that runs, or one that stands, is pressed where it is shown too; the button is for keys.
for (const line of document.querySelectorAll("[data-clock]")) {
  line.addEventListener("click", () => {
    const runs = state?.clock?.runs ?? null;
    if (runs === null || runs === line.dataset.clock) document.querySelector("#commands [data-command=clock]").click();
  });
}

const KEYS = {
  ArrowDown: () => moveInTurns(1),
  ArrowUp: () => moveInTurns(-1),
  " ": () => document.querySelector("#commands [data-command=pause]:not([hidden]), #commands [data-command=go_on]:not([hidden])")?.click(),
};
const ENTRY_KEYS = { n: () => byId("entry-notation").focus(), w: () => { if (entry.isTapping) buttons.focus("24"); } };
const TURN_KEYS = { n: () => byId("turn-notation").focus(), w: () => { byId("tap").click(); if (turn.isTapping) buttons.focus("24"); } };
const POSITION_KEYS = { s: () => position.swapSides() };

function onKey(key) {
  const actions = { ...KEYS, ...{ live: entry.step === "play" && ENTRY_KEYS, turn: TURN_KEYS, position: POSITION_KEYS }[mode] };
  if (mode === "live" && entry.step === "roll" && /^[1-6]$/.test(key)) entry.enterDigit(Number(key));
  if (mode === "turn" && /^[1-9]$/.test(key)) turn.chooseNumbered(Number(key));
  actions[key]?.();
  return key in actions;
}

function onEscape() {
  if (mode === "turn" && turn.isTapping) return turn.stopTapping();
  const row = mode === "turn" ? rowOf(turn.number) : null;
  setMode("live");
  return row?.focus();
}

fitNames();
bindPointNumbers(redraw);
bindEndCard((next) => showDone(next, DONE.begin_game));
bindCopying(() => state);
if (location.hash === "#match") openMatch();
byId("end-next-match").addEventListener("click", openMatch);
bindKeys({ onKey, onEscape });
watchCamera(byId("picture"));
new EventStream(`/api/events?lang=${language}`, { onState: showState, onLink: showLink });
