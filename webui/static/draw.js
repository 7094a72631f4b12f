// SVG elements, made by hand.

const SVG = "http://www.w3.org/2000/svg";

export const translate = ({ x, y }) => `translate(${x} ${y})`;

export function draw(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}
