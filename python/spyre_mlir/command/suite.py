"""Programs of a directory over processes here, or over a scheduler of dask."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import CompileError
from ..many import Outcome, compile_many
from ..program import Program


def run_suite(
    programs: Sequence[Path], scheduler: str | None, workers: int | None, seed: int, tolerance: float
) -> list[Outcome]:
    """Returns the outcome of each program, compared on random arguments on the card and on the CPU.

    A file of another front end is converted here, since workers need no packages of front ends; an error of a
    conversion is the outcome.
    """
    read, refused = list[Program](), dict[int, Outcome]()
    for position, path in enumerate(programs):
        try:
            read.append(_program(path))
        except (CompileError, ImportError, ValueError) as error:
            refused[position] = Outcome(str(path), "refused", str(error))
    if scheduler is None:
        outcomes = iter(compile_many(read, lambda: _processes(workers), compare_seed=seed, tolerance=tolerance))
    else:
        with _client(scheduler) as client:
            executor = client.get_executor()
            outcomes = iter(compile_many(read, executor, compare_seed=seed, tolerance=tolerance))
    return [refused[position] if position in refused else next(outcomes) for position in range(len(programs))]


def _program(path: Path) -> Program:
    from ..compiler import read_program

    return read_program(path)


def _processes(workers: int | None) -> concurrent.futures.Executor:
    # A forked process would share the threads' locks of native code, so processes start anew.
    return concurrent.futures.ProcessPoolExecutor(
        workers or os.cpu_count(), mp_context=multiprocessing.get_context("spawn")
    )


def _client(address: str) -> Any:
    try:
        from distributed import Client  # pyright: ignore
    except ImportError as error:
        raise ImportError(
            "--scheduler needs dask.distributed, not installed here: run pip install 'spyre-mlir[dask]'"
        ) from error
    return Client(address)  # pyright: ignore
