"""The page: what the players, the referee and a viewer see. Knows `engine` and a Protocol."""

from webui.app import create_app
from webui.archive import Archive
from webui.review import install_review
from webui.server import CannotListen, Server, WebError, serve
from webui.setup import CannotSetUp, Workshop
from webui.table import Role, State, Table, blank_state

__all__ = [
    "Archive",
    "CannotListen",
    "CannotSetUp",
    "Role",
    "Server",
    "State",
    "Table",
    "WebError",
    "Workshop",
    "blank_state",
    "create_app",
    "install_review",
    "serve",
]
