"""`RuleSet`: how a match is refereed: a tournament's procedure, and its options of the game.

A field that a tournament's rules leave open takes the value of the collected rule texts and is
listed in the preset's `unconfirmed`. `engine/ruleset_file.py` reads rule sets from files.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from engine.cube import STANDARD, CubeRules
from engine.errors import InvalidRuleSet
from engine.message import msg

LONGEST_MATCH: Final = 99
"""Points; no real match is longer than 25."""


class IllegalPlayRule(Enum):
    """How an illegal play is handled."""

    OPPONENT_OPTION = "opponent_option"
    """The opponent lets it stand or asks for a legal play."""
    MUST_CORRECT = "must_correct"
    """It must be corrected; anyone who sees it says so."""


class AcceptanceRule(Enum):
    """What makes an illegal play stand."""

    VALID_ROLL = "valid_roll"
    """The opponent's valid roll."""
    VALID_DOUBLE = "valid_double"
    """The opponent's valid double."""
    EITHER = "either"
    """The opponent's valid roll or double."""
    NEXT_PLAY_COMPLETE = "next_play_complete"
    """The opponent's next complete play."""


class TurnEndRule(Enum):
    """What ends a turn."""

    DICE_LIFTED_ONE = "dice_lifted_one"
    """Either or both dice are picked up."""
    DICE_LIFTED_BOTH = "dice_lifted_both"
    """Both dice are picked up."""
    CLOCK = "clock"
    """The player presses the clock."""
    DICE_HANDED_OVER = "dice_handed_over"
    """The dice are handed to the opponent."""
    EXPLICIT = "explicit"
    """The player says so, or the opponent throws."""


class DieOnCheckerRule(Enum):
    """Whether a die that rests on a checker counts."""

    REROLL = "reroll"
    """Both dice are rolled again."""
    VALID_IF_FLAT = "valid_if_flat"
    """It counts if it is flat."""


class ZoneRule(Enum):
    """Where both dice must land."""

    OWN_RIGHT_HALF = "own_right_half"
    """The roller's right-hand half of the board."""
    ANY_ONE_HALF = "any_one_half"
    """The same half of the board, whichever it is."""
    ANYWHERE = "anywhere"
    """The playing field."""
    BAFFLE = "baffle"
    """The baffle box."""


class CockedRule(Enum):
    """What happens if a die does not lie flat."""

    REROLL_BOTH = "reroll_both"
    """Both dice are rolled again."""


class PrematureRule(Enum):
    """What happens to a roll or double made before the opponent's turn has ended."""

    STANDS = "stands"
    """It counts once it is that player's turn."""
    VOID = "void"
    """It does not count."""
    VOID_UNLESS_FORCED = "void_unless_forced"
    """It does not count, unless the play was forced or the sides had no more contact."""


class HitAndRunRule(Enum):
    """Whether the checker that hit may move on to safety in the same turn."""

    OK = "ok"
    """It may."""
    FORBIDDEN = "forbidden"
    """That is an illegal play."""


class Audience(Enum):
    """To whom an illegal play is announced."""

    BOTH = "both"
    """Both players."""
    OPPONENT = "opponent"
    """The opponent of the player who made it."""
    REFEREE = "referee"
    """Only the referee."""
    AFTER = "after"
    """Nobody before the game is over."""


class StreamAudience(Enum):
    """What the audience of a stream sees of the match, always as late as its delay."""

    PLAYERS = "players"
    """What the players see."""
    EVERYTHING = "everything"
    """What the referee sees: pip counts, probabilities and illegal plays too."""


class NextStarter(Enum):
    """Who begins the second and every later game of a match."""

    OPENING = "opening"
    """Whoever rolls higher, as in the first game."""
    WINNER = "winner"
    """The winner of the previous game."""
    PREVIOUS_SECOND = "previous_second"
    """The player who did not begin the previous game."""


@dataclass(frozen=True, slots=True)
class GameOptions:
    """The `[game]` table of a rule set; None leaves a choice to the variant."""

    variant: str | None = None
    """The game. The record keeps it and the length in every `game_start` instead."""
    length: int | None = None
    """Points to win; 0 for money play."""
    preset: str | None = None
    """The house rules of the variant."""
    scoring: str | None = None
    """What a won game is worth."""
    last_roll_draw: bool | None = None
    """Whether the second player gets one more roll after the first has finished, and may draw."""
    next_starter: NextStarter | None = None
    """Who begins the next game."""
    swap_colors: bool | None = None
    """Whether the players swap colors after each game."""


