"""Recording matches for the page: one immediately, or each after its set-up on the page."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from calibration.errors import CalibrationError
from calibration.profile import Profile
from engine import EngineError
from engine.message import join, message_of, msg
from hardware.errors import HardwareError
from tableside.console import say
from tableside.errors import WrongUsage
from tableside.match.config import MatchPlace, RecordingConfig, agreed, find_rule_set
from tableside.paths import data_folder
from tableside.record.open_matches import OpenMatches
from tableside.record.store import Store
from tableside.site.serve import Site, ended_by_signals, page_of
from tableside.site.state_hub import StateHub
from tableside.vision_process.client import VisionClient
from tableside.vision_process.jobs import RecordJob
from vision.errors import SourceError, VisionError
from vision.sources.phone_feed import NO_FEED, PHONE
from webui.contracts.phone import PhoneGuide
from webui.contracts.roles import Visibility
from webui.contracts.setup import GameChoice
from webui.contracts.state import PlaceShown

if TYPE_CHECKING:
    from tableside.setup.wizard import SetupChoice, SetupWizard
    from tableside.site.phone import PhoneRelay

REPORT_SECONDS: Final = 3.0
"""Interval between two reports of the phone's battery and frame rate."""
NOT_BEGUN: Final = msg("no match has been set up yet")
SET_UP: Final = msg("choose a camera under Setup")
SET_UP_NEXT: Final = join(
    [msg("what was recorded is under Matches"), msg("start another match under Setup")]
)


def record_at_once(config: RecordingConfig, vision: VisionClient, site: Site) -> None:
    """Record from the given camera until the source ends or a signal arrives.

    Raises `SourceError` for a phone, which only the set-up can invite.
    """
    if config.camera == PHONE:
        raise SourceError(NO_FEED)
    vision.open(RecordJob(config))
    with ended_by_signals(vision.stop), page_of(site):
        vision.run()


def record_guided(config: RecordingConfig, vision: VisionClient, site: Site) -> None:
    """Let the page complete the configuration, then record, match after match."""
    # They take a second to load, and whoever names the camera needs none.
    from tableside.setup.last_setup import LastSetupStore
    from tableside.setup.wizard import SetupWizard
    from tableside.site.phone import PhoneRelay
    from tableside.site.phone_site import PhoneSite

    stopped = threading.Event()

    def stop() -> None:
        stopped.set()
        wizard.close()
        vision.stop()

    vision.table.publish(message=NOT_BEGUN, referee={"message": SET_UP})
    path = vision.record
    relay = PhoneRelay(path.with_name(f"{path.stem}.videos"))
    phone = PhoneSite(relay, data_folder() / "camera-page.pem")
    store = Store.open_read_only(path)
    matches = OpenMatches(store)
    with (
        closing(phone),
        closing(store),
        SetupWizard(
            LastSetupStore(path),
            _game(config),
            known=config.match.profile,
            is_unfinished=partial(_is_unfinished, config, matches),
            unfinished=matches.numbered,
            phone=phone,
        ) as wizard,
        ended_by_signals(stop),
        page_of(replace(site, wizard=wizard)),
    ):
        if config.resumed is not None:
            wizard.resume(matches.numbered(config.resumed).entry.id)
        vision.on_lost = wizard.close
        relay.guide = partial(_guide, wizard, vision.table)
        while (choice := wizard.wait()) is not None and not stopped.is_set():
            error = None
            try:
                vision.open(RecordJob(complete_config(config, choice), is_handed_over=True))
                wizard.begun()
                if stopped.is_set():  # by a signal that arrived while the source was being opened
                    vision.stop()
                with _phone_forwarded(relay, vision, choice):
                    vision.run()
            except (VisionError, CalibrationError, HardwareError, EngineError, WrongUsage) as fault:
                error = message_of(fault)
                say(str(error))
            vision.table.publish(phase="waiting", message=SET_UP_NEXT)
            wizard.ended(error)
        vision.check()


def _is_unfinished(config: RecordingConfig, matches: OpenMatches, game: GameChoice) -> bool:
    """Whether an open match goes on with this game."""
    key = game["variant"], game["length"], game["light"], game["dark"]
    return not config.is_new and matches.fitting(key) is not None


def _guide(wizard: SetupWizard, table: StateHub) -> PhoneGuide:
    """What the phone shows: of the set-up, then of the match."""
    guide = wizard.guide()
    if guide["stage"] == "recording":
        guide["faults"] = list(table.state(Visibility.PLAYERS)["troubles"])
    return guide


@contextmanager
def _phone_forwarded(
    relay: PhoneRelay, vision: VisionClient, choice: SetupChoice
) -> Iterator[None]:
    """Hand the phone's pictures to the vision process, and show the referee how it is doing."""
    if choice.camera != PHONE:
        yield
        return
    ended = threading.Event()

    def report() -> None:
        while not ended.wait(REPORT_SECONDS):
            vision.table.publish(referee={"phone": relay.status()})

    reporter = threading.Thread(target=report, name="phone", daemon=True)
    relay.forward_to(vision.show)
    reporter.start()
    try:
        yield
    finally:
        ended.set()
        reporter.join()
        relay.forward_to(None)
        vision.table.publish(referee={"phone": None})


def complete_config(config: RecordingConfig, choice: SetupChoice) -> RecordingConfig:
    """The configuration, completed with what was chosen on the page."""
    game = choice.game
    match = replace(
        config.match,
        light=game["light"],
        dark=game["dark"],
        profile=None if choice.profile is None else Profile.load(choice.profile),
        is_manual=choice.camera is None,
        place=MatchPlace(**game["place"]) if any(game["place"].values()) else None,
    )
    rule_set = find_rule_set(game["rules"])
    match = agreed(match, rule_set, game["variant"], game["length"], game["options"])
    return replace(
        config,
        match=match,
        camera=choice.camera,
        rules_source=game["rules"],
        is_new=choice.is_new,
        resumed=choice.resumed,
    )


def _game(config: RecordingConfig) -> GameChoice:
    """The game that the options describe, as the page first shows it."""
    match = config.match
    return GameChoice(
        light=match.light,
        dark=match.dark,
        length=match.length,
        variant=match.rules.name,
        rules=config.rules_source,
        options={},
        goes_on=not config.is_new,
        place=cast(PlaceShown, (match.place or MatchPlace())._asdict()),
    )
