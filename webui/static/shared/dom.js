// Fills the elements that the server rendered. Text enters through textContent only, so a name with
// markup in it stays a name.

export const byId = (id) => document.getElementById(id);
const lastValues = new Map();

/** Whether `value` differs from the one last seen under `name`: an equal list keeps focus and selection. */
export function changed(name, value) {
  const text = JSON.stringify(value);
  const isNew = lastValues.get(name) !== text;
  lastValues.set(name, text);
  return isNew;
}

/** Sets the text of one element; an unchanged one is left alone, so that no live region repeats it. */
export function setText(element, value) {
  const text = String(value ?? "");
  if (element.textContent !== text) element.textContent = text;
}

/** Writes `value` into every element with this `data-text`. */
export function write(name, value) {
  for (const element of document.querySelectorAll(`[data-text="${name}"]`)) setText(element, value);
}

/** Writes `values` into the `data-field` elements of `node`. */
export function fill(node, values) {
  for (const field of node.querySelectorAll("[data-field]")) setText(field, values[field.dataset.field]);
}

/** A copy of a <template>'s only element, with its fields filled. */
export function fromTemplate(id, values = {}) {
  const node = byId(id).content.firstElementChild.cloneNode(true);
  fill(node, values);
  return node;
}

/** A list item with this text. */
export function textItem(text) {
  const item = document.createElement("li");
  item.textContent = text;
  return item;
}

/** Makes the children of the `data-list` element anew if `values` changed. */
export function renderList(name, values, make) {
  if (changed(name, values)) document.querySelector(`[data-list="${name}"]`).replaceChildren(...values.map(make));
}

/** The value of the checked radio button `name` of a form; undefined if none is. */
export const checkedValue = (form, name) => form.querySelector(`[name=${name}]:checked`)?.value;

/** Calls `handle` when `form` is submitted, which stays on the page. */
export function onSubmit(form, handle) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    handle(event);
  });
}
