"""Every page of the program, light and dark, at three sizes: to be looked at before a release.

`make screenshots` runs it. `index.html` beside the pictures shows them all.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlsplit

import cv2

import samples
from tableside.bench.browser import open_browser
from tableside.documents.hand_table import HandTable
from tableside.documents.pictures import (
    BEHIND_THE_OVERLAY,
    NAMES,
    Photographer,
    ask,
    play_at_the_desk,
    running,
    wait_for,
    wait_for_match,
)
from tableside.hall.own_broker import mosquitto, own_broker
from vision.sources.files import VideoFile

LAPTOP: Final = (1366, 768)
SIZES: Final = ((1440, 900), LAPTOP, (390, 844))
"""Width and height of the windows, in CSS pixels: a desktop, a laptop and a phone."""
SCHEMES: Final = ("light", "dark")
DRAWN: Final = "document.querySelectorAll('#board .checkers use').length > 0"
LIVE: Final = f"document.querySelector('#link')?.dataset.link === 'live' && {DRAWN}"
READY: Final = "document.querySelector('main')?.dataset.ready === 'yes'"
PRESS: Final = "document.querySelector({!r}).click()"
LONG_NAMES: Final = ("Mochizuki Masayuki", "Christiansen-Sommerfeldt")
CAMERA_SECONDS: Final = 4
"""How much of the clip the browser's simulated camera shows again and again."""
INDEX: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title>
<style>body { font: 1rem sans-serif; background: #888 } img { height: 22rem; margin: .3rem }</style>
"""


def main(folder: Path, *only: str) -> None:
    """Write a picture of every page, in both color schemes and all sizes, to the folder.

    only: names of `PARTS`, to photograph no others.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, open_browser(*_camera_flags(Path(scratch))) as browser:
        album = Album(Photographer(browser, folder))
        for name in only or PARTS:
            PARTS[name](album, Path(scratch))
        (folder / "index.html").write_text(album.index(), "utf-8")


@dataclass(frozen=True, slots=True)
class Album:
    """A photographer, and the names of the pictures of each view."""

    camera: Photographer
    views: dict[str, list[str]] = field(default_factory=dict)

    def add(
        self,
        view: str,
        address: str,
        ready: str = "true",
        do: str = "",
        shows: str = "true",
        sizes: Sequence[tuple[int, int]] = SIZES,
    ) -> None:
        """Photograph a view in both color schemes and in windows of these sizes.

        ready: the script that says whether the page can be used; do: the script that leads from
        there to the view; shows: the script that says whether it is shown.
        """
        names = self.views.setdefault(view, [])
        for width, height in sizes:
            for scheme in SCHEMES:
                self.camera.show(address, (width, height), scheme)
                self.camera.wait(ready)
                self.camera.browser.execute_script(do)
                self.camera.wait(shows)
                names.append(f"{view}-{width}x{height}-{scheme}")
                self.camera.take(names[-1], settle_s=0.5)

    def index(self) -> str:
        """A page that shows all pictures, view by view."""
        return INDEX + "\n".join(
            f"<h2>{escape(view)}</h2>"
            + "".join(
                f'<a href="{name}.webp"><img src="{name}.webp" alt="{name}" loading="lazy"></a>'
                for name in names
            )
            for view, names in self.views.items()
        )


# --- A match entered by hand


def _by_hand(album: Album, scratch: Path) -> None:
    light, dark = LONG_NAMES
    options = ("--length", "5", "--event", "Riverside Open", "--round", "Final", "--table", "1")
    match = ("--light", light, "--dark", dark, "--countries", "JP", "DK", *options)
    record = scratch / "hand.sqlite"
    with running("live", "--no-camera", "--analysis", "--record", record, *match) as url:
        wait_for_match(url)
        album.add("desk-opening", f"{url}/desk", LIVE)
        table = HandTable(url)
        table.play(turns=23)
        album.add("live", f"{url}/", LIVE)
        album.add("look-back", f"{url}/", LIVE, PRESS.format("[data-look=back]"))
        album.add("desk-roll", f"{url}/desk", LIVE)
        for mode, button in (("match", "match"), ("position", "position"), ("resign", "resign")):
            album.add(f"desk-{mode}", f"{url}/desk", LIVE, PRESS.format(f"[data-open={button}]"))
        turn = "#turns [data-number='20']"
        album.add(
            "desk-turn", f"{url}/desk", f"{LIVE} && document.querySelector({turn!r})",
            PRESS.format(turn), "document.querySelector('#main').dataset.mode === 'turn'",
        )  # fmt: skip
        album.add("desk-keys", f"{url}/desk", LIVE, PRESS.format("#help-open"))
        table.roll()
        album.add("desk-play", f"{url}/desk", LIVE)
        ask(f"{url}/api/desk/play", {"play": table.illegal_play()})
        for page in ("", "desk"):
            album.add(
                f"{page or 'live'}-dispute", f"{url}/{page}", LIVE, PRESS.format("#alert-legal"),
                "document.querySelectorAll('#legal-plays .board').length > 0",
            )  # fmt: skip
        album.add("tv-dispute", f"{url}/tv", DRAWN)
        table.say("reject")
        table.play(turns=2)
        for page in ("tv", "commentary", "share"):
            album.add(page, f"{url}/{page}")
        table.say("double")
        album.add("live-double", f"{url}/", LIVE)
        album.add("desk-double", f"{url}/desk", LIVE)
        table.say("take")
        ask(f"{url}/api/desk/resignation", {"player": "dark", "result": "gammon"})
        album.add("live-game-over", f"{url}/", LIVE)
        table.say("begin_game")
        table.play(turns=8)
        ask(f"{url}/api/desk/resignation", {"player": "dark", "result": "single"})
        for page in ("live", "desk", "tv"):
            album.add(f"{page}-match-over", f"{url}/{page.removeprefix('live')}", DRAWN)
        album.add("replay-analyzed", f"{url}/matches/1#analysis", READY)
        album.add("report", f"{url}/matches/1/report")
        album.add("player", f"{url}/player?name={light.replace(' ', '+')}")


# --- The demo, with a camera


def _demo(album: Album, scratch: Path) -> None:
    folder = scratch / "demo"
    play_at_the_desk(folder)
    with running("demo", "--out", folder) as url:
        wait_for(lambda: len(ask(f"{url}/api/state")["moves"]) > 1)
        ask(f"{url}/api/desk/names", {**NAMES})
        album.add("live-camera", f"{url}/", LIVE)
        album.add("desk-camera", f"{url}/desk", LIVE)
        overlay = f"{url}/overlay?width={LAPTOP[0]}&height={LAPTOP[1]}"
        album.add("overlay", overlay, DRAWN, BEHIND_THE_OVERLAY, sizes=[LAPTOP])
        wait_for((folder / "match.mat").exists)
        album.add("live-video-over", f"{url}/", DRAWN)
        pages = ("matches", "matches/deleted", "doubts", "find", "players", "dice", "dice/plan")
        for page in pages:
            album.add(page.replace("/", "-"), f"{url}/{page}")
        newest = ask(f"{url}/api/matches")["matches"][0]["id"]
        album.add("replay", f"{url}/matches/{newest}", READY)
        album.add("replay-review", f"{url}/matches/{newest}?show=review", READY)
        album.add("edit", f"{url}/matches/{newest}/edit")
        album.add("match-dice", f"{url}/matches/{newest}/dice")
        album.add("refusal", f"{url}/matches/99")


# --- The set-up, and the phone's page


def _setup(album: Album, scratch: Path) -> None:
    with running("live", "--record", scratch / "setup.sqlite") as url:
        album.add("live-before-setup", f"{url}/")
        album.add("setup-camera", f"{url}/setup")
        ask(f"{url}/api/setup/phone", {})
        wait_for(lambda: ask(f"{url}/api/setup")["phone"]["invitation"])
        album.add("setup-phone", f"{url}/setup")
        invited = urlsplit(ask(f"{url}/api/setup")["phone"]["invitation"]["url"])
        phone = f"https://127.0.0.1:{invited.port}/camera"
        album.add("phone-unpaired", phone)
        album.camera.show(f"{phone}#{invited.fragment}")
        sends = "document.querySelector('#camera').dataset.state === 'sending'"
        album.camera.wait(sends)
        album.add("setup-phone-paired", f"{url}/setup")
        album.add("phone-sending", phone, sends)
        ask(f"{url}/api/setup/open", {"address": "sample"})
        wait_for(lambda: ask(f"{url}/api/setup")["ready"])
        for step in ("board", "checkers", "match"):
            shown = f"document.querySelector('#setup').dataset.step === {step!r}"
            album.add(f"setup-{step}", f"{url}/setup#{step}", shown)


# --- Pages with other people and programs


def _behind_passwords(album: Album, scratch: Path) -> None:
    network = ("--host", "0.0.0.0", "--passwords", scratch / "passwords")  # noqa: S104 (a page with a log-in)
    hand = ("--no-camera", "--record", scratch / "guarded.sqlite")
    with running("live", *hand, *network) as url:
        album.add("login", f"{url}/login")


def _labels(album: Album, scratch: Path) -> None:
    for frame, _ in zip(VideoFile(samples.CLIP), range(1), strict=False):
        cv2.imwrite(str(scratch / "board.png"), frame.image)
    with running("label", scratch / "board.png", "--out", scratch / "labels") as url:
        album.add("label", f"{url}/label", "document.querySelectorAll('#marks *').length > 0")


def _hall(album: Album, scratch: Path) -> None:
    if mosquitto() is None:
        print("no pictures of the hall: it needs mosquitto", file=sys.stderr)
        return
    with own_broker() as broker:
        _photograph_hall(album, scratch, f"mqtt://{broker.name}")


def _photograph_hall(album: Album, scratch: Path, broker: str) -> None:
    hall = ("--broker", broker, "--store", scratch / "hall.sqlite")
    players = (LONG_NAMES, ("Anna", "Boris"), ("Clara", "Emil"))
    with running("hall", *hall) as url, ExitStack() as tables:
        for number, (light, dark) in enumerate(players, start=1):
            names = ("--light", light, "--dark", dark, "--length", "7")
            place = ("--hall", broker, "--table", str(number), "--round", "3")
            record = ("--no-camera", "--record", scratch / f"table{number}.sqlite")
            table = HandTable(tables.enter_context(running("live", *record, *names, *place)))
            wait_for_match(table.url)
            table.play(turns=6 * number)
        ask(f"{table.url}/api/desk/resignation", {"player": "dark", "result": "gammon"})
        shown = "document.querySelectorAll('.tile').length === 3"
        for page in ("hall", "hall/tv"):
            album.add(page.replace("/", "-"), f"{url}/{page}", shown)
        album.add("hall-results", f"{url}/hall/results")


def _camera_flags(scratch: Path) -> tuple[str, ...]:
    """The options of a browser whose camera shows the clip."""
    path = scratch / "camera.mjpeg"
    video = VideoFile(samples.CLIP)
    with path.open("wb") as out:
        for frame in video:
            if frame.seconds > CAMERA_SECONDS:
                break
            out.write(bytes(cv2.imencode(".jpg", frame.image)[1]))
    return (
        "--ignore-certificate-errors",  # that of the phone's page is our own
        "--use-fake-ui-for-media-stream",
        "--use-fake-device-for-media-stream",
        f"--use-file-for-fake-video-capture={path}",
    )


PARTS: Final = {
    "hand": _by_hand,
    "demo": _demo,
    "setup": _setup,
    "passwords": _behind_passwords,
    "label": _labels,
    "hall": _hall,
}
"""What is photographed with one start of the program each."""

if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
