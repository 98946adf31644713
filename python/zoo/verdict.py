"""Records of runs, and how they are read from the output of commands."""

from __future__ import annotations

import dataclasses
import re
import signal
from collections.abc import Sequence

from .measure import Outcome

WAYS = {
    "cpu": (),
    "card": ("--on=card",),
    "card-dl16": ("--on=card", "--float=dl16"),
}
"""The ways in which a program runs: the name of each, and its options of `spyre-run`."""

_UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


@dataclasses.dataclass
class Run:
    """A run in one way: `verdict` is `equal`, `differs`, `refused` or `stopped`, and `message` is the reason of the others.

    `seconds` is the time of the whole command, `compile_seconds` and `run_seconds` parts of it as `--stats` prints them, and
    `share` the part of the work on the card, in percent.  `error` is the largest absolute error of the result with the largest
    error in proportion to its tolerance, and `allowed` that tolerance.
    """

    verdict: str
    message: str
    seconds: float
    peak_mib: int
    compile_seconds: float | None = None
    run_seconds: float | None = None
    share: float | None = None
    error: float | None = None
    allowed: float | None = None


@dataclasses.dataclass
class Record:
    """All of a model: the key of the measurement, why it has no program or no results, and its runs by way."""

    name: str
    key: str
    failure: str = ""
    runs: dict[str, Run] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_json(cls, value: dict) -> Record:
        """Return the record of a value of `dataclasses.asdict`."""
        runs = {way: Run(**run) for way, run in value["runs"].items()}
        return cls(value["name"], value["key"], value["failure"], runs)


def read_run(outcome: Outcome, limit: float, allowed: Sequence[float] = ()) -> Run:
    """Return the record of a run of `spyre-run --stats --expect`, with the tolerance of each result."""
    run = Run("equal", "", outcome.seconds, outcome.peak_kib // 1024)
    run.compile_seconds = _seconds(outcome.stderr, "compile")
    run.run_seconds = _seconds(outcome.stderr, "run")
    share = re.search(r"^([\d.]+) % of the work is the device's$", outcome.stderr, re.MULTILINE)
    run.share = float(share[1]) if share else None
    errors = _errors(outcome.stdout)
    if errors and len(errors) == len(allowed):
        run.error, run.allowed = max(zip(errors, allowed), key=lambda pair: pair[0] / pair[1])
    if outcome.stopped:
        run.verdict, run.message = "stopped", f"the limit of {limit:.0f} s was reached"
    elif outcome.code < 0:
        run.verdict, run.message = "refused", f"ended with {signal.Signals(-outcome.code).name}"
    elif outcome.code != 0:
        different = re.search(r"^result \d+: (?!0 of ).*differ.*$", outcome.stdout + "\n" + outcome.stderr, re.MULTILINE)
        run.verdict = "differs" if different else "refused"
        run.message = different[0] if different else first_error(outcome)
    return run


def _errors(text: str) -> list[float]:
    """Return the largest absolute error of each result in the lines of results; equal results have none, and count as 0."""
    lines = re.findall(r"^result \d+: \d+ of \d+ elements differ.*$", text, re.MULTILINE)
    errors = [re.search(r"maximum absolute error ([^\s,]+)", line) for line in lines]
    return [float(error[1]) if error else 0.0 for error in errors]


def first_error(outcome: Outcome) -> str:
    """Return the first line with an error, without the place before it; the last line where there is none."""
    lines = [line for line in (outcome.stderr + "\n" + outcome.stdout).splitlines() if line.strip()]
    for line in lines:
        if "error: " in line:
            return line.split("error: ", 1)[1].strip()
    return lines[-1].strip() if lines else f"exit code {outcome.code} without a message"


def _seconds(text: str, label: str) -> float | None:
    """Return the time of a line `compile @f: 1.5ms`, in seconds."""
    line = re.search(rf"^{label}(?: @.*)?: ([\d.]+)(s|ms|µs|ns)$", text, re.MULTILINE)
    return float(line[1]) * _UNITS[line[2]] if line else None
