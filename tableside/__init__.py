"""The program: composes engine, calibration, vision, hardware and webui."""
