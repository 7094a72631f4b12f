"""A match's rolls are proven from its record alone; any change to the record is detected."""

import io
import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from engine.events.codec import as_json, from_json
from engine.events.cup import CupCommitted, CupRevealed, CupRolled, CupSealed
from engine.events.match import DiceRolled, Event
from engine.position import Side
from hardware import proof
from tableside import cli
from tableside.cup.history import CupHistory, CupMatch
from tableside.cup.match_events import ledger_of
from tableside.cup.verify import CupUse, count_cup_rolls, roll_of, verify_match
from tableside.record.files import events_text
from tableside.record.store import Store


@pytest.fixture(scope="module")
def rolled(tmp_path_factory):
    """The events of twelve proven rolls, through the command line and a virtual cup."""
    out = tmp_path_factory.mktemp("cup") / "rolls.jsonl"
    words = ["--virtual", "--count", "12", "--words", "Ann", "Bob", "--out", str(out)]
    assert cli.main(["cup", "roll", *words]) == 0
    return [from_json(json.loads(line)) for line in out.read_text("utf-8").splitlines()]


def verdict(events):
    (match,) = CupHistory(events).matches
    return verify_match(match)


def changed(events, of, /, **fields):
    at = next(i for i, one in enumerate(events) if isinstance(one, of))
    return [*events[:at], replace(events[at], **fields), *events[at + 1 :]]


def test_rolls_of_an_honest_cup_are_proven(rolled):
    assert verdict(rolled).is_proven
    assert len(verdict(rolled).match.rolls) == 12


def test_events_of_a_cup_survive_their_json(rolled):
    assert [from_json(as_json(one)) for one in rolled] == rolled


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        (CupRolled, {"salt": "00000000"}),
        (CupRolled, {"number": 7}),
        (CupRolled, {"kind": "one"}),
        (CupCommitted, {"commitment": "11" * 32}),
        (CupCommitted, {"program": "11" * 32}),
        (CupCommitted, {"program_secret": "11" * 32}),
        (CupSealed, {"light_words": "Anna"}),
        (CupSealed, {"host": "22" * 16}),
        (CupRevealed, {"seed": "33" * 32}),
    ],
)
def test_whatever_was_changed_is_found(rolled, kind, fields):
    assert not verdict(changed(rolled, kind, **fields)).is_proven


def crooked(events, wanted):
    """The record that a cup and a program who know the seed would like: every roll as wanted.

    The program tries salts until the dice please it, and mends the chain.
    """
    (match,) = CupHistory(events).matches
    assert match.seed is not None
    assert match.nonces is not None
    key = proof.key_of(match.seed, match.nonces)
    chain = proof.chain_start(bytes.fromhex(match.committed.commitment), match.nonces)
    out = []
    for event in events:
        if isinstance(event, CupRolled):
            tried = (
                proof.rolled(key, replace(roll_of(event), salt=salt.to_bytes(4, "little")))
                for salt in itertools.count()
            )
            roll = next(one for one in tried if one.faces == wanted)
            chain = proof.chain_after(chain, roll)
            salt = roll.salt.hex()
            out.append(replace(event, salt=salt, dice=roll.faces, chain=chain.hex()))
        else:
            out.append(event)
    return out


def test_a_cup_and_a_program_together_cannot_try_salts_until_they_like_the_rolls(rolled):
    forged = verdict(crooked(rolled, (6, 6)))

    assert [one.dice for one in forged.match.rolls] == [(6, 6)] * 12
    assert not forged.is_proven
    assert "the salt of roll 1 is not of the program's secret" in str(forged)


def test_a_program_that_shows_no_commitment_is_said_to_have_been_able_to_choose(rolled):
    # What every record was like before programs committed themselves, and what a crooked one
    # would pretend to be.
    without = changed(rolled, CupCommitted, program="", program_secret="")
    forged = verdict(crooked(without, (6, 6)))

    assert forged.is_proven
    assert not forged.as_json()["grind_proof"]
    assert "the program could have chosen" in str(forged)
    assert verdict(rolled).as_json()["grind_proof"]


