"""The program: composes engine, calibration, vision, hardware and webui."""

import os

# Set before numpy is loaded. Our matrices are small, and OpenBLAS threads that share one spin while
# they wait: 1040 x 97 times 97 x 31 takes 8 ms of two busy cores, but 0.2 ms of one alone.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Set before OpenCV is loaded: by default it waits 10 s for a camera's first picture, which is all
# the time we have, and a camera that delivers none in the requested format must be reopened.
os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", "4")
