"""The certificate of the phone's camera page, made at first use.

It is our own: no authority gives one for an address in a private network.
"""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final

from calibration.files import write_whole
from tableside.paths import private_folder

if TYPE_CHECKING:
    from cryptography import x509

DAYS: Final = 800
"""Apple's systems refuse server certificates that are valid for more than 825 days."""
RENEW_DAYS: Final = 30
"""It is replaced when it has no longer to go than this."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate and its key, in one file that only this user may read."""

    path: Path
    fingerprint: str
    """SHA-256 in hex, in pairs."""


def find_certificate(path: Path, names: Collection[str], now: datetime.datetime) -> Certificate:
    """The certificate in the file; a new one for `names` if it is not valid, or not for long.

    names: host names and addresses of this machine. Another address keeps the certificate: a phone
    that has accepted it should not have to do so again.
    """
    known = _read(path)
    soon = now + datetime.timedelta(days=RENEW_DAYS)
    # One that is not valid yet was made when the clock was wrong.
    if known is None or not known.not_valid_before_utc <= now < soon < known.not_valid_after_utc:
        known = _make(path, names, now)
    return Certificate(path, _fingerprint(known))


def _read(path: Path) -> x509.Certificate | None:
    from cryptography import x509

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path)  # its key too is whole
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (FileNotFoundError, ValueError, ssl.SSLError):
        return None


def _make(path: Path, names: Collection[str], now: datetime.datetime) -> x509.Certificate:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Tableside")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))  # a phone's clock may be slow
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName(_general(names)), False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), False)
        .sign(key, hashes.SHA256())
    )
    private_folder(path.parent)
    coded_key = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    coded = made.public_bytes(serialization.Encoding.PEM)
    write_whole(path, coded_key + coded, mode=0o600)
    return made


def _general(names: Collection[str]) -> list[x509.GeneralName]:
    from cryptography import x509

    found: list[x509.GeneralName] = []
    for name in names:
        try:
            found.append(x509.IPAddress(ip_address(name.strip("[]"))))
        except ValueError:
            if name.isascii():  # a machine may have any name, but a certificate may not
                found.append(x509.DNSName(name))
    return found


def _fingerprint(certificate: x509.Certificate) -> str:
    from cryptography.hazmat.primitives import hashes

    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()
