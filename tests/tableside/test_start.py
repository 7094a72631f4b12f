"""What is loaded before the page is shown: every module of it is waited for."""

import subprocess
import sys

PAGE = """
import sys
import tableside.commands.options
from tableside.review.archive import RecordArchive
from tableside.setup.guided_recording import record_at_once
from tableside.vision_process.client import VisionClient
slow = {"numba", "scipy.special", "onnxruntime", "tableside.setup.wizard", "vision.reading.reader"}
print(*sorted(slow & {*sys.modules}))
"""


def test_the_process_of_the_page_loads_nothing_that_only_sight_needs():
    done = subprocess.run([sys.executable, "-c", PAGE], capture_output=True, check=True, text=True)
    assert done.stdout.split() == []
