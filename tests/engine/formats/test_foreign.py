"""Files that are not read are named, with what to do."""

from __future__ import annotations

import pytest

from engine.formats.detect import read_match
from engine.formats.model.errors import InvalidMatchFile


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"OGXM\x02\0", "an OGXM or GammonView file: export it as .mat or text"),
        (b'{"match_length": 7, "player_white": "Ann"}', "OGXM as JSON: export it"),
        (b"Ann vs. Bob\r\n", r"GamesGrid \(.sgg\): import it in GNU Backgammon"),
        (b"MatchID: 77\nPlayer1: Ann\n", "TrueMoneyGames"),
        (b"Score is 0-0 in a 5 point match.\n", "FIBS's oldmoves"),
        (b"i Ann Bob 5 0 0 Ann 1\nr 3-1 8/5 6/5\n", "bgammon.org"),
        (b"The score (after 0 games) is: Ann 0, Bob 0\n", "analysis as text"),
        (b"<!DOCTYPE html>", "a web page"),
        (b"SQLite format 3\0", "--record FILE"),
        (b"XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10", "tableside id"),
        (b"\x89PNG\r\n\x1a\n\0\0\0", "a picture: give the file of a match"),
        (b"\0\0\0\x20ftypisom", "tableside transcribe"),
        (b"PK\x03\x04", "an archive: unpack it first"),
        (b"%PDF-1.7", "a PDF"),
        (b"\x01\x02\n\0", "line 2: not a match file: byte 4 is not text; export it as .mat or"),
        (b"hello", "no line says `7 point match` or `Game 1`; export it as .mat or text"),
    ],
)
def test_a_file_that_is_not_read_is_named(content, says):
    with pytest.raises(InvalidMatchFile, match=says):
        read_match(content)
