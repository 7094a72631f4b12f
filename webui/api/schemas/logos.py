"""The response types of logos, for the document."""

from __future__ import annotations

from typing import Any, Final

from pydantic import BaseModel

PNG: Final[Any] = {"image/png": {"schema": {"type": "string", "format": "binary"}}}


class LogoAnswer(BaseModel):
    """A logo that was uploaded."""

    logo: str
