"""JSON values checked against type hints: `reader(hint)` gives the function that reads one.

A hint is a plain type, a `Literal` of texts, an enumeration, `X | None`, a tuple of one type, a
dataclass, or one of these in `Annotated` with a `Range`, a `Length` or a `Pattern`. Unknown keys of
an object are ignored; a field whose metadata names a "json" key is read from that key.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import MISSING, Field, dataclass, fields
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from engine.errors import EngineError

Reader = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Range:
    """A number's limits, both included."""

    low: float
    high: float = sys.float_info.max

    def __str__(self) -> str:
        has_end = self.high < sys.float_info.max
        return f"{self.low}..{self.high}" if has_end else f"a number of at least {self.low}"


@dataclass(frozen=True, slots=True)
class Length:
    """The number of items in a list."""

    count: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a whole text must match, and its name in an error."""

    regex: re.Pattern[str]
    name: str


Constraint = Range | Length | Pattern


class InvalidValue(EngineError):
    """Raised when a JSON value does not fit its type; the message names the place."""

    def __init__(self, problem: str, place: str = "") -> None:
        super().__init__(f"{place or 'it'} {problem}")
        self.problem = problem
        self.place = place

    def within(self, place: str | int) -> InvalidValue:
        """The same error with its place in the enclosing object or list."""
        inner = self.place if not self.place or self.place[0] == "[" else f".{self.place}"
        outer = f"[{place}]" if isinstance(place, int) else place
        return InvalidValue(self.problem, outer + inner)


def _unlike(value: Any, wanted: str) -> InvalidValue:
    return InvalidValue(f"is {value!r:.40}, not {wanted}")


@cache
def reader(hint: Any) -> Reader:
    """The function from a JSON value to one of type `hint`; it raises `InvalidValue`."""
    if hint in _READERS:
        return _READERS[hint]
    origin = get_origin(hint)
    read: Reader
    if origin is Annotated:
        read = _constrained(*get_args(hint))
    elif origin is Literal:
        read = _one_of({value: value for value in get_args(hint)})
    elif origin in (Union, UnionType):
        read = _optional(hint)
    elif origin is tuple:
        item, *others = get_args(hint)
        read = _list(reader(item), None if others == [Ellipsis] else 1 + len(others))
    elif issubclass(hint, Enum):
        read = _one_of({one.value: one for one in hint})
    else:
        read = _object(hint)
    return read


def register(hint: type, read: Reader) -> None:
    """Make `read` the function for values of this type."""
    _READERS[hint] = read


def _checked(accepts: Callable[[Any], bool], wanted: str) -> Reader:
    """The value itself if it is accepted: whole numbers stay whole numbers."""

    def read(value: Any) -> Any:
        if not accepts(value):
            raise _unlike(value, wanted)
        return value

    return read


def _number(kind: type, limits: Range, wanted: str) -> Reader:
    kinds, low, high = {kind, int}, limits.low, limits.high
    # NaN is in no range.
    return _checked(lambda value: type(value) in kinds and low <= value <= high, wanted)


_FINITE: Final = Range(-sys.float_info.max, sys.float_info.max)
_READERS: Final[dict[Any, Reader]] = {
    int: _number(int, _FINITE, "a whole number"),
    float: _number(float, _FINITE, "a number"),
    str: _checked(lambda value: type(value) is str, "a text"),
    bool: _checked(lambda value: type(value) is bool, "true or false"),
}


def _constrained(inner: Any, constraint: Constraint) -> Reader:
    match constraint:
        case Range():
            return _number(inner, constraint, str(constraint))
        case Length(count=count):
            return _list(reader(get_args(inner)[0]), count)
        case Pattern(regex=regex, name=name):
            return _checked(lambda value: type(value) is str and bool(regex.fullmatch(value)), name)


def _one_of(known: dict[str, Any]) -> Reader:
    def read(value: Any) -> Any:
        try:
            return known[value]
        except (KeyError, TypeError):
            raise _unlike(value, f"one of {', '.join(known)}") from None

    return read


def _optional(hint: Any) -> Reader:
    (inner,) = (one for one in get_args(hint) if one is not NoneType)
    read = reader(inner)
    return lambda value: None if value is None else read(value)


def _list(read_item: Reader, count: int | None) -> Reader:
    wanted = "a list" if count is None else f"a list of {count}"

    def read(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or (count is not None and len(value) != count):
            raise _unlike(value, wanted)
        try:
            return tuple(map(read_item, value))
        except InvalidValue:
            raise next(_invalid_items(read_item, value)) from None

    return read


def _invalid_items(read_item: Reader, items: list[Any]) -> Iterator[InvalidValue]:
    for number, item in enumerate(items):
        try:
            read_item(item)
        except InvalidValue as error:
            yield error.within(number)


def _object(kind: Any) -> Reader:
    hints = get_type_hints(kind, include_extras=True)
    keys = {field.name: field.metadata.get("json", field.name) for field in fields(kind)}
    readers = {key: (name, reader(hints[name])) for name, key in keys.items()}

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise _unlike(value, "an object")
        arguments: dict[str, Any] = {}
        key = ""
        try:
            for key, item in value.items():
                known = readers.get(key)
                if known is not None:
                    arguments[known[0]] = known[1](item)
        except InvalidValue as error:
            raise error.within(key) from None
        try:
            return kind(**arguments)
        except TypeError:
            missing = next(keys[one.name] for one in fields(kind) if _is_missing(one, arguments))
            raise InvalidValue("is missing", missing) from None

    return read


def _is_missing(field: Field[Any], arguments: Collection[str]) -> bool:
    has_default = field.default is not MISSING or field.default_factory is not MISSING
    return not has_default and field.name not in arguments
