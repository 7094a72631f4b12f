"""What every test relies on: FFmpeg is silent, and a green suite stays green.

FFmpeg takes its log level when it is first used in a process, so it is set before any test uses
it. Property tests draw the same examples each time; the long run (`make test-long`) draws many.
"""

from hypothesis import settings

from vision.frame import hush_opencv

hush_opencv()
settings.register_profile("repeatable", derandomize=True)
settings.load_profile("repeatable")
