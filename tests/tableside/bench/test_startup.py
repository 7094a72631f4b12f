"""How long starting and stopping takes, seen from outside."""

from tableside.bench import startup


def test_the_help_is_timed_from_start_to_end():
    row = startup.measure_help()
    assert row.unit == "s"
    assert 0.01 < row.value < 60
    assert row.baseline == startup.HELP_BUDGET_S
