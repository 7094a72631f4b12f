// Downloads: a file that cannot be made is told in a line, where it was asked for.

import { _ } from "../shared/i18n.js";

export function offerFiles() {
  const note = document.getElementById("files-note");
  for (const link of document.querySelectorAll("a[data-file]")) {
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      const answer = await fetch(link.href).catch(() => null);
      note.hidden = Boolean(answer?.ok);
      if (answer?.ok) location.assign(link.href);
      else note.textContent = answer ? (await answer.json()).message : _("The program does not answer.");
    });
  }
}
