"""What the nets learn from is true and drawn the same each time; training resumes where it was."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from engine.position import CHECKERS
from vision.checkers.strips import NET_STRIP_LENGTH, NET_STRIP_WIDTH, STRIP_COUNT, coloured_input
from vision.dice.classify import CUBE_NUMBERS
from vision.nets import MODELS, load_net, with_onnxruntime
from vision.training.samples import lean_crops, size_crops, stack_crops
from vision.training.samples.coloured_crops import COLOUR_SIGMA, recolour
from vision.training.samples.die_crops import FIRST_CUBE, make_crops
from vision.training.samples.samples import decode, make_sample
from vision.training.scenes import checkers
from vision.training.scenes.dice import _propped
from vision.training.scenes.materials import colour_difference, lightness, random_set_colours


def totals(points, bar=(0, 0)):
    light = sum(count for count in points if count > 0) + bar[0]
    dark = -sum(count for count in points if count < 0) + bar[1]
    return light, dark


def test_no_side_has_more_than_its_checkers():
    for seed in range(400):
        points, bar = checkers.random_position(np.random.default_rng(seed), bears_off=seed % 4 == 0)
        assert len(points) == 24
        assert min(bar) >= 0
        assert max(totals(points, bar)) <= CHECKERS


def test_heads_hold_fifteen_a_side():
    for seed in range(50):
        points = checkers._heads(np.random.default_rng(seed))
        assert totals(points) == (CHECKERS, CHECKERS)
        assert max(points) >= 10
        assert min(points) <= -10


def test_most_points_of_a_crowded_board_hold_some():
    counts = np.abs([checkers.random_position(np.random.default_rng(n), crowded=True)[0]
                     for n in range(50)])  # fmt: skip
    assert (counts > 0).mean() > 0.7
    assert set(counts.ravel().tolist()) == set(range(CHECKERS + 1))


def test_a_strip_and_what_is_known_of_its_set_are_repainted_alike():
    rng = np.random.default_rng(1)
    colours = rng.uniform(20, 235, (200, 2, 3)).round()
    strips = np.broadcast_to(colours[:, :1, None], (200, 4, 4, 3)).astype(np.uint8)

    painted, known = recolour(strips, colours, rng)

    off = painted[:, 0, 0] - known[:, 0]
    assert abs(off.mean()) < 1.5
    assert off.std() == pytest.approx(COLOUR_SIGMA, rel=0.2)
    assert not np.allclose(painted, strips, atol=10)


def test_sides_that_bear_off_stand_in_one_quarter_each():
    for seed in range(50):
        points, _ = checkers._bearing_off(np.random.default_rng(seed), 14)
        for sign in (1, -1):
            assert len({place // 6 for place, count in enumerate(points) if count * sign > 0}) <= 1


def test_the_paler_checkers_are_the_light_ones():
    for seed in range(200):
        colours = random_set_colours(np.random.default_rng(seed))
        assert lightness(colours.light) - lightness(colours.dark) > 6
        assert colour_difference(colours.light, colours.dark) > 15


@pytest.fixture(scope="module")
def sample():
    return make_sample(77, whole_picture=False)


def test_the_same_seed_makes_the_same_sample(sample):
    again = make_sample(77, whole_picture=False)

    assert again.board == sample.board
    assert again.plane == sample.plane
    assert (again.points, again.bar) == (sample.points, sample.bar)
    assert np.array_equal(again.dice, sample.dice)


def test_a_sample_holds_the_board_and_no_more_checkers_than_there_are(sample):
    assert max(totals(sample.points, sample.bar)) <= CHECKERS
    assert decode(sample.board).ndim == 3
    assert sample.lifts.shape == (STRIP_COUNT, 2)
    assert sample.small == b""
    assert set(sample.dice[:, 2]) <= set(range(1, 7))


def test_half_of_the_dice_that_teach_leaning_lean():
    made = [lean_crops.make_crops(seed) for seed in range(12)]

    tilts = np.concatenate([truth[:, 1] for _, _, truth in made])
    assert 0.25 < (tilts > 3).mean() < 0.65
    assert tilts.max() < 54.8, "of a cube that leans by more another face lies up"
    assert np.array_equal(made[3][0], lean_crops.make_crops(3)[0])


def test_dice_that_teach_their_size_are_cut_as_smaller_and_larger_ones():
    crops, view, truth = size_crops.make_crops(5)

    assert len(crops) == len(view) == len(truth) > 0
    assert np.abs(truth[:, 0]).max() <= np.log(size_crops.MAX_SIZE_RATIO)
    assert truth[:, 0].min() < 0 < truth[:, 0].max()


def test_a_die_on_a_rim_leans_away_from_the_checker_as_steeply_as_that_is_thick():
    """One edge on the felt, the lower face on the rim: the angle's sine is thickness over reach."""
    rng, thick, side = np.random.default_rng(1), 0.012, 0.026
    spots = [_propped(rng, np.array([0.4, 0.3, thick]), 0.035, side) for _ in range(200)]
    for spot in spots:
        if spot.way is None:
            continue
        reach = thick / np.sin(np.radians(spot.tilt))
        assert 0.5 * side <= reach <= side
        assert np.arctan2(spot.y - 0.3, spot.x - 0.4) == pytest.approx(
            (spot.way + np.pi) % (2 * np.pi) - np.pi
        )


