"""Real matches between people, as other programs wrote them: all plays legal, nothing lost."""

from __future__ import annotations

import gzip
import json

import pytest

from engine.formats.detect import read_match
from engine.formats.mat.write import mat_text, xg_text
from engine.formats.sgf.write import sgf_text
from engine.formats.validate.replay import replay
from tests.gnubg import imported
from tests.match_files import match_contents
from tests.paths import SHARED

SAMPLE = SHARED / "data/engine/human_matches_sample.jsonl.gz"


def matches() -> list[dict]:
    if not SAMPLE.exists():
        pytest.skip("the sample of human matches is not there; it may not be copied here")
    with gzip.open(SAMPLE) as lines:
        return [json.loads(line) for line in lines]


def test_every_play_of_people_is_read_and_legal():
    for one in matches():
        played = replay(read_match(one["text"].encode()))
        assert (len(played.games), played.plays) == (one["games"], one["plays"])
        assert [step for game in played.games for step in game.illegal] == []
        assert [str(fault.message) for fault in played.faults] == one["format_faults"]


def test_gnubg_reads_our_files_as_it_reads_the_originals(tmp_path):
    for one in matches():
        match = read_match(one["text"].encode())
        theirs = match_contents(read_match(imported(one["text"], "given.mat", tmp_path).sgf))
        for name, write in (("a.mat", mat_text), ("b.mat", xg_text), ("c.sgf", sgf_text)):
            assert match_contents(read_match(imported(write(match), name, tmp_path).sgf)) == theirs
