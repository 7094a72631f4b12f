// The dice page follows the record: it asks whether there is more, and then redraws itself.

import { byId } from "../shared/dom.js";
import { bindNameForms } from "./name_forms.js";

const POLL_MS = 2000;
const main = byId("main");

// The heading above a <details>, and its summary.
function label(details) {
  return `${details.closest("article, section")?.querySelector("h2, h3")?.textContent} ${details.querySelector("summary").textContent}`;
}

// Whether new content would disturb: a reader works in a part that opens, has selected text, or is shown a refusal.
const isBusy = () => (
  document.hidden || String(getSelection()) || main.contains(document.activeElement?.closest("details, .d-scroll"))
  || main.querySelector(".d-naming-answer:not(:empty)"));

async function redraw(isUnwanted = () => false) {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (isUnwanted()) return;
  const fresh = page.getElementById("main");
  const open = new Set([...main.querySelectorAll("details[open]")].map(label));
  main.replaceChildren(...fresh.childNodes);
  main.dataset.version = fresh.dataset.version;
  for (const details of main.querySelectorAll("details")) details.open = open.has(label(details));
}

async function poll() {
  const address = `${main.dataset.address}?known=${encodeURIComponent(main.dataset.version)}`;
  const response = await fetch(address, { method: "HEAD" }).catch(() => null);
  if (response?.status === 200 && !isBusy()) await redraw(isBusy).catch(() => null);
  setTimeout(poll, POLL_MS);
}

bindNameForms(main, redraw);
main.dataset.ready = "yes";
setTimeout(poll, POLL_MS);
