"""Position ids and match files of other programs, read and written.

Readers make a `MatchFile`, writers take one; `replay` plays it through and finds what is illegal.
"""

from engine.formats.csv_text import csv_text
from engine.formats.detect import MAX_FILE_BYTES, read_match
from engine.formats.from_events import match_from_events
from engine.formats.ids.match_id import gnubg_ids, parse_gnubg_ids
from engine.formats.ids.position_id import parse_position_id
from engine.formats.ids.snapshot import Snapshot
from engine.formats.ids.xgid import parse_xgid, xgid
from engine.formats.json_text import json_text
from engine.formats.mat.write import mat_text, xg_text
from engine.formats.model.errors import InvalidId, InvalidMatchFile
from engine.formats.model.match_file import GameFile, MatchFile, RollAction
from engine.formats.sgf.write import sgf_text
from engine.formats.validate.game_replay import ReplayedAction, ReplayedGame
from engine.formats.validate.replay import Replay, replay

__all__ = [
    "MAX_FILE_BYTES",
    "GameFile",
    "InvalidId",
    "InvalidMatchFile",
    "MatchFile",
    "Replay",
    "ReplayedAction",
    "ReplayedGame",
    "RollAction",
    "Snapshot",
    "csv_text",
    "gnubg_ids",
    "json_text",
    "mat_text",
    "match_from_events",
    "parse_gnubg_ids",
    "parse_position_id",
    "parse_xgid",
    "read_match",
    "replay",
    "sgf_text",
    "xg_text",
    "xgid",
]
