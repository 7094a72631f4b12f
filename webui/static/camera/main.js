// The phone as the camera: pair, open the camera, send what it sees, show how to place it.

import { byId, renderList, setText, textItem, write } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";
import { store, stored } from "../shared/stored.js";
import { FrameSender } from "./sender.js";
import { sendVideo } from "./upload.js";

const BEST_TILT = [23, 32];
const MOST_TURNED = 8;
const REOPEN_MS = 1000;
const MEGABYTE = 1e6;

const main = byId("camera");
const video = byId("video");
let stream = null;
let sender = null;
// Counts the attempts to open the camera: what belongs to an earlier one ends.
let attempt = 0;
let battery = null;

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function tell(state, text) {
  main.dataset.state = state;
  setText(byId("state"), text);
  byId("again").hidden = state !== "stopped";
}

// Nothing can be sent without a new QR code.
function refuse() {
  main.dataset.paired = "no";
  tell("stopped", _("Scan the QR code on the set-up page again."));
}

// The token is in the part of the address that is never sent; it leaves the history at once.
async function pair() {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (token) {
    const response = await fetch("/camera/pair", { method: "POST", body: token });
    if (response.ok) return true;
  }
  const session = await fetch("/camera/session").then((response) => response.json());
  return session.paired;
}

function wanted() {
  const width = Number(byId("resolution").value);
  const lens = byId("lens").value || stored("camera-lens");
  const which = lens ? { deviceId: { ideal: lens } } : { facingMode: { ideal: "environment" } };
  return { ...which, width: { ideal: width }, height: { ideal: width === 640 ? 480 : (width * 9) / 16 }, frameRate: { ideal: 30 } };
}

const startLater = (own) => setTimeout(() => { if (own === attempt) start(); }, REOPEN_MS);

async function start() {
  stop();
  const own = attempt;
  tell("starting", _("Starting…"));
  if (!navigator.mediaDevices?.getUserMedia) {
    tell("stopped", _("This browser gives no camera to this page: open the address with https."));
    return;
  }
  let opened;
  try {
    opened = await navigator.mediaDevices.getUserMedia({ audio: false, video: wanted() });
  } catch (error) {
    if (own !== attempt) return;
    if (error.name === "NotAllowedError") tell("stopped", _("The camera is not allowed: allow it for this page in the browser’s settings."));
    else {
      tell("lost", _("The camera cannot be opened: close other apps that use it."));
      startLater(own);
    }
    return;
  }
  if (own !== attempt) {
    for (const track of opened.getTracks()) track.stop();
    return;
  }
  stream = opened;
  const track = stream.getVideoTracks()[0];
  track.addEventListener("ended", () => startLater(own));
  video.srcObject = stream;
  await video.play().catch(() => {});
  if (own !== attempt) return;
  tell("lost", _("Connecting…"));
  sender = new FrameSender(video, {
    longest: Number(byId("resolution").value), battery: () => battery, onAnswer: show, onTrouble: report,
  });
  sender.facing = track.getSettings().facingMode ?? "";
  showTorch(track);
  await listLenses(track);
  keepAwake();
}

function stop() {
  attempt += 1;
  sender?.stop();
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
}

function report(trouble) {
  if (trouble === "refused") {
    stop();
    refuse();
  } else tell("lost", _("The connection is lost: trying again…"));
}

function show(guide) {
  const { stage, corners, size, tilt, level, faults, warnings, is_ready: isReady } = guide;
  main.dataset.good = isReady || (stage === "recording" && !faults.length) ? "yes" : "no";
  tell("sending", headline(guide));
  byId("guides").hidden = false;
  const isTurned = size && (size[0] > size[1]) !== (video.videoWidth > video.videoHeight);
  const box = byId("found");
  if (size) box.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
  // While the screen is turned, the outline is that of the picture that is sent.
  box.firstElementChild.setAttribute("points", isTurned ? "" : corners.map((corner) => corner.join()).join(" "));
  write("tilt", tilt === null ? "–" : `${Math.round(tilt)}°`);
  write("level", level === null ? "–" : `${Math.round(level)}°`);
  byId("guide-tilt").dataset.good = tilt === null || (tilt >= BEST_TILT[0] && tilt <= BEST_TILT[1]) ? "yes" : "no";
  byId("guide-level").dataset.good = level === null || Math.abs(level) <= MOST_TURNED ? "yes" : "no";
  write("fps", Math.round(sender?.fps ?? 0));
  write("size", `${sender?.canvas.width} × ${sender?.canvas.height}`);
  renderList("faults", faults.map(sentence), textItem);
  renderList("warnings", warnings.map(sentence), textItem);
}

function headline({ stage, faults, corners, is_ready: isReady }) {
  if (stage === "recording") return faults.length ? _("The match is being recorded, but not well") : _("The match is being recorded");
  if (stage === "starting") return _("Starting the match…");
  if (stage === "opening") return _("Connected");
  if (stage !== "looking") return _("Connected: press “Use this phone” on the computer");
  if (isReady) return _("Board and checkers are read: fix the phone in place");
  if (faults.length) return _("The board is hard to see");
  return corners.length ? _("Board found: set up the starting position") : _("Looking for the board…");
}

function showTorch(track) {
  const button = byId("torch");
  button.hidden = !track.getCapabilities?.().torch;
  button.setAttribute("aria-pressed", "false");
  button.onclick = async () => {
    const isOn = button.getAttribute("aria-pressed") !== "true";
    await track.applyConstraints({ advanced: [{ torch: isOn }] });
    button.setAttribute("aria-pressed", String(isOn));
  };
}

async function listLenses(track) {
  const cameras = (await navigator.mediaDevices.enumerateDevices()).filter(({ kind }) => kind === "videoinput");
  const chosen = track.getSettings().deviceId;
  byId("lens").replaceChildren(...cameras.map(({ deviceId, label }, index) => (
    new Option(label || _("Camera {number}", { number: index + 1 }), deviceId, false, deviceId === chosen))));
}

async function keepAwake() {
  try {
    await navigator.wakeLock.request("screen");
    setText(byId("awake"), _("The screen stays on while this page is open."));
  } catch {
    setText(byId("awake"), _("Set the phone so that its screen does not turn off."));
  }
}

async function watchBattery() {
  battery = (await navigator.getBattery?.()) ?? null;
}

for (const name of ["lens", "resolution"]) {
  byId(name).addEventListener("change", () => { store(`camera-${name}`, byId(name).value); start(); });
}
byId("again").addEventListener("click", () => location.reload());
// A hidden page loses its wake lock, and on some phones its camera.
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !stream) return;
  if (stream.getVideoTracks()[0].readyState === "ended") start();
  else keepAwake();
});

byId("film").addEventListener("change", async () => {
  const [file] = byId("film").files;
  if (!file) return;
  const bar = byId("progress");
  bar.hidden = false;
  bar.max = file.size;
  const size = Math.round(file.size / MEGABYTE);
  try {
    await sendVideo(file, (sent) => {
      if (sent !== null) bar.value = sent;
      setText(byId("sent"), sent === null
        ? _("The connection is lost: trying again…")
        : _("{received} of {size} MB sent", { received: Math.round(sent / MEGABYTE), size }));
    });
    setText(byId("sent"), _("Sent: open it on the computer."));
  } catch (error) {
    setText(byId("sent"), sentence(error.message));
  }
});

async function begin() {
  byId("resolution").value = stored("camera-resolution") ?? "1280";
  watchBattery();
  if (await pair()) start();
  else refuse();
}

begin();
