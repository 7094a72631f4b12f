"""Edits of dice names by hand: two names merged, one changed, or the last edit undone.

The edits of a record apply to all its matches; names are a fold over them in order. How dice are
recognized by their colors is not affected.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar, Final

from engine.dice_sets.names import OF_CUP, THROWN_BY, name_message
from engine.errors import NotNow
from engine.events.names import visible_line
from engine.message import Message, msg

MAX_NAME_LENGTH: Final = 60


@dataclass(frozen=True, slots=True)
class DiceMerged:
    """`other` and `keep` are the same dice, with the name `keep`."""

    type: ClassVar[str] = "dice_merged"
    keep: str
    other: str

    def __post_init__(self) -> None:
        _clean(self, "keep", "other")

    @property
    def sentence(self) -> Message:
        """What the edit changes."""
        keep, other = name_message(self.keep), name_message(self.other)
        return msg("{other} and {keep} are the same dice", other=other, keep=keep)


@dataclass(frozen=True, slots=True)
class DiceRenamed:
    """The dice called `name` are called `to` from now on."""

    type: ClassVar[str] = "dice_renamed"
    name: str
    to: str

    def __post_init__(self) -> None:
        _clean(self, "name", "to")

    @property
    def sentence(self) -> Message:
        """What the edit changes."""
        name = name_message(self.name)
        return msg("renamed {name} to {to}", name=name, to=self.to)


@dataclass(frozen=True, slots=True)
class DiceUndone:
    """The last edit in effect is undone."""

    type: ClassVar[str] = "dice_undone"


DiceEdit = DiceMerged | DiceRenamed | DiceUndone
EDIT_TYPES: Final[dict[str, type[DiceEdit]]] = {
    kind.type: kind for kind in (DiceMerged, DiceRenamed, DiceUndone)
}


def _clean(edit: DiceEdit, *names: str) -> None:
    """Keep of the names what can be seen."""
    for name in names:
        object.__setattr__(edit, name, visible_line(getattr(edit, name)))


def edit_json(edit: DiceEdit) -> dict[str, Any]:
    """The edit as a JSON object."""
    return {"type": edit.type, **asdict(edit)}


def edit_from_json(value: dict[str, Any]) -> DiceEdit:
    """The inverse of `edit_json`; raises `KeyError` or `TypeError` if `value` is not an edit."""
    fields = {name: str(item) for name, item in value.items() if name != "type"}
    return EDIT_TYPES[value["type"]](**fields)


def edits_in_effect(edits: Iterable[DiceEdit]) -> tuple[DiceMerged | DiceRenamed, ...]:
    """The edits that have not been undone."""
    effective: list[DiceMerged | DiceRenamed] = []
    for edit in edits:
        if not isinstance(edit, DiceUndone):
            effective.append(edit)
        elif effective:
            effective.pop()
    return tuple(effective)


@dataclass(slots=True)
class DiceNames:
    """The names of dice after the edits of a record."""

    _edited: dict[str, str] = field(default_factory=dict)
    """Edited names, by the names that the dice's colors give them."""

    @classmethod
    def after(cls, edits: Iterable[DiceEdit]) -> DiceNames:
        """The names after all `edits`."""
        names = cls()
        for edit in edits_in_effect(edits):
            if isinstance(edit, DiceMerged):
                old, new = edit.other, edit.keep
            else:
                old, new = edit.name, edit.to
            for name, called in names._edited.items():
                if called == old:
                    names._edited[name] = new
            names._edited.setdefault(old, new)
        return names

    def called(self, name: str) -> str:
        """The current name of dice that their colors call `name`; a pair keeps its thrower."""
        if name in self._edited:
            return self._edited[name]
        pair, by, player = name.partition(THROWN_BY)
        return self._edited.get(pair, pair) + by + player


def check_edit(edit: DiceEdit, names: Collection[str], edits: Sequence[DiceEdit]) -> None:
    """Raise `NotNow` if `edit` cannot follow `edits`, after which dice are called `names`."""
    match edit:
        case DiceUndone():
            if not edits_in_effect(edits):
                raise NotNow(msg("there is no change to the dice names to undo"))
        case DiceMerged():
            _check_known((edit.keep, edit.other), names)
            if edit.keep == edit.other:
                raise NotNow(msg("these already have the same name"))
        case DiceRenamed():
            _check_known((edit.name,), names)
            if not edit.to.strip() or len(edit.to) > MAX_NAME_LENGTH:
                raise NotNow(msg("names have 1 to {longest} characters", longest=MAX_NAME_LENGTH))
            if edit.to in names or edit.to.startswith(OF_CUP):
                raise NotNow(msg("other dice are already called {to}", to=edit.to))


def _check_known(edited: Iterable[str], names: Collection[str]) -> None:
    for name in edited:
        if name not in names:
            raise NotNow(msg("no dice in the record are called {name}", name=name_message(name)))
        if name.startswith(OF_CUP):
            raise NotNow(msg("a cup's dice cannot be renamed"))
