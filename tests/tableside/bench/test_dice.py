"""The log that the figures of dice are measured on."""

from engine.fairness.findings import analyse_log
from tableside.bench.dice import large_log


def test_the_log_is_the_same_every_time_and_has_two_dice_and_two_players():
    log = large_log(4_000)
    assert (log.value == large_log(4_000).value).all()
    found = analyse_log(log)
    assert [unit.rolls for unit in found.groups["dice"]] == [2_000, 2_000]
    assert [unit.name for unit in found.groups["players"]] == ["Ann", "Ben"]
    assert found.pairs[0].throws == 2_000
