// The camera picture, asked for again when the last one has arrived: a slow network gets fewer
// pictures instead of a queue of old ones, and no connection stays open.

const NEXT_MS = 250;
const MISSING_MS = 2000;

export function watchCamera(image, box) {
  let count = 0;
  let timer = 0;

  const ask = () => {
    clearTimeout(timer);
    if (document.hidden) return;
    // A new address each time: the browser would otherwise show the picture that it has.
    count += 1;
    image.src = `/camera.jpg?n=${count}`;
  };
  const settle = (arrived, pause) => {
    box.dataset.picture = arrived ? "yes" : "no";
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  };

  image.addEventListener("load", () => settle(true, NEXT_MS));
  image.addEventListener("error", () => settle(false, MISSING_MS));
  document.addEventListener("visibilitychange", ask);
  ask();
}
