"""The program: composes engine, calibration, vision, hardware and webui."""

import os

# Said before numpy is loaded. Our matrices are small, and threads that share one wait for each
# other by spinning: 1040 x 97 times 97 x 31 takes 8 ms of two busy cores, and 0.2 of one alone.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Said before OpenCV is loaded: it waits 10 s for a camera's first picture, as long as we do in all,
# and a camera that gives none in the format asked for is to be opened once more.
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "4")
