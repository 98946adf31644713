"""Tests of long calls: the progress line, and the end at Ctrl-C."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from unittest import mock

from native import ROOT, environment, needs_native
from spyre_mlir import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Line(unittest.TestCase):
    def written(self, stream: io.StringIO, shown: bool | None) -> str:
        with mock.patch.object(sys, "stderr", stream), mock.patch.object(progress, "DELAY", 0.0):
            self.assertEqual(progress.call_interruptibly(lambda: time.sleep(0.35) or 7, "compiling f", shown), 7)
        return stream.getvalue()

    def test_a_terminal_has_a_line_that_is_removed(self) -> None:
        text = self.written(Terminal(), None)
        self.assertRegex(text, r"\rcompiling f 0\.\d s")
        self.assertTrue(text.endswith("\r"))

    def test_a_file_has_none_and_neither_has_a_terminal_without_progress(self) -> None:
        self.assertEqual(self.written(io.StringIO(), None), "")
        self.assertEqual(self.written(Terminal(), False), "")


class Interruption(unittest.TestCase):
    def test_errors_and_results_pass(self) -> None:
        with self.assertRaisesRegex(ValueError, "no"):
            progress.call_interruptibly(lambda: (_ for _ in ()).throw(ValueError("no")), "x")
        self.assertIsNone(progress.call_interruptibly(lambda: None, "x"))

    @unittest.skipUnless(hasattr(signal, "SIGALRM"), "the system has no timer signals")
    def test_ctrl_c_does_not_wait_for_the_call(self) -> None:
        end = threading.Event()
        self.addCleanup(end.set)
        previous = signal.signal(signal.SIGALRM, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGALRM, previous)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        start = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            progress.call_interruptibly(lambda: end.wait(30), "waiting")
        self.assertLess(time.monotonic() - start, 10)

    @needs_native
    @unittest.skipIf(os.name == "nt", "Windows has no SIGINT for one process")
    def test_the_command_stops_and_leaves_no_files(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            output = os.path.join(directory, "y.npy")
            # Some seconds of simulation.
            program = "examples/plans/flash_hand.mlir"
            command = [
                sys.executable,
                "-m",
                "spyre_mlir.command",
                "run",
                program,
                "--random-seed",
                "1",
                "--output",
                output,
            ]
            process = subprocess.Popen(command, cwd=ROOT, env=environment(), stderr=subprocess.PIPE, text=True)
            time.sleep(3)
            self.assertIsNone(process.poll(), "the program ended before the test could stop it")
            process.send_signal(signal.SIGINT)
            start = time.monotonic()
            _, errors = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - start, 10)
            self.assertEqual((process.returncode, errors), (130, "interrupted\n"))
            self.assertEqual(list(Path(directory).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
