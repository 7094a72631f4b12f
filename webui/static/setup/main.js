// The set-up wizard: which step is shown, what is pressed, and where the state goes.

import { Corners } from "./corners.js";
import { SetupApi } from "./api.js";
import { SetupPicture } from "./picture.js";
import { showProblem, showSetup } from "./view.js";
import { _ } from "../shared/i18n.js";

const SAVE_MS = 400;

const byId = (id) => document.getElementById(id);
const root = byId("setup");
const view = byId("view");
const picture = new SetupPicture(view);
let state = null;
let hasStarted = false;
let said = "";

const corners = new Corners(view, (places) => api.post("corners", { corners: places }));

function go(step) {
  root.dataset.step = step;
  if (step !== "board") moveCorners(false);
  for (const button of document.querySelectorAll(".steps [data-go]")) {
    if (button.dataset.go === step) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  if (state) show(state);
  scrollTo({ top: 0 });
}

function moveCorners(isOn) {
  corners.turnOn(isOn);
  byId("move-corners").setAttribute("aria-pressed", isOn);
  byId("move-corners").textContent = isOn ? _("Corners are right") : _("Move the corners");
  byId("find-corners").hidden = byId("corner-help").hidden = !isOn;
  if (state) show(state);
}

// A complaint stays until the next command that works, or until the server has another.
function complain(text) {
  said = text;
  showProblem(text);
}

function show(next) {
  const before = state;
  state = next;
  if (hasStarted && state.stage === "recording") {
    leave();
    return;
  }
  if (hasStarted && state.stage === "choosing") hasStarted = false;
  // A source that could not be opened, or was let go, leaves nothing to look at.
  if (state.stage === "choosing" && root.dataset.step !== "camera") go("camera");
  const isOpen = state.stage === "opening" || state.stage === "looking";
  if (isOpen && (!before || before.stage === "choosing")) go("board");
  if (state.stage === "told" && before?.stage !== "told") go("match");
  if (state.size) view.style.aspectRatio = `${state.size[0]} / ${state.size[1]}`;
  showSetup(state);
  showProblem(state.error ?? said);
  corners.told(state.board?.corners, state.size);
  picture.show(root.dataset.step !== "camera" && state.picture > 0, corners.isOn);
}

// The desk has something to show once the match is there; until then the next state asks again.
async function leave() {
  if (!state.by_hand) return location.assign("/");
  const told = await fetch("/api/state").then((answer) => answer.json()).catch(() => null);
  if (told?.by_hand) location.assign("/desk");
}

const api = new SetupApi({ onState: show, onProblem: complain });

async function post(command, body) {
  complain("");
  return api.post(command, body);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { go: step, address, fill, turn, length, post: command } = button.dataset;
  if (step === "camera" && (state?.source || state?.by_hand)) await post("leave");
  if (step) go(step);
  else if (address) post("open", { address });
  else if (fill) takeForm(fill);
  else if (turn) post("turn", { how: turn });
  else if (length) post("game", { length: Number(length) });
  else if (command === "start") start();
  else if (command) post(command);
});

// Waits for what was typed last, so that nobody starts with a name half written.
async function start() {
  await saveGame();
  hasStarted = await post("start");
  if (hasStarted) show(state);
}

function takeForm(form) {
  const field = byId("address");
  field.value = form;
  field.focus();
  const at = form.indexOf("PHONE");
  field.setSelectionRange(at, at + "PHONE".length);
}

for (const form of document.querySelectorAll("[data-open]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const address = new FormData(form).get("address").trim();
    if (address.includes("PHONE")) complain(_("put the phone’s number in the place of PHONE: its app shows it"));
    else post("open", { address });
  });
}

byId("move-corners").addEventListener("click", () => moveCorners(!corners.isOn));
byId("find-corners").addEventListener("click", () => post("corners", { corners: null }));
byId("swap-names").addEventListener("click", () => {
  const { light, dark } = state.game;
  post("game", { light: dark, dark: light });
});

let saving = 0;
let unsaved = {};
let saved = Promise.resolve(true);

function valueOf(field) {
  if (field.type === "checkbox") return field.checked;
  return field.type === "number" ? Math.trunc(Number(field.value)) : field.value;
}

function saveGame() {
  clearTimeout(saving);
  const body = unsaved;
  unsaved = {};
  // One after the other: a press of Start takes the field's focus, which saves it at the same moment.
  if (Object.keys(body).length) saved = saved.then(() => post("game", body));
  return saved;
}

for (const field of document.querySelectorAll("[data-game]")) {
  const keep = () => { unsaved[field.dataset.game] = valueOf(field); };
  field.addEventListener("input", () => {
    keep();
    clearTimeout(saving);
    saving = setTimeout(saveGame, SAVE_MS);
  });
  field.addEventListener("change", () => { keep(); saveGame(); });
}