def test_a_program_that_draws_its_secret_after_the_words_shows_another_fingerprint(rolled):
    secret = bytes(32)
    program = proof.program_commitment_of(secret).hex()
    late = changed(rolled, CupCommitted, program=program, program_secret=secret.hex())

    assert verdict(late).match.fingerprint != verdict(rolled).match.fingerprint
    assert not verdict(late).is_proven


def test_the_numbers_of_the_rolls_cannot_be_chosen_after_the_words(rolled):
    """Every number has its own salt, and so its own roll."""
    later = [
        replace(one, number=one.number + 75) if isinstance(one, CupCommitted | CupRolled) else one
        for one in rolled
    ]

    assert verdict(later).match.fingerprint != verdict(rolled).match.fingerprint
    assert "sealed with another number than the fingerprint" in str(verdict(later))


def test_a_program_cannot_choose_among_rolls_for_one_player_and_the_other(rolled):
    forged = changed(rolled, CupRolled, roller=Side.LIGHT)
    assert "rolls for one player" in str(verdict(forged))


def test_the_verdict_says_who_could_have_chosen(rolled):
    assert "if they could guess light's or dark's word" in str(verdict(rolled))


def test_a_word_with_something_invisible_is_shown_as_what_it_is(rolled):
    forged = verdict(changed(rolled, CupSealed, light_words="Ann\u200b"))
    assert r"light 'Ann\u200b'" in forged.bound


def test_the_programs_secret_is_in_no_file_of_a_match_that_is_not_over(rolled):
    secret = next(one.program_secret for one in rolled if isinstance(one, CupCommitted))

    assert secret in events_text(rolled)
    assert secret not in events_text(rolled[:-1])
    hidden = [from_json(json.loads(line)) for line in events_text(rolled[:-1]).splitlines()]
    assert not verdict(hidden).faults
    assert not verdict(hidden).is_proven


def test_the_cups_rolls_that_were_not_used_or_used_otherwise_are_counted(rolled):
    made = [one for one in rolled if isinstance(one, CupRolled)]
    played = [
        DiceRolled(time=one.time, frame=0, player=Side.LIGHT, dice=(one.dice[0], one.dice[1]))
        for one in made
    ]
    opened = [replace(made[0], kind="opening"), played[0]]

    assert count_cup_rolls([rolled[0], *made[:3], played[2]]) == CupUse(1, 0, 2, 0)
    assert count_cup_rolls([rolled[0], *opened]) == CupUse(1, 0, 0, 1)


def test_a_roll_with_the_dice_of_one_that_was_not_used_is_not_said_to_be_unfit(rolled):
    made = [one for one in rolled if isinstance(one, CupRolled)]
    alike = [replace(made[0], kind="opening", dice=(2, 5)), replace(made[1], dice=(5, 2))]
    used: Any = {"time": 9.0, "frame": 0, "player": Side.DARK, "dice": (5, 2), "by": "cup"}

    for number in (alike[1].number, 0):  # an older record has no number
        events = [rolled[0], *alike, DiceRolled(**used, cup_roll=number)]
        assert count_cup_rolls(events) == CupUse(1, 0, 1, 0)
    by_hand = DiceRolled(**{**used, "by": "hand"})
    assert count_cup_rolls([rolled[0], *alike, by_hand]) == CupUse(0, 1, 2, 0)
    other = DiceRolled(**used, cup_roll=alike[0].number)
    assert count_cup_rolls([rolled[0], *alike, other]) == CupUse(1, 0, 1, 1)


def test_a_roll_with_another_face_is_found_and_named(rolled):
    first = next(one for one in rolled if isinstance(one, CupRolled))
    forged = changed(rolled, CupRolled, dice=(first.dice[0] % 6 + 1, first.dice[1]))
    assert any("roll 1" in fault for fault in verdict(forged).faults)


def test_a_roll_that_was_left_out_is_missed(rolled):
    numbers = [i for i, one in enumerate(rolled) if isinstance(one, CupRolled)]
    without = [*rolled[: numbers[4]], *rolled[numbers[4] + 1 :]]
    assert "roll 5 is missing before roll 6" in verdict(without).faults[0]


