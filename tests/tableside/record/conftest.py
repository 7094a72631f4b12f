"""Small disks, which only root can mount, and calls to the disk that are traced or fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

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


@pytest.fixture(scope="session")
def preloaded(tmp_path_factory):
    """The library of `trace_writes.c`."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler")
    library = tmp_path_factory.mktemp("trace") / "trace_writes.so"
    source = Path(__file__).with_name("trace_writes.c")
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library