def test_the_same_seed_makes_the_same_close_views_of_known_classes():
    crops, view, truth = make_crops(3)
    again = make_crops(3)

    assert np.array_equal(crops, again[0])
    assert np.array_equal(truth, again[2])
    assert len(crops) == len(view) == len(truth) > 0
    assert set(truth[:, 0]) <= set(range(FIRST_CUBE + len(CUBE_NUMBERS)))


@pytest.fixture
def torch():
    pytest.importorskip("onnx", reason="the extra `training` is not installed")
    return pytest.importorskip("torch", reason="the extra `training` is not installed")


def test_training_goes_on_with_what_was_exported(torch):
    from vision.dice.classify import FACE_CLASSES
    from vision.training.nets.checker_net import CheckerNet
    from vision.training.nets.die_net import FLAT_OUTPUT, DieNet, PartNet
    from vision.training.nets.from_onnx import start_from
    from vision.training.nets.mark_net import MarkNet

    shapes: dict[str, Any] = {
        "faces": (PartNet(DieNet(), FACE_CLASSES), (3, 5, 48, 48)),
        "lean": (PartNet(DieNet(), FLAT_OUTPUT), (3, 5, 48, 48)),
        "checkers": (CheckerNet(), (STRIP_COUNT, 5, NET_STRIP_LENGTH, NET_STRIP_WIDTH)),
        "die": (DieNet(), (3, 5, 48, 48)),
        "dice_finder": (MarkNet(2, wide=False), (1, 3, 96, 96)),
        "finder": (MarkNet(4, wide=True), (1, 3, 192, 320)),
    }
    for name, (net, shape) in shapes.items():
        given = np.random.default_rng(0).random(shape, np.float32) - 0.5
        start_from(net, MODELS / f"{name}.onnx")
        net.eval()
        with torch.no_grad():
            outputs = net(torch.from_numpy(given)).numpy()
        assert outputs == pytest.approx(
            with_onnxruntime(MODELS / f"{name}.onnx")(given), abs=1e-3
        ), name


def test_what_is_left_to_chance_is_no_net_to_go_on_with(torch):
    """A dense layer of another name would start from scratch without an error."""
    from vision.training.nets.die_net import DieNet, PartNet
    from vision.training.nets.from_onnx import start_from

    bare = PartNet(DieNet(), slice(0, 1)).layers
    with pytest.raises(ValueError, match=r"it has no"):
        start_from(bare, MODELS / "lean.onnx")


