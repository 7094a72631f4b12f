// Where in a tournament the match is played, and the players' flags.

import { changed, setText, write } from "./dom.js";

// Two regional letters are one flag; a system without flags draws both of them, or none.
const REGIONAL_A = 0x1f1e6;
const flagOf = (code) => String.fromCodePoint(...[...code].map((letter) => REGIONAL_A + letter.codePointAt(0) - 65));
const hasFlags = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return context.measureText(flagOf("DE")).width < 1.5 * context.measureText(flagOf("D")).width;
})();

/** Shows a state's place: its line, the logo and the flags; `key` opens the logo, where needed. */
export function showPlace({ line, flags, logo }, key = "") {
  if (!changed("place", [line, flags, logo])) return;
  write("place", line);
  for (const image of document.querySelectorAll("[data-logo]")) {
    image.hidden = !logo;
    image.src = logo ? logo + key : "data:,";
  }
  for (const flag of document.querySelectorAll("[data-flag]")) {
    const own = flags[flag.dataset.flag];
    flag.hidden = !own;
    flag.title = own?.name ?? "";
    flag.dataset.drawn = hasFlags;
    setText(flag.firstElementChild, own && hasFlags ? flagOf(own.code) : own?.code);
    setText(flag.lastElementChild, own?.name);
  }
}
