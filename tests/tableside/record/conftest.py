"""Small disks, which only root can mount."""

import os
import subprocess

import pytest


def _mounted(folder, size):
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}m", "tmpfs", str(folder)]
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not is_root or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def tiny_disk(tmp_path):
    """A disk of 1 MB."""
    yield from _mounted(tmp_path / "tiny", 1)


@pytest.fixture
def small_disk(tmp_path):
    """A disk that is large enough for the reserve, 100 MB."""
    yield from _mounted(tmp_path / "small", 100)
