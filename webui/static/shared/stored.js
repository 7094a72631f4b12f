// What somebody has chosen on this device. Storage throws where the browser forbids it; a choice
// then lasts as long as the page.

/** What is stored under `name`; null if nothing is. */
export function stored(name) {
  try { return localStorage.getItem(name); } catch { return null; }
}

/** Stores a choice; an empty one is forgotten. */
export function store(name, value) {
  try {
    if (value) localStorage.setItem(name, value);
    else localStorage.removeItem(name);
  } catch { /* lasts as long as the page */ }
}
