"""Shadows darken a part of a picture; glare and reflections brighten one."""

import numpy as np
import pytest

from vision.training.render.uneven_light import SHARES, UnevenLight, random_uneven_light, under

LIGHT = np.full((60, 90, 3), 0.5)


@pytest.mark.parametrize("seed", range(8))
def test_a_shadow_darkens_and_leaves_something_visible(seed):
    shaded = under(UnevenLight.SHADOW, LIGHT, np.random.default_rng(seed))

    assert (shaded <= LIGHT + 1e-6).all()
    assert shaded.min() > 0.04


@pytest.mark.parametrize("kind", [UnevenLight.GLARE, UnevenLight.REFLECTION])
def test_glare_and_reflections_only_brighten(kind):
    lit = under(kind, LIGHT, np.random.default_rng(3))

    assert (lit >= LIGHT - 1e-6).all()
    assert lit.max() > LIGHT.max()


def test_most_pictures_have_even_light():
    rng = np.random.default_rng(1)
    kinds = [random_uneven_light(rng) for _ in range(2000)]

    for kind, share in SHARES.items():
        assert kinds.count(kind) / 2000 == pytest.approx(share, abs=0.02)
