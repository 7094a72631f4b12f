// The set-up wizard: which step is shown, what is pressed, and where the state goes.

import { Corners } from "../shared/corners.js";
import { byId, onSubmit } from "../shared/dom.js";
import { GameOptions, explain } from "../shared/game_options.js";
import { _ } from "../shared/i18n.js";
import { PlaceFields } from "../shared/place_fields.js";
import { UnfinishedMatches } from "../shared/unfinished.js";
import { SetupApi } from "./api.js";
import { SetupPicture } from "./picture.js";
import { showProblem, showSetup } from "./view.js";

const SAVE_DELAY_MS = 400;
const PLACEHOLDER = "PHONE";

const root = byId("setup");
const view = byId("view");
const picture = new SetupPicture(view);
let state = null;
let hasStarted = false;
let problem = "";

const corners = new Corners(view, (places) => api.post("corners", { corners: places }));

function go(step) {
  root.dataset.step = step;
  history.replaceState(null, "", `#${step}`);
  if (step !== "board") editCorners(false);
  for (const button of document.querySelectorAll(".steps [data-go]")) {
    if (button.dataset.go === step) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  if (state) show(state);
  scrollTo({ top: 0 });
}

// After a reload, the step where the reader was.
function lastStep() {
  const step = location.hash.slice(1);
  return step !== "camera" && document.querySelector(`.steps [data-go="${CSS.escape(step)}"]`) ? step : "board";
}

function editCorners(isOn) {
  corners.setEditable(isOn);
  byId("move-corners").setAttribute("aria-pressed", isOn);
  byId("move-corners").textContent = isOn ? _("The corners are right") : _("Move the corners");
  byId("find-corners").hidden = byId("corner-help").hidden = !isOn;
  if (state) show(state);
}

// A problem stays until a command succeeds, or until the server reports another.
function reportProblem(text) {
  problem = text;
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
  if (state.stage === "choosing" && before?.stage === "recording") unfinished?.load();
  // If the source was closed or could not be opened, there is nothing to show.
  if (state.stage === "choosing" && root.dataset.step !== "camera") go("camera");
  const isOpen = state.stage === "opening" || state.stage === "looking";
  if (isOpen && (!before || before.stage === "choosing")) go(before ? "board" : lastStep());
  if (state.stage === "manual" && before?.stage !== "manual") go("match");
  if (state.size) view.style.aspectRatio = `${state.size[0]} / ${state.size[1]}`;
  showSetup(state);
  options.show(state.game.variant, state.game.length, state.game.options);
  place.fill(state.game.place);
  for (const explainChoice of explained) explainChoice();
  showProblem(state.error ?? problem);
  corners.update(state.board?.corners, state.size);
  picture.show(root.dataset.step !== "camera" && state.picture > 0, corners.isOn);
}

// The desk can be shown once the match has started; until then, each new state asks again.
async function leave() {
  if (!state.by_hand) return location.assign("/");
  const live = await fetch("/api/state").then((response) => response.json()).catch(() => null);
  if (live?.by_hand) location.assign("/desk");
}

const options = new GameOptions(byId("game-options"), (chosen) => post("game", { options: chosen }));
const explained = ["variant", "variant-manual", "rules"].map((id) => explain(byId(id), byId(`${id}-note`)));
const place = new PlaceFields((value) => {
  unsaved.place = value;
  saveGame();
});
const unfinishedBox = byId("unfinished"); // none without a record
const unfinished = unfinishedBox && new UnfinishedMatches(unfinishedBox, ({ id }) => post("resume", { match: id }));
unfinished?.load();
const api = new SetupApi({ onState: show, onProblem: reportProblem });

async function post(command, body) {
  reportProblem("");
  return api.post(command, body);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const { go: step, address, template, turn, length, post: command } = button.dataset;
  if ("resumeNone" in button.dataset) post("resume", { match: null });
  if (step === "camera" && (state?.source || state?.by_hand)) await post("leave");
  if (step) go(step);
  else if (address) post("open", { address });
  else if (template) fillAddress(template);
  else if (turn) post("turn", { how: turn });
  else if (length) post("game", { length: Number(length) });
  else if (command === "start") start();
  else if (command) post(command);
});

// Waits until the last change is saved, so that no match starts with half a name.
async function start() {
  await saveGame();
  hasStarted = await post("start");
  if (hasStarted) show(state);
}

function fillAddress(template) {
  const field = byId("address");
  field.value = template;
  field.focus();
  const start = template.indexOf(PLACEHOLDER);
  field.setSelectionRange(start, start + PLACEHOLDER.length);
}

for (const form of document.querySelectorAll("[data-open]")) {
  onSubmit(form, () => {
    const address = new FormData(form).get("address").trim();
    if (address.includes(PLACEHOLDER)) reportProblem(_("replace PHONE with the phone’s IP address, shown in its app"));
    else post("open", { address });
  });
}

byId("move-corners").addEventListener("click", () => editCorners(!corners.isOn));
byId("find-corners").addEventListener("click", () => post("corners", { corners: null }));
byId("swap-names").addEventListener("click", () => {
  const { light, dark } = state.game;
  post("game", { light: dark, dark: light });
});

let saveTimer = 0;
let unsaved = {};
let saved = Promise.resolve(true);

function valueOf(field) {
  if (field.type === "checkbox") return field.checked;
  return field.type === "number" ? Math.trunc(Number(field.value)) : field.value;
}

function saveGame() {
  clearTimeout(saveTimer);
  const body = unsaved;
  unsaved = {};
  // One at a time: pressing Start takes the focus from the field, which saves it at the same moment.
  if (Object.keys(body).length) saved = saved.then(() => post("game", body));
  return saved;
}

for (const field of document.querySelectorAll("[data-game]")) {
  const keep = () => { unsaved[field.dataset.game] = valueOf(field); };
  field.addEventListener("input", () => {
    keep();
    clearTimeout(saveTimer);
    saveTimer = setTimeout(saveGame, SAVE_DELAY_MS);
  });
  field.addEventListener("change", () => { keep(); saveGame(); });
}
