// What is said of the dice: two names are one, another name, or the last word undone.

import { ask } from "../shared/api.js";

const answer = (form, words) => {
  form.closest(".d-naming").querySelector(".d-naming-answer").textContent = words;
};

// main: what is drawn anew once it is said; done() does that.
export function listenToNames(main, done) {
  main.addEventListener("submit", async (event) => {
    const form = event.target;
    const { say } = form.dataset;
    if (!say) return;
    event.preventDefault();
    const { address } = form.closest(".d-naming").dataset;
    const { ok, message } = await ask(`${address}/${say}`, Object.fromEntries(new FormData(form)));
    if (!ok) return answer(form, message);
    return done();
  });
}
