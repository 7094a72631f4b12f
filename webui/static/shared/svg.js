// SVG elements, made by hand.

const SVG = "http://www.w3.org/2000/svg";

export const translate = ({ x, y }) => `translate(${x} ${y})`;

// An attribute that is the same is left alone: it need not be drawn again.
export function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
