"""The narde family's rules as slow as they read; shares no code with the engine.

Twin of `engine/rules/_narde_kernels.py` and `engine/rules/circling.py`. Every side has its own path
24 (head) .. 1; `own` and `other` are 26-tuples, place 0 borne off. Positions are listed by trying
every order of the dice, move after move, on dictionaries of absolute holes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

Vector = tuple[int, ...]
HEAD = 24


@dataclass(frozen=True)
class House:
    """The options of docs/reference/rules.md, one by one."""

    heads: int = 1  # checkers a turn from the head, 15 = any number
    heads_each_kush: bool = False
    exceptions: frozenset = frozenset({(6, 6), (4, 4), (3, 3)})
    one_after: frozenset = frozenset()  # {(opponent's first roll, own roll)}: one head after all
    two_after: frozenset = frozenset()  # the same, a second head checker
    block: str = "passing"  # passing, final, never judged: none
    needs: str = "ahead"  # an opposing checker ahead, or in its home
    exact: bool = False
    inside: str = "always"  # always, until_home, never
    runner: bool = False
    fevga_blocks: bool = False
    chain: bool = False
    one_kush_more: bool = False
    passes: str = "nothing"  # nothing, kush, started, chain


CLASSIC = House(one_after=frozenset({((5, 5), (4, 4))}))
SECOND = frozenset(((a, b), roll) for a, b in ((2, 1), (6, 2), (5, 5)) for roll in ((5, 5), (6, 2)))
SITE = House(block="final")
HOUSES = {
    "classic000": CLASSIC,
    "classic002": House(two_after=SECOND),
    "site_classic": SITE,
    "home_block": House(needs="home"),
    "nardgammon": House(),
    "gulbar": replace(SITE, passes="kush"),
    "khachapuri": replace(SITE, heads=15, passes="kush"),
    "crazy_narde": replace(SITE, heads_each_kush=True, exact=True, inside="never", chain=True),
    "crazy_gulbar": replace(
        SITE, exact=True, inside="until_home", chain=True, one_kush_more=True, passes="chain"
    ),
    "fevga": House(heads=15, block="final", runner=True, fevga_blocks=True),
    "giul": House(
        heads=15,
        block="final",
        runner=True,
        fevga_blocks=True,
        exact=True,
        chain=True,
        passes="started",
    ),
}


def hole(path: int) -> int:
    """The opponent's number of an own point."""
    return path - 12 if path > 12 else path + 12


def all_home(own: Vector) -> bool:
    return not any(own[7:25])


def holds_ban(own: Vector, other: Vector, house: House) -> bool:
    """Whether `own` holds a block that it may not hold."""
    held = [False, *(own[hole(q)] > 0 for q in range(1, 25))]
    for low in range(1, 20):
        for high in range(low + 5, 25):
            if all(held[low : high + 1]) and forbidden(low, high, own, other, house):
                return True
    return False


def forbidden(low: int, high: int, own: Vector, other: Vector, house: House) -> bool:
    """Whether six or more points in a row, on the opponent's path `low`..`high`, break a rule."""
    if house.fevga_blocks:
        quarter = {hole(p) for p in range(19, 25)} <= set(range(low, high + 1))
        return quarter or (high < 24 and other[high + 1] == 15)
    if other[0]:
        return False
    if house.needs == "home":
        return not any(other[1:7])
    return not any(other[1:low])


def step(own: Vector, other: Vector, source: int, die: int, house: House, floor: int):
    """The own vector after one move, or None if the move is not allowed."""
    target = source - die
    if own[source] == 0 or not may_leave(own, source, house, floor):
        return None
    if target >= 1 and (other[hole(target)] or not may_move_inside(own, source, house)):
        return None
    if target < 1 and not may_bear_off(own, source, die, house):
        return None
    after = list(own)
    after[source] -= 1
    after[max(target, 0)] += 1
    makes_row = house.block == "passing" and target >= 1 and not own[target]
    return None if makes_row and holds_ban(tuple(after), other, house) else tuple(after)


def may_leave(own: Vector, source: int, house: House, floor: int) -> bool:
    if source != HEAD:
        return True
    has_runner = own[HEAD] == 15 or any(own[:12])
    return own[HEAD] > floor and (has_runner or not house.runner)


def may_move_inside(own: Vector, source: int, house: House) -> bool:
    if source > 6 or house.inside == "always":
        return True
    return house.inside == "until_home" and not all_home(own)


