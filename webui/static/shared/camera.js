// The camera picture, asked for again when the last one has arrived: a slow network gets fewer
// pictures instead of a queue of old ones, and no connection stays open.

const NEXT_MS = 250;
const MISSING_MS = 2000;

export function watchCamera(box) {
  let shown = box.querySelector("img");
  let count = 0;
  let timer = 0;

  const settle = (picture, pause) => {
    box.dataset.picture = picture;
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  };
  const ask = () => {
    clearTimeout(timer);
    if (document.hidden) return;
    if (box.closest("main").dataset.camera === "no") return settle("first", MISSING_MS);
    const next = new Image();
    next.alt = shown.alt;
    // The old picture stays until the new one has arrived whole, and when none does.
    next.addEventListener("load", () => {
      shown.replaceWith(next);
      shown = next;
      settle("yes", NEXT_MS);
    });
    next.addEventListener("error", () => settle(shown.naturalWidth ? "old" : "no", MISSING_MS));
    // A new address each time: the browser would otherwise show the picture that it has.
    count += 1;
    next.src = `/camera.jpg?n=${count}`;
  };

  document.addEventListener("visibilitychange", ask);
  ask();
}
