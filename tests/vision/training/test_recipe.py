"""The recipe that makes every net: its stages, what it keeps, and what it says of mistakes."""

import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from vision.nets import MODELS, with_onnxruntime
from vision.training import __main__ as command
from vision.training import running
from vision.training.recipe import FINDER, FOUND, RECIPE, RecipeError, Stage, chosen
from vision.training.running import Record, Work
from vision.training.scenes.chunks import Chunks

NAMES = [stage.name for stage in RECIPE]
ROOT = Path(__file__).parents[3]
INPUTS = {
    "finder": (1, 3, 192, 320), "checkers": (26, 5, 168, 44), FINDER: (1, 3, 96, 128),
    "bar": (2, 7, 384, 48), "stacks": (2, 7, 312, 64), "trays": (2, 7, 256, 96),
    "occlusion": (1, 3, 160, 192),
}  # fmt: skip


DICE_STAGES = (FINDER, "die", "die_size", "lean")
ASK_FOR = running.Drawing.ask_for


def files_of(stage: Stage) -> set[str]:
    return {f"{stage.name}.onnx"} | ({f"{stage.name}.int8.onnx"} if stage.is_quantized else set())


def test_there_is_a_stage_for_every_shipped_net_and_it_finds_the_nets_it_needs():
    assert {path.name for path in MODELS.glob("*.onnx")} == set().union(*map(files_of, RECIPE))
    for index, stage in enumerate(RECIPE):
        assert stage.needs <= set(NAMES[:index])
        assert sum(stage.minutes) <= 120


@pytest.mark.parametrize("scale", [1.0, 0.05, 0.001])
def test_what_is_kept_back_is_never_learnt(scale):
    for stage in RECIPE:
        chunks = stage.chunks(scale)
        learnt, kept, choices = (
            {(chunk.kind, seed) for chunk in part for seed in chunk.seeds} for part in chunks
        )
        assert kept
        assert not kept & (learnt | choices)
        assert not learnt & choices
        assert bool(choices) == any(draw.choices for draw in stage.draws)


@pytest.mark.parametrize("scale", [1.0, 0.001])
def test_scenes_are_shared_also_by_what_the_finder_finds(scale):
    by_name = {stage.name: stage.chunks(scale) for stage in RECIPE}
    assert by_name["finder"] == by_name["checkers"] == by_name[FINDER]
    scenes = {chunk.seeds for part in by_name[FINDER] for chunk in part}
    found = {chunk.seeds for part in by_name["die"] for chunk in part if chunk.kind == FOUND}
    assert found == scenes


def test_stages_are_chosen_by_name_and_run_in_the_order_of_the_recipe():
    assert [stage.name for stage in chosen([], [])] == NAMES
    assert [s.name for s in chosen(["trays", "stacks"], [])] == ["stacks", "trays"]
    assert [s.name for s in chosen(["trays"], ["stacks"])] == ["trays"]
    with pytest.raises(RecipeError, match="trays needs the net of stacks: run that stage first"):
        chosen(["trays"], ["die"])
    with pytest.raises(RecipeError, match="no stage 'face'; did you mean faces"):
        chosen(["face"], [])


def test_other_settings_or_another_net_to_begin_from_make_other_nets():
    trays = next(stage for stage in RECIPE if stage.name == "trays")
    base = trays.settings(1.0, "float32", {"stacks": "a"})
    assert trays.settings(1.0, "float32", {"stacks": "b"}) != base
    assert trays.settings(1.0, "bfloat16", {"stacks": "a"}) != base
    assert trays.settings(0.1, "float32", {"stacks": "a"}) != base
    assert replace(trays, steps=7).settings(1.0, "float32", {"stacks": "a"}) != base
    assert replace(trays, minutes=(1, 1)).settings(1.0, "float32", {"stacks": "a"}) == base


