"""The program: composes engine, calibration, vision, hardware and webui."""

import os

# Said before numpy is loaded. Our matrices are small, and threads that share one wait for each
# other by spinning: 1040 x 97 times 97 x 31 takes 8 ms of two busy cores, and 0.2 of one alone.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
