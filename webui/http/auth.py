"""Roles, the log-in, and where a POST must come from.

Where the page is served to this machine only, everyone is the referee. Where it is served to a
network, everyone logs in first, even on this machine: behind a proxy all visitors look local.

A forged request (CSRF) is recognized by its origin, not by a token. In a POST, browsers name the
requesting page in `Origin`, which must be ours. Other programs send none; they prove their intent
with the header `X-Tableside`, which a foreign page cannot add without asking first (CORS), and we
never permit it. A token would need a cookie even where nobody logs in, and scripts would have to
fetch it before their first request. The cookie is SameSite=Strict besides.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from flask import (
    Blueprint,
    Flask,
    Response,
    current_app,
    g,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from werkzeug.exceptions import Forbidden
from werkzeug.wrappers import Response as AnyResponse

from engine.position import Side
from webui.contracts.roles import RIGHTS, Rights, Role, Visibility
from webui.http.attempts import LoginAttempts
from webui.http.header_auth import CHALLENGED, HeaderKeys, refusal
from webui.http.js_bundle import FILES
from webui.http.passwords import Passwords
from webui.http.sessions import LONGEST_S, Sessions
from webui.http.stream_links import StreamLinks
from webui.i18n.locale import gettext

HEADER: Final = "X-Tableside"
SAFE: Final = ("GET", "HEAD", "OPTIONS")
OPEN: Final = (*FILES, "api.health", "access.login", "access.enter")
"""What anyone may request: what the log-in page needs, and whether the server is alive."""
TOKEN: Final = "token"  # noqa: S105 (its name)
"""The parameter of an address that may contain a token of the overlay."""
WITH_TOKEN: Final = ("overlay.show", "api.events", "logos.picture")
"""What such a token opens, as the audience."""
PAGES: Final = ("overlay.show",)
"""Pages that a password in a header gives access to."""
FOR_PROGRAMS: Final = ("api.metrics",)
"""What a program reads in the role that its password gives; elsewhere it is a viewer."""
COMMAND_RATE: Final = "120 per minute"
"""Per address: nobody who corrects a match sustains two commands a second."""

_ID: Final = "id"
_LET_IN: Final = "let_in_by"
"""Where a request notes what first gave it its role, by which a response that lasts ends too."""
access: Final = Blueprint("access", __name__)
_LOGGER: Final = logging.getLogger(__name__)


def install_access(
    app: Flask, passwords: Passwords | None, links: StreamLinks | None = None
) -> None:
    """Give each request of `app` a role or refuse it; without `passwords` all are the referee.

    links: the tokens that open the overlay.
    """
    app.extensions["stream_links"] = links or StreamLinks()
    attempts = LoginAttempts()
    app.extensions["passwords"] = passwords
    app.extensions["header_keys"] = None if passwords is None else HeaderKeys(passwords, attempts)
    app.extensions["login_attempts"] = attempts
    app.extensions["sessions"] = Sessions()
    app.extensions["other_sessions"] = []
    app.jinja_env.globals.update(can_log_out=can_log_out, rights=rights)
    app.secret_key = secrets.token_bytes(32)
    app.config.update(
        # Cookies ignore ports: two tables on one machine must not share a name.
        SESSION_COOKIE_NAME=f"tableside-{secrets.token_hex(4)}",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Strict",
        PERMANENT_SESSION_LIFETIME=LONGEST_S,
    )
    app.before_request(refuse_forged)
    app.before_request(ask_to_log_in)
    app.register_blueprint(access)


def new_limiter(app: Flask) -> Limiter:
    """Count requests by address, in memory: there is one process, and a restart may forget them."""
    return Limiter(get_remote_address, app=app, storage_uri="counts://", headers_enabled=True)


def asks_for_passwords() -> bool:
    """Whether there is a log-in at all."""
    return current_app.extensions["passwords"] is not None


def current_role() -> Role | None:
    """The role of the client; None before the log-in."""
    if not asks_for_passwords():
        return Role.REFEREE
    if _has_token():
        g.setdefault(_LET_IN, "token")
        return Role.AUDIENCE
    if (role := _sessions().role_of(session.get(_ID))) is not None:
        g.setdefault(_LET_IN, "session")
        return role
    keys: HeaderKeys = current_app.extensions["header_keys"]
    role = keys.role() if request.method in SAFE else None
    if role is None or request.endpoint in FOR_PROGRAMS:
        return role
    role = role if role is Role.AUDIENCE else Role.VIEWER
    if request.endpoint in PAGES:
        _enter(role)  # the page's next requests carry no password
    return role


def stream_links() -> StreamLinks:
    """The tokens that open the overlay."""
    found: StreamLinks = current_app.extensions["stream_links"]
    return found


def _has_token() -> bool:
    """Whether the address has a token for what it names."""
    token = request.args.get(TOKEN) if request.endpoint in WITH_TOKEN else None
    return token is not None and stream_links().is_valid(token)


def rights() -> Rights:
    """What the client may see and say; before the log-in, no more than the audience."""
    return RIGHTS[current_role() or Role.AUDIENCE]


def still_logged_in() -> Callable[[], bool]:
    """A test for whether the session of this request goes on, for responses that last."""
    how = g.get(_LET_IN)
    if how == "token":
        links, token = stream_links(), request.args[TOKEN]
        return lambda: links.is_valid(token)
    if how == "session":
        sessions, number = _sessions(), session.get(_ID)
        return lambda: sessions.role_of(number) is not None
    return lambda: True  # there are none here, or a password is in the header


def _sessions() -> Sessions:
    found: Sessions = current_app.extensions["sessions"]
    return found


def _enter(role: Role) -> None:
    _sessions().end(session.get(_ID))
    session.clear()
    session.permanent = True
    session[_ID] = _sessions().begin(role)


def can_log_out() -> bool:
    """Whether the client has logged in with the form."""
    return asks_for_passwords() and _sessions().role_of(session.get(_ID)) is not None


def seen_as(wanted: str | None) -> Visibility:
    """The state that is requested: the one for the client's role, or one that shows less."""
    own = rights().sees
    asked = own if wanted is None else Visibility(wanted)
    if asked not in (own, Visibility.PLAYERS) and own is not Visibility.EVERYTHING:
        raise Forbidden(
            gettext("only the referee may see that: log in with the referee's password")
        )
    return asked


