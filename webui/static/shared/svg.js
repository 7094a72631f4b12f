// SVG elements.

const SVG = "http://www.w3.org/2000/svg";

/** The value of a `transform` attribute that moves by (x, y). */
export const translate = ({ x, y }) => `translate(${x} ${y})`;

/** Sets an attribute; an unchanged one is left alone, to avoid repainting. */
export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** A new SVG element with these attributes and children. */
export function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
