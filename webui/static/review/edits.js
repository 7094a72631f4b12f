// The referee's edits of recorded matches: forms, and files that are added by choosing or dropping them.

import { request, submit } from "../shared/api.js";
import { byId, textItem } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

const PART_BYTES = 30_000; // less than the server takes in one request

for (const form of document.querySelectorAll("form[data-post]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { post, then } = form.dataset;
    const button = form.querySelector("[type=submit]");
    button.disabled = true;
    const answer = await submit(post, Object.fromEntries(new FormData(form)), form.querySelector(".match-answer"));
    button.disabled = false;
    if (answer) location.assign(then);
  });
}

/** Sends a file in parts; what the server says of the whole. */
async function send(file) {
  const upload = crypto.getRandomValues(new Uint32Array(2)).join("-");
  const bytes = await file.arrayBuffer();
  let answer = { ok: false, message: _("The file is empty.") };
  for (let at = 0; at < bytes.byteLength; at += PART_BYTES) {
    const query = new URLSearchParams({ name: file.name, size: bytes.byteLength, at, upload });
    answer = await request(`/api/matches/files?${query}`, new Uint8Array(bytes.slice(at, at + PART_BYTES)));
    if (!answer.ok) break;
  }
  return answer;
}

function report(file, { ok, body, message }) {
  const line = document.createElement("li");
  line.dataset.ok = ok;
  if (ok) {
    const link = document.createElement("a");
    link.href = `/matches/${body.id}`;
    link.textContent = file.name;
    line.append(link);
    const { faults } = body;
    if (faults.length) {
      const more = document.createElement("details");
      const summary = document.createElement("summary");
      summary.textContent = _("Faults in the file: {number}", { number: faults.length });
      const list = document.createElement("ul");
      list.append(...faults.map(textItem));
      more.append(summary, list);
      line.append(more);
    }
  } else {
    line.textContent = `${file.name}: ${message}`;
  }
  byId("added").append(line);
}

async function addAll(files) {
  for (const file of files) report(file, await send(file));
  const list = await fetch(location.href).then((response) => response.text()).catch(() => null);
  if (list === null) return;
  const page = new DOMParser().parseFromString(list, "text/html");
  const fresh = page.querySelector(".matches");
  if (fresh) document.querySelector(".matches").replaceWith(fresh); // else the session has ended
}

const adding = byId("add-files");
if (adding) {
  adding.elements.files.addEventListener("change", async ({ target }) => {
    await addAll([...target.files]);
    target.value = "";
  });
  const mark = (isOver) => adding.classList.toggle("over", isOver);
  const hasFiles = ({ dataTransfer }) => dataTransfer.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", (event) => { if (!event.relatedTarget) mark(false); });
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(false);
    addAll([...event.dataTransfer.files]);
  });
}
