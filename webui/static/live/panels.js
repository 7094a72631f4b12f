// What only the live page shows: review items, the score sheet, what the program waits for.

import { byId, fromTemplate, renderList, textItem, write } from "../shared/dom.js";
import { showMatch } from "../shared/match_status.js";
import { ScoreSheet } from "../shared/sheet.js";

function makeOption(option) {
  const node = fromTemplate("option", option);
  node.querySelector(".share-part").setAttribute("width", 100 * option.share);
  return node;
}

function makeReviewItem(item) {
  const node = fromTemplate("review-item", item);
  node.dataset.kind = item.kind;
  node.querySelector("a").href = `#turn-${item.id}`;
  node.querySelector(".options").replaceChildren(...item.options.map(makeOption));
  return node;
}

function showReview(items) {
  byId("badge").hidden = byId("review").hidden = items.length === 0;
  write("review-count", items.length);
  renderList("review-items", items, makeReviewItem);
}

const sheet = new ScoreSheet(`as=${byId("main").dataset.as}`);

/** Everything on the page but the board and the camera's picture. */
export function showPanels(state) {
  const { shown } = state;
  byId("main").dataset.board = state.position ? "yes" : "no";
  document.title = shown.title;
  showMatch(state);
  renderList("lines", shown.lines, textItem);
  showReview(shown.doubts);
  sheet.show(state);
  write("record", state.record.path);
  byId("record").hidden = !state.record.path;
}
