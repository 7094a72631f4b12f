"""A session that is disturbed: the camera jumps, the board is closed, the clip begins late."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice, product

import cv2
import numpy as np
import pytest

import samples
from engine import USUAL, Position, find_rules
from engine.events.codec import as_json
from engine.ruleset import ZoneRule
from engine.timestamp import Timestamp
from tableside.match.config import MatchConfig
from tableside.match.session import TWO_BOARDS, BoardVision, Session
from tableside.recording.sample_match import true_plays
from tests.at_length import at_length
from vision.benchmark.degradations import KINDS, Degrader
from vision.reading.coverage import MESSAGES
from vision.reading.scheduler import BoardWatcher
from vision.sources.open import open_source

SHORT = find_rules("short")
FIRST_TWO = 148
"""Frames of the sample that show its first two plays and no third throw."""
AFTER_FIRST = 68
"""Frame in which the first play's dice were lifted and the second throw has not begun."""

CUBE = (608, 328, 658, 388)
"""Pixels of the sample around the cube on the bar: left, top, right and bottom."""


@pytest.fixture(scope="module")
def frames():
    return list(islice(open_source(str(samples.CLIP)), FIRST_TWO))


@pytest.fixture(scope="module")
def wanted():
    return true_plays(samples.TRUTH)[:2]


@pytest.fixture(scope="module")
def profile(frames):
    session = Session(MatchConfig(SHORT), lambda events: None)
    for frame in frames[:10]:
        session.feed(frame)
    assert session.profile is not None
    return session.profile


def watched(frames, **plan):
    kept = []
    session = Session(MatchConfig(SHORT, **plan), kept.extend)
    for frame in frames:
        session.feed(frame)
    session.finish(frames[-1].seconds, frames[-1].index)
    return kept


def played(events):
    return [(one.player, one.position) for one in events if one.type in {"play", "illegal"}]


def facts(events):
    """The events without how sure they are: an observation may continue an earlier reading."""
    seen = (as_json(event) for event in events)
    return [
        {k: v for k, v in one.items() if k not in {"confidence", "alternatives", "lay"}}
        for one in seen
    ]


def test_a_game_whose_start_was_seen_only_as_the_board_was_found_begins_there(frames, wanted):
    def watch(found, **_):
        return BoardWatcher(found, moved_at=frames[0].seconds)  # so that the first look is later

    kept, found_at = [], None
    session = Session(MatchConfig(SHORT), kept.extend, vision=BoardVision(watch=watch))
    for frame in frames:
        is_covered = found_at is not None and frame.index < AFTER_FIRST
        session.feed(replace(frame, image=np.zeros_like(frame.image)) if is_covered else frame)
        if found_at is None and session.profile is not None:
            found_at = frame.seconds
            assert not kept
    session.finish(frames[-1].seconds, frames[-1].index)
    assert [one.type for one in kept][:2] == ["game_start", "unseen"]
    assert kept[0].time == found_at
    assert played(kept) == wanted


def later(frames, seconds):
    """The same frames, so much later in their source."""
    return [replace(one, seconds=one.seconds + seconds, index=one.index + 1000) for one in frames]


def test_a_wait_for_the_board_that_may_hide_a_game_is_recorded(frames, wanted):
    nothing = np.full_like(frames[0].image, 90)
    waiting = [replace(frames[0], image=nothing, seconds=float(n), index=n) for n in range(3)]
    kept = watched([*waiting, *later(frames, 400.0)])
    unseen, start, *_ = kept
    assert (unseen.type, unseen.start, unseen.reason) == ("unseen", 0.0, "lost")
    assert 400 < unseen.end <= start.time < 402
    assert played(kept) == wanted
    assert not any(one.review for one in kept if one.type == "play")


