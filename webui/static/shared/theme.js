// The theme: the system's until the button is pressed, then the one chosen. Also keeps the scroll
// position when the language changes.
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  // Storage throws where the browser forbids it (private windows, blocked cookies); the theme
  // then lasts as long as the page.
  const stored = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  const store = (theme) => {
    try { localStorage.setItem("theme", theme); } catch { /* lasts as long as the page */ }
  };
  const apply = () => { root.dataset.theme = stored() ?? (system.matches ? "dark" : "light"); };

  apply();
  system.addEventListener("change", apply);
  document.addEventListener("click", (event) => {
    const language = event.target.closest(".language");
    if (language) language.hash = location.hash;
    if (!event.target.closest("#theme")) return;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
    store(root.dataset.theme);
  });
})();
