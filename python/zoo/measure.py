"""Commands within a limit of time, and the memory that each took."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The end of a command: its exit code (negative for a signal), its output, seconds, and peak memory in KiB."""

    code: int
    stdout: str
    stderr: str
    seconds: float
    peak_kib: int
    stopped: bool


def run_limited(
    command: Sequence[str], limit: float, environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> Outcome:
    """Run a command for at most `limit` seconds, in a folder or in the present one.

    The memory is that of this one process: `wait4` has the usage of one child, `getrusage` the largest of all.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        start = time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env={**os.environ, **(environment or {})},
            cwd=folder,
        )
        expired = threading.Event()

        def stop() -> None:
            expired.set()
            # Not `Popen.kill`, which polls first, and would reap the process in place of `wait4`.
            os.kill(process.pid, 9)

        timer = threading.Timer(limit, stop)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            timer.cancel()
        seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Outcome(process.returncode, texts[0], texts[1], seconds, usage.ru_maxrss, expired.is_set())
