// The position on the clipboard: its XGID, its GNU Backgammon ID, or its picture.

import { copyText } from "./clipboard.js";
import { byId } from "./dom.js";
import { _ } from "./i18n.js";

const WIDTH = 1200;

// An image knows no style sheet and no symbols of the page, so its copy brings its own.
function selfContained(drawing) {
  const copy = drawing.cloneNode(true);
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", WIDTH);
  copy.setAttribute("height", (WIDTH * height) / width);
  const sheet = [...document.styleSheets].find(({ href, ownerNode }) => (
    href?.endsWith("/board.css") || ownerNode?.dataset.sheet === "board"));
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = `${[...sheet.cssRules].map((rule) => rule.cssText).join("\n")} .board { font-family: sans-serif; }`;
  copy.prepend(style, document.querySelector(".symbols defs").cloneNode(true));
  return `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
}

/** The board as it is drawn now, as an image. */
export async function boardImage(drawing) {
  const image = new Image();
  image.src = selfContained(drawing);
  await image.decode();
  return image;
}

async function picture(drawing) {
  const image = await boardImage(drawing);
  const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  return new Promise((done) => { canvas.toBlob(done, "image/png"); });
}

// A browser has no clipboard for pictures over plain HTTP: then it saves the picture.
async function copyPicture(drawing) {
  if (navigator.clipboard && window.ClipboardItem) {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": picture(drawing) })]);
    return _("Copied");
  }
  const address = URL.createObjectURL(await picture(drawing));
  Object.assign(document.createElement("a"), { href: address, download: "position.png" }).click();
  URL.revokeObjectURL(address);
  return _("Saved");
}

/** Binds the buttons that copy the position of the step or the state that `shown` returns. */
export function bindCopying(shown) {
  const note = byId("copy-note");
  const copy = {
    picture: () => copyPicture(byId("board")),
    xgid: async () => { await copyText(shown().ids.xgid); return _("Copied"); },
    gnubg: async () => { await copyText(shown().ids.gnubg); return _("Copied"); },
  };
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
      note.textContent = "";
      note.textContent = await copy[button.dataset.copy]().catch(() => _("The browser does not allow it."));
    });
  }
}

/** Shows the buttons of the identifiers that the step or the state has. */
export function showCopying({ ids }) {
  for (const button of document.querySelectorAll("[data-copy=xgid], [data-copy=gnubg]")) button.hidden = !ids;
}
