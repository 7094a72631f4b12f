"""Makes every net from nothing: `python -m vision.training WORK`; see `recipe.py`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from vision.nets import MODELS
from vision.training.recipe import RECIPE, RecipeError, chosen
from vision.training.running import (
    Work,
    install,
    run_all,
    write_shipped_in_8_bits,
    write_table,
)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    out = argparse.ArgumentParser(prog="python -m vision.training", description=__doc__)
    out.add_argument("work", type=Path, metavar="WORK", help="the folder in which all is kept")
    names = ", ".join(stage.name for stage in RECIPE)
    out.add_argument("stages", nargs="*", metavar="STAGE", help=f"of {names}; all by default")
    out.add_argument("--scale", type=float, default=1.0, help="fraction of the scenes and steps")
    out.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="that draw scenes")
    out.add_argument("--at-once", type=int, default=1, metavar="N", help="stages that learn")
    out.add_argument(
        "--save-every", type=float, default=180, metavar="SECONDS", help="between checkpoints"
    )
    out.add_argument(
        "--install", action="store_true", help="copy the nets to vision/models once all are done"
    )
    out.add_argument(
        "--shipped-in-8-bits", action="store_true",
        help="learn nothing: write these stages' nets of vision/models in 8 bits anew",
    )  # fmt: skip
    return out


def run(args: argparse.Namespace) -> None:
    """Run what the command line asks for; raises `RecipeError`."""
    if not 0 < args.scale <= 1:
        raise RecipeError("--scale is above 0 and at most 1")
    for option, value in (("--workers", args.workers), ("--at-once", args.at_once)):
        if value < 1:
            raise RecipeError(f"{option} is at least 1")
    if args.shipped_in_8_bits and (not args.stages or args.scale < 1 or args.install):
        raise RecipeError("--shipped-in-8-bits needs a STAGE, and no --scale or --install")
    named = chosen(args.stages, {stage.name for stage in RECIPE})
    for module in ("torch", "onnx"):
        if not find_spec(module):
            raise RecipeError(f"{module} is missing: pip install 'tableside[training]'")
    if args.shipped_in_8_bits:
        write_shipped_in_8_bits(Work(args.work, args.scale, "float32"), named, MODELS)
        return
    from vision.training.train.learning import DEVICE, has_bfloat16

    precision = "bfloat16" if has_bfloat16() else "float32"
    print(f"learning in {precision} on {DEVICE}", flush=True)
    threads = max(1, (os.cpu_count() or 1) // args.at_once) if DEVICE == "cuda" else 1
    work = Work(args.work, args.scale, precision, threads)
    stages = chosen(args.stages, work.finished())
    finished = run_all(work, stages, args.workers, args.at_once, args.save_every)
    write_table(work, finished)
    if args.install:
        install(work, MODELS)


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the command line, run, and return the exit status."""
    try:
        run(parser().parse_args(argv))
    except RecipeError as error:
        print(f"vision.training: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
