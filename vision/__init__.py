"""Pictures in, observations out; imports `engine` and `calibration`."""
