"""Broken input, made of good input: for parsers of JSON, of text and of bytes."""

from __future__ import annotations

import copy
import random
from typing import Any

ODD: list[Any] = [
    *(None, True, False, 0, -1, 1, 7, 2**31, 2**63, 10**30, -0.5, 1e308, 1e-320),
    *(
        float("nan"),
        float("inf"),
        float("-inf"),
        "",
        "0",
        "light",
        "x" * 300,
        "\0",
        "\u202e",
        "\ud800",
    ),
    *([], {}, [[]], [None], {"": None}, [0] * 30, {"id": "{x}", "values": {}}),
]


def mutated_json(value: Any, chance: random.Random) -> Any:
    """A copy in which some values, chosen by chance, are odd, missing or doubled."""
    changed = copy.deepcopy(value)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        holder = chance.choice(list(_holders(changed)) or [[0]])
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        if not keys:
            continue
        key = chance.choice(keys)
        match chance.randrange(4):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.insert(key, copy.deepcopy(holder[key]))
            case 2:
                holder[key] = [holder[key]]
            case _:
                holder[key] = copy.deepcopy(chance.choice(ODD))
    return changed


def _holders(value: Any) -> Any:
    """Every list and object in the value, itself included."""
    if isinstance(value, dict | list):
        yield value
        for one in value.values() if isinstance(value, dict) else value:
            yield from _holders(one)


def mutated_bytes(content: bytes, words: list[bytes], chance: random.Random) -> bytes:
    """The bytes with some changed, gone, doubled or put in."""
    out = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 4, 10])):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(6):
            case 0:
                out[at:at] = chance.choice(words)
            case 1:
                del out[at : at + chance.choice([1, 2, 5, 30])]
            case 2:
                out[at : at + 1] = bytes([chance.randrange(256)])
            case 3 if out:
                out[at - 1] ^= 1 << chance.randrange(8)
            case 4:
                other = chance.randrange(len(out) + 1)
                out[at:at] = out[other : other + chance.choice([5, 40])]
            case _:
                if chance.random() < 0.2:
                    del out[at:]
    return bytes(out)
