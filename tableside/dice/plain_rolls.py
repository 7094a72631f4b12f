"""Rolls without a table: a list of faces, a throw of two dice a line, or a count of each face."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import numpy as np

from engine.fairness.rolls import FACES, DiceLog, simple_log
from engine.message import Message, msg
from tableside.errors import BadDice

MAX_COUNTED_ROLLS: Final = 100_000_000
SEPARATORS: Final = re.compile(r"[\s,;]+")
COUNT_HEAD: Final = ("face", "count")
ORDER_SEED: Final = 1

Numbered = list[tuple[int, list[str]]]
"""The words of each line that has any, with its number."""


def is_plain(first_line: str) -> bool:
    """Whether a file that begins so is no table of rolls: it has numbers only, or counts faces."""
    return _is_count_head(first_line) or bool(re.fullmatch(r"[\d\s,;]*\d[\d\s,;]*", first_line))


def read_plain(
    path: Path, text: str, most: int = MAX_COUNTED_ROLLS
) -> tuple[DiceLog, tuple[Message, ...]]:
    """The log in such a file, with notices; raises `BadDice`, which names the line.

    most: the largest number of rolls that may be counted.
    """
    lines = [
        (number, words)
        for number, line in enumerate(text.splitlines(), start=1)
        if (words := [word for word in SEPARATORS.split(line) if word])
    ]
    if _is_count_head(" ".join(lines[0][1])):
        return _counted(path, lines[1:], most)
    is_pairs = all(len(words) == 2 for _, words in lines)
    if is_pairs and _are_counts(lines):
        return _counted(path, lines, most)
    faces = [_face(path, number, word) for number, words in lines for word in words]
    if is_pairs:
        return simple_log(faces, throw=np.repeat(np.arange(len(lines)), 2)), ()
    return simple_log(faces), ()


def _is_count_head(line: str) -> bool:
    return tuple(word.lower() for word in SEPARATORS.split(line.strip())) == COUNT_HEAD


def _are_counts(pairs: Numbered) -> bool:
    """Whether lines of two numbers are the six faces and counts, not six throws of two dice."""
    faces, counts = zip(*(words for _, words in pairs), strict=True)
    return "".join(faces) == "123456" and any(
        int(count) > FACES for count in counts if count.isdecimal()
    )


def _counted(path: Path, lines: Numbered, most: int) -> tuple[DiceLog, tuple[Message, ...]]:
    """The rolls of a table of faces and counts, in a random order that is always the same."""
    counts = np.zeros(FACES, np.int64)
    for number, words in lines:
        if len(words) != 2 or not words[1].isdecimal():
            raise BadDice(f"{path}, line {number}: give a face and how often it came up")
        counts[_face(path, number, words[0]) - 1] += int(words[1])
        if counts.sum() > most:
            raise BadDice(f"{path}, line {number}: more than {most:,} rolls")
    values = np.repeat(np.arange(1, FACES + 1, dtype=np.int8), counts)
    order = np.random.default_rng(ORDER_SEED).permutation(values)
    notice = msg(
        "{path} has counts only: the order of the rolls is not known, so ignore what depends on it",
        path=str(path),
    )
    return simple_log(order), (notice,)


def _face(path: Path, line: int, word: str) -> int:
    if word not in tuple("123456"):
        raise BadDice(f"{path}, line {line}: {word} is not a face; give numbers from 1 to 6")
    return int(word)