def stream_visibility() -> Visibility:
    """What an overlay shows: what the audience may see, unless the client plays or only watches."""
    can_see = rights().sees
    return can_see if can_see is Visibility.PLAYERS else Visibility.AUDIENCE


def require_referee() -> None:
    """Refuse everyone except the referee."""
    if not rights().commands:
        raise Forbidden(gettext("only the referee may do that: log in with the referee's password"))


def require_password_again() -> None:
    """Refuse everyone except a referee whose request carries the password besides the session."""
    require_referee()
    if not asks_for_passwords():
        return
    keys: HeaderKeys = current_app.extensions["header_keys"]
    if (role := keys.role()) is not Role.REFEREE:
        wrong = role is not None or request.authorization is not None
        raise Forbidden(
            gettext("that is not the referee's password")
            if wrong
            else gettext("that needs the referee's password once more")
        )


def require_seat() -> Side:
    """The player for whom the client speaks; refuses everyone else."""
    if (side := rights().seat) is None:
        raise Forbidden(gettext("only a player may do that: log in with that player's password"))
    return side


def require_record() -> None:
    """Refuse those who may not open the matches of the record."""
    if not rights().reads_record:
        raise Forbidden(gettext("the audience sees the live match alone"))


def refuse_forged() -> None:
    """Refuse a POST that comes neither from our page nor from a program with our header."""
    if request.method in SAFE or request.endpoint is None:
        return
    origin = request.headers.get("Origin")
    ours = HEADER in request.headers if origin is None else _host(origin) == request.host
    if not ours:
        raise Forbidden(
            gettext(
                "this request did not come from the page: programs must add the header "
                "%(header)s: 1",
                header=HEADER,
            )
        )


def _host(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def ask_to_log_in() -> AnyResponse | None:
    """Show clients without a role where to log in."""
    if request.endpoint in OPEN or current_role() is not None:
        return None
    if request.endpoint in CHALLENGED:
        raise refusal()
    wants_a_page = request.accept_mimetypes.best_match(("application/json", "text/html"))
    if request.method == "GET" and wants_a_page == "text/html":
        return redirect(url_for("access.login", next=request.path))
    raise refusal()


@access.get("/login")
def login() -> str | AnyResponse:
    """The page that asks for the password."""
    if current_role() is not None:
        return redirect(_next())
    return render_template("login.html", failed=False, next=_next())


@access.post("/login")
def enter() -> AnyResponse:
    """Set a cookie for the role that the password gives; 401 and the page again if it is wrong."""
    passwords: Passwords | None = current_app.extensions["passwords"]
    password = request.form.get("password", "")
    role = Role.REFEREE if passwords is None else _role_of(password, passwords)
    if role is None:
        _LOGGER.warning("failed log-in from %s", get_remote_address())
        return Response(render_template("login.html", failed=True, next=_next()), 401)
    _enter(role)
    return redirect(_next(), 303)


def _role_of(password: str, passwords: Passwords) -> Role | None:
    """The role that `password` gives, if any; 429 for an address with too many attempts."""
    attempts: LoginAttempts = current_app.extensions["login_attempts"]
    return attempts.role(get_remote_address(), lambda: passwords.role_of(password))


@access.post("/logout")
def leave() -> AnyResponse:
    """End the session, for every copy of its cookie."""
    _sessions().end(session.get(_ID))
    session.clear()
    return redirect(url_for("access.login"), 303)


@access.post("/logout/everybody")
def dismiss() -> AnyResponse:
    """End every session, the phone's too; passwords and links stay as they are."""
    require_referee()
    _sessions().end_all()
    for end in current_app.extensions["other_sessions"]:
        end()
    session.clear()
    _LOGGER.info("everybody was logged out")
    return redirect(url_for("access.login"), 303)


def _next() -> str:
    """The page to show after the log-in, always one of ours."""
    wanted = request.values.get("next", "/")
    return wanted if _is_own_path(wanted) else "/"


def _is_own_path(address: str) -> bool:
    """Whether every browser resolves `address` to the host that it has requested.

    Browsers drop tabs and line breaks from an address and read a backslash as a slash, and an
    address that begins with two slashes names another host.
    """
    is_plain = address.isprintable() and not {" ", "\\"} & set(address)
    return is_plain and address.startswith("/") and not address.startswith("//")
