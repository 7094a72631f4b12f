"""What people say of dice: that two names are one, or what some are called.

Words are kept for all matches of a record, in their order; names are a fold over them, and undoing
the last is a word too. Colours are known again as ever: only what they are called changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final

from engine.dice_sets.names import OF_CUP, THROWN_BY, name_message
from engine.errors import NotNow
from engine.message import Message, msg

LONGEST: Final = 60
"""Characters of a name."""


@dataclass(frozen=True, slots=True)
class DiceMerged:
    """`other` are the same dice as `keep`, and are called so."""

    type: ClassVar[str] = "dice_merged"
    keep: str
    other: str

    @property
    def sentence(self) -> Message:
        """What the edit says."""
        keep, other = name_message(self.keep), name_message(self.other)
        return msg("{other} and {keep} are the same dice", other=other, keep=keep)


@dataclass(frozen=True, slots=True)
class DiceRenamed:
    """`name` are called `to`."""

    type: ClassVar[str] = "dice_renamed"
    name: str
    to: str

    @property
    def sentence(self) -> Message:
        """What the edit says."""
        name = name_message(self.name)
        return msg("{name} are called {to} from now on", name=name, to=self.to)


@dataclass(frozen=True, slots=True)
class DiceUndone:
    """The last word that holds does not hold any more."""

    type: ClassVar[str] = "dice_undone"


DiceEdit = DiceMerged | DiceRenamed | DiceUndone
EDIT_TYPES: Final[dict[str, type[DiceEdit]]] = {
    kind.type: kind for kind in (DiceMerged, DiceRenamed, DiceUndone)
}


def edit_json(word: DiceEdit) -> dict[str, Any]:
    """The word as a JSON object."""
    return {"type": word.type, **asdict(word)}


def edit_from_json(told: dict[str, Any]) -> DiceEdit:
    """The inverse of `edit_json`; an error of Python's own if it is none."""
    fields = {name: str(value) for name, value in told.items() if name != "type"}
    return EDIT_TYPES[told["type"]](**fields)


def edits_in_effect(words: Iterable[DiceEdit]) -> tuple[DiceMerged | DiceRenamed, ...]:
    """The words that hold."""
    stand: list[DiceMerged | DiceRenamed] = []
    for word in words:
        if not isinstance(word, DiceUndone):
            stand.append(word)
        elif stand:
            stand.pop()
    return tuple(stand)


@dataclass(slots=True)
class DiceNames:
    """What dice are called by the words that were said of them."""

    _told: dict[str, str] = field(default_factory=dict)
    """By the name that their colour gives them."""

    @classmethod
    def after(cls, words: Iterable[DiceEdit]) -> DiceNames:
        """The names once all that was said."""
        names = cls()
        for word in edits_in_effect(words):
            old, new = (word.other, word.keep) if isinstance(word, DiceMerged) else (
                word.name, word.to
            )  # fmt: skip
            for name, called in names._told.items():
                if called == old:
                    names._told[name] = new
            names._told.setdefault(old, new)
        return names

    def called(self, name: str) -> str:
        """What dice are called that their colours call `name`; a pair keeps who threw it."""
        if name in self._told:
            return self._told[name]
        pair, by, player = name.partition(THROWN_BY)
        return self._told.get(pair, pair) + by + player


def check_edit(word: DiceEdit, names: Collection[str], words: Sequence[DiceEdit]) -> None:
    """`NotNow` says why it cannot be said of dice that are called `names` after `words`."""
    match word:
        case DiceUndone():
            if not edits_in_effect(words):
                raise NotNow(msg("nothing was said of the dice that could be undone"))
        case DiceMerged():
            _check_known((word.keep, word.other), names)
            if word.keep == word.other:
                raise NotNow(msg("these have one name already"))
        case DiceRenamed():
            _check_known((word.name,), names)
            if not word.to.strip() or len(word.to) > LONGEST:
                raise NotNow(msg("a name has 1 to {longest} characters", longest=LONGEST))
            if word.to in names or word.to.startswith(OF_CUP):
                raise NotNow(msg("there are other dice that are called {to}", to=word.to))


def _check_known(said: Iterable[str], names: Collection[str]) -> None:
    for name in said:
        if name not in names:
            raise NotNow(msg("no dice of the record are called {name}", name=name_message(name)))
        if name.startswith(OF_CUP):
            raise NotNow(msg("the dice of a cup are nobody's to name"))
