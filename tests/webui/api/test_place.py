"""Where in a tournament a match is played: entered, shown, and with a logo and flags."""

from types import SimpleNamespace

import pytest

from tests.webui.http.test_auth import OURS
from webui.app import create_app
from webui.contracts.desk import PlaceEntered
from webui.contracts.logos import BadPicture
from webui.contracts.state import PlaceShown

LOGO = "0123456789abcdef" * 2
PLACE = PlaceShown(
    event="Spring Open",
    round="3",
    table="Center court",
    light_country="DE",
    dark_country="JP",
    logo=LOGO,
)


def keep(sent):
    if sent != b"a picture":
        raise BadPicture("choose another")
    return LOGO


@pytest.fixture
def client(table, desk):
    logos = SimpleNamespace(keep=keep, read=lambda name: b"png" if name == LOGO else None)
    return create_app(table, desk=desk, logos=logos).test_client()


def test_the_desk_says_where_the_match_is_played(client, desk):
    sent = {**PLACE, "light_country": "de", "event": " Spring  Open"}
    assert client.post("/api/desk/place", json=sent, headers=OURS).status_code == 200
    assert desk.commands[-1] == PlaceEntered(PLACE)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("light_country", "XX", "two letters"),
        ("dark_country", "Germany", "two letters"),
        ("event", "x" * 41, "40"),
        ("logo", "../../x", "logo"),
    ],
)
def test_what_cannot_be_shown_is_refused(client, desk, field, value, why):
    answer = client.post("/api/desk/place", json={field: value}, headers=OURS)
    assert answer.status_code == 422
    assert why in answer.json["message"]


def test_the_pages_show_the_place_the_flags_and_the_logo(client, table):
    table.publish(place=PLACE)
    for address in ("/", "/tv", "/desk", "/overlay?event=on"):
        page = client.get(address).get_data(as_text=True)
        assert "Spring Open\u00a0· Round 3\u00a0· Center court" in page, address
        assert f'src="/api/logos/{LOGO}.png"' in page
        assert all(one in page for one in (">DE<", "Germany", "Japan"))
    assert 'data-parts="board dice cube score pips flag names last clock event"' in page
    assert "Германия" in client.get("/overlay?lang=ru").get_data(as_text=True)


def test_a_table_of_an_older_version_says_less(client, table):
    table.publish(place={"event": "Cup", "round": "", "table": "7"})
    assert "Cup\u00a0· Table 7" in client.get("/").get_data(as_text=True)


def test_a_logo_is_uploaded_and_read(client):
    answer = client.post("/api/logos", data=b"a picture", headers=OURS)
    assert answer.json == {"logo": LOGO}
    read = client.get(f"/api/logos/{LOGO}.png")
    assert (read.data, read.mimetype) == (b"png", "image/png")
    assert client.get("/api/logos/nothing.png").status_code == 404
    refused = client.post("/api/logos", data=b"something", headers=OURS)
    assert (refused.status_code, refused.json["message"]) == (422, "choose another")
    assert client.post("/api/logos", data=b"x" * (2**21 + 1), headers=OURS).status_code == 413
