"""Cases that only the long run includes, because others show the same in less time."""

import pytest


def at_length(*values, name=None):
    """A case that only the long run includes."""
    return pytest.param(*values, id=name, marks=pytest.mark.slow)


def first_of(count, quick):
    """The seeds 0..count - 1, of which the default run includes the first `quick`."""
    return [*range(quick), *(at_length(seed) for seed in range(quick, count))]
