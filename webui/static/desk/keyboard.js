// The keyboard: each key presses one button. Single-key shortcuts can be turned off, for those who
// dictate text.

import { byId } from "../shared/dom.js";
import { store, stored } from "../shared/stored.js";

const STORAGE_KEY = "desk-keys";
const TEXT_FIELDS = "input:not([type=radio], [type=checkbox]), textarea, select";
const PRESSED_BY_SPACE = "button, a, summary, input";

// On a layout without Latin letters (Russian, Greek): the letter that the key has on a Latin one.
function latinKey({ key, code }) {
  if (key.length !== 1) return key;
  return key > "\x7f" && /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : key.toLowerCase();
}

const isPlain = (event) => !(event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented);

/** Keys press the buttons that name them in `data-key`; onKey(key): whether it was handled beyond that. */
export function bindKeys({ onKey, onEscape }) {
  const help = byId("help");
  const toggle = byId("keys-on");
  toggle.checked = stored(STORAGE_KEY) !== "off";
  toggle.addEventListener("change", () => store(STORAGE_KEY, toggle.checked ? "on" : "off"));
  byId("help-open").addEventListener("click", () => help.showModal());
  byId("help-close").addEventListener("click", () => help.close());

  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || !isPlain(event)) return;
    if (event.key === "Escape") return void onEscape(event);
    if (!toggle.checked || event.target.closest(TEXT_FIELDS)) return;
    const key = latinKey(event);
    if (key === " " && event.target.closest(PRESSED_BY_SPACE)) return;
    // The arrows choose among radio buttons.
    if (key.startsWith("Arrow") && event.target.matches("input")) return;
    const button = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (onKey(key) || button) event.preventDefault();
    button?.click();
  });
}
