// The queue of doubts: keys press the buttons and links that name them.

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Enter" && event.target.closest("a, button")) return; // it is pressed anyway
  const wanted = [...document.querySelectorAll("[data-keys]")].find(({ dataset }) => dataset.keys.split(" ").includes(event.key));
  if (!wanted) return;
  event.preventDefault();
  wanted.click();
});
