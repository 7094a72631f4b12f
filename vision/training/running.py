"""Runs the stages of the recipe: draws samples in other processes, trains, keeps the records."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import time
from collections.abc import Iterator, Sequence
from concurrent import futures
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache, lru_cache, partial
from importlib import import_module
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from typing import Any, Final

from vision.training.recipe import (
    CYCLES,
    FINDER,
    FOUND,
    KINDS,
    RECIPE,
    Chunk,
    RecipeError,
    Stage,
)
from vision.training.samples import found_crops
from vision.training.scenes.chunks import whole_file

CACHED_CHUNKS: Final = 64
"""Chunks that are kept in memory: up to 3 GB."""
DRAWING_NICENESS: Final = 5
POLL_S: Final = 0.2
"""How often we look whether another process has written a file or has failed."""


@dataclass(frozen=True, slots=True)
class Record:
    """A finished stage."""

    settings: str
    figures: dict[str, float | None]
    checksums: dict[str, str]
    """SHA-256 by name of file in `nets/`."""
    seconds: float
    """Of the last process that worked on it."""


@dataclass(frozen=True, slots=True)
class Work:
    """The folder in which all is kept, and what all stages are run with."""

    folder: Path
    scale: float
    precision: str
    """bfloat16 or float32."""
    threads: int = 1
    """That prepare the batches of one stage."""

    def net(self, name: str, ending: str = ".onnx") -> Path:
        """The file of a net."""
        return self.folder / "nets" / f"{name}{ending}"

    def weights(self, name: str) -> Path:
        """The file of a net's weights, for stages that begin from them."""
        return self.folder / "weights" / f"{name}.pt"

    def path(self, chunk: Chunk) -> Path:
        """The file of a chunk; those found with another finder are others."""
        found_with = f"-{checksum(self.net(FINDER))[:8]}" if chunk.kind == FOUND else ""
        name = f"{chunk.seeds[0]:06}-{chunk.seeds[-1]:06}{KINDS[chunk.kind].suffix}"
        return self.folder / "samples" / f"{chunk.kind}{found_with}" / name

    def checkpoint(self, name: str) -> Path:
        """The file of an unfinished stage's training."""
        return self.folder / "checkpoints" / f"{name}.pt"

    def _record_path(self, stage: Stage) -> Path:
        return self.folder / "stages" / f"{stage.name}.json"

    def record(self, stage: Stage) -> Record | None:
        """The record of a stage that was finished, with whatever settings, and has its nets."""
        path = self._record_path(stage)
        if not path.exists():
            return None
        record = Record(**json.loads(path.read_text("utf-8")))
        files = {name: self.folder / "nets" / name for name in record.checksums}
        whole = all(
            file.exists() and checksum(file) == record.checksums[name]
            for name, file in files.items()
        )
        return record if whole and self.weights(stage.name).exists() else None

    def settings(self, stage: Stage) -> str:
        """The hash of a stage's settings; the stages that it needs are finished."""
        needed = {name: checksum(self.net(name)) for name in sorted(stage.needs)}
        return stage.settings(self.scale, self.precision, needed)

    def finished(self) -> dict[str, Record]:
        """The records of the stages that are finished with these settings."""
        out: dict[str, Record] = {}
        for stage in RECIPE:
            record = self.record(stage)
            if record and stage.needs <= {*out} and record.settings == self.settings(stage):
                out[stage.name] = record
        return out

    def finish(self, stage: Stage, record: Record) -> None:
        """Record a finished stage, whole or not at all."""
        write_json(self._record_path(stage), asdict(record))
        self.checkpoint(stage.name).unlink(missing_ok=True)


