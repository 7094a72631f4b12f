"""The pictures of the documents, taken from the program in a headless Chromium.

`make pictures` runs it, and nothing is retouched: the sample clip plays through `tableside demo`,
and the pages are photographed meanwhile. Only the dice report shows simulated rolls.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import cv2
import numpy as np

import samples
from engine.arrays import Image
from engine.rules import SHORT
from tableside.bench.browser import open_browser
from tableside.match.config import MatchConfig
from tableside.match.session import Session
from vision.reading.overlay import draw_overlay
from vision.sources.files import VideoFile

SIZE: Final = (1280, 800)
"""Width and height of the window, in CSS pixels."""
STREAM: Final = (1280, 720)
"""The same for a streaming program's picture, which is the camera's."""
BEHIND_THE_OVERLAY: Final = """
const picture = new Image();
picture.src = "/camera.jpg";
picture.style = "position: fixed; inset: 0; width: 100%; z-index: -1";
document.body.prepend(picture);
"""
QUALITY: Final = 82
MOMENT_S: Final = 12.9
"""Seconds into the clip: light has thrown 4-4 with a checker on the bar, and no hand is in view."""
FILM_S: Final = (9.0, 31.0)
"""The part of the clip that the animation shows, in seconds."""
FILM_WIDTH, FILM_STEP_S, FILM_QUALITY = 800, 0.3, 70
ADDRESS: Final = re.compile(r"(http://[^/\s]+)/")
STEPS_TO_THE_HIT, RIGHT = 3, "\ue014"
"""The replay's steps to light's third play, and WebDriver's name for the key of a step."""
PATIENCE_S: Final = 120.0
ROLLS: Final = 600
"""Simulated rolls of each pair in the dice report."""
NAMES: Final = {"light": "Anna", "dark": "Boris"}