def may_bear_off(own: Vector, source: int, die: int, house: House) -> bool:
    if not all_home(own):
        return False
    return source == die or not (house.exact or any(own[source + 1 : 25]))


def lines(
    own: Vector, other: Vector, dice: list[int], house: House, floor: int
) -> set[tuple[int, Vector]]:
    """Every (dice played, vector) in this order of the dice, stopping anywhere."""
    found = {(0, own)}
    boards = {own}
    for number, die in enumerate(dice, start=1):
        boards = {
            after
            for board in boards
            for source in range(1, 25)
            if (after := step(board, other, source, die, house, floor)) is not None
        }
        found |= {(number, board) for board in boards}
    return found


def kush(own: Vector, other: Vector, dice: list[int], house: House, floor: int):
    """(number of dice played, vectors): as many dice as possible, the larger if only one."""

    def fine(board: Vector) -> bool:
        return house.block != "final" or not holds_ban(board, other, house)

    orders = [dice] if len(set(dice)) == 1 else [dice, dice[::-1]]
    reached = [(n, b, order) for order in orders for n, b in lines(own, other, order, house, floor)]
    legal = [(n, b, order) for n, b, order in reached if n and fine(b)]
    most = max((n for n, _, _ in legal), default=0)
    if most == 0:
        return 0, {own}
    if most == 1 and len(orders) == 2:
        large = {b for n, b, order in legal if order[0] == max(dice)}
        return 1, large or {b for n, b, _ in legal}
    return most, {b for n, b, _ in legal if n == most}


def first_kush(own, other, dice, house, first_turn, opponent_first):
    """The kush of the roll itself, with the second head checker where the first turn allows it."""
    most, found = kush(own, other, dice, house, own[HEAD] - house.heads)
    roll = (max(dice), min(dice))
    pair = (tuple(opponent_first) if opponent_first else None, roll)
    second = (roll in house.exceptions or pair in house.two_after) and pair not in house.one_after
    if first_turn and second and house.heads == 1 and most < len(dice):
        return kush(own, other, dice, house, own[HEAD] - 2)
    return most, found


def naive_narde(own, other, roll, house, first_turn=False, opponent_first=None):
    """{own vector after the turn: moves left unplayed as {die: times}}."""
    high, low = max(roll), min(roll)
    dice = [high] * 4 if high == low else [high, low]
    was_home = all_home(own)
    most, found = first_kush(own, other, dice, house, first_turn, opponent_first)
    ended = {}
    going = set()
    for board in found:
        if high != low:
            ended[board] = {}
        elif most < 4:
            ended[board] = rest(high, most, house, rises=not was_home and not all_home(board))
        elif not house.chain or was_home or high == 6:
            ended[board] = {}
        else:
            going.add((board, high, False, entered_last(own, board, other, dice, house)))
    if house.chain and going:
        chain(own, other, house, going, ended)
    return ended


def rest(die: int, made: int, house: House, rises: bool) -> dict[int, int]:
    """What passes to the opponent when a kush stops after `made` moves."""
    if house.passes == "nothing" or (house.passes == "started" and not made):
        return {}
    higher = range(die + 1, 7) if house.passes == "chain" and rises else ()
    return {die: 4 - made, **dict.fromkeys(higher, 4)}


def entered_last(start, board, other, dice, house) -> bool:
    """Whether the last checker can have come home on the very last move of the kush."""
    return all_home(board) and any(
        not all_home(before)
        for _, before in [(n, b) for n, b in lines(start, other, dice, house, -1) if n == 3]
        if any(step(before, other, s, dice[0], house, -1) == board for s in range(1, 25))
    )


def chain(start, other, house, going, ended) -> None:
    """Play the rising kushes of a double."""
    while going:
        board, die, bonus, last = going.pop()
        if bonus or die == 6:
            ended.setdefault(board, {})
            continue
        if all_home(board) and not (house.one_kush_more and last):
            ended.setdefault(board, {})
            continue
        extra = all_home(board)
        floor = board[HEAD] - house.heads if house.heads_each_kush else start[HEAD] - house.heads
        dice = [die + 1] * 4
        most, found = kush(board, other, dice, house, floor)
        for after in found:
            if most < 4:
                rises = not extra and not all_home(after)
                ended.setdefault(after, rest(die + 1, most, house, rises))
            else:
                came = entered_last(board, after, other, dice, house)
                going.add((after, die + 1, extra, came))