def test_without_the_seed_the_order_is_held_together_and_nothing_is_proven(rolled):
    shown = verdict(rolled[:-1])
    assert not shown.is_proven
    assert not shown.faults
    assert "once the cup has revealed its seed" in str(shown)


def test_a_match_that_was_left_can_go_on_from_its_record(rolled):
    (match,) = CupHistory(rolled[:-1]).matches
    ledger = ledger_of(match)
    assert ledger.number == 12
    assert ledger.chain.hex() == rolled[-2].chain
    (over,) = CupHistory(rolled).matches
    assert ledger_of(over) is None


def test_the_command_line_verifies_a_file(rolled, tmp_path, capsys):
    good, forged = tmp_path / "good.jsonl", tmp_path / "forged.jsonl"
    good.write_text("".join(json.dumps(as_json(one)) + "\n" for one in rolled))
    other = changed(rolled, CupRolled, salt="00000000")
    forged.write_text("".join(json.dumps(as_json(one)) + "\n" for one in other))
    assert cli.main(["cup", "verify", str(good)]) == 0
    shown = capsys.readouterr().out
    assert "12 rolls, all proven" in shown
    bound = f"fingerprint: {verdict(rolled).match.fingerprint}; words: light 'Ann', dark 'Bob'"
    assert bound in shown, "what each player wrote down and said"
    assert cli.main(["cup", "verify", str(forged), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["proven"] is False


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["find", "--port", "/dev/no-such-port"], "no cup answers"),
        (["test", "--port", "/dev/no-such-port"], "no-such-port"),
        (["verify", "/no/such/file"], "/no/such/file"),
        (["roll", "--virtual", "--count", "0"], "--count must be at least 1"),
    ],
)
def test_what_is_missing_is_one_line(words, message, capsys, monkeypatch):
    monkeypatch.setattr("tableside.commands.cup.ANSWER_TIMEOUT_S", 0.3)
    assert cli.main(["cup", *words]) in (1, 2)
    assert message in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b"no json\n", "line 1 is not an event"),
        (b"\n[1, 2]\n", "line 2 is not an event: an event must be a JSON object"),
        (b'{"type": "nosuch"}', "no event of type 'nosuch'"),
        (b'{"type": ["cup_roll"]}', "no event of type"),
        (b"", "nothing to verify"),
    ],
)
def test_a_file_without_events_is_one_line_with_its_number(content, message, tmp_path, capsys):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(content)
    assert cli.main(["cup", "verify", str(path)]) == 1
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert message in shown.err


def test_a_field_of_another_kind_proves_nothing(rolled, tmp_path, capsys):
    path = tmp_path / "odd.jsonl"
    shown = [as_json(event) for event in [*rolled[:3], rolled[-1]]]
    for number, event in enumerate(shown):
        for name in event.keys() - {"type", "asked", "roller"}:
            for odd in (None, {"a": 1}, ["a", 2]):
                fields = [*shown[:number], {**event, name: odd}, *shown[number + 1 :]]
                path.write_text("\n".join(map(json.dumps, fields)), "utf-8")
                assert cli.main(["cup", "verify", str(path)]) == 1
                said = capsys.readouterr().err
                assert said.count("\n") == 1
                assert f"odd.jsonl, line {number + 1} is not an event" in said


def test_rolls_of_a_cup_that_was_bound_to_nothing_are_no_proven_ones(rolled, tmp_path, capsys):
    ours = [one for one in rolled if isinstance(one, CupRolled)]
    slipped: list[Event] = [replace(ours[0], cup="f" * 16, dice=(6, 6))]
    slipped += [DiceRolled(time=9, frame=9, player=Side.LIGHT, dice=(6, 6), by="cup")]
    path = tmp_path / "slipped.jsonl"
    path.write_text("".join(json.dumps(as_json(one)) + "\n" for one in [*slipped, *rolled]))
    assert cli.main(["cup", "verify", str(path), "--json"]) == 1
    shown = json.loads(capsys.readouterr().out)
    assert (shown["proven"], shown["unbound"]) == (False, 1)
    assert (shown["by_cup"], shown["others"]) == (0, 1)
    assert cli.main(["cup", "verify", str(path)]) == 1
    assert "1 roll of a cup that had not committed to a seed: NOT proven" in capsys.readouterr().out


