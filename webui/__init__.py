"""The page: what the players, the referee and a viewer see. Knows `engine` and a Protocol.

Names are found when they are first asked for: the process that only watches the board needs what a
desk takes and what a state is made of, and no server.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from webui.app import create_app
    from webui.archive import Archive
    from webui.dice_book import DiceBook
    from webui.dice_page import install_dice
    from webui.review import install_review
    from webui.server import CannotListen, Server, WebError, serve
    from webui.setup import CannotSetUp, Workshop
    from webui.table import Role, State, Table, blank_state

__all__ = [
    "Archive",
    "CannotListen",
    "CannotSetUp",
    "DiceBook",
    "Role",
    "Server",
    "State",
    "Table",
    "WebError",
    "Workshop",
    "blank_state",
    "create_app",
    "install_dice",
    "install_review",
    "serve",
]

_HOMES: Final = {
    "app": ("create_app",),
    "archive": ("Archive",),
    "dice_book": ("DiceBook",),
    "dice_page": ("install_dice",),
    "review": ("install_review",),
    "server": ("CannotListen", "Server", "WebError", "serve"),
    "setup": ("CannotSetUp", "Workshop"),
    "table": ("Role", "State", "Table", "blank_state"),
}


def __getattr__(name: str) -> Any:
    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"webui has no {name}")
    return getattr(import_module(f"webui.{home}"), name)
