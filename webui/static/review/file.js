// A replay as a file of its own: what the page would ask the program for is part of it.

import { byId } from "../shared/dom.js";
import { fitNames } from "../shared/fit_names.js";
import { showPlace } from "../shared/place.js";
import { showFigures } from "./analysis.js";
import { Replay } from "./replay.js";

const { match, figures } = JSON.parse(byId("match").textContent);

fitNames();
showPlace(match.shown.tournament);
const replay = new Replay(match);
if (figures) {
  showFigures(figures);
  replay.showAnalysis(figures.events);
}
