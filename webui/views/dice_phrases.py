"""The texts of the dice page, in the current language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from math import log
from typing import Final

from engine.dice_sets.names import name_message
from engine.fairness.compare import GroupComparison
from engine.fairness.faces import Test
from engine.fairness.findings import FALSE_DISCOVERY_RATE, FamilyTest, Findings, Group, LiveFinding
from engine.fairness.luck import PlayerLuck
from engine.fairness.pairs import PairTests
from engine.fairness.plan import Plan
from engine.fairness.verdict import Sign, ceil_percent, conclusion, format_e_value
from engine.message import Message
from webui.i18n.locale import N_, format_date, format_decimal, format_integer, gettext, ngettext
from webui.i18n.messages import translate
from webui.views.phrases import SIDES, sentence

QUESTIONS: Final = {
    "faces": N_("Are all six faces equally frequent?"),
    "axes": N_("Are the three pairs of opposite faces equally frequent?"),
    "pips": N_("Do faces with more pips come up more often?"),
    "1 or 6": N_("Are 1 and 6 equally frequent?"),
    "2 or 5": N_("Are 2 and 5 equally frequent?"),
    "3 or 4": N_("Are 3 and 4 equally frequent?"),
    "roll after roll": N_("Does a roll depend on the previous one?"),
    "repeats": N_("Do faces repeat too often or too rarely?"),
    "independence": N_("Does one die of a roll depend on the other?"),
    "doubles": N_("Is one roll in six a double?"),
    "sevens": N_("Does one roll in six show opposite faces?"),
    "the same faces": N_("Do they all have the same face frequencies?"),
}
"""The questions asked, in words."""
ASKED_OF: Final = {
    "dice": N_("%(name)s (die)"),
    "cups": N_("%(name)s (cup)"),
    "pair": N_("%(name)s (two dice together)"),
}
COMPARED: Final = {
    "dice": N_("Dice"),
    "players": N_("Players"),
    "cups": N_("Cups"),
    "sessions": N_("Matches"),
    "throws": N_("Rolls that counted and rolls that did not"),
}
EQUAL: Final = {
    (False, False): N_("Equal for all: p %(p)s, e-value %(e)s"),
    (False, True): N_("Equal for all: e-value %(e)s"),
    (True, False): N_("Equal for all, given the dice: p %(p)s, e-value %(e)s"),
    (True, True): N_("Equal for all, given the dice: e-value %(e)s"),
}
"""The answer of a comparison, by whether it is of players and whether rolls still come in."""
COUNTED: Final = {"counted": N_("counted"), "void": N_("did not count")}
SIGNS: Final = {
    Sign.ALARM: N_("Alarm"),
    Sign.CLOSER: N_("Look closer"),
    Sign.HINT: N_("Possibly chance"),
    Sign.QUIET: N_("Nothing unusual"),
}
METHODS: Final = {"exact": N_("exact"), "draws": N_("simulation"), "shuffles": N_("permutation")}
"""How a p-value was found where a table of its distribution is not accurate enough."""
LOG: Final = {
    "rows": N_("Dice in the log: %(count)s"),
    "void": N_("from rolls that did not count: %(count)s"),
    "openings": N_("from opening rolls whose ties were not recorded (left out): %(count)s"),
    "unread": N_("could not be read: %(count)s"),
    "doubtful": N_("read with some doubt (accounted for): %(count)s"),
}
MATCH: Final = re.compile(r"match (?P<number>\d+), (?P<day>.+)")
"""A session that is a match of the record."""
ISO_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
POWER: Final = re.compile(r"\^(\d+)")
SMALLEST: Final = 1e-300
"""The smallest e-value that has a logarithm."""
RAISED: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def title(players: tuple[str, str] | None) -> str:
    """Whose match it is, or that it is all matches."""
    if players is None:
        return gettext("All recorded matches")
    return both([called(name, "players") for name in players])


def both(names: Sequence[str]) -> str:
    """Two names joined."""
    return gettext("%(light)s and %(dark)s", light=names[0], dark=names[1])


def called(name: str, kind: str) -> str:
    """The name of a die, player, cup or session; names that people chose are left as they are."""
    if not name:
        return gettext("Unnamed")
    if kind == "players":
        return gettext(name) if name in SIDES.values() else name
    if kind == "sessions":
        return _session(name)
    if kind == "throws":
        return gettext(COUNTED[name])
    return translate(name_message(name)) if kind == "dice" else name


def _session(name: str) -> str:
    """A match of the record, or a file with the date in its name written out."""
    dated = ISO_DAY.sub(lambda found: format_date(date.fromisoformat(found[0])), name)
    found = MATCH.fullmatch(dated)
    return dated if found is None else gettext("match %(number)s, %(day)s", **found.groupdict())


def asked_of(test: FamilyTest) -> str:
    """What a question was asked of: `dice red`, `pair red/white` or, for all of them, `dice`."""
    kind, mark, name = test.of.partition(" ")
    if not mark:
        return gettext(COMPARED[kind])
    names = (called(one, "dice") for one in name.split("/"))
    shown = "/".join(dict.fromkeys(names)) if kind == "pair" else called(name, kind)
    return gettext(ASKED_OF[kind], name=shown)


def question(test: FamilyTest) -> str:
    """What was asked, in words; a question that is not in `QUESTIONS` is left as it is."""
    known = QUESTIONS.get(test.question)
    return test.question if known is None else gettext(known)


def asked(family: Sequence[FamilyTest], *, is_final: bool) -> str:
    """How many questions were asked and, of a closed sample, how many answers stand out."""
    if not is_final:
        return gettext(
            "%(asked)s questions; p-values hold for one look at a sample that was closed in "
            "advance, so no verdict rests on them",
            asked=format_integer(len(family)),
        )
    return gettext(
        "%(asked)s questions, %(found)s of them significant at a false discovery rate of %(rate)s",
        asked=format_integer(len(family)),
        rate=share(FALSE_DISCOVERY_RATE, 0),
        found=format_integer(sum(test.q <= FALSE_DISCOVERY_RATE for test in family)),
    )


def judged_together(count: int) -> str:
    """Why the limits are higher with several dice; empty for one."""
    if count < 2:
        return ""
    return gettext(
        "With %(count)s dice and cups judged together, the limits are %(count)s times as high, so "
        "that no more than one report in 20 on unbiased dice ever has any sign.",
        count=format_integer(count),
    )


def rolls(count: int) -> str:
    """The number of rolls of one die, in words."""
    return ngettext("%(num)s roll", "%(num)s rolls", count)


def throws(count: int) -> str:
    """The number of throws of two dice, in words."""
    return ngettext("%(num)s roll of two dice", "%(num)s rolls of two dice", count)


def verdict(
    unit: LiveFinding, family: tuple[FamilyTest, ...] = (), *, is_final: bool = False
) -> str:
    """The conclusion from the rolls, without their number; the sign is shown beside it."""
    return _raised(sentence(conclusion(unit, family, is_final=is_final, is_flagged=True)))


def summary(signs: Sequence[Sign]) -> str:
    """What the report says, in one sentence for somebody who reads no other."""
    odd = sum(sign is not Sign.QUIET for sign in signs)
    if not odd:
        return gettext("Nothing unusual has shown so far.")
    return ngettext(
        "%(num)s die or cup deserves a closer look: its card says why.",
        "%(num)s dice or cups deserve a closer look: their cards say why.",
        odd,
    )


def finding(message: Message | None) -> str:
    """The sentence; empty if there is none."""
    return "" if message is None else _raised(sentence(message))


def e_value(log_e: float) -> str:
    """An e-value, given by its natural logarithm."""
    return _raised(translate(format_e_value(log_e)))


def _raised(text: str) -> str:
    """`text` with powers as in print: `10⁷` for `10^7`."""
    return POWER.sub(lambda found: found[1].translate(RAISED), text)


def share(part: float, digits: int = 1) -> str:
    """A share in percent."""
    return f"{format_decimal(100 * part, digits)} %"


def signed(number: float) -> str:
    """A whole number with its sign."""
    return f"{'+' if number >= 0 else '−'}{format_integer(abs(round(number)))}"  # noqa: RUF001 (a minus)


def p_value(p: float) -> str:
    """A p-value, as short as is legible."""
    if p >= 0.001:
        return format_decimal(p, 3 if p < 0.1 else 2)
    if p == 0:
        return gettext("below %(number)s", number="10⁻³⁰⁰")
    digit, _, power = f"{p:.0e}".partition("e")
    return f"{digit}·10{str(int(power)).translate(RAISED)}"


def luck(unit: Group, *, is_doubtful: bool) -> str | None:
    """The pips and doubles of a player compared with average rolls.

    is_doubtful: whether the dice are in doubt.
    """
    found = unit.luck
    if found is None or not found.throws:
        return None
    pips = _pips_and_doubles(found)
    return (
        gettext("%(luck)s; partly the dice, which are in doubt", luck=pips) if is_doubtful else pips
    )


def _pips_and_doubles(found: PlayerLuck) -> str:
    return gettext(
        "%(pips)s pips, %(off)s compared with %(expected)s for average rolls; %(doubles)s "
        "doubles, %(usual)s expected",
        pips=format_integer(found.pips),
        expected=format_decimal(found.expected, 0),
        off=signed(found.pips - found.expected),
        doubles=format_integer(found.doubles),
        usual=format_decimal(found.throws / 6, 0),
    )


def test_names(unit: Group) -> list[tuple[str, Test]]:
    """Each test of a unit, with its subject."""
    tests = unit.tests
    named = [
        (gettext("All six faces, X²"), tests.chi_square),
        (gettext("All six faces, G"), tests.g),
        (gettext("Opposite faces together"), tests.axis),
        (gettext("1 vs. 6"), tests.within[0]),
        (gettext("2 vs. 5"), tests.within[1]),
        (gettext("3 vs. 4"), tests.within[2]),
        (gettext("Trend with the pips"), tests.pip_linear),
    ]
    if unit.sequence is not None:
        named.append((gettext("Dependence on the previous roll"), unit.sequence.serial))
        named.append((gettext("Repeats"), unit.sequence.repeats))
    return named


def doubles(pair: PairTests) -> str:
    """How many throws were doubles, and how many were to be expected."""
    return gettext(
        "%(doubles)s doubles; %(sixth)s expected at one roll in six, %(margins)s with these face "
        "frequencies; e-value %(e)s",
        e=e_value(pair.doubles_log_e),
        doubles=format_integer(pair.doubles),
        sixth=format_decimal(pair.throws / 6, 0),
        margins=format_decimal(pair.doubles_expected, 0),
    )


def pair_ps(pair: PairTests) -> str:
    """The p-value of each question about two dice."""
    return gettext(
        "p: doubles %(doubles)s (given these faces %(margins)s), opposite faces %(sevens)s, "
        "independence of the dice %(independence)s, all outcomes %(outcomes)s",
        doubles=p_value(pair.doubles_p),
        margins=p_value(pair.doubles_of_margins.p),
        sevens=p_value(pair.sevens_p),
        independence=p_value(pair.independence.p),
        outcomes=p_value(pair.outcomes.p),
    )


def comparison(one: GroupComparison, *, is_live: bool) -> Iterator[str]:
    """What a table of shares shows, and whether its rows agree."""
    what = gettext(COMPARED[one.what])
    yield gettext(
        "%(what)s: how often each face came up, in percent (%(even)s expected)",
        what=what,
        even=format_decimal(100 / 6, 1),
    )
    if len(one.names) < 2:
        return
    is_of_players = one.what == "players"
    if is_of_players and one.same.df == 0:
        yield gettext("Not compared: they rolled different dice")
        return
    e, p = e_value(log(max(one.e, SMALLEST))), p_value(one.same.p)
    yield gettext(EQUAL[is_of_players, is_live], e=e, p=p)


def log_lines(found: Findings) -> str:
    """How many dice there are, and what was done with those that are not certain rolls."""
    counts = {name: getattr(found, name) for name in LOG}
    known = {name: count for name, count in counts.items() if count or name == "rows"}
    return "; ".join(
        gettext(LOG[name], count=format_integer(count)) for name, count in known.items()
    )


def plan_sentences(plan: Plan) -> list[str]:
    """What a number of rolls of one die will show, for whoever has not rolled yet."""
    shares = {
        "once": plan.face_once,
        "anytime": plan.face_anytime,
        "axis_once": plan.axis_once,
        "axis_anytime": plan.axis_anytime,
        "excluded": plan.excluded,
    }
    values = {name: translate(ceil_percent(share)) for name, share in shares.items()}
    return [
        gettext(
            "%(rolls)s rolls of a die show, with 80 %% probability, one face that is off by "
            "%(anytime)s, whenever you look; by %(once)s in a single look at the end.",
            rolls=format_integer(plan.rolls),
            **values,
        ),
        gettext(
            "Two opposite faces together show if both are off by %(axis_anytime)s, or by "
            "%(axis_once)s in a single look.",
            **values,
        ),
        gettext(
            "If all faces come up equally often, no face can then be off by more than %(excluded)s "
            "(95 %% confidence). Smaller biases stay undecided.",
            **values,
        ),
    ]
