"""The certificate of the camera page."""

from __future__ import annotations

import datetime
import stat
import sys

import pytest
from cryptography import x509

from tableside.site.certificate import DAYS, find_certificate

NOW = datetime.datetime(2026, 11, 27, tzinfo=datetime.UTC)
NAMES = ("localhost", "127.0.0.1", "[::1]", "club.local", "écran")


def test_it_is_made_once_for_every_name_and_kept_for_this_user_alone(tmp_path):
    path = tmp_path / "data" / "page.pem"
    made = find_certificate(path, NAMES, NOW)
    assert find_certificate(path, ("another",), NOW) == made
    assert len(made.fingerprint) == 95
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    read = x509.load_pem_x509_certificate(path.read_bytes())
    names = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "club.local"]
    assert [str(one) for one in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1", "::1"]


def test_one_that_has_lost_its_key_is_replaced(tmp_path):
    path = tmp_path / "page.pem"
    before = find_certificate(path, NAMES, NOW)
    path.write_bytes(path.read_bytes()[path.read_bytes().index(b"-----BEGIN CERTIFICATE") :])
    assert find_certificate(path, NAMES, NOW).fingerprint != before.fingerprint


@pytest.mark.parametrize("content", [None, b"", b"-----BEGIN CERTIFICATE-----\nx"])
def test_one_that_ends_soon_or_cannot_be_read_is_replaced(tmp_path, content):
    path = tmp_path / "page.pem"
    before = find_certificate(path, NAMES, NOW)
    later = NOW
    if content is None:
        later += datetime.timedelta(days=DAYS - 20)
    else:
        path.write_bytes(content)
    assert find_certificate(path, NAMES, later).fingerprint != before.fingerprint
