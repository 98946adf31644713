"""Long calls of native code: a progress line on a terminal, and an end at Ctrl-C.

Python delivers Ctrl-C between two instructions of the main thread, so a native call there would have to end first.
Such a call runs in another thread while the main thread waits, and Ctrl-C raises `KeyboardInterrupt` at once. The
native call goes on until its end, without an effect: its result is dropped, and the callers in this package write
files after all results are there.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")

DELAY = 0.5
"""Seconds before the first progress line: a shorter call shows none."""

_INTERVAL = 0.1


class _Worker:
    """A thread that makes one call after the other. To start a thread takes longer than many a call."""

    def __init__(self) -> None:
        self.calls: queue.SimpleQueue[Callable[[], Any]] = queue.SimpleQueue()
        self.outcomes: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        threading.Thread(target=self._work, name="spyre_mlir", daemon=True).start()

    def _work(self) -> None:
        while True:
            call = self.calls.get()
            try:
                outcome = (call(), None)
            except BaseException as error:  # noqa: BLE001  (raised again by the waiting thread)
                outcome = (None, error)
            self.outcomes.put(outcome)
            # Results may be large, and the next call may be far off.
            del call, outcome


_IDLE: list[_Worker] = []
"""Workers without a call."""
if hasattr(os, "register_at_fork"):
    # A child has no threads but its first one.
    os.register_at_fork(after_in_child=_IDLE.clear)


def call_interruptibly(call: Callable[[], Result], label: str, progress: bool | None = None) -> Result:
    """Returns the result of a call, or raises its exception; `label` is the text of the progress line.

    Without `progress`, the line is shown where standard error is a terminal; with `False`, never.

    >>> call_interruptibly(lambda: 6 * 7, "multiplying")
    42
    """
    if threading.current_thread() is not threading.main_thread():
        return call()
    worker = _IDLE.pop() if _IDLE else _Worker()
    worker.calls.put(call)
    line = ProgressLine(label, progress)
    try:
        while True:
            try:
                result, error = worker.outcomes.get(timeout=_INTERVAL)
                # After Ctrl-C the worker is busy with a call that nothing waits for, and does not come back.
                _IDLE.append(worker)
                break
            except queue.Empty:
                line.update()
    finally:
        line.clear()
    if error is not None:
        raise error
    return result


class ProgressLine:
    """A line on standard error that is written over itself, with the time since its creation."""

    def __init__(self, label: str, progress: bool | None = None) -> None:
        self._label = label
        self._start = time.monotonic()
        self._shown = 0
        # The interpreter has no standard error in a program without a console.
        self._enabled = sys.stderr is not None and sys.stderr.isatty() and progress is not False  # pyright: ignore

    def update(self, detail: str = "") -> None:
        """Writes the line again, after the delay."""
        seconds = time.monotonic() - self._start
        if not self._enabled or seconds < DELAY:
            return
        text = f"{self._label}{detail} {seconds:.1f} s"
        sys.stderr.write(f"\r{text:<{self._shown}}")
        sys.stderr.flush()
        self._shown = len(text)

    def clear(self) -> None:
        """Removes the line."""
        if self._shown:
            sys.stderr.write(f"\r{'':<{self._shown}}\r")
            sys.stderr.flush()
            self._shown = 0