def test_a_watched_session_has_a_pending_play_early_and_records_the_same(frames, profile):
    kept, seen = [], []
    session = Session(MatchConfig(SHORT, profile=profile), kept.extend, is_watched=True)
    for frame in frames:
        session.feed(frame)
        made = session.pending
        seen.append((len(session.state.turns), made and (made.player, made.position)))
    session.finish(frames[-1].seconds, frames[-1].index)
    plays = played(kept)
    assert facts(kept) == facts(watched(frames, profile=profile))
    for number, play in enumerate(plays):
        assert (number, play) in seen
        assert {one for turns, one in seen if turns == number} == {None, play}
    quiet = Session(MatchConfig(SHORT, profile=profile), lambda events: None)
    for frame in frames[:60]:
        quiet.feed(frame)
        assert quiet.pending is None


def jumped(frame, right, down, degrees):
    move = cv2.getRotationMatrix2D((640, 360), degrees, 1.0)
    move[:, 2] += right, down
    size = frame.image.shape[1::-1]
    image = cv2.warpAffine(frame.image, move, size, borderMode=cv2.BORDER_REPLICATE)
    return replace(frame, image=image)


@pytest.mark.parametrize(
    ("jump", "at"),
    [
        ((25, -16, 2), AFTER_FIRST),
        *(
            pytest.param(jump, at, marks=pytest.mark.slow)
            for jump, at in [
                ((25, -16, 2), 30),
                ((110, 15, -7), 30),
                ((110, 15, -7), AFTER_FIRST),
                ((-7, 8, 180), 30),
                ((-7, 8, 180), AFTER_FIRST),
            ]
        ),
    ],
)
def test_a_jump_of_the_camera_is_recorded_once_and_no_play_is_lost(
    frames, wanted, profile, jump, at
):
    """At 30 the first dice lie there."""
    shown = [*frames[:at], *(jumped(frame, *jump) for frame in frames[at:])]
    events = watched(shown, profile=profile)
    (moved,) = [one for one in events if one.type == "board_moved"]
    assert at <= moved.frame < at + 30
    assert played(events) == wanted


def sized(frame, size):
    return replace(frame, image=cv2.resize(frame.image, size, interpolation=cv2.INTER_AREA))


