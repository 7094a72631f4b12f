"""A setup wizard that shows what a test publishes, and stores the commands that it receives."""

from __future__ import annotations

import copy
import threading

import cv2
import numpy as np

from webui.contracts.setup import GameChoice, SetupRefused
from webui.contracts.state import NO_PLACE

GAME = GameChoice(
    light="Light",
    dark="Dark",
    length=0,
    variant="short",
    rules="",
    options={},
    goes_on=True,
    place=NO_PLACE,
)
UNFINISHED = {
    "id": 3, "players": {"light": "Ann", "dark": "Bob"}, "variant": "short", "length": 7,
    "score": {"light": 3, "dark": 2}, "games": 6, "plays": 41, "last": 1.7e9, "by_hand": True,
}  # fmt: skip
OPENING = [0] + [0] * 5 + [5, 0, 3] + [0] * 4 + [5] + [0] * 10 + [2, 0]
COLOURS = {"light": "#c9c7be", "dark": "#a3514e", "field": "#1f6038", "frame": "#6d4c3c",
           "points": ["#8f251e", "#c5c0b2"]}  # fmt: skip
QR_CODE = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='8' height='8'/%3E"
CORNERS = [(200.0, 300.0), (560.0, 300.0), (540.0, 60.0), (220.0, 60.0)]


def closed_state():
    return {
        "stage": "choosing", "error": None, "cameras": [], "is_listed": True, "source": None,
        "picture": 0, "size": None, "is_looking": False, "board": None, "faults": [],
        "warnings": [], "read": None, "ready": None, "is_known": False, "game": dict(GAME),
        "is_unfinished": False, "before": None, "turned": False, "by_hand": False,
        "phone": None, "resumed": None,
    }  # fmt: skip


def board(**changes):
    return {"corners": CORNERS, "by_hand": False, "tilt": 27.0, "die": 18.0, "point": 40.0,
            "edges": 0.8, **changes}  # fmt: skip


def read(**changes):
    return {
        "position": {"light": list(OPENING), "dark": list(OPENING), "course": "opposed"},
        "matching": 24, "differences": [], "advice": "", "differing": [], "light_home": "right",
        "colours": COLOURS, "upside_down": False, **changes,
    }  # fmt: skip


def phone(**changes):
    invitation = {
        "url": "https://192.168.1.5:8443/camera#secret", "code": QR_CODE,
        "fingerprint": ":".join(["AB"] * 32), "is_used": False,
        "is_valid": True,
    }  # fmt: skip
    return {"invitation": invitation, "has_phone": False, "status": None, "videos": [], **changes}


class ScriptedWizard:
    """A `webui.contracts.setup.Wizard`; an opened source shows a found and learned board."""

    def __init__(self):
        self.lock = threading.RLock()
        self.now = closed_state()
        self.commands = []
        self.refuses = None

    def publish(self, **changes):
        with self.lock:
            self.now.update(changes)

    def _note(self, *words):
        with self.lock:
            if self.refuses:
                raise SetupRefused(self.refuses)
            self.commands.append(words)

    def state(self):
        with self.lock:
            return copy.deepcopy(self.now)

    def picture(self, *, plain):
        grey = np.full((360, 640, 3), 90 if plain else 120, np.uint8)
        return cv2.imencode(".jpg", grey)[1].tobytes() if self.now["picture"] else None

    def thumbnail(self, camera):
        return self.picture(plain=True) if camera == "0" else None

    def open_source(self, address):
        self._note("open", address)
        source = {"name": address, "is_film": False, "fault": None}
        self.publish(stage="looking", source=source, picture=1, size=(640, 360), board=board(),
                  read=read(), ready="learnt")  # fmt: skip

    def reopen_last(self):
        self._note("again")
        self.open_source("0")
        self.publish(is_known=True, ready="known")

    def resume(self, match):
        self._note("resume", match)
        self.publish(resumed=None if match is None else UNFINISHED)
        if match is not None:
            self.publish(stage="manual", by_hand=True, ready="manual")

    def invite_phone(self):
        self._note("phone")
        self.publish(phone=phone())

    def send_phone_away(self):
        self._note("phone/away")

    def use_no_camera(self):
        self._note("by-hand")
        self.publish(**{**closed_state(), "stage": "manual", "by_hand": True, "ready": "manual"})

    def close_source(self):
        self._note("leave")
        self.publish(**{**closed_state(), "before": self.now["before"]})

    def set_corners(self, corners):
        self._note("corners", corners)
        if corners is not None:
            self.publish(board=board(corners=corners, by_hand=True))

    def rotate_board(self, how):
        self._note("turn", how)

    def relearn_board(self):
        self._note("learn")

    def set_game(self, game):
        self._note("game", game)
        self.publish(game=game)

    def start(self):
        self._note("start")
        self.publish(stage="recording")