def make_stage(work: Work, stage: Stage) -> None:
    """Nets and weights that name their stage, instead of trained ones."""
    files = {name: work.net(name, "") for name in files_of(stage)}
    for path in (*files.values(), work.weights(stage.name)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{stage.name} {work.precision}")
    checksums = {name: running.checksum(path) for name, path in files.items()}
    figures = {"right %": 99.0, "none": None}
    work.finish(stage, Record(work.settings(stage), figures, checksums, 6.0))


@pytest.fixture
def work(tmp_path):
    return Work(tmp_path / "work", 1.0, "float32")


@pytest.fixture
def made(monkeypatch):
    names = []

    def make(work, stage, save_every_s):
        names.append(stage.name)
        make_stage(work, stage)

    monkeypatch.setattr(running, "run_stage", make)
    monkeypatch.setattr(running, "processes", lambda count, *_, **__: ThreadPoolExecutor(count))
    monkeypatch.setattr(running.Drawing, "ask_for", lambda self, stage: None)
    return names


def test_a_finished_stage_is_skipped_and_one_of_other_settings_run_anew(work, made, capsys):
    assert list(running.run_all(work, RECIPE[:3], 1, 1, 0)) == NAMES[:3]
    running.run_all(work, RECIPE, 1, 1, 0)
    assert made == NAMES
    assert "checkers: finished before" in capsys.readouterr().out

    made.clear()
    running.run_all(replace(work, precision="bfloat16"), RECIPE[:1], 1, 1, 0)
    assert made == ["finder"]
    assert "finder: its settings changed, so it is run anew" in capsys.readouterr().out


def test_what_a_stage_waits_for_is_drawn_before_what_the_later_ones_need(work, made, monkeypatch):
    asked = []
    monkeypatch.setattr(running.Drawing, "ask", lambda self, chunk: asked.append(chunk.kind))
    monkeypatch.setattr(running.Drawing, "ask_for", ASK_FOR)
    running.run_all(work, [stage for stage in RECIPE if stage.name in DICE_STAGES], 1, 1, 0)
    assert asked.index("scenes") < asked.index(FOUND) < asked.index("sized") < asked.index("lean")


def test_a_stage_counts_as_finished_only_with_its_own_net_and_those_it_began_from(work, made):
    running.run_all(work, RECIPE, 1, 1, 0)
    work.net("die").write_text("another")
    assert set(NAMES) - set(work.finished()) == {"die", "faces", "lean", "cube"}
    made.clear()
    running.run_all(work, RECIPE, 1, 1, 0)
    assert made == ["die"], "which came out as before"


def test_stages_run_at_once_once_the_nets_that_they_need_are_made(work, made, monkeypatch):
    make, both = running.run_stage, Barrier(2, timeout=30)

    def meet(work, stage, save_every_s):
        assert {*stage.needs} <= {*work.finished()}
        if stage.name in {"finder", "checkers"}:
            both.wait()
        make(work, stage, save_every_s)

    monkeypatch.setattr(running, "run_stage", meet)
    assert list(running.run_all(work, RECIPE, 1, 2, 0)) == NAMES


def test_what_fails_in_another_process_ends_the_run(work, made, monkeypatch):
    def fail(work, stage, save_every_s):
        raise ValueError(stage.name)

    monkeypatch.setattr(running, "run_stage", fail)
    with pytest.raises(ValueError, match="finder"):
        running.run_all(work, RECIPE, 1, 1, 0)


def test_nets_are_installed_only_when_all_are_made(work, made, tmp_path):
    models = tmp_path / "models"
    models.mkdir()
    running.run_all(work, RECIPE[:-3], 1, 1, 0)
    with pytest.raises(RecipeError, match="not finished are die_size, lean, cube"):
        running.install(work, models)
    assert not list(models.iterdir())
    running.run_all(work, RECIPE, 1, 1, 0)
    running.install(work, models)
    assert {path.name for path in models.iterdir()} == {path.name for path in MODELS.glob("*.onnx")}
    with pytest.raises(RecipeError, match="smaller scale"):
        running.install(replace(work, scale=0.5), models)


def test_the_table_holds_every_figure_and_checksum(work, made, capsys):
    running.write_table(work, running.run_all(work, RECIPE[:2], 1, 1, 0))
    out = capsys.readouterr().out
    assert out.count("99.000") == 2
    assert f"{running.checksum(work.net('checkers'))}  checkers.onnx" in out
    assert '"none": null' in (work.folder / "figures.json").read_text()


def arrays(seed):
    return np.full((2, 3), seed), np.array([seed])


def test_a_chunk_is_whole_or_not_there(tmp_path):
    def fails(seed):
        if seed == 4:
            raise RuntimeError
        return arrays(seed)

    path = tmp_path / "new" / "chunk.npz"
    with pytest.raises(RuntimeError):
        Chunks(fails, 5, ("a", "b")).draw(path, range(3, 5))
    assert not path.exists()
    chunks = Chunks(arrays, 5, ("a", "b"))
    chunks.draw(path, range(3, 5))
    Chunks(fails, 5, ("a", "b")).draw(path, range(3, 5))  # which is there
    a, b = chunks.load(path)
    assert (a.shape, b.tolist()) == ((4, 3), [3, 4])

    lists = Chunks(str, 5)
    lists.draw(tmp_path / "chunk.pickle", range(2))
    assert lists.load(tmp_path / "chunk.pickle") == ["0", "1"]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["checker"], "there is no stage 'checker'; did you mean checkers?"),
        (["x"], "there is no stage 'x'; they are finder, checkers"),
        (["--scale", "0"], "--scale is above 0 and at most 1"),
        (["--workers", "0"], "--workers is at least 1"),
        (["--at-once", "0"], "--at-once is at least 1"),
        (["--shipped-in-8-bits"], "--shipped-in-8-bits needs a STAGE"),
        (["bar", "--shipped-in-8-bits", "--scale", "0.1"], "--shipped-in-8-bits needs a STAGE"),
    ],
)
def test_a_mistake_is_told_in_one_line(argv, message, tmp_path, capsys):
    assert command.main([str(tmp_path / "work"), *argv]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"vision.training: {message}")
    assert error.count("\n") == 1
    assert not (tmp_path / "work").exists()


