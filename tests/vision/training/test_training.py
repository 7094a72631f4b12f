"""What the nets learn from is true and drawn the same each time; training resumes where it was."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from engine.position import CHECKERS
from vision.checkers.strips import STRIP_COUNT
from vision.dice.classify import CUBE_NUMBERS
from vision.nets import MODELS, with_onnxruntime
from vision.training.samples import cube_crops, lean_crops, number_crops, size_crops
from vision.training.samples.coloured_crops import COLOUR_SIGMA, recolour
from vision.training.samples.die_crops import BACKGROUND, FIRST_CUBE, make_crops
from vision.training.samples.samples import decode, make_sample
from vision.training.scenes import checkers, hands
from vision.training.scenes.builder import SceneBuilder
from vision.training.scenes.coverage import covered_shares
from vision.training.scenes.dice import _propped
from vision.training.scenes.materials import colour_difference, lightness, random_set_colours
from vision.training.scenes.scenes import make_scene


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


@pytest.mark.slow
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


def test_the_numbers_of_several_cubes_of_one_scene_are_learnt():
    scene = make_scene(np.random.default_rng(cube_crops.FIRST_SEED), cubes=cube_crops.CUBES)
    crops, view, truth = cube_crops.make_crops(0)

    assert 1 < len(crops) <= len(scene.cubes) <= cube_crops.CUBES
    assert len(crops) == len(view) == len(truth)
    numbers = {CUBE_NUMBERS[int(number) - FIRST_CUBE] for number in truth[:, 0]}
    assert numbers <= {cube.value for cube in scene.cubes}


def test_numbers_printed_on_the_points_are_learnt_as_other_things():
    bare, numbered = (
        make_scene(np.random.default_rng(3), numbered=always) for always in (False, True)
    )
    crops, _, truth = number_crops.make_crops(0)

    assert not np.array_equal(bare.world.field, numbered.world.field)
    assert 0 < len(crops) <= 2 * number_crops.NUMBERS
    assert (truth[:, 0] == BACKGROUND).all()


def test_cubes_of_one_scene_do_not_stand_in_each_other():
    for seed in range(3):
        cubes = make_scene(np.random.default_rng(seed), cubes=6).cubes
        for one, other in combinations(cubes, 2):
            away = np.hypot(*np.subtract(one.top[:2], other.top[:2]))
            assert away > (one.side + other.side) * np.sqrt(0.5)


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


def test_the_bars_counts_may_be_in_either_half(torch):
    from vision.training.train.checkers import loss_of

    logits = torch.zeros(1, 4, 31)
    logits[0, 2, 15 + 2] = logits[0, 3, 15 - 1] = 9.0  # two light ones near, a dark one far
    there, swapped = torch.tensor([[15, 15, 17, 14]]), torch.tensor([[15, 15, 14, 17]])
    other = torch.tensor([[15, 15, 18, 14]])

    assert loss_of(logits, there) == pytest.approx(float(loss_of(logits, swapped)), abs=1e-5)
    assert loss_of(logits, other) > loss_of(logits, there) + 1


def test_a_net_written_in_8_bits_answers_nearly_as_before(torch, tmp_path):
    from vision.training.export.quantise import quantise

    path, out = MODELS / "die.onnx", tmp_path / "die.int8.onnx"
    crops = np.random.default_rng(0).random((8, 5, 48, 48), np.float32) - 0.5
    quantise(path, iter([crops]), out)
    whole, small = (with_onnxruntime(one)(crops) for one in (path, out))
    assert out.stat().st_size < path.stat().st_size
    assert small == pytest.approx(whole, abs=0.5)
    assert not np.array_equal(small, whole)


def test_a_net_begins_with_what_an_earlier_one_knows(torch):
    from vision.training.nets.die_net import FLAT_OUTPUT, DieNet, PartNet
    from vision.training.train import stacks, trays

    die, lean = DieNet().eval(), PartNet(FLAT_OUTPUT).eval()
    lean.take_over(die.state_dict())
    crops = torch.rand(3, 5, 48, 48)
    assert torch.allclose(lean(crops)[:, 0], die(crops)[:, FLAT_OUTPUT.start], atol=1e-6)

    counts, wider = stacks.TASK.make_net(), trays.TASK.make_net()
    trays.take_over(wider, counts.state_dict())
    same = [torch.equal(one, two) for one, two in zip(
        counts.layers[:7].parameters(), wider.layers[:7].parameters(), strict=True)]  # fmt: skip
    assert all(same)


def chunk(low):
    return lambda: [low + index for index in range(10)]


@pytest.mark.parametrize("choices", [[], [chunk(20), chunk(40)]])
def test_training_goes_on_where_it_was_killed(torch, tmp_path, monkeypatch, choices):
    from vision.training.train import learning

    def batch(examples, indices, rng):
        picked = torch.tensor([[float(examples[index])] for index in indices])
        return picked + torch.from_numpy(rng.normal(0, 0.1, picked.shape)).float(), picked

    task = learning.Task(
        "line", lambda: torch.nn.Sequential(torch.nn.Linear(1, 1), torch.nn.Dropout(0.3)), 4, batch,
        lambda output, target: (output - target).abs().mean(),
        lambda net, examples: {"examples": len(examples)}, lambda net, out: out.touch(), 0.1,
        doubt=lambda output: output[:, 0],
    )  # fmt: skip

    def plan(name, save_every_s=1e9):
        return learning.Plan([chunk(0), chunk(5), chunk(9)], chunk(3), choices, 5, 23, "s",
                             tmp_path / name, save_every_s, False, 1, None)  # fmt: skip

    whole = learning.Run(task, plan("whole"))
    whole.train()
    killed = learning.Run(task, plan("killed", 0.0))
    take_step = killed._take_step

    def dies(loss):
        if killed.step == 13:
            raise KeyboardInterrupt
        return take_step(loss)

    monkeypatch.setattr(killed, "_take_step", dies)
    with pytest.raises(KeyboardInterrupt):
        killed.train()
    resumed = learning.Run(task, plan("killed"))
    assert resumed.step == 13
    resumed.train()

    assert resumed.step == whole.step == 23
    assert torch.equal(resumed.net[0].weight, whole.net[0].weight)
    assert torch.equal(resumed.mean.module[0].weight, whole.mean.module[0].weight)
    figures = learning.learn(task, plan("killed"), tmp_path / "weights", tmp_path / "net")
    assert figures == {"examples": 10}
    assert not torch.equal(
        learning.Run(task, replace(plan("killed"), settings="other")).net[0].weight,
        whole.net[0].weight,
    )


def test_from_halfway_on_a_net_learns_what_it_was_least_sure_of(torch, tmp_path):
    """Of the numbers 20 to 49, by tens, it is least sure of those with the largest last digits."""
    from vision.training.train import learning

    learned = []

    def batch(examples, indices, rng):
        picked = torch.tensor([[float(examples[index])] for index in indices])
        return picked, picked

    def loss(output, target):
        learned.append([*map(int, target[:, 0])])
        return output.square().mean()

    def doubt(output):
        assert not output.requires_grad
        return (output[:, 0] - 1).round() % 10

    net = torch.nn.Linear(1, 1)
    torch.nn.init.ones_(net.weight)
    torch.nn.init.ones_(net.bias)
    task = learning.Task("digits", lambda: net, 5, batch, loss, lambda net, examples: {},
                         lambda net, out: out.touch(), 1e-9, doubt=doubt)  # fmt: skip
    chunks, choices = [chunk(0), chunk(10)], [chunk(20), chunk(30), chunk(40)]
    run = learning.Run(task, learning.Plan(chunks, chunk(3), choices, 6, 30, "s", tmp_path / "one",
                                           1e9, False, 1, None))  # fmt: skip
    run.train()

    first, second = (set().union(*part) for part in (learned[:15], learned[15:]))
    assert first == set(range(20))
    assert {number for number in second if number >= 20} == {27, 28, 29, 37, 38, 39, 47, 48, 49}
    assert second & first


def test_the_mean_of_the_weights_is_nearer_than_they_are_and_judged_as_it_learns(
    torch, tmp_path, capsys
):
    from vision.training.train import learning

    away = []

    def loss(output, target):
        away.append(float(output[0].detach().abs()))
        return (output - target).square().mean()

    task = learning.Task(
        "noise", lambda: torch.nn.Linear(1, 1), 4,
        lambda examples, indices, rng: (
            torch.ones(4, 1), torch.from_numpy(rng.normal(0, 1, (4, 1))).float()
        ),
        loss, lambda net, examples: {"away": float(net(torch.ones(1, 1)).abs())},
        lambda net, out: out.touch(), 0.1,
    )  # fmt: skip
    run = learning.Run(task, learning.Plan([chunk(0)], chunk(3), [], 2, 400, "s", tmp_path / "one",
                                           1e9, False, 1, None))  # fmt: skip
    run.train()

    judged = run.judged()["away"]
    assert judged is not None
    assert judged < float(np.mean(away[200:]))
    assert capsys.readouterr().out.count(": away ") == learning.JUDGED


def test_a_point_below_a_hand_is_covered_and_weighs_less(sample, torch):
    from vision.training.train.checkers import loss_of, weights_of

    scene = make_scene(np.random.default_rng(3))
    build = SceneBuilder(np.random.default_rng(0))
    (x, _), aspect = scene.layout.base(6), scene.pose.aspect
    wide = scene.layout.point_width
    build.box((x - wide, 0, 0.02), (x + wide, aspect * 0.48, 0.03), 0)
    above = replace(scene.world, objects=np.array(build.objects))

    covered = covered_shares(above, scene.pose, scene.layout)
    weights = weights_of(replace(sample, covered=covered))

    assert covered[5] > 0.9
    assert not covered[[0, 18, 23]].any()
    assert weights[5] < 0.2
    assert weights[0] == 1
    wrong, classes = torch.zeros(1, STRIP_COUNT, 31), torch.full((1, STRIP_COUNT), CHECKERS)
    wrong[0, 5, 0] = 9.0  # sure of what it cannot see
    assert loss_of(wrong, classes, torch.from_numpy(weights)[None]) < loss_of(wrong, classes)


def test_the_same_seed_makes_the_same_hands(monkeypatch):
    monkeypatch.setattr(hands, "HANDS_SHARE", 1.0)
    made = [make_scene(np.random.default_rng(seed)) for seed in (11, 11)]

    assert made[0].covered.shape == (STRIP_COUNT,)
    assert np.array_equal(made[0].covered, made[1].covered)
    assert np.array_equal(made[0].world.objects, made[1].world.objects)
