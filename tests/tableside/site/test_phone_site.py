"""The camera page over TLS: in a browser with a clip for its camera, and what it refuses."""

from __future__ import annotations

import http.client
import json
import select
import socket
import ssl
import time
from contextlib import ExitStack, closing, contextmanager
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import cv2
import numpy as np
import pytest

import samples
from tableside.site.phone import PhoneRelay
from tableside.site.phone_site import PhoneSite
from tests.chromium import open_chromium
from tests.webui.browser import find, text, wait
from vision.sources.open import open_source
from vision.sources.phone import decode
from webui.contracts.phone import SESSION_SECONDS
from webui.server import listen
from webui.tls import HANDSHAKE_SECONDS, MOST_CONNECTIONS, MOST_PER_ADDRESS, TlsFront, tls_context

PATIENCE = 60
FRAMES = 12
"""One second of the clip."""


@pytest.fixture
def site(tmp_path):
    relay = PhoneRelay(tmp_path / "videos")
    with closing(PhoneSite(relay, tmp_path / "page.pem", port=0)) as site:
        site.invite()
        yield site


def parts_of(site):
    url = urlsplit(site.part()["invitation"]["url"])
    return url.port, url.fragment


def local(site):
    """The address in the QR code, as this machine's browser reaches it."""
    port, token = parts_of(site)
    return f"https://127.0.0.1:{port}/camera#{token}"


@contextmanager
def connected(site):
    """Requests to the page by a program that checks the certificate."""
    port, _ = parts_of(site)
    context = ssl.create_default_context(cafile=site._certificate.path)
    with closing(http.client.HTTPSConnection("127.0.0.1", port, context=context)) as line:

        def ask(method, path, body=None, **headers):
            line.request(method, path, body, {"X-Tableside": "1", **headers})
            answer = line.getresponse()
            return answer.status, answer.read(), answer.headers

        yield ask


FRAME = "/camera/frame?taken=5&battery=87&charging=0"
VIDEO = "/camera/video?name=evening.mp4&size=9&modified=1"


def test_a_token_gives_one_phone_the_right_to_send_and_nothing_else(site):
    _, token = parts_of(site)
    with connected(site) as ask:
        for method, path in (("POST", FRAME), ("GET", VIDEO), ("POST", f"{VIDEO}&start=0")):
            status, body, _ = ask(method, path, b"x" if method == "POST" else None)
            assert (status, "QR code" in json.loads(body)["message"]) == (403, True)
        assert ask("POST", "/camera/pair", "guessed")[0] == 403
        status, _, headers = ask("POST", "/camera/pair", token)
        cookie = headers["Set-Cookie"]
        assert (status, "Secure" in cookie, "HttpOnly" in cookie) == (200, True, True)
        paired = {"Cookie": cookie.partition(";")[0]}
        assert ask("POST", "/camera/pair", token)[0] == 403, "it is used up"
        assert ask("POST", FRAME, b"\xff\xd8", **paired)[0] == 200
        assert ask("POST", FRAME, b"\xff\xd8", Origin="https://evil.example", **paired)[0] == 403
        for path in ("/", "/desk", "/api/state", "/setup", "/camera.jpg"):
            assert ask("GET", path, **paired)[0] == 404
        assert ask("POST", "/camera/frame?taken=nan&battery=1", b"", **paired)[0] == 400
        assert ask("GET", "/camera", Host="evil.example")[0] == 421
        site.invite()
        assert ask("POST", FRAME, b"\xff\xd8", **paired)[0] == 200, "until another phone pairs"
        assert ask("POST", "/camera/pair", parts_of(site)[1])[0] == 200
        assert ask("POST", FRAME, b"\xff\xd8", **paired)[0] == 403


def test_connections_that_never_shake_hands_are_limited(site):
    port, token = parts_of(site)
    with ExitStack() as stack:
        lines = [
            stack.enter_context(closing(socket.create_connection(("127.0.0.1", port), 5)))
            for _ in range(2 * MOST_PER_ADDRESS)
        ]
        # Sooner than a handshake may take: not because it did not come in time.
        ended = select.select(lines[MOST_PER_ADDRESS:], [], [], HANDSHAKE_SECONDS / 2)[0]
        assert ended, "those over the limit are closed"
        assert not select.select(lines[:MOST_PER_ADDRESS], [], [], 0)[0], "and no others"
    for _ in range(100):  # until the program has noticed that the others have left
        with connected(site) as ask:
            try:
                assert ask("POST", "/camera/pair", token)[0] == 200
                return
            except OSError:
                time.sleep(0.1)
    pytest.fail("the port stayed closed")


def test_a_token_is_void_after_ten_minutes(tmp_path):
    now = [0.0]
    relay = PhoneRelay(tmp_path, clock=lambda: now[0])
    token = relay.new_token()
    now[0] = 601.0
    assert relay.pair(token) is None
    assert not relay.is_used, "a code that is too old has connected no phone"
    assert relay.pair(relay.new_token()) is not None
    assert relay.is_used


