// One recorded match: its steps, what is to review, its analysis and its files.

import { request } from "../shared/api.js";
import { byId } from "../shared/dom.js";
import { fitNames } from "../shared/fit_names.js";
import { showPlace } from "../shared/place.js";
import { watchAnalysis } from "./analysis.js";
import { bindAnimation } from "./animation.js";
import { bindDownloads } from "./downloads.js";
import { Replay } from "./replay.js";

const NEWS_MS = 8000;

const main = byId("main");
const { address } = main.dataset;

function bindFilter() {
  const lines = byId("lines");
  const buttons = document.querySelectorAll(".filter button");
  for (const button of buttons) {
    button.addEventListener("click", () => {
      const isReview = button.dataset.show === "review";
      lines.dataset.show = button.dataset.show;
      for (const one of buttons) one.setAttribute("aria-pressed", one === button);
      for (const details of lines.querySelectorAll("details")) details.open = isReview;
      byId("lines-scroll").scrollTop = 0;
      const query = isReview ? "?show=review" : "";
      history.replaceState(null, "", `${location.pathname}${query}${location.hash}`);
    });
  }
}

// A clip shows its first picture once its item is open; those of the others load nothing.
function loadClips() {
  const load = (details) => { for (const clip of details.querySelectorAll(".clip")) clip.preload = "metadata"; };
  document.querySelectorAll("details[open]").forEach(load);
  document.addEventListener("toggle", ({ target }) => target.open && load(target), true);
}

// In a match still in play: reports that there is more, without moving what the reader looks at.
function watchNews() {
  if (main.dataset.open !== "true") return;
  const poll = async () => {
    const response = document.hidden ? null
      : await fetch(`${address}?known=${main.dataset.version}`).catch(() => null);
    if (response?.status === 200) byId("news").hidden = false;
    else setTimeout(poll, NEWS_MS);
  };
  setTimeout(poll, NEWS_MS);
}

async function begin() {
  fitNames();
  watchNews();
  if (main.dataset.board === "no") return;
  if (location.hash === "#files") byId("files-fold").open = true;
  bindFilter();
  loadClips();
  const { ok, body } = await request(address);
  if (!ok) return;
  const replay = new Replay(body);
  showPlace(body.shown.tournament);
  bindDownloads();
  bindAnimation(replay);
  if (byId("analysis")) watchAnalysis(`${address}/analysis`, (events) => replay.showAnalysis(events));
  main.dataset.ready = "yes";
}

begin();
