"""The page: what the players, the referee and a viewer see. Knows `engine` and a Protocol."""

from webui.app import create_app
from webui.server import CannotListen, Server, WebError, serve
from webui.setup import CannotSetUp, Workshop
from webui.table import State, Table, blank_state

__all__ = [
    "CannotListen",
    "CannotSetUp",
    "Server",
    "State",
    "Table",
    "WebError",
    "Workshop",
    "blank_state",
    "create_app",
    "serve",
]
