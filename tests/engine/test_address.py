"""A shown address tells where a stream comes from, and no way of logging in there."""

import json

import pytest

from engine.address import shown_address, without_secrets

SHOWN = {
    "rtsp://admin:secret@10.0.0.9:554/live": "rtsp://10.0.0.9:554/live",
    "rtsp://admin:secret/1@10.0.0.9/live": "rtsp://10.0.0.9/live",
    "rtsp://admin:p@secret@10.0.0.9/live": "rtsp://10.0.0.9/live",
    "rtsp://admin:p@secret#1@10.0.0.9/live": "rtsp://…",
    "rtsp://admin:a?secret@10.0.0.9/live": "rtsp://…",
    "rtsp://admin:a secret@10.0.0.9/live": "rtsp://10.0.0.9/live",
    "rtsp://admin:secret": "rtsp://admin",
    "http://10.0.0.9/snap.cgi?user=admin&pwd=secret": "http://10.0.0.9/snap.cgi",
    "http://10.0.0.9/snap.cgi?user=a@b.c&pwd=secret": "http://…",
    "http://10.0.0.9?pwd=secret": "http://10.0.0.9",
    "http://10.0.0.9/video#secret": "http://10.0.0.9/video",
    "rtsp://10.0.0.9:554/user=admin&password=secret&channel=1": "rtsp://10.0.0.9:554/user",
    "http://[fe80::1%25eth0]:80/video": "http://[fe80::1%25eth0]:80/video",
    "matches/final?.mp4": "matches/final?.mp4",
    "0": "0",
}


@pytest.mark.parametrize("address", SHOWN)
def test_an_address_is_shown_without_its_user_and_its_parameters(address):
    assert shown_address(address) == SHOWN[address]


def test_every_address_in_a_text_is_shown_without_them():
    text = "lost 'rtsp://ann:secret@a/1', then http://b/2?pwd=secret and c://d/3."
    assert without_secrets(text) == "lost 'rtsp://a/1', then http://b/2 and c://d/3."


def test_a_line_of_json_stays_one():
    line = json.dumps({"message": 'no rtsp://ann:a"secret@a/1', "camera": "http://b/?pwd=secret"})
    told = json.loads(without_secrets(line))
    assert told == {"message": "no rtsp://a/1", "camera": "http://b/"}
