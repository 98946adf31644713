"""Tests of many programs over executors: exactly one result for each, whatever happens to the workers."""

from __future__ import annotations

import concurrent.futures
import contextlib
import io
import multiprocessing
import os
import pickle
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import workers
from native import PYTHON, ROOT, needs_native, needs_numpy, needs_package  # noqa: F401

try:
    from spyre_mlir.fuzzing import fuzz, random_program
    from spyre_mlir.many import Outcome, ProgramTask, compile_many, run_tasks
    from spyre_mlir.options import Options
except ImportError:
    pass  # the tests are skipped


def processes(workers: int = 2) -> concurrent.futures.ProcessPoolExecutor:
    return concurrent.futures.ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


@needs_numpy
class Pools(unittest.TestCase):
    def test_a_task_that_ends_every_worker_is_one_failure(self) -> None:
        for executor in (processes, processes()):
            results = run_tasks(workers.square, [1, 2, -1, 3, 4], executor, workers.failure, attempts=2)
            self.assertEqual(results, [1, 4, "-1: 2", 9, 16])

    def test_a_task_that_ends_a_worker_once_has_its_result(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tasks = [(folder, number) for number in range(4)]
            results = run_tasks(workers.square_at_second_call, tasks, processes, workers.failure, attempts=5)
        self.assertEqual(results, [0, 1, 4, 9])

    def test_an_error_is_a_failure_of_its_task_alone(self) -> None:
        with concurrent.futures.ThreadPoolExecutor(2) as executor:
            self.assertEqual(run_tasks(workers.square, [3, -2], executor, workers.failure, 2), [9, "-2: 2"])
            self.assertEqual(run_tasks(workers.square, [], executor, workers.failure), [])
            self.assertEqual(executor.submit(abs, -1).result(), 1, "an executor that is passed stays open")

    def test_outcomes_and_tasks_can_be_pickled(self) -> None:
        for value in (Outcome("f", "refused", "no"), ProgramTask("f", b"module {}", Options(sizes=(("s0", 4),)))):
            self.assertEqual(pickle.loads(pickle.dumps(value)), value)

    def test_random_programs_differ_by_the_seed_alone(self) -> None:
        texts = [random_program(seed).text for seed in range(50)]
        self.assertEqual(texts, [random_program(seed).text for seed in range(50)])
        self.assertGreater(len(set(texts)), 45)


@needs_native
class Programs(unittest.TestCase):
    def test_one_outcome_for_each_program_in_order(self) -> None:
        programs = [ROOT / "examples/mlp.mlir", "func.func @f(", ROOT / "examples/host.mlir"]
        outcomes = compile_many(programs, processes, compare_seed=1)
        self.assertEqual([outcome.status for outcome in outcomes], ["same", "refused", "same"])
        self.assertEqual(outcomes[1].diagnostics[0].location, "<text>:1:13")
        self.assertGreater(outcomes[0].modelled_time, 0)
        self.assertEqual(outcomes[0].host_work, 0)

    def test_a_worker_that_is_killed_in_the_middle(self) -> None:
        executor = processes()
        self.addCleanup(executor.shutdown)
        killed: list[int] = []

        def kill() -> None:
            # Private, and the only place with the numbers of the processes.
            while not executor._processes:
                time.sleep(0.01)
            time.sleep(1.0)
            with contextlib.suppress(ProcessLookupError, IndexError):
                process = list(executor._processes)[0]
                os.kill(process, signal.SIGKILL)
                killed.append(process)

        thread = threading.Thread(target=kill)
        thread.start()
        outcomes = fuzz(24, executor, seed=100)
        thread.join()
        self.assertEqual(len(killed), 1)
        self.assertEqual([outcome.name for outcome in outcomes], [f"fuzz-{seed}" for seed in range(100, 124)])
        self.assertEqual([outcome.message for outcome in outcomes if not outcome.good], [])


@needs_package("distributed")
@needs_numpy
class Dask(unittest.TestCase):
    def setUp(self) -> None:
        import dask
        from distributed import Client, LocalCluster

        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        # A worker that dies is one attempt: without this, dask itself tries a task four times.
        stack.enter_context(dask.config.set({"distributed.scheduler.allowed-failures": 0}))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        self.cluster = stack.enter_context(
            LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50)
        )
        self.client = stack.enter_context(Client(self.cluster))

    def test_a_task_that_ends_every_worker_is_one_failure(self) -> None:
        results = run_tasks(workers.square, [1, 2, -1, 3], self.client.get_executor(), workers.failure, attempts=2)
        self.assertEqual(results, [1, 4, "-1: 2", 9])

    @needs_native
    def test_a_worker_that_is_killed_in_the_middle(self) -> None:
        def kill() -> None:
            time.sleep(1.5)
            os.kill(next(iter(self.client.run(os.getpid).values())), signal.SIGKILL)

        thread = threading.Thread(target=kill)
        thread.start()
        outcomes = fuzz(24, self.client.get_executor(), seed=200)
        thread.join()
        self.assertEqual([outcome.name for outcome in outcomes], [f"fuzz-{seed}" for seed in range(200, 224)])
        self.assertEqual([outcome.message for outcome in outcomes if not outcome.good], [])

    @needs_native
    def test_the_command_runs_a_suite_over_a_scheduler(self) -> None:
        from spyre_mlir.command import main

        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "a.mlir").write_text((ROOT / "examples/host.mlir").read_text())
            Path(directory, "b.mlir").write_text("func.func @f(")
            with contextlib.redirect_stdout(io.StringIO()) as output:
                code = main(["run-suite", directory, "--scheduler", self.cluster.scheduler_address])
        self.assertEqual(code, 1)
        self.assertRegex(
            output.getvalue(), r"same +\S+a\.mlir .*\nrefused +\S+b\.mlir .*error: expected non-function type\n1 of 2"
        )


if __name__ == "__main__":
    unittest.main()
