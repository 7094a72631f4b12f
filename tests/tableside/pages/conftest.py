"""The fixtures of the page's own tests, for pages over a real record or a running match."""

import pytest

from tableside.review.archive import RecordArchive
from tests.tableside.recording.test_manual_match import ManualMatch
from tests.webui.conftest import (  # noqa: F401
    client,
    desk,
    screen,
    script,
    server,
    table,
)
from webui.app import create_app
from webui.pages.matches import install_review
from webui.server import serve


@pytest.fixture
def sat(tmp_path):
    """A match to five points that is entered by hand."""
    one = ManualMatch(tmp_path, length=5)
    yield one
    one.close()


@pytest.fixture
def served(sat):
    """Its pages: the live page, the desk, and its record's."""
    archive = RecordArchive(sat.recorder.path)
    app = create_app(sat.table, desk=sat.desk)
    install_review(app, archive)
    pages = serve(app, port=0)
    yield pages
    pages.close()
    archive.close()
