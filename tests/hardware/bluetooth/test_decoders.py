"""Packets of both makes as their makers document them."""

import pytest

from hardware.bluetooth.godice import FACES, GODICE
from hardware.bluetooth.pixels import OLD_PIXELS, OLD_SERVICE, PIXELS, SERVICE
from hardware.bluetooth.radio import make_of
from hardware.bluetooth.reports import Battery, Held, Rest, Rested, Rolling
from hardware.errors import BadFrame


@pytest.mark.parametrize(
    ("packet", "report"),
    [
        ("52", Rolling()),
        ("53 40 00 00", Rested(6, Rest.ROLLED)),
        ("53 C0 00 00", Rested(1, Rest.ROLLED)),
        ("53 03 FE 3D", Rested(2, Rest.ROLLED)),
        ("54 53 00 2D 2B", Rested(3, Rest.COCKED)),
        ("46 53 00 C0 00", Rested(4, Rest.UNROLLED)),
        ("4D 53 00 00 C0", Rested(5, Rest.UNROLLED)),
        ("42 61 74 5A", Battery(90)),
        ("43 6F 6C 01", None),
        ("", None),
    ],
)
def test_a_packet_of_godice_says_what_its_api_documents(packet, report):
    assert GODICE.decode(bytes.fromhex(packet)) == report


@pytest.mark.parametrize(
    ("packet", "report"),
    [
        ("03 01 00", Rested(1, Rest.ROLLED)),
        ("03 01 05", Rested(6, Rest.ROLLED)),
        ("03 02 03", Held()),
        ("03 03 02", Rolling()),
        ("03 04 01", Rested(2, Rest.COCKED)),
        ("03 05 04", Rested(5, Rest.UNROLLED)),
        ("03 00 00", None),
        ("22 4B 00", Battery(75)),
        ("02 06 00 00", None),
        ("", None),
    ],
)
def test_a_packet_of_pixels_says_what_its_maker_documents(packet, report):
    assert PIXELS.decode(bytes.fromhex(packet)) == report
    assert OLD_PIXELS.decode(bytes.fromhex(packet)) == report


@pytest.mark.parametrize("packet", ["53 40 00", "52 00", "42 61 74", "53 00 00 00", "53 40 40 00"])
def test_a_broken_packet_of_godice_is_no_report(packet):
    with pytest.raises(BadFrame):
        GODICE.decode(bytes.fromhex(packet))


@pytest.mark.parametrize("packet", ["03 01", "03 01 06", "03 01 13", "22 4B"])
def test_a_broken_packet_of_pixels_or_one_of_a_die_with_more_faces_is_no_report(packet):
    with pytest.raises(BadFrame):
        PIXELS.decode(bytes.fromhex(packet))


def test_opposite_faces_of_a_godice_have_opposite_gravity():
    for face, gravity in FACES.items():
        assert tuple(-part for part in gravity) == FACES[7 - face]


def test_the_make_is_known_by_name_and_services():
    information = "0000180a-0000-1000-8000-00805f9b34fb"
    assert make_of("GoDice_A1B2C3_K_v04", [OLD_SERVICE]) is GODICE
    assert make_of("Ann's die", [SERVICE]) is PIXELS
    assert make_of("Ann's die", [OLD_SERVICE, information]) is OLD_PIXELS
    assert make_of("heart rate", [OLD_SERVICE]) is None
    assert make_of("", []) is None
