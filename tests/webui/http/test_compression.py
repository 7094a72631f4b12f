"""Texts are sent as gzip to whoever accepts it, and unchanged to others."""

from __future__ import annotations

import gzip

import pytest

from tests.webui.conftest import start_game

TAKES = {"Accept-Encoding": "gzip, br"}


@pytest.mark.parametrize(
    "path", ["/", "/api/state", "/static/shared/page.css", "/static/shared/board.js"]
)
def test_a_text_is_the_same_once_it_is_unpacked(client, table, path):
    start_game(table)
    plain, packed = client.get(path, buffered=True), client.get(path, headers=TAKES, buffered=True)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) == int(packed.headers["Content-Length"]) < len(plain.data)


@pytest.mark.parametrize("path", ["/health", "/camera.jpg", "/static/none.css"])
def test_what_is_short_or_no_text_is_sent_as_it_is(client, table, path):
    table.show_picture()
    assert "Content-Encoding" not in client.get(path, headers=TAKES).headers


def test_a_stream_is_not_held_back_to_be_packed(client, table):
    start_game(table)
    answer = client.get("/api/events", headers=TAKES)
    assert "Content-Encoding" not in answer.headers
    assert next(answer.response).startswith(b"retry:")
    answer.close()


def test_a_file_that_has_not_changed_is_not_sent_again(client):
    first = client.get("/static/shared/page.css", headers=TAKES, buffered=True)
    again = {**TAKES, "If-None-Match": first.headers["ETag"]}
    assert client.get("/static/shared/page.css", headers=again, buffered=True).status_code == 304
