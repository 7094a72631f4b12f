// Everything on the set-up page but the picture.

import { Board } from "../shared/board.js";
import { byId, changed, fromTemplate, renderList, setText, textItem, write } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { dayText } from "../shared/unfinished.js";
import { showPhone } from "./phone.js";

const BEST_TILT = [25, 30];
// Pixels, as in vision/board/faults.py; the server decides whether something is wrong.
const MIN_DIE = 13;
const MIN_POINT = 12;
const UNNAMED = { light: "Light", dark: "Dark" };

const board = new Board(byId("board"));

const sentence = (text) => (/^[a-z+]+:\/\//.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));

const showMessages = (name, messages) => renderList(name, messages.map(sentence), textItem);

function showVerdict(task, kind, text) {
  document.querySelector(`[data-task="${task}"] .verdict-line`).dataset.verdict = kind;
  write(task === "board" ? "board-verdict" : "read-verdict", text);
  if (changed(`spoken-${task}`, text)) byId("spoken").textContent = text;
}

function lengthText(length) {
  if (length === 1) return _("one point");
  return length ? _("{number} points", { number: length }) : _("money game");
}

const gameText = ({ light, dark }, length) => _("{light} and {dark}, {points}", { light, dark, points: lengthText(length) });

function showResumed({ resumed, stage }) {
  byId("setup").dataset.resumed = Boolean(resumed);
  byId("resumed-card").hidden = !resumed || stage !== "choosing";
  write("match-title", resumed ? _("An unfinished match goes on") : _("Who is playing, and to how many points?"));
  if (!resumed) return;
  const { players, length, score } = resumed;
  write("resumed", `${gameText(players, length)} · ${score.light}-${score.dark}`);
}

function showLastSetup(last) {
  byId("again").hidden = !last;
  if (!last) return;
  write("before-when", dayText(last.when));
  write("before-name", last.name);
  write("before-game", gameText(last.game, last.game.length));
}

function showCameras({ cameras, is_listed: isListed }) {
  byId("no-cameras").hidden = cameras.length > 0;
  byId("no-cameras").textContent = isListed
    ? _("No camera was found on this computer: plug one in, or use a phone.")
    : _("Looking for cameras…");
  const box = byId("cameras");
  if (changed("cameras", cameras.map(({ id, name }) => [id, name]))) {
    box.replaceChildren(...cameras.map(makeCamera));
  }
  cameras.forEach((camera, index) => fillCamera(box.children[index], camera));
}

function makeCamera({ id, name }) {
  const card = fromTemplate("camera-card", { name });
  card.querySelector("button").dataset.address = id;
  card.querySelector("img").hidden = true;
  return card;
}

function fillCamera(card, { id, picture, fault }) {
  setText(card.querySelector("[data-field=fault]"), sentence(fault ?? ""));
  const image = card.querySelector("img");
  if (!picture || image.dataset.picture === String(picture)) return;
  image.dataset.picture = picture;
  image.src = `/api/setup/cameras/${encodeURIComponent(id)}.jpg?n=${picture}`;
  image.hidden = false;
}

function showSource({ stage, source, picture, error, ready }) {
  write("source", source ? source.name : _("Camera"));
  const video = ready ? _("Video, paused at the start") : _("A video");
  write("picture-note", source?.fault ? sentence(source.fault) : source?.is_film ? video : "");
  const waiting = { opening: _("Opening…"), looking: _("Waiting for the first picture…"), starting: _("Starting the match…") };
  write("waiting", picture ? "" : waiting[stage] ?? (error ? _("No picture") : _("No camera chosen")));
}

function showBoard({ stage, board: found, faults, warnings, is_looking: isLooking }) {
  showMessages("faults", faults);
  showMessages("warnings", warnings);
  if (faults.length) showVerdict("board", "bad", found ? _("The board is hard to see") : _("No board yet"));
  else if (found) showVerdict("board", "good", _("Board found"));
  else showVerdict("board", "wait", stage === "looking" || isLooking ? _("Looking for the board…") : _("No picture yet"));
  showFigures(found);
}

function showFigures(found) {
  byId("figures").hidden = !found;
  const camera = byId("sketch-now");
  camera.setAttribute("visibility", found ? "visible" : "hidden");
  if (!found) {
    write("sketch-now", "");
    return;
  }
  const tilt = Math.round(found.tilt);
  camera.setAttribute("transform", `rotate(${Math.min(found.tilt, 70)} 120 146)`);
  camera.dataset.good = found.tilt >= BEST_TILT[0] - 2 && found.tilt <= BEST_TILT[1] + 2 ? "yes" : "no";
  write("sketch-now", _("now {degrees}°", { degrees: tilt }));
  const figures = [
    ["tilt", `${tilt}°`, true],
    ["die", _("{number} px", { number: Math.round(found.die) }), found.die >= MIN_DIE],
    ["point", _("{number} px", { number: Math.round(found.point) }), found.point >= MIN_POINT],
  ];
  for (const [name, text, isGood] of figures) {
    write(name, text);
    document.querySelector(`[data-text="${name}"]`).closest("div").dataset.good = isGood ? "yes" : "no";
  }
}

function showRead({ read, ready, is_known: isKnown, resumed, faults, shown, is_looking: isLooking, turned }) {
  byId("as-read").hidden = !read;
  byId("other-board").hidden = !isKnown;
  document.querySelector("[data-turn=auto]").hidden = !turned;
  for (const name of ["swap", "mirror"]) document.querySelector(`[data-turn=${name}]`).disabled = !read;
  const isAgain = isKnown && ready;
  showMessages("differences", read && !isAgain ? read.differences : []);
  const isElsewhere = resumed && isKnown && read && !ready;
  if (isElsewhere) write("read-advice", _("The match was played at another board, or in other light. To go on here, learn this board from its starting position."));
  else write("read-advice", isAgain
    ? _("The checkers may stand anywhere: a match in progress can continue.")
    : sentence(read?.advice || (read ? "" : _("Keep dice and hands off the board."))));
  if (isAgain) showVerdict("checkers", "good", _("Board recognized"));
  else if (isKnown && read) showVerdict("checkers", "bad", _("A different board, or different light"));
  else if (read && !read.differences.length) showVerdict("checkers", "good", _("All checkers read correctly"));
  else if (read?.matching === 24) showVerdict("checkers", "bad", _("The points are right, but not the rest"));
  else if (read) showVerdict("checkers", "bad", _("Points read correctly: {number} of 24", { number: read.matching }));
  else showVerdict("checkers", "wait", isLooking || !faults.length ? _("Set up the starting position") : _("The board must be in view first"));
  if (read) drawRead(read, shown);
}

function drawRead(read, shown) {
  if (!changed("read", [read.position, read.light_home, read.colours, read.upside_down, read.differing])) return;
  board.show({ shown, light_home: read.light_home });
  const svg = byId("board");
  svg.dataset.turned = read.upside_down ? "yes" : "no";
  for (const text of svg.querySelectorAll(".numbers text")) {
    text.dataset.differs = read.differing.includes(Number(text.dataset.cell)) ? "yes" : "no";
  }
}

function showHome({ board: found, read, size }) {
  const mark = byId("home-mark");
  mark.hidden = !(found && read && size);
  if (mark.hidden) {
    write("home", _("This follows from the checkers once they are in view."));
    return;
  }
  const [x, y] = found.corners[1];
  const clamp = (share) => Math.min(92, Math.max(8, 100 * share));
  const isBelow = y > size[1] / 2;
  mark.dataset.side = isBelow ? "below" : "above";
  mark.style.left = `${clamp(x / size[0])}%`;
  mark.style.top = `${clamp(y / size[1])}%`;
  const isRight = x > size[0] / 2;
  const where = isBelow
    ? (isRight ? _("bottom right") : _("bottom left")) : (isRight ? _("top right") : _("top left"));
  write("home", _("Light’s ace point is at the {where} of the picture, marked “Light’s 1”.", { where }));
  const seats = [_("sits at the bottom of the picture"), _("sits at the top of the picture")];
  const [light, dark] = read.upside_down ? seats.reverse() : seats;
  write("seat-light", light);
  write("seat-dark", dark);
}

function showGame({ game, is_known: isKnown, is_unfinished: isUnfinished, by_hand: byHand, ready, stage, resumed }) {
  for (const field of document.querySelectorAll("[data-game]")) {
    const name = field.dataset.game;
    // A player only called by a side: the field's placeholder has that in the page's language.
    const value = game[name] === UNNAMED[name] ? "" : game[name];
    if (field === document.activeElement) continue;
    if (field.type === "checkbox") field.checked = value;
    else if (field.value !== String(value)) field.value = value;
  }
  for (const chip of document.querySelectorAll("[data-length]")) {
    chip.setAttribute("aria-pressed", Number(chip.dataset.length) === game.length);
  }
  byId("goes-on").hidden = !((isKnown || byHand) && isUnfinished);
  byId("readiness").dataset.ready = ready ? "yes" : "no";
  const readiness = {
    learnt: _("The board has been learned."), known: _("The board is known."), manual: _("No camera: everything is entered at the desk."),
  };
  write("readiness", readiness[ready] ?? _("The board has not been learned yet: see Checkers."));
  byId("start").disabled = !ready || stage === "starting";
  const start = resumed ? _("Go on") : _("Start");
  byId("start").textContent = stage === "starting" ? _("Starting…") : start;
}

function showSteps({ source, board: found, faults, by_hand: byHand, ready }) {
  const isChosen = Boolean(source) || byHand;
  const done = { camera: isChosen, board: Boolean(found) && !faults.length, checkers: Boolean(ready), match: false };
  const cameraSteps = ["board", "checkers"];
  let number = 0;
  for (const button of document.querySelectorAll(".steps [data-go]")) {
    const isSkipped = byHand && cameraSteps.includes(button.dataset.go);
    button.parentElement.hidden = isSkipped;
    if (!isSkipped) button.querySelector("b").textContent = number += 1;
    button.dataset.done = done[button.dataset.go];
    button.disabled = button.dataset.go !== "camera" && !isChosen;
  }
  document.querySelector("[data-task=board] .main-button").disabled = !found;
  document.querySelector("[data-task=checkers] .main-button").disabled = !ready;
}

/** Shows why something could not be done; hidden if `text` is empty. */
export function showProblem(text) {
  byId("problem").hidden = !text;
  setText(byId("problem").querySelector("span"), sentence(text));
}

/** Shows the state of the set-up, as /api/setup returns it. */
export function showSetup(state) {
  byId("setup").dataset.stage = state.stage;
  byId("setup").dataset.manual = state.by_hand;
  for (const side of state.by_hand ? ["light", "dark"] : []) write(`seat-${side}`, "");
  showResumed(state);
  showLastSetup(state.before);
  showCameras(state);
  showPhone(state.phone);
  showSource(state);
  showBoard(state);
  showRead(state);
  showHome(state);
  showGame(state);
  showSteps(state);
}
