"""The command line: help for each command, one line for each mistake, the exit codes."""

import argparse
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata

import pytest

from engine.errors import InvalidPosition, UnknownVariant
from tableside import cli
from tableside.commands import COMMANDS, completion
from tableside.errors import StoreError
from tests.paths import ROOT
from vision.errors import SourceError


def commands():
    (choices,) = (
        action.choices
        for action in cli.build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    return choices


@pytest.fixture
def failing(monkeypatch):
    """`failing(error)` is what the command line makes of it: the exit code."""

    def run(error):
        def command(_args):
            raise error

        monkeypatch.setattr("tableside.commands.bench.run", command)
        return cli.main(["bench"])

    return run


def only_line(capsys):
    captured = capsys.readouterr()
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    return line


def test_every_command_is_listed_by_its_name():
    assert tuple(commands()) == tuple(COMMANDS)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_a_command_explains_and_gives_an_example(name, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main([name, "--help"])
    text = capsys.readouterr().out
    assert left.value.code == 0
    assert f"usage: tableside {name}" in text
    assert re.search(rf"examples:\n  .*tableside {name}", text)


@pytest.mark.parametrize(
    "words",
    [
        ["fly"],
        ["read"],
        ["transcribe", "a.mp4"],
        ["demo", "--port", "99999"],
        ["live", "--camera", "0", "--length", "-3"],
        ["calibrate", "--image", "a", "--profile", "b", "--corners", "1,2", "3,4", "5,6", "x"],
        ["calibrate", "--image", "a", "--profile", "b", "--position", '{"light": [1]}'],
        ["transcribe", "a", "--out", "b", "--start", "/no/such/file"],
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2(words, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(words)
    assert left.value.code == 2
    assert "--help`" in only_line(capsys)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["demp"], "tableside: unknown command 'demp' (did you mean demo?)"),
        (["dice", "reprot"], "tableside dice: unknown command 'reprot' (did you mean report?)"),
        (["live", "--lenght", "7"], "tableside live: unknown option --lenght (did you mean"),
        (["transcribe", "a.mp4", "--uot=b"], "unknown option --uot (did you mean --out?)"),
        (["live", "--cam", "0"], "unknown option --cam (did you mean --camera?)"),
        (["--verbos", "live"], "unknown option --verbos"),
        (["export", "1", "--format", "mta", "--out", "a"], "'mta' is not one of mat, sgf, xg"),
        (["demo", "--xyzzy"], "unknown option --xyzzy;"),
        (["cup", "roll", "7"], "tableside cup roll: unexpected argument '7';"),
    ],
)
def test_a_misspelled_word_is_named_with_the_likeliest_one(words, says, capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(words)
    assert left.value.code == 2
    assert says in only_line(capsys)


def test_the_version_is_that_of_the_installed_package(capsys):
    with pytest.raises(SystemExit) as left:
        cli.main(["--version"])
    assert left.value.code == 0
    assert capsys.readouterr().out == f"tableside {metadata.version('tableside')}\n"


OUTPUTS = {
    "bench": (["--stills", ".", "--out", "."], "figures.json"),
    "calibrate": (["--image", "board.jpg", "--profile", "mine.json"], "mine.png"),
    "calibrate --lens-sheet": (["--lens-sheet", "mine.png"], "mine.png"),
    "cup roll": (["--virtual", "--out", "mine.jsonl"], "mine.jsonl"),
    "demo": (["--out", ".", "--no-browser"], "events.jsonl"),
    "dice report": (["--csv", "rolls.csv", "--html", "mine.html"], "mine.html"),
    "read": (["board.jpg", "--overlay", "."], "board.png"),
    "transcribe": (["a.mp4", "--out", "."], "review.json"),
}


@pytest.mark.parametrize("named", OUTPUTS)
def test_no_command_overwrites_a_file_unasked(named, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words, mine = OUTPUTS[named]
    (tmp_path / mine).write_text("mine")
    assert cli.main([*(word for word in named.split() if word[0] != "-"), *words]) == 1
    assert f"{mine} exists already; choose another name, or add --force" in only_line(capsys)
    assert (tmp_path / mine).read_text() == "mine"


@pytest.mark.parametrize("action", ["find", "test", "roll", "log", "monitor", "verify"])
def test_each_action_of_the_cup_has_a_help_of_its_own(action, capsys):
    with pytest.raises(SystemExit):
        cli.main(["cup", action, "--help"])
    out = capsys.readouterr().out
    assert f"usage: tableside cup {action} " in out
    assert f"\n  tableside cup {action}" in out
    assert ("--count" in out, "--seconds" in out) == (action == "roll", action == "monitor")


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_the_completion_script_names_every_command_and_option(shell, capsys):
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in (*COMMANDS, *commands()["transcribe"].format_usage().split()):
        if word.strip("[]").startswith("--"):
            assert word.strip("[]-") in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_a_command_an_option_and_a_file(tmp_path, capsys):
    cli.main(["completion", "bash"])
    script, here = tmp_path / "tableside.sh", tmp_path / "here"
    script.write_text(capsys.readouterr().out)
    here.mkdir()
    (here / "evening.mat").touch()
    (here / "folder").mkdir()
    completed = []
    for line in (
        ["tableside", "tran"],
        ["tableside", "live", "--cam"],
        ["tableside", "check", "e"],
        ["tableside", "live", "--camera", "e"],
        ["tableside", "transcribe", "--out", "f"],
    ):
        asked = f"""
            source {script}
            COMP_WORDS=({" ".join(line)}) COMP_CWORD={len(line) - 1}
            $(complete -p tableside | sed 's/.*-F \\([^ ]*\\).*/\\1/')
            echo "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(
            ["bash", "-c", asked], cwd=here, capture_output=True, text=True, check=True
        )
        completed.append(done.stdout.strip())
    assert completed == ["transcribe", "--camera", "evening.mat", "evening.mat", "folder"]


@pytest.mark.parametrize("name", ["engine/__init__.py", "vision.py"])
def test_a_folder_that_hides_a_package_of_ours_is_said_in_one_line(name, tmp_path):
    other = tmp_path / name
    other.parent.mkdir(exist_ok=True)
    other.write_text("raise ImportError('not this one')")
    for word in ("--help", "cameras"):
        done = run(word, cwd=tmp_path, PYTHONPATH=f"{tmp_path}:{ROOT}")
        assert (done.returncode, done.stdout) == (1, "")
        (line,) = done.stderr.splitlines()
        assert str(tmp_path / name.partition("/")[0]) in line
        assert "start Tableside in another folder" in line


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (SourceError("no camera 3: found 0"), "no camera 3: found 0"),
        (StoreError("the disk\nis full"), "the disk is full"),
        (InvalidPosition("light has 14 checkers"), "light has 14 checkers"),
        (FileNotFoundError(2, "No such file or directory", "a.jpg"), "a.jpg: No such file"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (KeyboardInterrupt(), "stopped"),
    ],
)
def test_an_expected_error_is_one_line_and_exit_code_1(failing, capsys, error, says):
    assert failing(error) == 1
    assert only_line(capsys).startswith(f"tableside: {says}")


def test_a_variant_that_nobody_knows_is_wrong_usage(failing, capsys):
    assert failing(UnknownVariant("there is no variant 'chess'")) == 2
    assert "chess" in only_line(capsys)


def test_an_error_of_the_program_itself_shows_its_trace(failing):
    with pytest.raises(ZeroDivisionError):
        failing(ZeroDivisionError())


def run(*words, cwd=None, **environment):
    return subprocess.run(
        [sys.executable, "-m", "tableside", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )


def test_the_module_can_be_run_and_the_exit_code_reaches_the_shell():
    done = run("dice", "report")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_goes_away_leaves_no_trace():
    reading, writing = os.pipe()
    os.close(reading)
    code = (
        "import sys; from tableside import cli; from tableside.commands import bench;"
        "bench.run = lambda args: print('x' * 100_000) or 0;"
        "sys.exit(cli.main(['bench']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 1


def test_help_imports_neither_what_is_heavy_nor_the_game():
    code = (
        "import sys; from tableside import cli; cli.build_parser(%s);"
        "print(sorted({'cv2', 'numba', 'flask', 'rich', 'sqlite3', 'engine'} & set(sys.modules)))"
    )
    # Coverage, where it is measured, brings `sqlite3` along.
    environment = {key: value for key, value in os.environ.items() if "COVERAGE_" not in key}
    for named, loaded in (("[]", []), ("", ["engine"])):
        done = subprocess.run(
            [sys.executable, "-c", code % named],
            capture_output=True,
            text=True,
            env={**environment, "PYTHONPATH": str(ROOT)},
            check=True,
        )
        assert done.stdout == f"{loaded}\n"


def test_without_a_command_the_commands_are_listed(capsys):
    assert cli.main([]) == 2
    assert "transcribe" in capsys.readouterr().err