NO_OPTIONS: Final = GameOptions()


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The procedure and the options of a match; by default, those of the collected rule texts."""

    name: str = "seeds"
    illegal_play: IllegalPlayRule = IllegalPlayRule.OPPONENT_OPTION
    acceptance_event: AcceptanceRule = AcceptanceRule.EITHER
    turn_end: TurnEndRule = TurnEndRule.DICE_LIFTED_ONE
    die_on_checker: DieOnCheckerRule = DieOnCheckerRule.REROLL
    roll_zone: ZoneRule = ZoneRule.OWN_RIGHT_HALF
    cocked: CockedRule = CockedRule.REROLL_BOTH
    premature_roll: PrematureRule = PrematureRule.VOID_UNLESS_FORCED
    hit_and_run: HitAndRunRule = HitAndRunRule.OK
    spectators_may_speak: bool = False
    """Whether spectators may point out an error (UK: they may not). It is recorded for the referee,
    who must enforce it: the program cannot hear spectators."""
    announce: Audience = Audience.OPPONENT
    audience: StreamAudience = StreamAudience.PLAYERS
    """What the overlay shows to the audience of a stream that is delayed."""
    aids: bool = True
    """Whether the players' page shows pip counts, alternative plays and probabilities, which no
    tournament allows."""
    cube: CubeRules = STANDARD
    game: GameOptions = NO_OPTIONS
    unconfirmed: frozenset[str] = frozenset()
    """The fields that no public text confirms; they have the values of the collected rule texts."""

    @property
    def announces_to_players(self) -> bool:
        """Whether an illegal play is announced to players during the game."""
        return self.announce in (Audience.BOTH, Audience.OPPONENT)


_PROCEDURE: Final = frozenset(
    {"illegal_play", "acceptance_event", "turn_end", "die_on_checker", "roll_zone",
     "premature_roll", "spectators_may_speak"}
)  # fmt: skip
"""The fields in which presets differ by their texts; the others are ours, or the same
everywhere."""
SEEDS: Final = RuleSet()
"""The procedure of the collected rule texts."""
USUAL: Final = replace(SEEDS, name="usual", turn_end=TurnEndRule.EXPLICIT, announce=Audience.BOTH)
"""The default: dice as in the collected rule texts, and a turn ends with the opponent's throw."""


def _unconfirmed_except(*confirmed: str) -> frozenset[str]:
    return _PROCEDURE - set(confirmed)


RULE_SETS: Final = {
    rules.name: rules
    for rules in (
        RuleSet(
            "casual",
            roll_zone=ZoneRule.ANY_ONE_HALF,
            spectators_may_speak=True,
            announce=Audience.BOTH,
        ),
        SEEDS,
        # Rules 4.2, 4.5, 4.6 and 4.8 of 2008/2009.
        RuleSet(
            "us2009",
            aids=False,
            premature_roll=PrematureRule.STANDS,
            unconfirmed=_unconfirmed_except(
                "illegal_play", "turn_end", "die_on_checker", "roll_zone", "premature_roll"
            ),
        ),
        # Legal moves and a die on a checker are options set by the director.
        RuleSet("usbgf", aids=False, unconfirmed=_unconfirmed_except("roll_zone")),
        # Edition 2.1, 4.2: legal moves unless the director says otherwise.
        RuleSet(
            "wbgf",
            aids=False,
            illegal_play=IllegalPlayRule.MUST_CORRECT,
            unconfirmed=_unconfirmed_except("illegal_play"),
        ),
        RuleSet(
            "ukbgf",
            aids=False,
            illegal_play=IllegalPlayRule.MUST_CORRECT,
            premature_roll=PrematureRule.STANDS,
            announce=Audience.BOTH,
            unconfirmed=_unconfirmed_except(
                "illegal_play", "acceptance_event", "spectators_may_speak", "premature_roll"
            ),
        ),
        # Both dice in one half; the turn ends when the dice change hands.
        RuleSet(
            "narde",
            acceptance_event=AcceptanceRule.VALID_ROLL,
            turn_end=TurnEndRule.DICE_HANDED_OVER,
            roll_zone=ZoneRule.ANY_ONE_HALF,
            cube=replace(STANDARD, crawford=False),
        ),
    )
}
"""Every preset by its name."""
NARDE_RULE_SETS: Final = {
    preset: replace(RULE_SETS["narde"], name=preset, game=GameOptions("narde", preset=preset))
    for preset in ("classic000", "classic002", "site_classic", "home_block")
}
"""The procedure of narde with each of its house rules."""
NAMED_RULE_SETS: Final = {**RULE_SETS, **NARDE_RULE_SETS}
"""What can be chosen by its name."""


RULE_NOTES: Final = {
    "": msg("The dice as in the traditional rules; a turn ends with the opponent's throw."),
    "casual": msg("Friendly play: the dice may land in either half, and spectators may help."),
    "seeds": msg("The dice land in the roller's right half; a turn ends when a die is picked up."),
    "us2009": msg("United States tournaments: a roll made too early counts."),
    "usbgf": msg("The United States federation: the dice land in the roller's right half."),
    "wbgf": msg("The world federation: an illegal play must be corrected."),
    "ukbgf": msg(
        "The United Kingdom's federation: an illegal play must be corrected, and a roll made too "
        "early counts."
    ),
    "narde": msg("Both dice land in the same half; a turn ends when they change hands."),
    "classic000": msg(
        "One checker leaves the head each turn; two if a first 6-6, 4-4 or 3-3 needs it."
    ),
    "classic002": msg(
        "The second player may also take two off the head for 5-5 or 6-2 after a first "
        "2-1, 6-2 or 5-5."
    ),
    "site_classic": msg("A row of six may be made in passing: only the end of the turn counts."),
    "home_block": msg("A row of six is allowed only with an opposing checker in its home."),
}
"""What distinguishes each rule set, in one line; the empty name is the default."""


def find_rule_set(name: str) -> RuleSet:
    """The preset of this name; raises `InvalidRuleSet`, which lists the known names."""
    rules = NAMED_RULE_SETS.get(name)
    if rules is None:
        raise InvalidRuleSet(f"there is no rule set {name!r}; known: {', '.join(NAMED_RULE_SETS)}")
    return rules
