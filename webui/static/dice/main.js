// The page of dice goes on with the record: it asks whether there is more, and draws it then.

import { listenToNames } from "./name_forms.js";

const POLL_MS = 2000;
const main = document.getElementById("main");

function opened() {
  return new Set([...main.querySelectorAll("details[open]")].map((one) => label(one)));
}

function label(details) {
  return `${details.closest("article, section")?.querySelector("h2, h3")?.textContent} ${details.querySelector("summary").textContent}`;
}

async function redraw() {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("main");
  const open = opened();
  main.replaceChildren(...fresh.childNodes);
  main.dataset.version = fresh.dataset.version;
  for (const one of main.querySelectorAll("details")) one.open = open.has(label(one));
}

async function ask() {
  const address = `${main.dataset.address}?known=${encodeURIComponent(main.dataset.version)}`;
  const answer = await fetch(address).catch(() => null);
  // Whoever reads or has marked something is not disturbed.
  const isBusy = document.hidden || String(getSelection()) || main.contains(document.activeElement?.closest("details, .d-scroll"));
  if (answer?.status === 200 && !isBusy) await redraw().catch(() => null);
  setTimeout(ask, POLL_MS);
}

listenToNames(main, redraw);
main.dataset.ready = "yes";
setTimeout(ask, POLL_MS);
