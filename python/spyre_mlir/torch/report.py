"""A table of what ran where, for one run of a model."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import collections
import dataclasses
import html
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch._dynamo.utils import counters

from ..advice import missing_graphs
from .backend import spyre
from .compile import CompiledGraph, observed_graphs
from .units import Run, observed_runs

_HEADS = ("graph", "function", "where", "work", "HBM, bytes", "time, us", "reason")


@dataclasses.dataclass(frozen=True)
class Row:
    """One function of the card, the rest of a graph on the host, or one operator in PyTorch."""

    graph: str
    """The kind and the number of the graph, and the number of the part: `forward 0.1`."""
    function: str
    where: str
    """`card`, `host` or `PyTorch`."""
    work: int | None
    """The elements that its operations compute, or the terms of sums and products; `None` in rows that only have a reason."""
    traffic: int | None = None
    """The bytes of device memory that it reads and writes, what cores share once."""
    time: float | None = None
    """The modelled time, in microseconds."""
    reason: str = ""
    """Why it is not on the card."""

    def cells(self) -> tuple[str, ...]:
        """Returns the texts of the cells."""
        work = "" if self.work is None else f"{self.work:,}"
        traffic = "" if self.traffic is None else f"{self.traffic:,}"
        time = "" if self.time is None else f"{self.time:,.1f}"
        return (self.graph, self.function, self.where, work, traffic, time, self.reason)


@dataclasses.dataclass(frozen=True)
class Report:
    """The rows of a run, and notes on parts that did not come to the compiler."""

    rows: list[Row]
    notes: list[str]
    result: Any
    """The result of the run."""

    def work(self, where: str) -> int:
        """Returns the work on the card, on the host or in PyTorch."""
        return sum(row.work or 0 for row in self.rows if row.where == where)

    @property
    def share(self) -> float:
        """Returns the share of the work that is on the card, from 0 to 1; 0 without any work."""
        total = sum(row.work or 0 for row in self.rows)
        return self.work("card") / total if total else 0.0

    def __str__(self) -> str:
        """Returns the table in columns."""
        table = [_HEADS, *(row.cells() for row in self.rows)]
        widths = [max(len(line[column]) for line in table) for column in range(len(_HEADS))]
        lines = ["  ".join(map(_aligned, line, widths, range(len(line)))).rstrip() for line in table]
        return "\n".join([*lines, self._summary(), *self.notes])

    def _repr_html_(self) -> str:
        """Returns the table for a notebook."""
        head = "".join(f"<th>{html.escape(text)}</th>" for text in _HEADS)
        rows = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row.cells()) + "</tr>" for row in self.rows)
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in (self._summary(), *self.notes))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{notes}"

    def _summary(self) -> str:
        """Returns the line with the share."""
        return f"{100 * self.share:.1f} % of the work is on the card"


def _aligned(text: str, width: int, column: int) -> str:
    """Returns a cell of a column, numbers to the right."""
    return text.rjust(width) if column in (3, 4, 5) else text.ljust(width)


def report(model: Callable[..., Any], *args: Any, spyre_options: Mapping[str, Any] | None = None, **kwargs: Any) -> Report:
    """Compiles a model, runs it once on `args` and `kwargs`, and returns what ran where.

    `model` is a module or a function, also one that `torch.compile` returned. A training step is a function that calls
    `backward`. `spyre_options` are the options of the backend.
    """
    original = getattr(model, "_torchdynamo_orig_callable", None) or getattr(model, "_orig_mod", model)
    breaks = collections.Counter(counters["graph_break"])
    options = dict(spyre_options or {})

    # A backend of its own: code that was compiled before is compiled again.
    def backend(module: Any, operands: Any) -> Any:
        return spyre(module, operands, options=options)

    with observed_graphs() as graphs, observed_runs() as runs, torch._dynamo.config.patch(recompile_limit=64):
        result = torch.compile(original, backend=backend)(*args, **kwargs)
    broken = collections.Counter(counters["graph_break"]) - breaks
    notes = [message.replace("PyTorch compiles", "note: PyTorch compiles") for message in missing_graphs(1, broken)]
    notes += [f"note: PyTorch ends a graph: {reason.splitlines()[0]}" for reason in broken if "RNN, GRU, or LSTM" not in reason]
    if not graphs:
        notes.append("note: PyTorch compiled no graph")
    return Report(_rows(graphs, runs), notes, result)


def _rows(graphs: list[CompiledGraph], runs: list[Run]) -> list[Row]:
    """Returns the rows of graphs in the order of their compilation."""
    by_unit: dict[str, list[Run]] = collections.defaultdict(list)
    for run in runs:
        by_unit[run.unit].append(run)
    rows: list[Row] = []
    for graph in graphs:
        for unit in graph.units:
            for run in by_unit[unit.name]:
                rows += _run_rows(run)
        rows += [
            Row(f"{graph.kind} {graph.number}", node, "PyTorch", graph.work[node], reason=reason)
            for node, reason in graph.reasons.items()
        ]
    return rows


def _run_rows(run: Run) -> list[Row]:
    """Returns the rows of one run of a unit."""
    if run.program is None:
        return [Row(run.unit, "", "PyTorch", None, reason=run.reason)]
    work = {function.name: function.work for function in run.program.functions}
    rows: list[Row] = []
    for launch in run.launches:
        traffic = int(launch.stats.get("hbm_read_distinct", 0) + launch.stats.get("hbm_written", 0))
        time = launch.stats.get("modelled_time")
        rows.append(Row(run.unit, launch.function, "card", work.get(launch.function), traffic, time))
    if run.program.host_work:
        reasons = dict.fromkeys((d.location, d.message) for d in run.program.diagnostics if "on the host" in d.message)
        unknown = "" if reasons else "the compiler reports no reason"
        rows.append(Row(run.unit, run.program.entry, "host", run.program.host_work, reason=unknown))
        rows += [Row(run.unit, _place(location, run.sources), "host", None, reason=message) for location, message in reasons]
    return rows


def _place(location: str, sources: Mapping[str, list[str]]) -> str:
    """Returns the operation that a location names, with the node that it computes, without the file."""
    operation = location.rsplit("graph.json:", 1)[-1].strip(" :")
    nodes = sources.get(operation, [])
    return f"{operation} ({nodes[0]})" if nodes else operation
