"""Simulated matches with their truth, for tests and benchmarks.

Takes rules, error rates and a random generator and gives observations and a score of the referee
that judged them; imports every engine folder except `formats`.
"""