def main(folder: Path) -> None:
    """Write every picture to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as scratch, open_browser() as browser:
        camera = Photographer(browser, folder)
        camera.write("reading", board_picture())
        play_at_the_desk(Path(scratch) / "demo")
        _photograph_demo(camera, Path(scratch) / "demo")
        _photograph_setup(camera, Path(scratch))
        photograph_dice(camera, Path(scratch))


def board_picture(seconds: float = MOMENT_S) -> Image:
    """The sample at this time, with the reading drawn on it."""
    session = Session(MatchConfig(SHORT), lambda events: None)
    for frame in VideoFile(samples.CLIP):
        session.feed(frame)
        if frame.seconds >= seconds and session.reading is not None:
            return draw_overlay(frame.image, session.reading)
    raise ValueError(f"the sample is shorter than {seconds} s")


@dataclass(frozen=True, slots=True)
class Photographer:
    """A browser, and the folder for its pictures."""

    browser: Any
    folder: Path

    def show(self, address: str, size: tuple[int, int] = SIZE, scheme: str = "light") -> None:
        """Open the address in a window of this size and color scheme, in which nothing moves."""
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        wanted = {"prefers-color-scheme": scheme, "prefers-reduced-motion": "reduce"}
        media = {"features": [{"name": name, "value": value} for name, value in wanted.items()]}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.browser.get("about:blank")  # an address that differs in its fragment loads nothing
        self.browser.get(address)

    def see(self) -> Image:
        """What the window shows: (height, width, 3), BGR."""
        shot = np.frombuffer(self.browser.get_screenshot_as_png(), np.uint8)
        return np.asarray(cv2.imdecode(shot, cv2.IMREAD_COLOR), np.uint8)

    def take(self, name: str, settle_s: float = 0.8) -> None:
        """Write what the window shows once it has settled."""
        time.sleep(settle_s)
        self.write(name, self.see())

    def write(self, name: str, image: Image) -> None:
        """Write one picture."""
        code = cv2.imencode(".webp", image, [cv2.IMWRITE_WEBP_QUALITY, QUALITY])[1]
        (self.folder / f"{name}.webp").write_bytes(bytes(code))

    def wait(self, script: str) -> None:
        """Wait until a script of the page returns a true value."""
        wait_for(lambda: self.browser.execute_script(f"return {script}"))

    def click(self, selector: str) -> None:
        """Click what the selector finds, once it can be clicked."""
        self.wait(f"document.querySelector({selector!r})?.disabled === false")
        self.browser.execute_script(f"document.querySelector({selector!r}).click()")


def wait_for(condition: Callable[[], object]) -> None:
    """Return once the condition holds; raises `TimeoutError` after two minutes."""
    until = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError("the program did not get to the moment of the picture")
        time.sleep(0.05)


@contextmanager
def running(*words: str | Path) -> Iterator[str]:
    """The address of a `tableside` command's page; the command ends with the block."""
    command = [sys.executable, "-m", "tableside", *map(str, words), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        try:
            printed = program.stdout or ()  # it is a pipe
            addresses = (ADDRESS.search(line) for line in printed)
            yield next(found[1] for found in addresses if found)
        finally:
            program.terminate()


def ask(address: str, body: dict[str, object] | None = None) -> Any:
    """The JSON at an address; with a body, post it."""
    request = urllib.request.Request(  # noqa: S310 (our own address)
        address,
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json", "X-Tableside": "1"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
        return json.load(answer)


def play_at_the_desk(folder: Path) -> None:
    """Enter two short matches by hand, so that the list of matches has more than one row."""
    folder.mkdir()
    record = folder / "record.sqlite"
    for light, dark, length, lost in (
        ("Anna", "Clara", 3, "gammon"),
        ("Boris", "Emil", 1, "single"),
    ):
        names = ("--light", light, "--dark", dark, "--length", str(length))
        with running("live", "--no-camera", "--record", record, *names) as url:
            desk, goes_on = f"{url}/api/desk", True
            wait_for_match(url)
            while goes_on:
                ask(f"{desk}/roll", {"dice": [3, 1]})
                ask(f"{desk}/play", {"play": "8/5 6/5"})
                given_up = ask(f"{desk}/resignation", {"player": "dark", "result": lost})
                if goes_on := "begin_game" in given_up["can"]:
                    ask(f"{desk}/word", {"word": "begin_game"})


def wait_for_match(url: str) -> None:
    """Return once the page shows a match."""
    wait_for(lambda: ask(f"{url}/api/state")["position"])


def _photograph_demo(camera: Photographer, folder: Path) -> None:
    with running("demo", "--out", folder) as url:
        camera.show(url)
        camera.wait("document.querySelectorAll('#board .checkers use').length > 0")
        ask(f"{url}/api/desk/names", {**NAMES})
        film = list(_filmed(camera, url))
        write_film(camera.folder / "play.webp", film)
        camera.take("page", settle_s=0)
        parts = "names,score,pips,dice,last,flag"
        camera.show(
            f"{url}/overlay?only={parts}&position=bottom&margin=12&scale=0.75"
            f"&width={STREAM[0]}&height={STREAM[1]}",
            STREAM,
        )
        camera.browser.execute_script(BEHIND_THE_OVERLAY)
        camera.take("overlay")
        camera.show(f"{url}/desk")
        camera.take("desk")
        wait_for((folder / "match.mat").exists)
        camera.show(f"{url}/matches", (1280, 640))
        camera.take("matches")
        newest = "document.querySelector('main a[href^=\"/matches/\"]').href"
        camera.show(camera.browser.execute_script(f"return {newest}"))
        camera.wait("document.querySelectorAll('#board .checkers use').length > 0")
        for _ in range(STEPS_TO_THE_HIT):
            camera.browser.find_element("tag name", "body").send_keys(RIGHT)
        camera.take("replay")


def _filmed(camera: Photographer, url: str) -> Iterator[Image]:
    """The page while it shows that part of the clip."""
    while (now := _clip_seconds(url)) < FILM_S[1]:
        if now >= FILM_S[0]:
            yield camera.see()
        time.sleep(FILM_STEP_S)


def _clip_seconds(url: str) -> float:
    """The time in the clip, from the page's source line such as `12 fps · 0:49`."""
    minutes, _, seconds = (
        ask(f"{url}/api/state")["shown"]["source"].rpartition("·")[2].partition(":")
    )
    return 60 * float(minutes) + float(seconds)


def write_film(path: Path, film: Sequence[Image]) -> None:
    """Write the pictures as an animation that loops forever."""
    height = FILM_WIDTH * SIZE[1] // SIZE[0]
    animation = cv2.Animation()
    animation.frames = [
        cv2.resize(image, (FILM_WIDTH, height), interpolation=cv2.INTER_AREA) for image in film
    ]
    animation.durations = [round(FILM_STEP_S * 1000)] * len(film)
    cv2.imwriteanimation(str(path), animation, [cv2.IMWRITE_WEBP_QUALITY, FILM_QUALITY])


def _photograph_setup(camera: Photographer, scratch: Path) -> None:
    with running("live", "--record", scratch / "setup.sqlite") as url:
        camera.show(f"{url}/setup")
        ask(f"{url}/api/setup/open", {"address": str(samples.CLIP)})
        camera.wait("document.querySelector('[data-task=board] .main-button')?.disabled === false")
        camera.take("setup")


def photograph_dice(camera: Photographer, scratch: Path) -> None:
    """The report on two pairs: one fair, one whose six comes up half as often again."""
    chance = np.random.default_rng(1)
    loaded = np.array([2, 2, 2, 2, 2, 3]) / 13
    table, page = scratch / "rolls.csv", scratch / "dice.html"
    with table.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["time", "player", "die", "value", "throw"])
        for throw in range(2 * ROLLS):
            player = "Anna" if throw % 2 else "Boris"
            die, shares = ("white pair", None) if throw % 2 else ("red pair", loaded)
            for face in chance.choice(6, 2, p=shares) + 1:
                rows.writerow([10 * throw, player, die, face, throw])
    report = ("dice", "report", "--csv", str(table), "--html", str(page), "--lang", "en")
    command = [sys.executable, "-m", "tableside", *report]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    camera.show(page.as_uri(), (960, 800))
    camera.take("dice")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