def test_a_code_that_is_too_old_or_used_is_no_longer_valid(tmp_path):
    now = [0.0]
    relay = PhoneRelay(tmp_path, clock=lambda: now[0])
    assert not relay.is_invited
    relay.new_token()
    assert relay.is_invited
    now[0] = 601.0
    assert not relay.is_invited
    relay.pair(relay.new_token())
    assert not relay.is_invited
    assert relay.has_phone


def test_a_phone_that_was_sent_away_needs_a_new_code(site):
    with connected(site) as ask:
        _, _, headers = ask("POST", "/camera/pair", parts_of(site)[1])
        paired = {"Cookie": headers["Set-Cookie"].partition(";")[0]}
        assert ask("POST", FRAME, b"\xff\xd8", **paired)[0] == 200
        site.invite()
        site.relay.send_away()
        assert ask("POST", FRAME, b"\xff\xd8", **paired)[0] == 403
        assert site.part()["status"] is None
        assert not site.part()["has_phone"]
        assert ask("POST", "/camera/pair", parts_of(site)[1])[0] == 403, "nor that of before"
        site.invite()
        assert ask("POST", "/camera/pair", parts_of(site)[1])[0] == 200


def test_four_addresses_that_hold_all_connections_keep_no_phone_out(site):
    port, token = parts_of(site)
    with ExitStack() as stack:
        for number in range(MOST_CONNECTIONS):
            source = (f"127.0.0.{2 + number % 4}", 0)
            line = socket.create_connection(("127.0.0.1", port), 5, source_address=source)
            stack.enter_context(closing(line))
        with connected(site) as ask:
            assert ask("POST", "/camera/pair", token)[0] == 200


def test_connections_that_are_closed_to_make_room_are_logged_in_one_line_a_minute(site, caplog):
    port, token = parts_of(site)
    with ExitStack() as stack:
        for number in range(MOST_CONNECTIONS + 8):
            source = (f"127.0.0.{2 + number % 8}", 0)
            line = socket.create_connection(("127.0.0.1", port), 5, source_address=source)
            stack.enter_context(closing(line))
        with connected(site) as ask:
            assert ask("POST", "/camera/pair", token)[0] == 200
    site.close()
    logged = [one.getMessage() for one in caplog.records if one.name in ("asyncio", "webui.tls")]
    assert len(logged) == 1
    assert logged[0].startswith("too many connections")


def test_a_phone_may_send_for_a_day(tmp_path):
    now = [0.0]
    relay = PhoneRelay(tmp_path, clock=lambda: now[0])
    session = relay.pair(relay.new_token()) or ""
    assert relay.is_paired(session)
    now[0] = SESSION_SECONDS + 1.0
    assert not relay.is_paired(session)


def test_while_a_picture_is_on_its_way_only_the_newest_waits(tmp_path):
    from concurrent.futures import Future

    from webui.contracts.phone import PhoneFrame

    relay, sent = PhoneRelay(tmp_path), []

    def forward(picture):
        sent.append((picture.jpeg, Future()))
        return sent[-1][1]

    relay.forward_to(forward)
    for number in range(5):
        relay.receive(PhoneFrame(bytes([number]), float(number), 50, is_charging=False))
    assert [jpeg for jpeg, _ in sent] == [b"\0"]
    sent[0][1].set_result(None)
    assert [jpeg for jpeg, _ in sent] == [b"\0", b"\4"]
    relay.receive(PhoneFrame(b"late", 3.5, 50, is_charging=False))
    sent[1][1].set_result(None)
    assert len(sent) == 2, "a picture that others have overtaken is dropped"
    relay.forward_to(None)
    relay.receive(PhoneFrame(b"here", 9.0, 50, is_charging=False))
    assert relay.feed.take(0)[0] == b"here"
    assert relay.status()["battery"] == 50


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """The beginning of the sample clip in a form that Chromium takes for a camera."""
    path = tmp_path_factory.mktemp("clip") / "camera.mjpeg"
    with closing(open_source(str(samples.CLIP))) as source:
        frames = [frame.image for frame, _ in zip(source, range(FRAMES), strict=False)]
    path.write_bytes(b"".join(cv2.imencode(".jpg", frame)[1].tobytes() for frame in frames))
    return path


@pytest.fixture(scope="module")
def browser(clip, tmp_path_factory):
    driver = open_chromium(
        tmp_path_factory.mktemp("profile"),
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={clip}",
    )
    yield driver
    driver.quit()


def state(browser):
    return find(browser, "#camera").get_attribute("data-state")


def next_image(site):
    """A picture that the page sends from now on."""
    until = time.monotonic() + PATIENCE
    for number in count():
        assert time.monotonic() < until, "no picture came"
        newest = site.relay.feed.take(1.0)
        if newest is not None and number:
            return decode(newest[0])
    raise AssertionError


