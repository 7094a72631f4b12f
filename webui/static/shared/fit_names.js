// A name whose longest word is too wide is written smaller; only one that would be too small to
// read is broken.

const MIN_SCALE = 0.7;
// The widths of letters do not shrink quite as much as their size.
const SPARE = 0.97;

function fit(name) {
  name.style.fontSize = name.style.overflowWrap = "";
  const scale = SPARE * (name.clientWidth / name.scrollWidth);
  if (name.clientWidth >= name.scrollWidth) return;
  name.style.fontSize = `${Math.max(MIN_SCALE, scale) * parseFloat(getComputedStyle(name).fontSize)}px`;
  if (scale < MIN_SCALE) name.style.overflowWrap = "anywhere";
}

/** Fits the players' names, whenever one or the window changes. */
export function fitNames() {
  const names = document.querySelectorAll(".who h2, .sheet thead [data-text]");
  const fitAll = () => names.forEach(fit);
  addEventListener("resize", fitAll);
  const observer = new MutationObserver(fitAll);
  for (const name of names) observer.observe(name, { characterData: true, childList: true, subtree: true });
  fitAll();
}
