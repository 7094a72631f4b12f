"""Noise is measured where it is, and real changes are not taken for noise."""

import numpy as np

from vision.steady.noise import NoiseMap


def steps(rng, sigma, count=60):
    for _ in range(count):
        yield np.abs(rng.normal(0, sigma, (40, 60))).clip(0, 255).astype(np.uint8)


def limit_of(noise, least):
    (limit,) = noise.limits(6.0, least)
    return limit


def test_a_noisy_part_has_a_higher_limit_than_a_quiet_one():
    noise, rng = NoiseMap((60, 40)), np.random.default_rng(1)
    for step in steps(rng, 1.0):
        step[:, 30:] = np.abs(rng.normal(0, 6, (40, 30))).astype(np.uint8)
        noise.learn(step)
    limit = limit_of(noise, 10)
    assert (limit[:, :25] == 10).mean() > 0.9
    assert limit[:, 35:].min() > 18


def test_a_hand_that_passes_is_not_learnt_as_noise():
    noise, rng = NoiseMap((60, 40)), np.random.default_rng(2)
    for step in steps(rng, 1.0, 40):
        noise.learn(step)
    before = limit_of(noise, 5).copy()
    noise.learn(np.full((40, 60), 120, np.uint8))
    assert limit_of(noise, 5).max() <= before.max() + 4


def test_a_stream_that_begins_noisy_is_learnt_while_it_seems_to_move():
    rng = np.random.default_rng(4)
    noise = NoiseMap((60, 40))
    for _ in range(60):
        noise.learn_moving(np.abs(rng.normal(0, 8, (40, 60))).astype(np.uint8))
    assert 20 < limit_of(noise, 10).mean() < 60


def test_the_mean_and_the_limits_are_those_of_the_plain_formulas():
    """The naive twin: a running mean, its worst neighbor within two pixels, and the floor."""
    rng = np.random.default_rng(5)
    noise, mean = NoiseMap((60, 40)), np.ones((40, 60))
    for step in steps(rng, 4.0):
        noise.learn(step)
        mean += 0.08 * (np.minimum(step, 4 * mean + 1) - mean)
    padded = np.pad(mean, 2)
    worst = np.lib.stride_tricks.sliding_window_view(padded, (5, 5)).max(axis=(2, 3))
    plain = np.maximum(np.floor(6 * worst), 10)
    assert (np.abs(limit_of(noise, 10) - plain) > 0).mean() < 0.01  # of rounding
