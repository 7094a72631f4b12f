"""How well dice are told apart in our pictures; `-s` prints the figures of the docs."""

import json
from collections import Counter
from itertools import count
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.appearance import to_bgr
from engine.dice_sets.clusters import cluster_dice
from engine.rules import find_rules
from tableside.setup.learn_board import learn_board
from tests.paths import RENDERED
from vision.dice.appearance import illumination_gain, with_appearances
from vision.errors import VisionError
from vision.reading.reader import Reader
from vision.reading.single_image import read_still
from vision.sources.frame import Frame, read_image

CLIPS = ("dev_short", "dev_turned", "dev_narde", "dev_game")
"""The clips in which each player has a pair in his own color."""
LIKE = "d3_wood_inlay"
"""The set whose four dice are all alike."""
NEAR = 12  # pixels from a die's true middle

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not RENDERED.exists(), reason="the development pictures are not here"),
]


def makes_by_player(dice, truth):
    """The appearances of each player's dice, for the dice that were found."""
    found = {"light": [], "dark": []}
    for true in truth:
        near = [d for d in dice if np.hypot(*np.subtract(d.center, true["px"])) < NEAR]
        if near:
            found[true["player"]].append(near[0].appearance)
    return found


def figures(throws):
    """Counts of (player, looks) throws: dice, right, unnamed, merged with another's, split off."""
    found = cluster_dice([looks for _, looks in throws])
    tally = Counter(
        (player, kind)
        for (player, _), kinds in zip(throws, found.indices, strict=True)
        for kind in kinds
    )
    players = {player for player, _ in tally}
    unnamed = sum(n for (_, kind), n in tally.items() if kind is None)
    merged = split = 0
    for kind in range(len(found.clusters)):
        held = [tally[player, kind] for player in players]
        merged += sum(held) - max(held)
    for player in players:
        held = [tally[player, kind] for kind in range(len(found.clusters))] or [0]
        split += sum(held) - max(held)
    dice = sum(tally.values())
    return np.array((dice, dice - unnamed - merged - split, unnamed, merged, split))


def lamp(index):
    """(3,) brightness of a lamp at a frame of a clip, relative to its first frame."""
    return (0.8 + 0.25 * np.sin(index / 60)) * np.array((0.9, 1.0, 1.08))


def throws_of_clip(name, *, changes_light=False):
    """The dice of each throw at rest, at its middle frame and its last."""
    lines = (RENDERED / "clips" / f"{name}.segments.jsonl").read_text().splitlines()
    rests = [one for one in map(json.loads, lines) if one["kind"] == "dice_rest" and one["dice"]]
    wanted = {
        frame: one["dice"]
        for one in rests
        for frame in ((one["frame_start"] + one["frame_end"]) // 2, one["frame_end"])
    }
    setup = json.loads((RENDERED / "clips" / f"{name}.setup.json").read_text())
    rules = find_rules("narde" if setup["game"] == "narde" else "short")
    home = setup["light_home_corner_px"] if rules.name == "narde" else None
    clip = cv2.VideoCapture(str(RENDERED / "clips" / f"{name}.mp4"))
    for index in count():
        picture: Any = clip.read()
        is_there, image = picture
        if not is_there:
            return
        if index == 0:
            board = learn_board(image, rules.opening(), rules.name, light_home=home)
            reader, learnt = Reader(board.profile), to_bgr(board.profile.appearance().background)
        if index in wanted:
            reading = reader.read(Frame(image, index, index / 12))
            dice = reading.observation.dice
            if changes_light:
                lit = np.clip(np.rint(image * lamp(index)), 0, 255).astype(np.uint8)
                light = illumination_gain(reading.grid.rectify(lit), learnt)
                dice = with_appearances(dice, lit, reading.grid.pose, light)
            for player, looks in makes_by_player(dice, wanted[index]).items():
                if looks:
                    yield player, looks


def throws_of_stills(remainder):
    """By set, the dice of each player in each still whose number is even or odd."""
    sets = {}
    for path in sorted((RENDERED / "stills").glob("dev_*.json")):
        if int(path.stem[-4:]) % 2 != remainder:
            continue
        image, truth = read_image(path.with_suffix(".jpg")), json.loads(path.read_text())
        try:
            still = read_still(image, None)
        except VisionError:
            continue
        dice = with_appearances(still.dice, image, still.grid.pose)
        seen = [one for one in truth["dice"] if one["in_image"] and one["top_visible"]]
        for player, looks in makes_by_player(dice, seen).items():
            owner = "both" if truth["style"] == LIKE else player
            if looks:
                sets.setdefault(truth["style"], []).append((owner, looks))
    return sets


def print_shares(what, found):
    dice, right, unnamed, merged, split = found.tolist()
    print(
        f"{what}: {dice} dice, {right / dice:.1%} right, {unnamed} unnamed, "
        f"{merged} in another's kind, {split} split off"
    )
    return right / dice, merged / dice


def test_each_players_pair_is_one_kind_through_a_clip():
    found = sum(figures(list(throws_of_clip(name))) for name in CLIPS)
    right, merged = print_shares("clips", found)
    assert right >= 0.98
    assert merged == 0


def test_a_lamp_that_changes_makes_no_other_dice_of_them():
    found = sum(figures(list(throws_of_clip(name, changes_light=True))) for name in CLIPS)
    right, merged = print_shares("clips in changing light", found)
    assert right >= 0.97
    assert merged == 0


@pytest.mark.parametrize(("remainder", "name"), [(1, "odd stills"), (0, "even stills")])
def test_the_pairs_of_a_set_are_distinguished_in_any_light(remainder, name):
    found = sum(figures(throws) for throws in throws_of_stills(remainder).values())
    right, merged = print_shares(name, found)
    assert right >= 0.8
    assert merged <= 0.04
