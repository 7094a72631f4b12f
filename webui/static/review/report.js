// The report on a match: a button that prints it.

import { byId } from "../shared/dom.js";

byId("print")?.addEventListener("click", () => print());
