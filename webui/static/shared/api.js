// The API, asked and told. Every answer is {ok, told} or {ok: false, message}: one line of words.

import { _ } from "./i18n.js";

const SILENT = _("The server does not answer. What you entered is still here: try again.");

export async function ask(address, body) {
  const headers = { Accept: "application/json", "Content-Type": "application/json", "X-Tableside": "1" };
  const how = body === undefined ? { headers } : { headers, method: "POST", body: JSON.stringify(body) };
  try {
    const answer = await fetch(address, how);
    const told = await answer.json();
    return answer.ok ? { ok: true, told } : { ok: false, message: told.message };
  } catch {
    return { ok: false, message: SILENT };
  }
}

export const say = (word) => ask("/api/desk/word", { word });

// A button that would be refused stays in reach: pressed, it tells why.
export function allow(button, refusal) {
  button.setAttribute("aria-disabled", String(Boolean(refusal)));
  button.title = refusal ?? "";
}

// Why a word would be refused now; null if it would be taken.
export const refusalOf = ({ can, cannot }, word) => (
  can.includes(word) ? null : cannot[word] ?? _("It cannot be said now."));

export const refusal = (button) => (
  button.getAttribute("aria-disabled") === "true" ? button.title || _("It cannot be said now.") : "");