def cropped(frame, size):
    """What a camera shows that leaves out the sides for pictures of another shape."""
    height, width = frame.image.shape[:2]
    aside = (width - height * size[0] // size[1]) // 2
    return sized(replace(frame, image=frame.image[:, aside : width - aside]), size)


def framed(frame, size):
    """... that adds a black bar above and below."""
    small = sized(frame, (size[0], frame.image.shape[0] * size[0] // frame.image.shape[1]))
    bar = (size[1] - small.image.shape[0]) // 2
    return replace(frame, image=cv2.copyMakeBorder(small.image, bar, bar, 0, 0, 0))


def with_sizes(frames, shown, at):
    """The frames, from some number on as another way of showing them has it."""
    sizes = dict(zip(at, shown, strict=True))
    way = None
    for frame in frames:
        way = sizes.get(frame.index, way)
        yield frame if way is None else way(frame)


SMALLER = partial(sized, size=(640, 360))
ODD = partial(sized, size=(1366, 768))
LARGER = partial(sized, size=(1920, 1080))
CROPPED = partial(cropped, size=(640, 480))
SQUEEZED = partial(sized, size=(640, 480))
NEARLY_SQUEEZED = partial(sized, size=(720, 480))
FRAMED = partial(framed, size=(640, 480))


@pytest.mark.parametrize(
    ("shown", "at"),
    [
        ([LARGER, SMALLER, ODD], [20, 60, 90]),
        *(
            pytest.param(shown, at, marks=pytest.mark.slow)
            for shown, at in [
                ([FRAMED], [30]),
                ([SMALLER], [30]),
                ([LARGER], [AFTER_FIRST]),
                ([ODD], [AFTER_FIRST]),
                ([SMALLER, None], [30, AFTER_FIRST]),
                # A hand is over the board in these.
                ([SMALLER], [100]),
                ([SMALLER], [120]),
                ([SMALLER], [140]),
            ]
        ),
    ],
)
def test_a_camera_that_comes_back_with_another_size_loses_no_play_and_was_not_moved(
    frames, wanted, profile, shown, at
):
    frames = list(with_sizes(frames, shown, at))
    frames += [replace(frames[-1], index=n, seconds=n / 12) for n in range(FIRST_TWO, 160)]
    events = watched(frames, profile=profile)
    assert played(events) == wanted
    assert not any(one.review for one in events if one.type == "play")
    assert [one.type for one in events if one.type == "board_moved"] == []


@pytest.mark.parametrize(
    ("shown", "at"), list(product((CROPPED, NEARLY_SQUEEZED, SQUEEZED), (30, AFTER_FIRST)))
)
@pytest.mark.slow
def test_a_camera_that_comes_back_with_another_shape_loses_no_play(
    frames, wanted, profile, shown, at
):
    events = watched(list(with_sizes(frames, [shown], [at])), profile=profile)
    (moved,) = [one for one in events if one.type == "board_moved"]
    assert at <= moved.frame < at + 30
    assert played(events) == wanted


@pytest.mark.slow
def test_a_picture_too_small_for_a_board_is_waited_out(frames, wanted, profile):
    kept = []
    session = Session(MatchConfig(SHORT, profile=profile), kept.extend)
    for frame in frames:
        session.feed(sized(frame, (16, 9)) if 30 <= frame.index < 60 else frame)
        if 30 <= frame.index < 60:
            assert "the camera now sends 16x9 pixels" in str(session.message)
            assert not session.sees_board
    session.finish(frames[-1].seconds, frames[-1].index)
    assert "16x9" not in str(session.message)
    assert played(kept) == wanted


@pytest.mark.slow
def test_a_camera_that_stays_is_not_recorded_as_moved(frames, wanted, profile):
    events = watched(frames, profile=profile)
    assert [one.type for one in events if one.type == "board_moved"] == []
    assert played(events) == wanted


def test_a_board_that_is_closed_and_opened_with_its_checkers_in_place_is_played_on(
    frames, wanted, profile
):
    closed = np.full_like(frames[0].image, 70)
    cv2.rectangle(closed, (320, 200), (960, 520), (40, 60, 90), -1)
    shown = []
    for frame in frames:
        if frame.index == AFTER_FIRST:
            shown += [replace(frame, image=closed) for _ in range(60)]
        shown.append(frame)
    timed = [replace(one, index=i, seconds=i / 15) for i, one in enumerate(shown)]
    events = watched(timed, profile=profile)
    others = [one.type for one in events if one.type not in {"roll", "play", "opening"}]
    assert others == ["game_start", "unseen"]
    assert played(events) == wanted


@pytest.mark.parametrize(
    "unseen", [pytest.param(range(35, 50), marks=pytest.mark.slow), range(30, 66)]
)
def test_what_a_pause_hides_is_judged_from_the_board_after_it(frames, wanted, profile, unseen):
    """At 30 the first dice lie there; they are lifted before 68, when the play stands."""
    events = watched([one for one in frames if one.index not in unseen], profile=profile)
    assert played(events) == wanted


def test_what_was_not_seen_before_a_pause_is_told_as_it_begins(frames, wanted, profile):
    kept = []
    session = Session(MatchConfig(SHORT, profile=profile), kept.extend)
    for frame in frames:
        when = Timestamp(frame.seconds, frame.index)
        if frame.index < 20 or frame.index >= 66:
            session.feed(frame)
        elif frame.index < 64:
            session.feed(replace(frame, image=np.full_like(frame.image, 4)))
        else:
            told = session.pause(when)
            assert [one.type for one in told] == ["unseen"] * (frame.index == 64)
    (unseen,) = [one for one in kept if one.type == "unseen"]
    assert (unseen.reason, unseen.frame) == ("blank", 64)
    assert played(kept) == wanted
    assert [one.review for one in kept if one.type == "play"] == [True, False]


@pytest.mark.parametrize("finds_board", [at_length(True), False])
def test_what_was_missed_while_the_program_did_not_run_is_not_seen(frames, profile, finds_board):
    session = Session(MatchConfig(SHORT, profile=profile), lambda events: None)
    before = [event for frame in frames[:AFTER_FIRST] for event in session.feed(frame)]
    later = [replace(one, seconds=one.seconds + 300) for one in frames[AFTER_FIRST:]]
    if not finds_board:
        later = [replace(one, image=np.full_like(one.image, 4)) for one in later]
    kept = []
    plan = MatchConfig(SHORT, profile=profile, resumed=session.state)
    session = Session(plan, kept.extend, seen_until=before[-1].time)
    for frame in later:
        session.feed(frame)
    session.finish(later[-1].seconds, later[-1].index)
    (unseen,) = [one for one in kept if one.type == "unseen"]
    assert unseen.start == pytest.approx(before[-1].time, abs=1e-3)
    assert unseen.end >= later[0].seconds
    assert unseen.reason == ("skipped" if finds_board else "blank")
    marked = [one.review for one in kept if one.type == "play"][:1]
    assert marked == [True] * finds_board


def stood_after(plays) -> Position:
    return plays[-1][1]


def test_a_clip_that_begins_in_mid_game_starts_at_the_given_position(frames, wanted, profile):
    events = watched(frames[AFTER_FIRST:], profile=profile, start=stood_after(wanted[:1]))
    assert played(events) == wanted[1:]
    assert not any(one.review for one in events if one.type == "play")


def test_a_clip_that_begins_in_mid_game_is_no_game_where_the_opening_is_awaited(frames, profile):
    (unseen,) = watched(frames[AFTER_FIRST:], profile=profile)
    assert (unseen.type, unseen.reason) == ("unseen", "unread")


@pytest.mark.slow
def test_a_session_passes_the_throw_zone_to_the_referee(frames, profile):
    """Light's first throw lands right of the bar, dark's 3-3 lies left of it in the end."""
    baffle = replace(USUAL, roll_zone=ZoneRule.BAFFLE)
    seen = []
    for left, right in ((0.0, 1.0), (1.02, 1.3)):
        zone = np.array([(left, 0.0), (right, 0.0), (right, 1.0), (left, 1.0)])
        known = replace(profile, throw_zone=zone)
        events = watched(frames[:94], profile=known, rule_set=baffle)
        seen.append([one.dice for one in events if one.type == "roll"])
    assert seen[0] == [(5, 2), (3, 3)]
    assert (3, 3) not in seen[1]


@pytest.mark.parametrize(
    ("kind", "severity"),
    [
        ("shake", 3),
        *(
            pytest.param(kind, severity, marks=pytest.mark.slow)
            for kind, severity in [
                ("shadow", 3),
                ("flicker", 3),
                ("lamp", 3),
                ("hunting", 2),
                ("webcam", 2),
            ]
        ),
    ],
)
def test_a_picture_that_is_never_steady_loses_no_play(frames, wanted, kind, severity):
    first = frames[0].image
    degrader = Degrader(KINDS[kind][severity - 1], first.shape[1::-1], kind)
    shown = [replace(one, image=degrader.degraded(one.image, one.seconds)) for one in frames]
    events = watched(shown)
    assert played(events) == wanted
    assert not any(one.type == "illegal" or getattr(one, "review", False) for one in events)


def slowed(frames, seconds):
    """The same scenes, each picture so many seconds after the one before it."""
    return [replace(one, index=n, seconds=n * seconds) for n, one in enumerate(frames)]


def test_a_board_that_stands_in_two_pictures_far_apart_is_found(frames):
    events = watched(slowed([frames[0], frames[8]], 5.0))
    assert [one.type for one in events] == ["game_start"]


@pytest.mark.parametrize(
    ("level", "reason"), [(None, "lost"), (40, "blank")], ids=["no board", "blank"]
)
def test_a_board_that_is_never_found_was_not_seen_from_the_first_picture_on(frames, level, reason):
    rng = np.random.default_rng(1)
    noise = rng.integers(0, 255, frames[0].image.shape, np.uint8)
    image = noise if level is None else np.full_like(noise, level)
    (unseen,) = watched(slowed([replace(frames[0], image=image)] * 4, 5.0))
    assert (unseen.type, unseen.start, unseen.end, unseen.reason) == ("unseen", 0, 15, reason)


@pytest.mark.parametrize(
    "fps", [*(pytest.param(n, marks=pytest.mark.slow) for n in (3.0, 0.5)), 1.0]
)
def test_a_slow_machine_accuses_nobody_and_marks_what_it_may_have_missed(frames, wanted, fps):
    shown, due = [], 0.0
    for frame in frames:
        if frame.seconds >= due:
            shown.append(frame)
            due += 1 / fps
    events = watched(shown)
    assert not any(one.type == "illegal" for one in events)
    right = {one for one in played(events) if one in wanted}
    marked = sum(getattr(one, "review", False) or one.type == "unseen" for one in events)
    assert len(right) == len(wanted) or marked


def test_a_view_that_freezes_for_a_turn_is_an_unseen_stretch(frames, profile):
    end = len(frames) - 30
    events = watched([one for one in frames if not 30 <= one.index < end], profile=profile)
    (unseen,) = [one for one in events if one.type == "unseen"]
    assert unseen.reason == "skipped"
    assert unseen.start < 30 / 12 < end / 12 <= unseen.end + 0.1
    assert not any(one.type == "illegal" for one in events)
    after = [one for one in events if one.type == "play" and one.time >= unseen.end]
    assert not after or after[0].review


def test_a_lens_that_is_covered_loses_nothing_and_is_named_at_once(frames, wanted, profile):
    """The first dice lie there from 26 on and are lifted before 68."""
    session_events, messages = [], []
    session = Session(MatchConfig(SHORT, profile=profile), session_events.extend)
    for frame in frames:
        is_covered = 20 <= frame.index < 64
        image = np.full_like(frame.image, 4) if is_covered else frame.image
        session.feed(replace(frame, image=image))
        if is_covered:
            messages.append(session.message)
            assert not session.sees_board
    session.finish(frames[-1].seconds, frames[-1].index)
    assert set(messages) == {MESSAGES["blank"]}
    (unseen,) = [one for one in session_events if one.type == "unseen"]
    assert unseen.reason == "blank"
    assert played(session_events) == wanted
    assert [one.review for one in session_events if one.type == "play"] == [True, False]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "since"), [("carried", 17.0), ("mirrored", 0.0), ("upside", 0.0), ("second", 0.0)]
)
def test_a_camera_that_is_held_otherwise_loses_no_play(frames, wanted, kind, since):
    """It is carried about from 3 s to 5 s, while the first play is made."""
    first = frames[0].image
    degrader = Degrader(KINDS[kind][0], first.shape[1::-1], kind)
    shown = [
        replace(one, image=degrader.degraded(one.image, one.seconds + since)) for one in frames
    ]
    assert not np.array_equal(shown[-1].image, frames[-1].image)
    assert played(watched(shown)) == wanted


def test_two_boards_in_view_are_told_until_a_play_shows_which_one_is_meant(frames, wanted):
    height, width = frames[0].image.shape[:2]
    degrader = Degrader(KINDS["second"][0], (width, height), "two boards")
    kept, told = [], []
    session = Session(MatchConfig(SHORT), kept.extend)
    for frame in frames:
        session.feed(replace(frame, image=degrader.degraded(frame.image, frame.seconds)))
        told.append(session.trouble == TWO_BOARDS)

    first = next(frame.seconds for frame, is_told in zip(frames, told, strict=True) if is_told)
    assert first < 2
    assert not told[-1]
    assert played(kept) == wanted


@pytest.mark.parametrize("is_there", [at_length(True), False])
def test_a_match_in_which_no_cube_is_seen_says_so(frames, is_there):
    session = Session(MatchConfig(SHORT), lambda _: None)
    left, top, right, bottom = CUBE
    for frame in frames[: AFTER_FIRST + 20]:
        image = frame.image.copy()
        if not is_there:
            image[top:bottom, left:right] = image[top - 60 : bottom - 60, left:right]
        session.feed(replace(frame, image=image))
    assert session.state.turns
    assert session.lacks_cube is not is_there
