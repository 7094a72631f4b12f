// How others watch: the overlay's address with a preview, and the links that open it.

import { request } from "../shared/api.js";
import { copyText } from "../shared/clipboard.js";
import { byId, fromTemplate, onSubmit, renderList } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

const form = byId("look");
const preview = byId("preview");
// The address that others open, if there is one, else this page's.
const base = byId("address")?.value ?? `${location.origin}/`;
let token = null;

function query() {
  const parts = [...form.querySelectorAll("[name=part]")];
  const [width, height] = form.elements.size.value.split("x");
  const asked = new URLSearchParams();
  if (parts.some((part) => part.checked !== part.defaultChecked)) {
    asked.set("only", parts.filter((part) => part.checked).map((part) => part.value).join(","));
  }
  if (width !== "1920") for (const [name, value] of Object.entries({ width, height })) asked.set(name, value);
  for (const name of ["position", "theme", "scale"]) {
    const field = form.elements[name];
    const usual = [...field.options].find((option) => option.defaultSelected) ?? field.options[0];
    if (field.value !== usual.value) asked.set(name, field.value);
  }
  if (Number(form.elements.delay.value) > 0) asked.set("delay", form.elements.delay.value);
  return { asked, width: Number(width), height: Number(height) };
}

function address(asked) {
  const text = asked.toString().replaceAll("%2C", ",");
  return text ? `overlay?${text}` : "overlay";
}

function scalePreview(width, height) {
  const scale = byId("screen").clientWidth / width;
  Object.assign(preview.style, { width: `${width}px`, height: `${height}px`, transform: `scale(${scale})` });
  byId("screen").style.height = `${height * scale}px`;
}

function show() {
  const { asked, width, height } = query();
  const shown = `/${address(asked)}`;
  scalePreview(width, height);
  if (preview.getAttribute("src") !== shown) preview.src = shown;
  if (token) asked.set("token", token);
  byId("overlay").value = base + address(asked);
}

async function copy(button) {
  const field = byId(button.dataset.copy);
  field.select();
  await copyText(field.value);
  byId("copied").textContent = _("Copied");
  button.dataset.done = "yes";
}

function showLinks(links) {
  renderList("links", links, (link) => {
    const item = fromTemplate("link-item", link);
    item.querySelector("button").addEventListener("click", () => change(`/api/share/links/${link.id}/withdraw`, {}));
    return item;
  });
}

async function change(path, body) {
  const answer = await request(path, body);
  byId("link-answer").textContent = answer.ok ? "" : answer.message;
  if (!answer.ok) return false;
  showLinks(answer.body.links);
  if (answer.body.token) {
    token = answer.body.token;
    byId("link-answer").textContent = _("The overlay’s address above has the new link. It is shown only now: copy it.");
  }
  show();
  return true;
}

form.addEventListener("input", show);
addEventListener("resize", show);
for (const button of document.querySelectorAll("[data-copy]")) button.addEventListener("click", () => copy(button));
const made = byId("new-link");
if (made) {
  showLinks(JSON.parse(document.querySelector("[data-links]").dataset.links));
  onSubmit(made, async () => {
    const { name, password } = made.elements;
    if (await change("/api/share/links", { name: name.value, password: password.value })) made.reset();
  });
}
show();
