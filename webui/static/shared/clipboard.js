// Copies a text, also over plain HTTP, where browsers have no clipboard: the old way copies what is
// selected.

export async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand("copy");
  field.remove();
  return undefined;
}
