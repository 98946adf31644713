"""Tasks that end their process, for tests of executors: workers import this module."""

from __future__ import annotations

import os
import time
from pathlib import Path


def square(number: int) -> int:
    """Returns the square; -1 ends the worker, -2 raises."""
    if number == -1:
        os._exit(3)
    if number == -2:
        raise ValueError("no squares of -2")
    time.sleep(0.05)
    return number * number


def square_at_second_call(task: tuple[str, int]) -> int:
    """Returns the square; the first call for a number in a folder ends the worker."""
    folder, number = task
    try:
        Path(folder, str(number)).touch(exist_ok=False)
    except FileExistsError:
        return number * number
    os._exit(3)


def failure(task: object, error: BaseException, attempts: int) -> str:
    """Returns the result of a task without one."""
    return f"{task}: {attempts}"
