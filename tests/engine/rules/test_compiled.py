"""What an installation compiles."""

from __future__ import annotations

from engine.rules import _kernels, _narde_kernels
from engine.rules.compiled import compile_all


def test_the_kernels_of_every_family_are_compiled():
    compile_all()
    for kernel in (_kernels.legal_one, _narde_kernels.circling_batch):
        assert kernel.signatures
