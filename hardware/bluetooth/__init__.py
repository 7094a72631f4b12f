"""Dice with Bluetooth (GoDice, Pixels): their packets in, throws of two dice out.

Imports `engine` and, for the radio, `bleak`, which the extra `dice-ble` installs.
"""
