"""A short match as a record holds it: everything that the review pages show, in few events."""

from __future__ import annotations

import json
from dataclasses import replace

from engine import USUAL, Play, Side, apply_play, find_rules
from engine.events.match import (
    Alternative,
    DiceVoid,
    DieAtRest,
    Doubled,
    DoubleDropped,
    DoubleTaken,
    GameEnd,
    GameStart,
    IllegalMade,
    OpeningRolled,
    PlayAccepted,
    PlayMade,
    PlayRejected,
)

SHORT = find_rules("short")
OPENING = SHORT.opening()
LIGHT, DARK = Side


def match_events(rule_set=USUAL, light="Ann & Co", dark="Ben", length=3):
    """Two games with a void throw, a doubtful play, an illegal one, a rejected one, the cube."""
    rows = []

    def add(kind, **fields):
        rows.append(kind(time=2.0 * len(rows), frame=24 * len(rows), **fields))

    def start(score, starter=None):
        add(
            GameStart, position=OPENING, light=light, dark=dark, length=length, score=score,
            starter=starter, rule_set=rule_set,
        )  # fmt: skip

    def play(side, dice, text, before, **more):
        kind = IllegalMade if "rule" in more else PlayMade
        after = apply_play(before, side, Play.parse(text), SHORT)
        add(kind, player=side, dice=dice, play=text, position=after, **more)
        return after

    start((0, 0))
    add(OpeningRolled, light=6, dark=3)
    first = play(LIGHT, (6, 3), "24/18 13/10", OPENING)
    add(DiceVoid, player=DARK, reason="cocked", dice=(5, 5))
    second = play(
        DARK, (4, 2), "8/4 6/4", first, review=True, confidence=0.7, uncertainties=("play",),
        alternatives=(Alternative(play="24/18", confidence=0.3),),
    )  # fmt: skip
    add(Doubled, player=LIGHT, value=2)
    add(DoubleTaken, player=DARK)
    wrong = {"rule": "the checkers moved 4 pips in a way that 31 does not allow", "legal_plays": 9}
    play(LIGHT, (3, 1), "13/9", second, **wrong)
    add(PlayRejected, player=DARK)
    third = play(LIGHT, (3, 1), "8/5 6/5", second)
    fourth = play(DARK, (6, 1), "13/6", third, **{**wrong, "rule": "a <b>six</b> is not a seven"})
    add(PlayAccepted, player=LIGHT)
    play(LIGHT, (5, 5), "13/3(2)", fourth)
    add(GameEnd, winner=LIGHT, points=2, result="resign")
    start((2, 0), starter=DARK)
    play(DARK, (3, 1), "8/5 6/5", OPENING)
    return rows


def finished(events):
    """The same, completed: light has won by a drop."""
    last = events[-1]
    after = {"time": last.time + 2, "frame": last.frame + 24}
    return [
        *events,
        Doubled(player=LIGHT, value=2, **after),
        DoubleDropped(player=DARK, **after),
        GameEnd(winner=LIGHT, points=1, result="drop", **after),
    ]


def surely_void(events):
    """The same, with the void throw's second die as certainly cocked as can be seen."""
    flat = DieAtRest(chances=(0.98, *[0.004] * 5), place=(0.2, 0.5), flat=0.98)
    lay = flat, replace(flat, place=(0.3, 0.5), flat=0.03)
    return [replace(e, dice_at_rest=lay) if isinstance(e, DiceVoid) else e for e in events]


def record_match(store, events, *, is_closed=False):
    """Record the match; return its number in the store."""
    start = events[0]
    number = store.new_match(
        light=start.light, dark=start.dark, length=start.length, source="/videos/evening.mp4"
    )
    store.append(number, events)
    if is_closed:
        store.close_match(number)
    return number


def keep_stills(folder, frames, jpeg, gone=()):
    """Write stills of these frames, as a recorder does; for `gone`, the picture is missing."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "moments.jsonl").open("w") as index:
        for frame in frames:
            moment = {
                "frame": frame, "until": frame, "seconds": frame / 12, "dice": [4, 2],
                "size": [320, 180],
                "marks": [[0.5, 0.5, "die", "4", 0.9], [0.2, 0.1, "dark", "2", 1]],
            }  # fmt: skip
            index.write("\n" + json.dumps(moment))
            if frame not in gone:
                (folder / f"{frame:06}.jpg").write_bytes(jpeg)
