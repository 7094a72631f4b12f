// The page of a hall: a tile for each table, in the order that the server gives.

import { byId, changed, renderList, setText, textItem } from "../shared/dom.js";
import { EventStream, showLink } from "../shared/event_stream.js";
import { _, language } from "../shared/i18n.js";
import { Cycle } from "./cycle.js";
import { TileView } from "./tile.js";

const CLOCK_MS = 500;
const tiles = new Map();
const list = byId("tiles");
const cycle = document.body.dataset.mode === "tv" ? new Cycle(list) : null;

function viewOf(name) {
  if (!tiles.has(name)) tiles.set(name, new TileView(name));
  return tiles.get(name);
}

function arrange(order) {
  if (!changed("order", order)) return;
  const views = order.map((name) => viewOf(name));
  list.replaceChildren(...views.map((view) => view.element));
  if (order.length > 12) list.dataset.size = order.length > 24 ? "small" : "medium";
  else delete list.dataset.size;
  byId("empty").hidden = order.length > 0;
  for (const name of tiles.keys()) if (!order.includes(name)) tiles.delete(name);
}

function countWords() {
  const kinds = [...tiles.values()].map((view) => view.kind);
  const number = (kind) => kinds.filter((one) => one === kind).length;
  const parts = [
    _("Tables: {number}", { number: kinds.length }),
    number("dispute") ? _("Disputes: {number}", { number: number("dispute") }) : "",
    number("call") ? _("Calls: {number}", { number: number("call") }) : "",
  ];
  setText(byId("count"), parts.filter(Boolean).join(" · "));
}

function showHall({ tiles: newer, order, troubles }) {
  for (const tile of newer) viewOf(tile.name).show(tile);
  arrange(order);
  renderList("troubles", troubles, textItem);
  countWords();
  cycle?.update();
}

setInterval(() => tiles.forEach((view) => view.showClock()), CLOCK_MS);
const audience = cycle ? "as=viewer&" : "";
new EventStream(`/api/hall/events?${audience}lang=${language}`, { onState: showHall, onLink: showLink });
