"""What every contract of the page is made of: sides and sentences."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from engine.message import Sentence

SideName: TypeAlias = Literal["light", "dark"]


class _IsString:
    """Tells pydantic that a sentence is a string: JSON holds its text in the reader's language."""

    def __get_pydantic_core_schema__(self, _source: Any, handler: Any) -> Any:
        return handler.generate_schema(str)


Text: TypeAlias = Annotated[Sentence, _IsString()]
"""A sentence for the reader, translated when it becomes JSON or HTML."""
