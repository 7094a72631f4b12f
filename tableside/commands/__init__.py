"""The commands, one file each: its options and its run.

Takes parsed options and returns an exit code; imports every folder above.
"""

from typing import Final

COMMANDS: Final = {
    "demo": "play the sample match and show it in a browser",
    "live": "record a match as it is played, and show it in a browser",
    "review": "browse recorded matches: replays, doubtful plays, downloads, analysis",
    "find": "find turns, matches and players in the record, and export them",
    "cameras": "list the cameras on this machine",
    "transcribe": "turn a video of a match into a match file",
    "archive": "turn a collection of videos into recorded matches",
    "read": "read the position and the dice from photos of a board",
    "label": "correct how photos of a board were read, and save them with their labels",
    "calibrate": "learn a board from one photo and save its profile",
    "check": "check match files against the rules, play by play",
    "export": "convert a recorded match or a match file to another format",
    "record": "check, repair, back up and restore the record, add match files, end matches",
    "hall": "show all tables of a tournament on one page, with their results",
    "dice": "report on the dice rolled, name dice, export every roll",
    "cup": "use an electronic dice cup and verify its rolls",
    "plays": "list the legal plays of positions (JSON Lines)",
    "id": "convert Position IDs, Match IDs and XGIDs (JSON Lines)",
    "doctor": "find out what is wrong with this machine, its cameras and files",
    "bench": "measure the speed and accuracy of this program",
    "completion": "print a completion script for your shell",
}
"""The modules here with `add_parser` and `run`, and their summaries, in the order of the help."""