ANSWERED_LATE = """
const ask = window.fetch;
window.fetch = async (...request) => {
  const response = await ask(...request), read = response.json.bind(response);
  response.json = async () => {
    const answer = await read();
    await new Promise((resolve) => { setTimeout(resolve, 1000); });
    return answer;
  };
  return response;
};
"""


def test_a_late_answer_does_not_hide_that_another_phone_took_over(site, browser):
    browser.get(local(site))
    wait(browser, lambda: state(browser) == "sending")
    browser.execute_script(ANSWERED_LATE)
    next_image(site)
    site.invite()
    site.relay.pair(parts_of(site)[1])
    wait(browser, lambda: state(browser) == "stopped")
    time.sleep(1.5)
    assert state(browser) == "stopped"


def test_a_browser_sends_its_camera_and_comes_back_by_itself(site, browser, clip):
    browser.get(local(site))
    wait(browser, lambda: state(browser) == "sending")
    assert browser.current_url.endswith("/camera"), "the token left the address"
    image = next_image(site)
    assert image.shape == (720, 1280, 3)
    first = cv2.imdecode(np.frombuffer(clip.read_bytes(), np.uint8), cv2.IMREAD_COLOR)
    # Chromium's fake camera has a color matrix of its own.
    assert np.corrcoef(image.ravel(), first.ravel())[0, 1] > 0.97
    assert site.part()["invitation"]["is_used"]
    site.relay.guide = lambda: {
        "stage": "looking", "corners": [(10, 10), (1200, 10), (1200, 700), (10, 700)],
        "size": (1280, 720), "tilt": 27.0, "level": -14.0, "faults": ["the picture is too dark"],
        "warnings": [], "is_ready": False,
    }  # fmt: skip
    wait(browser, lambda: text(browser, "[data-list=faults]") == "The picture is too dark")
    assert text(browser, "[data-text=tilt]") == "27°"
    assert find(browser, "#guide-level").get_attribute("data-good") == "no"
    assert find(browser, "#found polygon").get_attribute("points").startswith("10,10 1200,10")

    port = site._front.port
    site._front.close()
    wait(browser, lambda: state(browser) == "lost")
    context = tls_context(site._certificate.path)
    site._front = TlsFront(listen("127.0.0.1", port), context, site._server.port)
    wait(browser, lambda: state(browser) == "sending")
    assert next_image(site).shape == (720, 1280, 3)

    # A page that is opened again is still paired, and another phone takes over.
    browser.refresh()
    wait(browser, lambda: state(browser) == "sending")
    site.invite()
    site.relay.pair(parts_of(site)[1])
    wait(browser, lambda: state(browser) == "stopped")
    assert "QR code" in text(browser, "#state")


ANDROID = """
const canvas = document.createElement("canvas");
window.turned = false;
setInterval(() => {
  [canvas.width, canvas.height] = window.turned ? [90, 160] : [160, 90];
  const draw = canvas.getContext("2d");
  // What is left in the first picture is below after the screen has turned by 90 degrees.
  draw.fillStyle = "red";
  draw.fillRect(0, 0, 160, 160);
  draw.fillStyle = "blue";
  if (window.turned) draw.fillRect(0, 0, 90, 80);
  else draw.fillRect(80, 0, 80, 90);
}, 50);
navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(20);
"""
"""A camera whose pictures turn with the screen, as Android's do."""


def turn_screen(browser, kind, angle):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 700, "height": 700, "deviceScaleFactor": 1, "mobile": True,
         "screenOrientation": {"type": kind, "angle": angle}},
    )  # fmt: skip


def test_pictures_stay_upright_when_the_screen_of_a_resting_phone_turns(site, browser):
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": ANDROID})
    try:
        turn_screen(browser, "portraitPrimary", 0)
        browser.get(local(site))
        wait(browser, lambda: state(browser) == "sending")
        before = next_image(site)
        turn_screen(browser, "landscapePrimary", 90)
        browser.execute_script("window.turned = true")
        wait(browser, lambda: find(browser, "#video").get_property("videoWidth") == 90)
        time.sleep(0.5)
        after = next_image(site)
        assert before.shape == after.shape == (90, 160, 3)
        assert np.abs(before.astype(int) - after).mean() < 8
    finally:
        browser.execute_cdp_cmd(
            "Page.removeScriptToEvaluateOnNewDocument", {"identifier": script["identifier"]}
        )
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_video_is_sent_in_parts(site, browser, tmp_path):
    film = tmp_path / "evening.mp4"
    film.write_bytes(np.random.default_rng(1).bytes(2_500_000))
    browser.get(local(site))
    wait(browser, lambda: state(browser) == "sending")
    find(browser, "#film").send_keys(str(film))
    wait(browser, lambda: text(browser, "#sent") == "Sent: open it on the computer.")
    (sent,) = site.part()["videos"]
    assert Path(sent["address"]).read_bytes() == film.read_bytes()