def test_the_bars_counts_may_be_in_either_half(torch):
    from vision.training.train.checkers import loss_of

    logits = torch.zeros(1, 4, 31)
    logits[0, 2, 15 + 2] = logits[0, 3, 15 - 1] = 9.0  # two light ones near, a dark one far
    there, swapped = torch.tensor([[15, 15, 17, 14]]), torch.tensor([[15, 15, 14, 17]])
    other = torch.tensor([[15, 15, 18, 14]])

    assert loss_of(logits, there) == pytest.approx(float(loss_of(logits, swapped)), abs=1e-5)
    assert loss_of(logits, other) > loss_of(logits, there) + 1


@pytest.mark.parametrize(
    ("kind", "shape"), [("die", (5, 48, 48)), ("faces", (5, 48, 48)), ("stacks", (7, 312, 64))]
)
def test_a_net_blended_with_itself_is_that_net(torch, kind, shape):
    from vision.training.export.blend import blend

    path = MODELS / f"{kind}.onnx"
    given = np.random.default_rng(0).random((3, *shape), np.float32) - 0.5
    net = blend(kind, path, path, 0.3).eval()
    with torch.no_grad():
        outputs = net(torch.from_numpy(given)).numpy()

    assert outputs == pytest.approx(with_onnxruntime(path)(given), abs=1e-3)


def test_a_net_written_in_8_bits_answers_nearly_as_before(torch, tmp_path):
    from vision.training.export.quantise import quantise

    path, out = MODELS / "die.onnx", tmp_path / "die.int8.onnx"
    crops = np.random.default_rng(0).random((8, 5, 48, 48), np.float32) - 0.5
    quantise(path, iter([crops]), out)
    whole, small = (with_onnxruntime(one)(crops) for one in (path, out))
    assert out.stat().st_size < path.stat().st_size
    assert small == pytest.approx(whole, abs=0.5)
    assert not np.array_equal(small, whole)


def stacks():
    """Strips, lifts, colors and counts of the points of some scenes."""
    made = [stack_crops.make_crops(seed) for seed in range(6)]
    return [np.concatenate(part) for part in zip(*made, strict=True)]


def test_a_net_of_wider_strips_begins_with_what_another_one_counts(torch):
    from vision.training.train.stacks import STACKS
    from vision.training.train.trays import SIZE, from_stacks_net

    strips, lifts, colours, counts = stacks()
    wide = (SIZE[1] - STACKS.size[1]) // 2
    wider = np.pad(strips[:, : SIZE[0]], ((0, 0), (0, 0), (wide, wide), (0, 0)), mode="edge")
    with torch.no_grad():
        outputs = from_stacks_net().eval()(torch.from_numpy(coloured_input(wider, colours, lifts)))
    alone = load_net("stacks")(coloured_input(strips, colours, lifts)).argmax(axis=1)

    assert len(counts) > 12
    assert (outputs[:, :-1].numpy().argmax(axis=1) == alone).mean() > 0.75


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the exporter
def test_a_net_of_longer_strips_counts_what_the_shorter_ones_showed(torch, tmp_path):
    from vision.training.export.lengthen import lengthen
    from vision.training.nets.from_onnx import start_from
    from vision.training.nets.strip_nets import RowNet
    from vision.training.train.counting import export
    from vision.training.train.stacks import STACKS

    longest, short = STACKS.net(), RowNet((248, 64), CHECKERS + 1)
    start_from(longest, MODELS / "stacks.onnx")
    short.copy_from(longest)
    export(replace(STACKS, size=(248, 64)), short, tmp_path / "short.onnx")
    strips, lifts, colours, _ = stacks()
    given = torch.from_numpy(coloured_input(strips, colours, lifts))

    with torch.no_grad():
        outputs = lengthen(tmp_path / "short.onnx", 248).eval()(given).argmax(dim=1)
        before = short.eval()(given[:, :, :248]).argmax(dim=1)

    assert (outputs == before).float().mean() > 0.9
    with pytest.raises(ValueError, match="not a net of this kind"):
        lengthen(tmp_path / "short.onnx", 240)
    with pytest.raises(ValueError, match="has to be shortened"):
        lengthen(tmp_path / "short.onnx", 400)
