"""Many programs, over any executor of `concurrent.futures`.

A task is the bytes of a program with its options; a result is a small value. Both can be pickled, so that a process
or a computer elsewhere does the work. A worker may die in a program, of a crash of native code or for want of memory.
Then the executor is broken (`ProcessPoolExecutor`) or gives an error for the task (`dask.distributed`). The tasks
without a result are submitted again, a bounded number of times, to a new executor where one can be made; after that
the result is the failure. Each program has exactly one result.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from .errors import Diagnostic, SpyreError
from .options import Options
from .program import Program
from .progress import ProgressLine
from .sources import Source

Task = TypeVar("Task")
Result = TypeVar("Result")

Executor = concurrent.futures.Executor
ExecutorSource = Executor | Callable[[], Executor]
"""An executor, or a function that returns a new one: after the death of a worker, a `ProcessPoolExecutor` takes no
tasks."""

_INTERVAL = 0.2  # seconds between two progress lines

ATTEMPTS = 3
"""How often a task is submitted before its result is the failure."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a program: the work on both sides and the comparison, or the failure."""

    name: str
    status: str
    """`compiled`; `same` or `differs` after a comparison of the card with the CPU; `refused`, `failed` or `died`."""
    message: str = ""
    """The failure or the difference; empty otherwise."""
    diagnostics: tuple[Diagnostic, ...] = ()
    device_work: int = 0
    """The elements that operations of the device compute."""
    host_work: int = 0
    modelled_time: float = 0.0
    """Microseconds of a run on the modelled card; 0 without a run."""
    largest_difference: float = 0.0
    """The largest difference between the card and the CPU, relative to 1 + the magnitude of the CPU's number."""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        """Whether the program was compiled, and no comparison found a difference."""
        return self.status in ("compiled", "same")

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as JSON has them."""
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class ProgramTask:
    """A program as bytes with options; with `compare_seed`, it is also run on random inputs on the card and on the
    CPU."""

    name: str
    data: bytes
    options: Options
    compare_seed: int | None = None
    tolerance: float = 2e-2


def compile_many(
    programs: Iterable[object],
    executor: ExecutorSource,
    *,
    compare_seed: int | None = None,
    tolerance: float = 2e-2,
    attempts: int = ATTEMPTS,
    progress: bool | None = None,
) -> list[Outcome]:
    """Compiles programs over an executor, and returns one `Outcome` for each, in order.

    `programs` are paths, texts or `Program`s. `executor` is any executor of `concurrent.futures`, such as
    `dask.distributed.Client.get_executor()`, or a function that makes one; an executor that is passed is not shut
    down. With `compare_seed`, each program runs on random inputs of that seed on the card and on the CPU, with
    differences up to `tolerance`, relative to 1 + the magnitude of the CPU's number.

    >>> with concurrent.futures.ThreadPoolExecutor(1) as executor:
    ...     outcomes = compile_many(["examples/mlp.mlir", "func.func @f("], executor)
    >>> [outcome.status for outcome in outcomes]
    ['compiled', 'refused']
    """
    from .compiler import read_program

    tasks = list[ProgramTask]()
    for program in programs:
        read = read_program(program)
        tasks.append(ProgramTask(read.name, read.bytes.data, read.options, compare_seed, tolerance))
    return run_tasks(compile_task, tasks, executor, died_outcome, attempts, progress)


def compile_task(task: ProgramTask) -> Outcome:
    """Returns the outcome of a program; failures of the compiler and of Python are outcomes too."""
    start = time.perf_counter()
    try:
        outcome = _outcome(task)
    except SpyreError as error:
        outcome = Outcome(task.name, "refused", str(error), error.diagnostics)
    except Exception as error:  # noqa: BLE001  (the result of the task, with its type)
        outcome = Outcome(task.name, "failed", f"{type(error).__name__}: {error}")
    return dataclasses.replace(outcome, seconds=time.perf_counter() - start)


def _outcome(task: ProgramTask) -> Outcome:
    program = Program(Source(task.data, task.name), options=task.options)
    bundle = program.compile(progress=False)
    facts = bundle.stats()
    outcome = Outcome(task.name, "compiled", device_work=facts.device_work, host_work=facts.host_work)
    if task.compare_seed is None:
        return outcome
    comparison = compare_with_cpu(program, task.compare_seed, task.tolerance)
    return dataclasses.replace(
        outcome,
        status="same" if comparison.same else "differs",
        message="" if comparison.same else comparison.text,
        modelled_time=bundle.stats().modelled_time,
        largest_difference=comparison.largest,
    )


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The results of the card next to the results of the CPU."""

    same: bool
    largest: float
    """The largest difference, relative to 1 + the magnitude of the CPU's number; infinite where only one is a
    number."""
    text: str


def compare_with_cpu(program: Program, seed: int, tolerance: float) -> Comparison:
    """Runs a program on random inputs on the card and on the CPU, and compares all results.

    Floats are in [-0.25, 0.25), so that sums of many products stay in the range of 16 bits. Integers and truth values
    have to be equal.
    """
    from .arrays import comparable

    on_card, on_cpu = program.compile(progress=False), program.compile(card=False, progress=False)
    arrays = random_inputs(on_card.inputs, seed)
    largest, texts = 0.0, list[str]()
    for number, (card, cpu) in enumerate(zip(on_card.run(*arrays), on_cpu.run(*arrays), strict=True)):
        got, expected = comparable(card), comparable(cpu)
        if expected.dtype.kind != "f":
            count = int(np.sum(got != expected))
            difference, different = (float("inf") if count else 0.0), count
        else:
            equal = (got == expected) | (np.isnan(got) & np.isnan(expected))
            with np.errstate(invalid="ignore", over="ignore"):
                errors = np.where(equal, 0.0, np.abs(got - expected) / (1 + np.abs(expected)))
            errors = np.where(np.isnan(errors), np.inf, errors)
            difference = float(errors.max()) if errors.size else 0.0
            different = int(np.sum(errors > tolerance))
        largest = max(largest, difference)
        texts.append(f"result {number}: {different} of {expected.size} elements differ, by {difference:.3g} at most")
    return Comparison(largest <= tolerance, largest, "; ".join(texts))