class Drawing:
    """Draws chunks in other processes, in the order in which they are asked for, each once."""

    def __init__(self, work: Work, pool: Executor) -> None:
        self._work, self._pool = work, pool
        self._asked: set[Path] = set()
        self._pending: list[Future[None]] = []

    def ask(self, chunk: Chunk) -> None:
        """Have a chunk drawn unless it exists."""
        path = self._work.path(chunk)
        if path.exists() or path in self._asked:
            return
        self._asked.add(path)
        if chunk.kind == FOUND:
            scenes = Chunk("scenes", chunk.seeds)
            self.ask(scenes)
            args = path, self._work.path(scenes), self._work.net(FINDER)
            self._pending.append(self._pool.submit(_draw_found, *args))
        else:
            self._pending.append(self._pool.submit(KINDS[chunk.kind].draw, path, chunk.seeds))

    def ask_for(self, stage: Stage) -> bool:
        """Have a stage's chunks drawn; False if some of them need a net that is not finished."""
        learnt, kept, choices = stage.chunks(self._work.scale)
        is_found = self._work.net(FINDER).exists()
        for chunk in (*kept, *learnt, *choices):
            if chunk.kind != FOUND or is_found:
                self.ask(chunk)
        return is_found or not any(chunk.kind == FOUND for chunk in kept)

    def check(self) -> None:
        """Raise what went wrong in a process that drew."""
        for job in (done := [job for job in self._pending if job.done()]):
            job.result()
        self._pending = [job for job in self._pending if job not in done]


def _draw_found(path: Path, scenes: Path, finder: Path) -> None:
    found_crops.draw(path, drawn(scenes), finder)


def drawn(path: Path) -> Path:
    """The path of a chunk once another process has drawn it."""
    while not path.exists():
        time.sleep(POLL_S)
    return path


@contextmanager
def processes(count: int, niceness: int = 0, tasks: int | None = None) -> Iterator[Executor]:
    """Processes that end with this one, and each after so many `tasks`.

    After an error, what they are at is broken off: files are whole or not there. PyTorch's threads
    allow no fork.
    """
    pool = ProcessPoolExecutor(
        count, multiprocessing.get_context("spawn"), initializer=_begin, initargs=(niceness,),
        max_tasks_per_child=tasks,
    )  # fmt: skip
    try:
        yield pool
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(niceness: int) -> None:
    """Give way to others, leave Ctrl-C to the main process, and end when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(niceness)
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101  only called in a child

    def follow() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=follow, daemon=True).start()


def run_all(
    work: Work, stages: Sequence[Stage], workers: int, at_once: int, save_every_s: float
) -> dict[str, Record]:
    """Run the stages that are not finished, so many `at_once`, and draw their samples meanwhile."""
    waiting = list(stages)
    running: dict[Future[None], str] = {}
    with processes(workers, DRAWING_NICENESS) as drawers, processes(at_once, tasks=1) as learners:
        draws = Drawing(work, drawers)
        finished = work.finished()
        undrawn = [stage for stage in stages if stage.name not in finished]
        while waiting or running:
            # What a stage waits for is drawn before what the later ones need.
            while undrawn and draws.ask_for(undrawn[0]):
                del undrawn[0]
            unfinished = {*running.values(), *(stage.name for stage in waiting)}
            ready = [stage for stage in waiting if not stage.needs & unfinished]
            for stage in ready[: at_once - len(running)]:
                waiting.remove(stage)
                if not _is_finished(work, stage):
                    draws.ask_for(stage)  # again, if its settings changed
                    running[learners.submit(run_stage, work, stage, save_every_s)] = stage.name
            for job in futures.wait(running, POLL_S, futures.FIRST_COMPLETED).done:
                del running[job]
                job.result()
            draws.check()
    return work.finished()


def _is_finished(work: Work, stage: Stage) -> bool:
    """Whether a stage need not be run, and say so; those that it needs are finished."""
    before = work.record(stage)
    if before is None:
        return False
    if is_same := before.settings == work.settings(stage):
        print(f"{stage.name}: finished before", flush=True)
    else:
        print(f"{stage.name}: its settings changed, so it is run anew", flush=True)
    return is_same


def run_stage(work: Work, stage: Stage, save_every_s: float) -> None:
    """Train one net, and write it and its record; other processes draw its samples."""
    from vision.training.train import learning

    started, task = time.monotonic(), task_of(stage)
    learnt, kept, choices = stage.chunks(work.scale)
    print(f"{stage.name}: {stage.steps_at(work.scale)} steps, {len(learnt)} chunks to learn from, "
          f"{len(kept)} kept back", flush=True)  # fmt: skip

    @lru_cache(CACHED_CHUNKS)
    def load(chunk: Chunk) -> Any:
        return task.prepare(KINDS[chunk.kind].load(drawn(work.path(chunk))))

    plan = learning.Plan(
        chunks=[partial(load, chunk) for chunk in learnt],
        kept=cache(lambda: learning.joined([load(chunk) for chunk in kept])),
        choices=[partial(load, chunk) for chunk in choices],
        rounds=max(2, round(CYCLES * len(learnt))), steps=stage.steps_at(work.scale),
        settings=work.settings(stage),
        checkpoint=work.checkpoint(stage.name), save_every_s=save_every_s,
        in_bfloat16=work.precision == "bfloat16", threads=work.threads,
        start=learning.read(work.weights(stage.begins_from)) if stage.begins_from else None,
    )  # fmt: skip
    net = work.net(stage.name)
    net.parent.mkdir(parents=True, exist_ok=True)
    figures = learning.learn(task, plan, work.weights(stage.name), net)
    files = [net]
    if stage.is_quantized:
        files.append(work.net(stage.name, ".int8.onnx"))
        write_in_8_bits(work, stage, net, files[-1])
    checksums = {file.name: checksum(file) for file in files}
    record = Record(plan.settings, figures, checksums, time.monotonic() - started)
    work.finish(stage, record)


def task_of(stage: Stage) -> Any:
    """The `Task` of a stage; torch loads at first use."""
    return import_module(f"vision.training.train.{stage.module}").TASK


def write_in_8_bits(work: Work, stage: Stage, net: Path, out: Path) -> None:
    """Write a stage's net in 8 bits, scaled by its first chunk, which is drawn unless it exists."""
    from vision.training.export.quantise import quantise
    from vision.training.train.learning import scaling_inputs

    task, chunk = task_of(stage), stage.draws[0].chunks(work.scale).learnt[0]
    kind, path = KINDS[chunk.kind], work.path(chunk)
    kind.draw(path, chunk.seeds)
    with whole_file(out) as beside:
        quantise(net, scaling_inputs(task, task.prepare(kind.load(path))), beside)


