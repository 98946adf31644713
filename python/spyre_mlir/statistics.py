"""Facts about a compiled program and about its last run."""

from __future__ import annotations

import dataclasses
import html
from collections.abc import Sequence
from typing import Any


@dataclasses.dataclass(frozen=True)
class FunctionWork:
    """A function of the device."""

    name: str
    work: int
    """The elements that its operations compute, or the terms of sums and products."""


@dataclasses.dataclass(frozen=True)
class LaunchStatistics:
    """A run of a function of the device: executions, iterations of loops, and bytes of traffic."""

    function: str
    executions: int
    """Operations of the device that ran, each iteration of a loop counted."""
    iterations: int
    hbm_read: int
    """Bytes, each core's reads counted."""
    hbm_written: int
    hbm_read_distinct: int
    """Bytes, with those that several cores read counted once."""
    lx_read: int
    lx_written: int
    lx_peak: int
    """Bytes in the scratchpad of the core that has the most."""
    modelled_time: float
    """Microseconds on the modelled card."""
    range_losses: tuple[str, ...] = ()
    """A message for each operation or argument with elements that the card has no number for."""

    @staticmethod
    def of(function: str, numbers: dict[str, float], range_losses: Sequence[str]) -> LaunchStatistics:
        """Returns the statistics of a launch from the numbers of the native module."""
        counts = {
            field.name: int(numbers.get(field.name, 0))
            for field in dataclasses.fields(LaunchStatistics)
            if field.type == "int"
        }
        return LaunchStatistics(
            function,
            **counts,
            modelled_time=float(numbers.get("modelled_time", 0.0)),
            range_losses=tuple(range_losses),
        )


@dataclasses.dataclass(frozen=True)
class Statistics:
    """The work of a compiled program, and the numbers of its last run."""

    name: str
    compile_seconds: float
    functions: tuple[FunctionWork, ...]
    host_work: int
    run_seconds: float | None = None
    """Seconds that the last run took on this computer; None before the first run."""
    launches: tuple[LaunchStatistics, ...] = ()
    """The functions of the device that the last run launched, in order."""

    @property
    def device_work(self) -> int:
        """The work of all functions of the device."""
        return sum(function.work for function in self.functions)

    @property
    def device_share(self) -> float:
        """The part of the work that is the device's, between 0 and 1; 0 for a program without work."""
        total = self.device_work + self.host_work
        return self.device_work / total if total else 0.0

    @property
    def hbm_bytes(self) -> int:
        """Bytes that all launches read from HBM and wrote to it."""
        return sum(launch.hbm_read + launch.hbm_written for launch in self.launches)

    @property
    def modelled_time(self) -> float:
        """Microseconds on the modelled card, all launches together."""
        return sum(launch.modelled_time for launch in self.launches)

    def to_json(self) -> dict[str, Any]:
        """Returns the numbers as JSON has them."""
        derived = {
            "device_share": self.device_share,
            "hbm_bytes": self.hbm_bytes,
            "modelled_time": self.modelled_time,
        }
        return {**dataclasses.asdict(self), **derived}

    def _rows(self) -> list[tuple[str, str]]:
        rows = [
            ("compiled", f"in {self.compile_seconds:.2f} s"),
            ("card", f"{self.device_work:,} elements in {_count(len(self.functions), 'function')}, "
                     f"{self.device_share:.1%} of the work"),
            ("host", f"{self.host_work:,} elements"),
        ]  # fmt: skip
        if self.run_seconds is None:
            return [*rows, ("run", "not yet")]
        rows.append(("run", f"in {self.run_seconds:.2f} s of simulation"))
        for launch in self.launches:
            rows += [
                (f"@{launch.function}", f"{_count(launch.executions, 'execution')} in {_count(launch.iterations, 'iteration')} of loops"),
                ("HBM", f"{launch.hbm_read:,} bytes read, {launch.hbm_written:,} written; "
                        f"{launch.hbm_read_distinct:,} read once"),
                ("LX", f"{launch.lx_read:,} bytes read, {launch.lx_written:,} written; at most {launch.lx_peak:,} on a core"),
                ("time", f"{launch.modelled_time:.3f} us, modelled"),
                *(("range", message) for message in launch.range_losses),
            ]  # fmt: skip
        return rows

    def __str__(self) -> str:
        rows = self._rows()
        width = max(len(name) for name, _ in rows)
        return "\n".join([self.name, *(f"  {name:<{width}}  {text}" for name, text in rows)])

    def _repr_html_(self) -> str:
        return table_html(self.name, self._rows())


def table_html(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Returns a table of texts."""
    # Notebooks align cells to the right, as for numbers, and center the caption over a table that the text makes wide.
    left = 'style="text-align:left"'
    body = "".join("<tr>" + "".join(f"<td {left}>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><caption {left}>{html.escape(title)}</caption>{body}</table>"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