def random_inputs(inputs: Sequence[Any], seed: int, largest: float = 0.25) -> list[Any]:
    """Returns random arrays for the inputs of a bundle; the same for the same seed."""
    from .arrays import random_array

    generator = np.random.default_rng(seed)
    return [random_array(input.shape, input.dtype, generator, largest) for input in inputs]


def died_outcome(task: ProgramTask, error: BaseException, attempts: int) -> Outcome:
    """Returns the outcome of a program without a result."""
    return Outcome(
        task.name, "died", f"no worker finished it in {attempts} attempts: {type(error).__name__}: {error}"
    )


def run_tasks(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    executor: ExecutorSource,
    failure: Callable[[Task, BaseException, int], Result],
    attempts: int = ATTEMPTS,
    progress: bool | None = None,
) -> list[Result]:
    """Returns the result of a function for each task, in order, and exactly one for each.

    A task without a result is submitted again. In a pool that breaks, the death of one worker fails all tasks that
    wait, and it is unknown which one is to blame. So after the first failure tasks run one at a time, and only a task
    that was alone counts an attempt. `failure` makes the result of a task that has failed `attempts` times.
    """
    pool = _Pool[Task, Result](function, executor, progress)
    results = dict[int, Result]()
    try:
        for position, outcome in pool.together(tasks):
            if not isinstance(outcome, _Died):
                results[position] = outcome
        for position, task in enumerate(tasks):
            if position not in results:
                results[position] = pool.alone(task, failure, attempts)
    finally:
        pool.close()
    return [results[position] for position in range(len(tasks))]


@dataclasses.dataclass(frozen=True)
class _Died:
    """A task ended without a result of its function."""

    error: BaseException


_submissions = itertools.count()


def _call(function: Callable[[Task], Result], task: Task, submission: int) -> Result:
    """Returns the result of a task; the number makes each submission another call."""
    del submission
    return function(task)


class _Pool(Generic[Task, Result]):
    """An executor that is replaced when it is broken, as far as it can be."""

    def __init__(self, function: Callable[[Task], Result], executor: ExecutorSource, progress: bool | None) -> None:
        self._function = function
        self._line = ProgressLine("programs", progress)
        self._given = executor if isinstance(executor, concurrent.futures.Executor) else None
        self._create = _creator(executor)
        self._executor = self._given if self._given is not None else self._create()

    def together(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result | _Died]]:
        """Yields the outcome of each task as it ends."""
        futures = dict[concurrent.futures.Future[Result], int]()
        for position, task in enumerate(tasks):
            try:
                futures[self._submitted(task)] = position
            except concurrent.futures.BrokenExecutor as error:  # a worker died while tasks were submitted
                yield position, _Died(error)
        try:
            for count, (future, position) in enumerate(futures.items()):
                while not concurrent.futures.wait([future], timeout=_INTERVAL).done:
                    self._line.update(f", {count} of {len(tasks)}")
                yield position, self._outcome(future)
        except BaseException:  # Ctrl-C: no further task begins
            for future in futures:
                future.cancel()
            raise

    def alone(self, task: Task, failure: Callable[[Task, BaseException, int], Result], attempts: int) -> Result:
        """Returns the result of a task that runs alone, or the failure after these attempts."""
        error: BaseException = RuntimeError("it was not submitted")
        for _ in range(attempts):
            outcome = self._submit(task)
            if not isinstance(outcome, _Died):
                return outcome
            error = outcome.error
        return failure(task, error, attempts)

    def _submitted(self, task: Task) -> concurrent.futures.Future[Result]:
        # dask gives equal calls one result, and a call that is submitted again the failure of the first.
        return self._executor.submit(_call, self._function, task, next(_submissions))

    def _submit(self, task: Task) -> Result | _Died:
        for fresh in (False, True):
            if fresh:
                self._renew()
            try:
                return self._outcome(self._submitted(task))
            except (concurrent.futures.BrokenExecutor, RuntimeError) as error:
                if fresh:
                    return _Died(error)
        raise AssertionError("the second attempt returns")

    def _outcome(self, future: concurrent.futures.Future[Result]) -> Result | _Died:
        try:
            return future.result()
        except Exception as error:  # noqa: BLE001  (executors have different types for a worker that died)
            return _Died(error)

    def _renew(self) -> None:
        self.close()
        self._executor = self._create()

    def close(self) -> None:
        """Shuts down an executor that was created here, and removes the progress line; a given one stays its owner's."""
        self._line.clear()
        if self._executor is not self._given:
            self._executor.shutdown(wait=False, cancel_futures=True)


def _creator(executor: ExecutorSource) -> Callable[[], Executor]:
    """Returns a function that makes a new executor: the given one, or one of the same kind as a pool of processes."""
    if not isinstance(executor, concurrent.futures.Executor):
        return executor
    if isinstance(executor, concurrent.futures.ProcessPoolExecutor):
        # A broken pool takes no tasks. Its number of workers and its way to start them are private attributes.
        workers = getattr(executor, "_max_workers", None)
        context = getattr(executor, "_mp_context", None)
        return lambda: concurrent.futures.ProcessPoolExecutor(workers, mp_context=context)
    return lambda: executor
