"""Where things are and what they look like: pure, numpy and OpenCV only."""
