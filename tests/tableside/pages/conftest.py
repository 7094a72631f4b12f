"""The fixtures of the page's own tests, for pages over a real record or a running match."""

from tests.webui.conftest import (  # noqa: F401
    browser,
    chromium,
    client,
    desk,
    screen,
    script,
    server,
    table,
)
