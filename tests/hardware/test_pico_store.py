"""What a Pico keeps in its flash survives power cuts as it would in an EEPROM; its image starts."""

import ctypes
import random
import runpy
import shutil
import struct
import subprocess
import zlib
from pathlib import Path

import pytest

from tests.hardware.desk import ROOT

FIRMWARE = ROOT / "hardware" / "firmware"
SIZE, FOREVER = 1024, 0xFFFFFFFF


@pytest.fixture
def flash(tmp_path):
    """A new flash, and the code that keeps bytes in it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler: apt-get install gcc")
    library = tmp_path / "store.so"
    sources = [
        Path(__file__).with_name("pico_flash.c"),
        FIRMWARE / "pico/store.c",
        FIRMWARE / "core/frame.c",
    ]
    flags = ["-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", f"-I{FIRMWARE / 'pico'}"]
    checks = ["-fsanitize=undefined", "-fno-sanitize-recover=undefined"]
    subprocess.run([compiler, *flags, *checks, "-o", library, *sources], check=True)
    lib = ctypes.CDLL(str(library))
    cells = (ctypes.c_uint8 * (16 * 4096)).in_dll(lib, "pico_flash")
    ctypes.memset(cells, 0xFF, len(cells))
    lib.pico_switch_on(FOREVER)
    return lib


def kept(lib):
    return bytes(lib.store_load(address) & 0xFF for address in range(SIZE))


def store(lib, writes):
    """Store (address, value) pairs; return how many were stored before the power was cut."""
    addresses = (ctypes.c_uint16 * len(writes))(*(address for address, _ in writes))
    values = bytes(value for _, value in writes)
    return lib.pico_store_all(addresses, values, len(writes))


def test_a_new_flash_is_blank_and_keeps_what_is_stored(flash):
    assert kept(flash) == b"\xff" * SIZE
    chance = random.Random(1)
    known = bytearray(b"\xff" * SIZE)
    for _ in range(20):
        writes = [(chance.randrange(SIZE), chance.randrange(256)) for _ in range(500)]
        assert store(flash, writes) == len(writes)
        for address, value in writes:
            known[address] = value
        flash.pico_switch_on(FOREVER)
        assert kept(flash) == known
    erased = ctypes.c_uint32.in_dll(flash, "pico_erased").value
    assert 9 <= erased <= 20  # 10,000 writes, 352 a sector, and the first 15 sectors were blank


def test_a_power_cut_at_any_step_leaves_each_byte_old_or_new(flash):
    """The bits that the cut interrupts change or not, each by chance."""
    chance = random.Random(2)
    known = bytearray(b"\xff" * SIZE)
    cuts = 0
    for _ in range(4000):
        writes = [(chance.randrange(SIZE), chance.randrange(256)) for _ in range(40)]
        flash.pico_switch_on(chance.randrange(60))
        if ctypes.c_uint8.in_dll(flash, "pico_is_cut").value:
            flash.pico_switch_on(FOREVER)  # it was cut while it began a sector
            assert kept(flash) == known
            continue
        stored = store(flash, writes)
        for address, value in writes[:stored]:
            known[address] = value
        flash.pico_switch_on(FOREVER)
        now = kept(flash)
        if stored < len(writes):
            cuts += 1
            address, value = writes[stored]
            assert now[address] in (known[address], value)
            known[address] = now[address]
        assert now == known
    assert cuts > 1000


def test_the_image_has_the_checksum_that_the_rom_wants_and_uf2_blocks():
    image = runpy.run_path(str(FIRMWARE / "pico/image.py"))
    assert image["boot_checksum"](b"123456789") == 0x0376E6E7  # CRC-32/MPEG-2
    program = random.Random(3).randbytes(1000)
    whole = image["with_checksum"](program)
    assert (whole[:252], whole[256:]) == (program[:252], program[256:])
    blocks = image["uf2"](whole)
    assert len(blocks) == 4 * 512
    for number in range(4):
        block = blocks[512 * number : 512 * (number + 1)]
        head = struct.unpack("<8I", block[:32])
        assert head[:2] == (0x0A324655, 0x9E5D5157)
        assert head[3:7] == (0x10000000 + 256 * number, 256, number, 4)
        assert block[-4:] == struct.pack("<I", 0x0AB16F30)
    content = b"".join(blocks[512 * i + 32 : 512 * i + 288] for i in range(4))
    assert content.rstrip(b"\0") == whole.rstrip(b"\0")
    assert zlib.crc32(content[:1000]) == zlib.crc32(whole)
