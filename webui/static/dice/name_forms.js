// The names of the dice: two names are merged, one is changed, or the last such edit is undone.

import { submit } from "../shared/api.js";

/** Sends the forms in `main`, which `redraw` updates after each edit. */
export function bindNameForms(main, redraw) {
  main.addEventListener("submit", async (event) => {
    const form = event.target;
    const { edit } = form.dataset;
    if (!edit) return;
    event.preventDefault();
    const section = form.closest(".d-naming");
    const fields = Object.fromEntries(new FormData(form));
    if (await submit(`${section.dataset.address}/${edit}`, fields, section.querySelector(".d-naming-answer"))) redraw();
  });
}
