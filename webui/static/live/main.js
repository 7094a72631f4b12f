// The live page: each state that arrives is shown by the parts of the page.

import { Board } from "../shared/board.js";
import { bindBoardLook } from "../shared/board_look.js";
import { watchCamera } from "../shared/camera.js";
import { bindCopying, showCopying } from "../shared/copy.js";
import { Dispute } from "../shared/dispute.js";
import { byId } from "../shared/dom.js";
import { bindEndCard } from "../shared/end_card.js";
import { EventStream, showLink } from "../shared/event_stream.js";
import { fitNames } from "../shared/fit_names.js";
import { language } from "../shared/i18n.js";
import { bindPointNumbers } from "../shared/point_numbers.js";
import { LookBack } from "./look_back.js";
import { showNumberings } from "./numberings.js";
import { showPanels } from "./panels.js";
import { bindCall, showCall } from "./referee_call.js";

const board = new Board(byId("board"));
const dispute = new Dispute(board);
const lookBack = new LookBack(board, () => board.show(newest));

let newest = null;

function showState(state) {
  newest = state;
  lookBack.update(state);
  if (!lookBack.isOn) board.show(state);
  showPanels(state);
  showNumberings(board, state.shown.numberings);
  dispute.show(state);
  showCopying(state);
  showCall(state);
}

fitNames();
bindPointNumbers(() => newest && lookBack.redraw());
bindBoardLook(board, () => newest && lookBack.redraw());
bindEndCard();
bindCopying(() => lookBack.step ?? newest);
bindCall();
watchCamera(byId("picture"));
// What players may see, whoever has the page open: it stands beside the board; more for the audience alone.
new EventStream(`/api/events?as=${byId("main").dataset.as}&lang=${language}`, { onState: showState, onLink: showLink });
