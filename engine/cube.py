"""The doubling cube: who may turn it, its value, and what a game is worth with it.

The referee determines whose turn it is and whether that player has already rolled.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from engine.errors import IllegalCube
from engine.message import Message, msg
from engine.position import Side

HOLLAND_ROLLS: Final = 2
MOST_AUTOMATIC_DOUBLES: Final = 9
"""Of a game, in a rule set that is chosen now; one tie in six rolls doubles the stake."""


@dataclass(frozen=True, slots=True)
class CubeRules:
    """Which of the optional rules are in force.

    Jacoby, beavers, raccoons and automatic doubles apply only to money play, Crawford and Holland
    only to matches.
    """

    jacoby: bool = False
    """A gammon or backgammon counts as a single game unless the cube was turned and taken."""
    beavers: bool = False
    """A player who is doubled may redouble immediately and keep the cube (a beaver)."""
    raccoons: bool = False
    """The player who doubled may answer a beaver by redoubling immediately (a raccoon)."""
    automatic_doubles: int = 0
    """How many times per game, at most, a tie in the opening roll doubles the stake; up to 9."""
    crawford: bool = True
    """No doubling in the first game that starts with a player one point from winning the match."""
    holland: bool = False
    """After the Crawford game, no doubling before each side has rolled twice."""


STANDARD: Final = CubeRules()


class Turned(Enum):
    """How the cube was turned."""

    DOUBLE = "double"
    BEAVER = "beaver"
    RACCOON = "raccoon"


TURNED_NAMES: Final = {
    Turned.DOUBLE: msg("a double"),
    Turned.BEAVER: msg("a beaver"),
    Turned.RACCOON: msg("a raccoon"),
}


@dataclass(frozen=True, slots=True)
class Offer:
    """A cube that awaits an answer."""

    turned: Turned
    by: Side
    value: int
    """The value of the game if the offer is taken."""
    stake: int
    """What the other player loses by dropping; for a beaver, the value before it."""
    keeper: Side
    """Who owns the cube if the offer is taken."""


@dataclass(frozen=True, slots=True)
class DoublingContext:
    """What doubling depends on besides the cube."""

    length: int = 0
    """Match length in points; 0 for a money game."""
    is_crawford: bool = False
    is_after_crawford: bool = False
    rolls: tuple[int, int] = (0, 0)
    """How often light and dark have rolled in this game."""

    @property
    def is_money(self) -> bool:
        """Whether this is money play."""
        return self.length == 0


@dataclass(frozen=True, slots=True)
class Cube:
    """The cube on the table; immutable, so every change gives a new one."""

    value: int = 1
    owner: Side | None = None
    """None if it is in the middle."""
    offer: Offer | None = None
    was_taken: bool = False
    """Whether a double was offered and taken in this game."""
    automatic: int = 0
    """Automatic doubles so far."""

    def why_not_double(
        self, side: Side, game: DoublingContext, rules: CubeRules = STANDARD
    ) -> Message | None:
        """Why `side` may not double before rolling; None if it may."""
        if self.offer is not None:
            return msg("the cube has been offered and awaits an answer")
        if self.owner not in (None, side):
            return msg("the cube is the opponent's")
        if game.is_crawford:
            return msg("no doubling in the Crawford game")
        waits = rules.holland and game.is_after_crawford and min(game.rolls) < HOLLAND_ROLLS
        return (
            msg("no doubling until both players have rolled twice (Holland rule)")
            if waits
            else None
        )

    def offered(self, side: Side, game: DoublingContext, rules: CubeRules = STANDARD) -> Cube:
        """The cube after `side` doubles; raises `IllegalCube` if it may not."""
        _refuse(self.why_not_double(side, game, rules))
        return self.turned(side)

    def turned(self, side: Side) -> Cube:
        """The cube after `side` doubles, allowed or not."""
        value = self.value
        return replace(self, offer=Offer(Turned.DOUBLE, side, 2 * value, value, side.other))

    def why_not_beaver(self, side: Side, game: DoublingContext, rules: CubeRules) -> Message | None:
        """Why `side` may not immediately redouble; None if it may."""
        if self.offer is None or self.offer.by is side:
            return msg("only an offered cube can be redoubled immediately")
        if not game.is_money:
            return msg("beavers and raccoons are not allowed in a match")
        following = {Turned.DOUBLE: rules.beavers, Turned.BEAVER: rules.raccoons}
        if following.get(self.offer.turned, False):
            return None
        return msg(
            "the cube may not be turned again after {turned}",
            turned=TURNED_NAMES[self.offer.turned],
        )

    def beavered(self, side: Side, game: DoublingContext, rules: CubeRules) -> Cube:
        """The cube after a beaver, or a raccoon on one; raises `IllegalCube` if `side` may not."""
        _refuse(self.why_not_beaver(side, game, rules))
        return self.turned_back(side)

    def turned_back(self, side: Side) -> Cube:
        """The cube after a beaver or raccoon, allowed or not."""
        offer = self.offer
        if offer is None:
            return self
        turned = Turned.BEAVER if offer.turned is Turned.DOUBLE else Turned.RACCOON
        # A player who is doubled and redoubles keeps the cube, even if it is doubled once more.
        again = Offer(turned, side, 2 * offer.value, offer.value, offer.keeper)
        return replace(self, offer=again)

    def taken(self) -> Cube:
        """The cube after the offer is taken."""
        if self.offer is None:
            raise IllegalCube(msg("there is no double to take"))
        return replace(
            self, value=self.offer.value, owner=self.offer.keeper, offer=None, was_taken=True
        )

    def dropped(self) -> tuple[Side, int]:
        """Who wins, and how many points, if the offer is dropped."""
        if self.offer is None:
            raise IllegalCube(msg("there is no double to drop"))
        return self.offer.by, self.offer.stake

    def doubled_by_dice(self, game: DoublingContext, rules: CubeRules) -> Cube:
        """The cube after a tie in the opening roll: doubled in the middle, up to the limit."""
        if not game.is_money or self.automatic >= rules.automatic_doubles:
            return self
        return replace(self, value=2 * self.value, automatic=self.automatic + 1)

    def points(self, basic: int, game: DoublingContext, rules: CubeRules = STANDARD) -> int:
        """The points for a game that ends with `basic` = 1, 2 or 3 points on the board."""
        is_single = rules.jacoby and game.is_money and not self.was_taken
        return self.value * (1 if is_single else basic)


CENTRED: Final = Cube()
"""The cube at the start of every game."""


def is_crawford(length: int, score: tuple[int, int], *, was_played: bool) -> bool:
    """Whether a game that begins at `score` is the Crawford game."""
    return length > 1 and max(score) == length - 1 and not was_played


def _refuse(reason: Message | None) -> None:
    if reason is not None:
        raise IllegalCube(reason)
