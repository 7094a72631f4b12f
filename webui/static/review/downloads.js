// Downloads: a file that cannot be made is reported in a line beside the links.

import { byId } from "../shared/dom.js";
import { _ } from "../shared/i18n.js";

/** Checks each file before the browser goes to it. */
export function bindDownloads() {
  const note = byId("files-note");
  for (const link of document.querySelectorAll("a[data-file]")) {
    link.addEventListener("click", async (event) => {
      event.preventDefault();
      const response = await fetch(link.href).catch(() => null);
      note.hidden = Boolean(response?.ok);
      if (response?.ok) location.assign(link.href);
      else note.textContent = response ? (await response.json()).message : _("The program does not respond.");
    });
  }
}
