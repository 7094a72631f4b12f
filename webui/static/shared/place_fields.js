// The fields for where in a tournament the match is played: its name, round and table, the players'
// countries, and a logo.

import { byId, changed } from "./dom.js";
import { _ } from "./i18n.js";

const fields = () => [...document.querySelectorAll("#place-fields [data-place]")];

// A country may be typed by its name as well.
function countryCode(text) {
  const typed = text.trim().toLowerCase();
  const known = [...byId("countries").options].find(({ value, textContent }) => (
    [value, textContent].some((one) => one.toLowerCase() === typed)));
  return known?.value ?? text.trim();
}

async function upload(file) {
  const headers = { "Content-Type": file.type || "application/octet-stream", "X-Tableside": "1", Accept: "application/json" };
  try {
    const response = await fetch("/api/logos", { method: "POST", headers, body: file });
    return await response.json();
  } catch {
    return { message: _("The program does not respond.") };
  }
}

export class PlaceFields {
  // onChange(place): somebody has completed an entry.
  constructor(onChange = () => {}) {
    Object.assign(this, { onChange, logo: "", usual: byId("logo-note").textContent });
    for (const field of fields()) {
      field.addEventListener("change", () => {
        if (field.list) field.value = countryCode(field.value);
        this.onChange(this.value);
      });
    }
    byId("logo-file").addEventListener("change", ({ target }) => this.send(target));
    byId("logo-remove").addEventListener("click", () => {
      this.showLogo("");
      this.onChange(this.value);
    });
  }

  /** What is entered, as the API takes it. */
  get value() {
    return { ...Object.fromEntries(fields().map((field) => [field.dataset.place, field.value])), logo: this.logo };
  }

  /** Shows `place`, where it has changed and nobody types. */
  fill(place) {
    if (!changed("place-fields", place) || byId("place-fields").contains(document.activeElement)) return;
    for (const field of fields()) field.value = place?.[field.dataset.place] ?? "";
    this.showLogo(place?.logo ?? "");
    if (Object.values(this.value).some(Boolean)) byId("place-fields").open = true;
  }

  showLogo(name) {
    this.logo = name;
    byId("logo-shown").hidden = byId("logo-remove").hidden = !name;
    byId("logo-shown").src = name ? `/api/logos/${name}.png` : "data:,";
  }

  async send(input) {
    const [file] = input.files;
    if (!file) return;
    const { logo, message } = await upload(file);
    input.value = "";
    byId("logo-note").textContent = logo ? this.usual : message;
    if (!logo) return;
    this.showLogo(logo);
    this.onChange(this.value);
  }
}
