"""The division of a program between card and host, with the reasons and the costs.

The compiler leaves an operation on the host with a remark that has the reason, and takes a function of the device
back with a warning. An explanation is made of these, of the work on both sides, and of the numbers of a run or of the
plan.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import Diagnostic
from .statistics import Statistics, table_html

_REASON = re.compile(r'Reason="((?:[^"\\]|\\.)*)"')
_REMARK = re.compile(r'Remark="((?:[^"\\]|\\.)*)"')
_HOST = "stays on the host"
_PASS = re.compile(r"^[a-z][a-z0-9-]*: ")  # the name of the pass


@dataclasses.dataclass(frozen=True)
class HostOperation:
    """An operation that runs on the host."""

    operation: str
    location: str
    reason: str


@dataclasses.dataclass(frozen=True)
class Explanation:
    """The sides of a program, the reasons, and the costs; prints as text and shows as a table in a notebook."""

    statistics: Statistics
    host: tuple[HostOperation, ...]
    """The operations on the host, with the reasons."""
    warnings: tuple[Diagnostic, ...]
    plan_totals: Mapping[str, Any] | None
    """The totals of the plan, where the program is one function of device operations."""

    def rows(self) -> list[tuple[str, str]]:
        """Returns the lines, each with the side or the subject before it."""
        facts = self.statistics
        rows = [("card", f"{facts.device_share:.1%} of the work")]
        rows += [("card", f"@{function.name}: {function.work:,} elements") for function in facts.functions]
        rows.append(("host", f"{facts.host_work:,} elements"))
        for operation in self.host:
            place = f" at {operation.location}" if operation.location else ""
            rows.append(("host", f"{operation.operation}{place}: {operation.reason}"))
        rows += [
            ("warning", f"{warning.location}: {warning.message}".removeprefix(": ")) for warning in self.warnings
        ]
        return rows + [("cost", text) for text in self._costs()]

    def _costs(self) -> list[str]:
        facts = self.statistics
        if facts.launches:
            return [
                f"@{launch.function}: {launch.modelled_time:.3f} us modelled, {launch.hbm_read:,} bytes from HBM, "
                f"{launch.hbm_written:,} to HBM, at most {launch.lx_peak:,} bytes of LX on a core"
                for launch in facts.launches
            ]
        if self.plan_totals is not None:
            microseconds = self.plan_totals["picoseconds"] / 1e6
            return [
                f"{microseconds:.3f} us modelled, {self.plan_totals['all_bytes']:,} bytes between HBM and LX, of which "
                f"{self.plan_totals['unavoidable_bytes']:,} are unavoidable"
            ]
        return ["unknown until the program has run"] if facts.functions else ["nothing runs on the card"]

    def to_json(self) -> dict[str, Any]:
        """Returns the explanation as JSON has it."""
        return {
            "statistics": self.statistics.to_json(),
            "host": [dataclasses.asdict(operation) for operation in self.host],
            "warnings": [dataclasses.asdict(warning) for warning in self.warnings],
            "plan_totals": dict(self.plan_totals) if self.plan_totals is not None else None,
        }

    def __str__(self) -> str:
        rows = self.rows()
        width = max(len(side) for side, _ in rows)
        return "\n".join([self.statistics.name, *(f"  {side:<{width}}  {text}" for side, text in rows)])

    def _repr_html_(self) -> str:
        return table_html(self.statistics.name, self.rows())


def host_operations(diagnostics: Iterable[Diagnostic]) -> tuple[HostOperation, ...]:
    """Returns the operations that stay on the host: errors of an import for the card alone, or remarks of one for
    both sides.

    >>> message = "convert-linalg-to-spyre: no device operation computes 'arith.ori' of i64"
    >>> line = "  %2 = linalg.generic {indexing_maps = [#all]}"
    >>> host_operations([Diagnostic("error", message, "f.mlir:14:8", "f.mlir", 14, 8, source_line=line)])[0].operation
    'linalg.generic'
    >>> remark = '''Missed | Reason="no device operation computes it", Remark="'linalg.generic' stays on the host"'''
    >>> host_operations([Diagnostic("remark", remark, "f.mlir:12:8")])[0].reason
    'no device operation computes it'
    """
    found = list[HostOperation]()
    for diagnostic in diagnostics:
        if diagnostic.severity == "error":
            found.append(
                HostOperation(_operation_at(diagnostic), diagnostic.location, _PASS.sub("", diagnostic.message))
            )
        elif diagnostic.severity == "remark" and _HOST in diagnostic.message:
            remark, reason = _REMARK.search(diagnostic.message), _REASON.search(diagnostic.message)
            text = remark[1] if remark is not None else diagnostic.message
            operation = re.search(r"'([\w.$]+)'", text)
            name = operation[1] if operation is not None else "operation"
            found.append(HostOperation(name, diagnostic.location, reason[1] if reason is not None else text))
    return tuple(dict.fromkeys(found))


def _operation_at(diagnostic: Diagnostic) -> str:
    """Returns the name of the operation in the line of a diagnostic."""
    line = (diagnostic.source_line or "")[max((diagnostic.column or 1) - 1, 0) :]
    operation = re.match(r'"?([a-z_]\w*\.[\w.]+)', line) or re.search(
        r'=\s*"?([a-z_]\w*\.[\w.]+)', diagnostic.source_line or ""
    )
    return operation[1] if operation is not None else "operation"
