// The camera's picture, requested again once the last one has arrived: a slow network gets fewer
// pictures instead of a queue of old ones, and no connection stays open.

const INTERVAL_MS = 250;
const RETRY_MS = 2000;

/** Shows the newest picture in `box` while the page is visible. */
export function watchCamera(box) {
  let image = box.querySelector("img");
  let count = 0;
  let timer = 0;

  const schedule = (picture, pause) => {
    box.dataset.picture = picture;
    clearTimeout(timer);
    timer = setTimeout(requestPicture, pause);
  };
  const requestPicture = () => {
    clearTimeout(timer);
    if (document.hidden) return;
    if (box.closest("main").dataset.camera === "no") return schedule("first", RETRY_MS);
    const next = new Image();
    next.alt = image.alt;
    // The old picture stays until a new one has arrived completely.
    next.addEventListener("load", () => {
      image.replaceWith(next);
      image = next;
      schedule("yes", INTERVAL_MS);
    });
    next.addEventListener("error", () => schedule(image.naturalWidth ? "old" : "no", RETRY_MS));
    // A new address each time, or the browser would show its cached picture.
    count += 1;
    next.src = `/camera.jpg?n=${count}`;
  };

  document.addEventListener("visibilitychange", requestPicture);
  requestPicture();
}
