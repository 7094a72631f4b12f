// The keyboard: one key, one button. They can be switched off, for those whose software types.

import { byId } from "../shared/dom.js";

const STORED = "desk-keys";
const TYPED = "input:not([type=radio], [type=checkbox]), textarea, select";
const PRESSED = "button, a, summary, input";

// Storage throws where the browser forbids it; the choice then lasts as long as the page.
function stored() {
  try { return localStorage.getItem(STORED); } catch { return null; }
}
function store(value) {
  try { localStorage.setItem(STORED, value); } catch { /* lasts as long as the page */ }
}

// Where the layout has no Latin letters (Russian, Greek), what the key has on a Latin one.
function keyOf({ key, code }) {
  if (key.length !== 1) return key;
  return key > "\x7f" && /^Key[A-Z]$/.test(code) ? code.slice(3).toLowerCase() : key.toLowerCase();
}

const isFree = (event) => !(event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented);

export function listenToKeys({ onKey, onEscape }) {
  const help = byId("help");
  const toggle = byId("keys-on");
  toggle.checked = stored() !== "off";
  toggle.addEventListener("change", () => store(toggle.checked ? "on" : "off"));
  byId("help-open").addEventListener("click", () => help.showModal());
  byId("help-close").addEventListener("click", () => help.close());

  const buttonOf = (key) => document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || !isFree(event)) return;
    if (event.key === "Escape") return void onEscape(event);
    if (!toggle.checked || event.target.closest(TYPED)) return;
    const key = keyOf(event);
    if (key === " " && event.target.closest(PRESSED)) return;
    // The arrows choose among radio buttons.
    if (key.startsWith("Arrow") && event.target.matches("input")) return;
    const button = buttonOf(key);
    if (onKey(key) || button) event.preventDefault();
    button?.click();
  });
}