def test_the_command_line_verifies_a_match_of_a_record(rolled, tmp_path, capsys):
    record = tmp_path / "record.sqlite"
    verify = ["cup", "verify", "--record", str(record)]
    with Store.open(record) as store:
        assert cli.main([*verify, "last"]) == 1
        assert f"no match is recorded in {record}" in capsys.readouterr().err
        for events in (rolled, changed(rolled, CupRolled, salt="00000000")):
            store.append(store.new_match(), events)
    assert cli.main([*verify, "1"]) == 0
    assert "12 rolls, all proven" in capsys.readouterr().out
    assert cli.main([*verify, "last"]) == 1, "the second match, which somebody changed"
    assert cli.main([*verify, "3"]) == 1
    assert "has no match 3; see `tableside review`" in capsys.readouterr().err


def test_a_virtual_cup_passes_its_self_test_and_names_itself(capsys):
    assert cli.main(["cup", "test", "--virtual", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    assert cli.main(["cup", "find", "--virtual", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["cup"]) == 16
    assert cli.main(["cup", "monitor", "--virtual", "--seconds", "1"]) == 0
    assert "-- ready" in capsys.readouterr().out
    assert cli.main(["cup", "log", "--virtual"]) == 0
    assert capsys.readouterr() == ("", "the cup has not rolled yet\n")


def test_a_seal_that_did_not_reach_the_cup_and_was_made_again_is_proven_all_the_same(rolled):
    at = next(i for i, one in enumerate(rolled) if isinstance(one, CupSealed))
    lost = replace(rolled[at], host="22" * 16)
    assert verdict([*rolled[:at], lost, *rolled[at:]]).is_proven
    assert not verdict([*rolled[: at + 1], lost, *rolled[at + 1 :]]).is_proven


def test_a_seal_that_is_recorded_after_a_roll_does_not_count(rolled):
    seal = next(one for one in rolled if isinstance(one, CupSealed))
    assert verdict([*rolled, replace(seal, host="22" * 16)]).is_proven


def test_a_roll_that_was_recorded_after_the_seed_is_not_proven(rolled):
    seed = next(one for one in rolled if isinstance(one, CupRevealed))
    *rest, last = [one for one in rolled if one is not seed]
    assert isinstance(last, CupRolled)
    shown = verdict([*rest, seed, last])
    assert not shown.is_proven
    assert f"roll {last.number} was reported after the seed was" in str(shown)
    assert verdict([*rolled, last]).is_proven  # a roll that a correction records again


def test_rolls_that_are_recorded_again_belong_to_the_match_that_they_were_made_in(rolled):
    first = next(one for one in rolled if isinstance(one, CupCommitted))
    roll = next(one for one in rolled if isinstance(one, CupRolled))
    second = replace(first, match=first.match + 1, number=first.number + 12)
    assert [len(one.rolls) for one in CupHistory([*rolled, second, roll]).matches] == [12, 0]


def test_a_match_without_a_roll_has_nothing_to_prove(rolled):
    shown = verdict([one for one in rolled if isinstance(one, CupCommitted)])
    assert shown.is_proven
    assert "nothing to prove" in str(shown)


def test_at_a_terminal_the_words_are_requested_after_the_commitment(capsys, monkeypatch, tmp_path):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setattr("sys.stdin", Terminal("walnut\n\n"))
    out = tmp_path / "rolls.jsonl"
    assert cli.main(["cup", "roll", "--virtual", "--out", str(out)]) == 0
    shown = capsys.readouterr().err
    events: Any = map(from_json, map(json.loads, out.read_text("utf-8").splitlines()))
    committed, sealed, *_ = events
    assert (sealed.light_words, sealed.dark_words) == ("walnut", "")
    fingerprint = CupMatch(committed).fingerprint
    assert 0 < shown.index(fingerprint) < shown.index("light's word")