def write_shipped_in_8_bits(work: Work, stages: Sequence[Stage], models: Path) -> None:
    """Write the nets of `models` that these stages would make in 8 bits beside them."""
    for stage in stages:
        if stage.is_quantized:
            out = models / f"{stage.name}.int8.onnx"
            write_in_8_bits(work, stage, models / f"{stage.name}.onnx", out)
            print(f"{checksum(out)}  {out.name}", flush=True)


def write_table(work: Work, finished: dict[str, Record]) -> None:
    """Print the figures on kept-back samples and the checksums; write them to `figures.json`."""
    write_json(work.folder / "figures.json", {name: r.figures for name, r in finished.items()})
    for name, record in finished.items():
        print(f"\n{name}, {record.seconds / 60:.1f} min")
        for figure, value in record.figures.items():
            print(f"  {figure:36} {'-' if value is None else format(value, '10.3f'):>10}")
    print()
    for record in finished.values():
        for file, digest in record.checksums.items():
            print(f"{digest}  {file}")


def install(work: Work, models: Path) -> None:
    """Copy the nets of all stages to `models`; raises `RecipeError` unless all are finished."""
    if work.scale < 1:
        raise RecipeError("nets of a smaller scale are not installed")
    finished = work.finished()
    if missing := [stage.name for stage in RECIPE if stage.name not in finished]:
        raise RecipeError(f"nothing was installed: not finished are {', '.join(missing)}")
    for record in finished.values():
        for file in record.checksums:
            shutil.copyfile(work.folder / "nets" / file, models / file)


def checksum(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    with whole_file(path) as beside:
        beside.write_text(json.dumps(value, indent=1), "utf-8")
