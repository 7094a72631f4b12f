// The JSON API, and why the server would refuse a command.

import { _ } from "./i18n.js";

const NO_ANSWER = _("The server does not respond. What you entered is still here: try again.");

const basic = (password) => `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`:${password}`)))}`;

/**
 * Gets `address`, or posts `body`, as JSON unless it is bytes: {ok: true, body} or {ok: false, message}.
 * A `password` in it goes into a header, by which the referee is known again.
 */
export async function request(address, body, noAnswer = NO_ANSWER) {
  const isBytes = body instanceof Uint8Array;
  const type = isBytes ? "application/octet-stream" : "application/json";
  const headers = { Accept: "application/json", "Content-Type": type, "X-Tableside": "1" };
  const { password, ...fields } = isBytes || body === undefined ? {} : body;
  if (password !== undefined) headers.Authorization = basic(password);
  const sent = { headers, method: "POST", body: isBytes ? body : JSON.stringify(fields) };
  const options = body === undefined ? { headers } : sent;
  try {
    const response = await fetch(address, options);
    const answer = await response.json();
    return response.ok ? { ok: true, body: answer } : { ok: false, message: answer.message };
  } catch {
    return { ok: false, message: noAnswer };
  }
}

/** Posts `body` and writes the refusal, if any, into `line`; the response's body, or null if refused. */
export async function submit(address, body, line) {
  const result = await request(address, body);
  line.textContent = result.ok ? "" : result.message;
  return result.ok ? result.body : null;
}

export const sendCommand = (command) => request("/api/desk/word", { word: command });

/** Marks `button` as refused, or as allowed if there is no `reason`; it can still be pressed and then says why. */
export function setRefusal(button, reason) {
  button.setAttribute("aria-disabled", String(Boolean(reason)));
  button.title = reason ?? "";
}

/** Why `command` would be refused now; null if it is allowed. */
export const refusalOf = ({ can, cannot }, command) => (
  can.includes(command) ? null : cannot[command] ?? _("That is not possible now."));

/** Why pressing `button` would be refused; empty if it is allowed. */
export const refusalOn = (button) => (
  button.getAttribute("aria-disabled") === "true" ? button.title || _("That is not possible now.") : "");
