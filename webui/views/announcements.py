"""What the page announces: headline, alerts, newest play, text for screen readers.

Functions return text in the reader's language.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from typing_extensions import TypedDict

from engine.position import BAR, OFF, Side
from webui.contracts.state import (
    Board,
    CubeState,
    DiceFaces,
    Die,
    LastPlay,
    Names,
    Numbers,
    Pending,
    PhoneStatus,
    ReviewEntry,
    RollShown,
    SideName,
    Source,
    State,
    Text,
)
from webui.i18n.locale import N_, format_decimal, gettext, ngettext
from webui.i18n.messages import translate
from webui.views.phrases import (
    SIDES,
    clock,
    dice,
    message_lines,
    percent,
    play,
    review_title,
    sentence,
    spoken,
)
from webui.views.sheet import game_won

CERTAIN_FROM: Final = 0.95
"""A die or a play with a lower probability is shown as uncertain."""
HEADLINES: Final = {
    "waiting": N_("Setting up"),
    "ended": N_("Match over"),
    "fault": N_("Paused"),
}


class TableState(TypedDict):
    """The part of a state that a recorded step has too."""

    players: Names
    position: Board | None
    pips: Numbers | None
    to_move: SideName | None
    dice: list[Die]
    roll: RollShown | None
    cube: CubeState | None


class Alert(TypedDict):
    """What must not be missed; `kind` is `fault`, `illegal`, `time`, `void` or `result`."""

    kind: str
    title: str
    text: str


class EndCard(TypedDict):
    """How the game, the match or the video ended."""

    title: str
    text: str
    is_final: bool
    """Whether no other game follows."""


class PlayLine(TypedDict):
    """The newest turn, for the line under the board."""

    label: str
    side: SideName
    name: str
    play: str
    dice: DiceFaces
    confidence: float | None
    percent: str
    verdict: str
    """`sure`, `review`, `illegal`, `pending`, or empty."""


class OptionLine(TypedDict):
    """A play that the pictures leave possible."""

    play: str
    percent: str
    share: float | None
    """The probability; null where it is withheld."""


class ReviewCard(TypedDict):
    """One review item."""

    id: str
    kind: str
    title: str
    when: str
    side: SideName
    name: str
    dice: str
    play: str
    note: Text
    options: list[OptionLine]


def headline(state: State) -> str:
    """What is happening now, in a few words."""
    if state["paused"]:
        return gettext("Paused")
    phase = state["phase"]
    if phase == "ended" and state["result"] is None:  # stopped, or the video ended in mid-game
        return gettext("No longer in play")
    if phase != "playing":
        return gettext(HEADLINES[phase])
    if state["result"] is not None:
        return gettext("Game over")
    to_move = state["to_move"]
    return gettext("Opening roll") if to_move is None else _next_action(state, to_move)


def _next_action(state: State, to_move: SideName) -> str:
    """Who must do what next."""
    if (disputed := _disputed(state)) is not None:
        decides = state["players"][Side(disputed["player"]).other.value]
        return gettext("%(name)s decides", name=decides)
    name, roll, cube = state["players"][to_move], state["roll"], state["cube"]
    if cube is not None and cube["offered"] is not None:
        return gettext("%(name)s to take or drop", name=name)
    if roll:
        return gettext("%(name)s to play %(dice)s", name=name, dice=dice(roll["dice"]))
    if state["leftover"]:
        left = ", ".join(map(str, state["leftover"]))
        return gettext("%(name)s to play what is left over: %(numbers)s", name=name, numbers=left)
    return gettext("%(name)s to roll", name=name)


def title(state: State) -> str:
    """The window title, with urgent things first, so that a browser tab shows them too."""
    parts = [headline(state), "Tableside"]
    if _disputed(state):
        parts.insert(0, gettext("Illegal play"))
    elif state["void"]:
        parts.insert(0, gettext("Roll again"))
    waiting = f"({len(state['review'])}) " if state["review"] else ""
    return waiting + " · ".join(parts)


def alert(state: State) -> Alert | None:
    """What the players must not miss: a fault, an illegal play, a void throw."""
    if state["phase"] == "fault":
        text = ". ".join(message_lines(state["message"]))
        return Alert(kind="fault", title=gettext("Help needed"), text=text)
    last = _disputed(state)
    if last is None:
        return _time_out(state) or _void(state)
    text = f"{_played(state, last)}. {sentence(last['rule'])}".rstrip(" .") + "."
    return Alert(kind="illegal", title=gettext("Illegal play"), text=text)


def _played(state: State, last: LastPlay) -> str:
    name, made = state["players"][last["player"]], play(last["play"])
    if not last["dice"]:
        return gettext("%(name)s played %(play)s", name=name, play=made)
    rolled = dice(last["dice"])
    return gettext("%(name)s played %(play)s with %(dice)s", name=name, play=made, dice=rolled)


def _time_out(state: State) -> Alert | None:
    clock_state = state["clock"]
    late = [side for side in SIDES if clock_state and clock_state[side] == 0]
    if not late or state["phase"] != "playing":
        return None
    text = gettext("%(name)s is out of time.", name=state["players"][late[0]])
    return Alert(kind="time", title=gettext("Time is up"), text=text)


def _void(state: State) -> Alert | None:
    void = state["void"]
    if void is None:
        return None
    name = state["players"][void["player"]]
    threw = gettext("%(name)s rolled %(dice)s", name=name, dice=dice(void["dice"]))
    text = f"{threw}. {sentence(void['note'])}."
    return Alert(kind="void", title=gettext("The roll does not count"), text=text)


def flag(state: State) -> Alert | None:
    """The alert as an audience sees it: only those who can fix a fault need its cause."""
    raised = alert(state)
    if raised is not None and raised["kind"] != "fault":
        return raised
    if raised is not None or state["paused"]:
        return Alert(kind="fault", title=gettext("Paused"), text="")
    card = None if state["result"] is None else end_card(state)
    return card and Alert(kind="result", title=card["title"], text=card["text"])


def end_card(state: State) -> EndCard | None:
    """How the game, the match or the video ended; None while something goes on."""
    result = state["result"]
    sentences = [f"{line}." for line in message_lines(state["message"])]
    if result is None and state["phase"] != "ended":
        return None
    if result is None:
        title, *more = sentences or [gettext("Match over")]
        return EndCard(title=title.rstrip("."), text=" ".join(more), is_final=True)
    won, score = game_won(result, state["players"]), state["score"]
    if not result["wins_match"] or result["winner"] is None:
        stands = gettext("The score is %(light)s-%(dark)s.", **score)
        # The first sentence says that the game is over; without a camera, a button begins the next.
        more = [] if state["by_hand"] else sentences[1:]
        return EndCard(title=won, text=" ".join([stands, *more]), is_final=False)
    own = result["winner"]
    title = gettext(
        "%(name)s wins the match %(own)s-%(others)s",
        name=state["players"][own],
        own=score[own],
        others=score["dark" if own == "light" else "light"],
    )
    return EndCard(title=title, text=f"{won}.", is_final=True)


def _disputed(state: State) -> LastPlay | None:
    """The illegal play on the board that nobody has ruled on yet."""
    last = state["last_play"]
    return None if last is None or last["legal"] or last.get("accepted") else last


def cube(table: TableState) -> str:
    """Where the doubling cube is and what it shows; empty if there is none."""
    lies = table["cube"]
    if lies is None or lies["crawford"]:
        return ""
    if lies["offered"] is not None and lies["by"] is not None:
        name = table["players"][lies["by"]]
        return gettext("%(name)s doubles to %(value)s.", name=name, value=lies["offered"])
    if lies["owner"] is None:
        return gettext("The cube is in the middle, at %(value)s.", value=lies["value"])
    name = table["players"][lies["owner"]]
    return gettext("%(name)s owns the cube, at %(value)s.", name=name, value=lies["value"])


def dice_on_board(table: TableState) -> str:
    """The dice on the board, for screen readers; empty without any."""
    faces = "; ".join(_face(die) for die in table["dice"])
    return gettext("Dice: %(faces)s.", faces=faces) if faces else ""


def _face(die: Die) -> str:
    face = str(die["value"] or gettext("not read"))
    return face if die["flat"] else gettext("%(face)s, cocked", face=face)


def last_play(state: State) -> PlayLine | None:
    """The newest turn, for the line under the board; during a turn, the play so far."""
    if state["pending"] is not None:
        return _play_line(state, state["pending"], gettext("On the board"), "pending")
    last = state["last_play"]
    if last is None:
        return None
    confidence = last["confidence"]
    return _play_line(state, last, gettext("Last play"), _verdict(last, confidence), confidence)


def _play_line(
    state: State,
    made: LastPlay | Pending,
    label: str,
    verdict: str,
    confidence: float | None = None,
) -> PlayLine:
    return PlayLine(
        label=label,
        side=made["player"],
        name=state["players"][made["player"]],
        play=play(made["play"]),
        dice=made["dice"] or [],
        confidence=confidence,
        percent=percent(confidence),
        verdict=verdict,
    )


def _verdict(last: LastPlay, confidence: float | None) -> str:
    if not last["legal"]:
        return "illegal" if last["rule"] else "review"
    if confidence is None:
        return "review" if last["review"] else ""
    return "review" if last["review"] or confidence < CERTAIN_FROM else "sure"


def review_card(state: State, entry: ReviewEntry) -> ReviewCard:
    """One review item, in words."""
    return ReviewCard(
        id=entry["id"],
        kind=entry["kind"],
        title=review_title(entry["kind"]),
        when=clock(entry["time"]),
        side=entry["player"],
        name=state["players"][entry["player"]],
        dice=dice(entry["dice"]),
        play=play(entry["play"]),
        note=entry["note"],
        options=[
            OptionLine(
                play=play(one["play"]),
                percent=percent(one["confidence"]),
                share=one["confidence"],
            )
            for one in entry["alternatives"]
        ],
    )


def source(value: Source | None, *, by_hand: bool = False, phone: PhoneStatus | None = None) -> str:
    """`dev_short.mp4 · 15 fps · 2:03`, or that there is no camera, or none yet.

    phone: that which is the camera; then its own rate, and its battery.
    """
    if by_hand:
        return gettext("No camera")
    if value is None:
        return gettext("No camera yet")
    fps = value["fps"] if phone is None else phone["fps"]
    speed = gettext("%(number)s fps", number=format_decimal(fps, 0))
    parts = [translate(value["name"]), speed, clock(value["seconds"])]
    if phone is not None and phone["battery"] is not None:
        parts.append(gettext("battery %(percent)s %%", percent=phone["battery"]))
    return " · ".join(parts)


def event(state: State) -> str:
    """The newest event, as read aloud."""
    if (card := end_card(state)) is not None:
        return f"{card['title']}. {card['text']}".strip()
    if state["phase"] != "playing":
        return f"{headline(state)}. {translate(state['message'])}"
    last, parts = state["last_play"], [f"{headline(state)}."]
    if last:
        name = state["players"][last["player"]]
        made = gettext("%(name)s played %(play)s", name=name, play=spoken(last["play"]))
        parts.insert(0, f"{made}.")
    if count := len(state["review"]):
        parts.append(ngettext("%(num)s to review.", "%(num)s to review.", count))
    return " ".join(parts)


def position(table: TableState) -> list[str]:
    """Both sides' checkers in words, each by its own numbers."""
    board = table["position"]
    if board is None:
        return [gettext("The position is not known yet.")]
    both = [_side(table, board, side) for side in SIDES]
    return [*both, *filter(None, (cube(table), dice_on_board(table)))]


def _side(table: TableState, board: Board, side: SideName) -> str:
    line = f"{gettext(SIDES[side])}, {table['players'][side]}: {'; '.join(_places(board[side]))}."
    if not table["pips"]:
        return line
    pips = gettext("Pip count %(pips)s.", pips=table["pips"][side])
    return f"{line} {pips}"


def _places(vector: list[int]) -> Iterator[str]:
    if vector[BAR]:
        yield gettext("%(count)s on the bar", count=vector[BAR])
    for point in range(BAR - 1, OFF, -1):
        if vector[point]:
            yield gettext("%(count)s on the %(point)s point", count=vector[point], point=point)
    if vector[OFF]:
        yield gettext("%(count)s borne off", count=vector[OFF])
