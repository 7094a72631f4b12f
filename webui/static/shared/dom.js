// Writing into what the server drew. Text enters through textContent only, so a name with markup
// in it stays a name.

export const byId = (id) => document.getElementById(id);
const drawn = new Map();

// Rebuilding a list that has not changed would take away the reader's focus and selection.
export function changed(name, value) {
  const text = JSON.stringify(value);
  const isNew = drawn.get(name) !== text;
  drawn.set(name, text);
  return isNew;
}

export function write(name, value) {
  for (const element of document.querySelectorAll(`[data-text="${name}"]`)) {
    // An unchanged text is left alone: a live region would read it out again.
    if (element.textContent !== String(value)) element.textContent = value;
  }
}

export function copy(template, values = {}) {
  const node = byId(template).content.firstElementChild.cloneNode(true);
  fill(node, values);
  return node;
}

export function fill(node, values) {
  for (const field of node.querySelectorAll("[data-field]")) {
    const text = String(values[field.dataset.field] ?? "");
    // An unchanged text is left alone: it need not be laid out again.
    if (field.textContent !== text) field.textContent = text;
  }
}

export function list(name, values, make) {
  if (!changed(name, values)) return false;
  document.querySelector(`[data-list="${name}"]`).replaceChildren(...values.map(make));
  return true;
}