def test_a_missing_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    assert command.main([str(tmp_path)]) == 2
    assert "pip install 'tableside[training]'" in capsys.readouterr().err


def start(work):
    return subprocess.Popen(
        [sys.executable, "-m", "vision.training", work, "--scale", "0.001", "--workers", "1",
         "--save-every", "0"], cwd=ROOT, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["bar", "checkers"])
def test_a_shipped_net_is_written_in_8_bits_alike_each_time(name, tmp_path):
    for module in ("torch", "onnx"):
        pytest.importorskip(module, reason="the extra `training` is not installed")
    shutil.copy(MODELS / f"{name}.onnx", tmp_path)
    whole, small = tmp_path / f"{name}.onnx", tmp_path / f"{name}.int8.onnx"
    stages, written = chosen([name, "die_size"], NAMES), []
    for folder in ("one", "two"):
        work = Work(tmp_path / folder, 0.001, "float32")
        running.write_shipped_in_8_bits(work, stages, tmp_path)
        written.append(running.checksum(small))
    assert len(set(written)) == 1
    assert not (tmp_path / "die_size.int8.onnx").exists()
    given = np.random.default_rng(0).random(INPUTS[name], np.float32) - 0.5
    answers = [with_onnxruntime(path)(given).ravel() for path in (whole, small)]
    assert np.corrcoef(answers)[0, 1] > 0.95, "even for noise, and scaled by a few scenes"


@pytest.mark.slow
def test_two_runs_of_the_recipe_give_equal_nets_even_if_one_is_killed(tmp_path):
    for module in ("torch", "onnx"):
        pytest.importorskip(module, reason="the extra `training` is not installed")
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    first = start(killed)
    while not (killed / "checkpoints" / "stacks.pt").exists():
        assert first.poll() is None
        time.sleep(0.01)
    first.kill()
    first.communicate()
    outputs = []
    for folder in (killed, whole):
        process = start(folder)
        outputs.append(process.communicate()[0])
        assert process.returncode == 0
    assert "finder: finished before" in outputs[0]
    assert "stacks: goes on from step" in outputs[0]

    for path in MODELS.glob("*.onnx"):
        one, two = (folder / "nets" / path.name for folder in (killed, whole))
        assert running.checksum(one) == running.checksum(two)
        given = np.zeros(INPUTS.get(path.name.split(".")[0], (2, 5, 48, 48)), np.float32)
        assert with_onnxruntime(one)(given).shape == with_onnxruntime(path)(given).shape
