// The sizes that the address asks for. The security policy forbids style attributes in what the
// server draws, and no attribute selector can hold every number.
(() => {
  const { style, dataset } = document.documentElement;
  for (const name of ["width", "height", "margin"]) style.setProperty(`--${name}`, `${dataset[name]}px`);
  style.fontSize = `${16 * dataset.scale}px`;
})();
