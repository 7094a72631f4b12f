"""Pictures in, observations out. Knows `engine` and `calibration`."""
