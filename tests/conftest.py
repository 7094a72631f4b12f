"""What every test relies on: FFmpeg is silent, and a green suite stays green.

FFmpeg takes its log level when it is first used in a process, so it is set before any test uses
it. Property tests draw the same examples each time, however long they take; the long run (`make
test-long`) draws many.
"""

import os

import pytest
from hypothesis import settings

from vision.sources.frame import silence_opencv

silence_opencv()
# What is written for the system's language is English wherever the tests run.
os.environ["LC_ALL"] = "C.UTF-8"
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(scope="session", autouse=True)
def _own_data_folder(tmp_path_factory):
    """No test writes to the data folder of whoever runs it."""
    os.environ["TABLESIDE_HOME"] = str(tmp_path_factory.mktemp("home"))
