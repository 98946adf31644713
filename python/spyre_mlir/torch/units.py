"""Units at run time: a module for each segment of the compiler, which runs a program of its extents.

A program is compiled for the extents of a call. Programs are shared between units of the same loops in the process. Where a
program cannot be compiled for these extents, or does not run, the unit runs its graph in PyTorch, and the reason is noted: a
compiled model raises no error that the model does not raise.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import collections
import contextlib
import contextvars
import dataclasses
import logging
import re
import threading
import zlib
from collections.abc import Generator, Mapping, Sequence
from typing import Any

import sympy
import torch
from torch import fx

from ..native import native_module
from .cache import Cache, content_key
from .indices import are_in_range, indices
from .lowering import Loops, Refusal
from .options import Options
from .values import is_writable_layout, to_bytes, to_tensor

_LOG = logging.getLogger(__name__)

_PROGRAMS = 256  # programs that a process keeps for units that are compiled later

_LOSSES = 3  # runs with numbers that the card does not have, until a unit stays in PyTorch

Sizes = tuple[tuple[str, int], ...]

sizes_of_call: contextvars.ContextVar[Mapping[str, int]] = contextvars.ContextVar("spyre_sizes")
"""The values of the symbols of the graph that is running."""


@dataclasses.dataclass
class Run:
    """A run of a unit, for a report."""

    unit: str
    program: Any
    """The program; `None` where PyTorch ran the unit."""
    launches: list[Any]
    reason: str = ""
    """Why PyTorch ran it."""
    sources: Mapping[str, list[str]] = dataclasses.field(default_factory=dict[str, list[str]])
    """The nodes of the graph that each operation of the program computes."""


_observers: list[list[Run]] = []


@contextlib.contextmanager
def observed_runs() -> Generator[list[Run]]:
    """Collects the runs of all units in the block."""
    runs: list[Run] = []
    _observers.append(runs)
    try:
        yield runs
    finally:
        _observers.remove(runs)


class RangeLoss(Exception):
    """A run with elements that the card has no number for: its results are not those of the program."""


class Programs:
    """The programs of the process by the loops, the extents and the options; the least recently used ones are dropped."""

    def __init__(self, limit: int = _PROGRAMS) -> None:
        """Takes the number of programs to keep."""
        self._limit = limit
        self._programs: collections.OrderedDict[tuple[str, Sizes, str], Any] = collections.OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: str, loops: Loops, sizes: Sizes, options: Options) -> Any:
        """Returns the program, compiled where there is none. Raises `Refusal`."""
        place = (key, sizes, options.floats)
        with self._lock:
            if place in self._programs:
                self._programs.move_to_end(place)
                return self._programs[place]
        program = _cached(key, loops, sizes, options)
        with self._lock:
            self._programs[place] = program
            while len(self._programs) > self._limit:
                self._programs.popitem(last=False)
        return program


programs = Programs()


def _cached(key: str, loops: Loops, sizes: Sizes, options: Options) -> Any:
    """Returns the program of the cache, otherwise compiles it. Raises `Refusal`."""
    if not options.cache:
        return _compiled(loops, sizes, options)
    cache = Cache(options.cache)
    # The key of the loops has the version of the compiler.
    entry = content_key(b"program", key.encode(), repr(sizes).encode(), options.floats.encode())
    module = native_module()
    if (content := cache.read(entry)) is not None:
        try:
            return module.Program.from_bytes(zlib.decompress(content))
        except (module.Failure, zlib.error) as error:  # a directory that machines with other processors share, or a damaged file
            _LOG.info("a program of the cache is compiled again: %s", error.args[0])
    program = _compiled(loops, sizes, options)
    # The files of bundles are JSON with an entry for each core, of which a fiftieth remains.
    cache.write(entry, zlib.compress(program.to_bytes(), 1))
    return program


def _compiled(loops: Loops, sizes: Sizes, options: Options) -> Any:
    """Compiles loops for extents. Raises `Refusal`, with the nodes of the operation that the message names."""
    module = native_module()
    try:
        return module.Program.compile(loops.record, "graph.json", floats=options.floats, sizes=dict(sizes))
    except module.Failure as error:
        message, *rest = error.args
        diagnostics = rest[0] if rest else []
        errors = [item for item in diagnostics if item.severity == "error"] or diagnostics
        reason = without_pass(errors[0].message if errors else str(message))
        places = "\n".join([*(f"{item.location} {item.message}" for item in errors), str(message)])
        raise Refusal(reason, nodes_of(loops, places)) from error


def without_pass(message: str) -> str:
    """Returns a message without the name of the pass that it begins with, which is no help to the user of a model."""
    return re.sub(r"^[a-z][a-z-]+: ", "", message)


def nodes_of(loops: Loops, text: str) -> list[str]:
    """Returns the nodes of the first operation of the loops that a text names.

    Where it says that a kernel is not converted, for any operands, nodes of other operations of that kernel are among them, so
    that they are not refused one by one.
    """
    kernel = re.search(r"the kernel '(\S+)' \(FallbackKernel\) is not converted$", text, re.MULTILINE)
    for name in re.findall(r"\bop\d+\b", text):
        if name in loops.sources:
            same = [other for other, its in loops.kernels.items() if kernel and its == kernel[1] and other != name]
            return [node for op in (name, *same) for node in loops.sources[op][:1]]
    return []


class UnitModule(torch.nn.Module):
    """The module of a unit in a compiled graph."""

    def __init__(
        self, name: str, graph: fx.GraphModule, loops: Loops, key: str, options: Options, layouts: Sequence[Any]
    ) -> None:
        """Takes the graph that PyTorch runs instead, and the values of the results, of which the layouts are used."""
        super().__init__()
        self.name = name
        self.loops = loops
        self.key = key
        self.options = options
        self.reasons: dict[Sizes, str] = {}
        self._graph = (graph,)  # in a tuple: no submodule, whose parameters would be listed
        self._layouts = [(v.dtype, _expressions(v.shape), _expressions(v.stride())) for v in layouts]
        self._evaluated: dict[Sizes, list[Any]] = {}
        self._indices = indices(graph.graph)
        self._losses = 0

    def forward(self, *operands: Any) -> Any:
        """Runs the unit, and returns its results."""
        sizes = self.sizes(sizes_of_call.get({}))
        reason = self.reasons.get(sizes)
        is_lasting = True
        if not self._are_indices_in_range(operands, sizes):
            # The error is PyTorch's, and no reason for later calls.
            reason = "an index is out of range"
        if reason is None:
            try:
                program = programs.get(self.key, self.loops, sizes, self.options)
                return self._run(program, operands, sizes)
            except Refusal as error:
                reason = error.reason
            except RangeLoss as error:
                reason = str(error)
                self._losses += 1
                # Numbers of one call, as of a diverging training, need not be those of the next; a mask is the same each time.
                is_lasting = self._losses >= _LOSSES
            except Exception as error:  # the program's, of whatever kind: PyTorch has the last word on the operands
                reason = f"it does not run: {type(error).__name__}: {error.args[0] if error.args else ''}"
            _LOG.warning("%s runs in PyTorch: %s", self.name, reason)
            if self.options.strict:
                raise RuntimeError(f"{self.name} runs in PyTorch: {reason}")
            if is_lasting:
                self.reasons[sizes] = reason
        for runs in _observers:
            runs.append(Run(self.name, None, [], reason))
        return self._graph[0](*operands)

    def _are_indices_in_range(self, operands: Sequence[Any], sizes: Sizes) -> bool:
        """Returns whether the operands that are indices have no element out of range."""
        for index in self._indices:
            (extent,) = evaluated((index.extent,), dict(sizes))
            if not are_in_range(operands[index.position], extent, index.is_negative_allowed):
                return False
        return True

    def sizes(self, values: Mapping[str, int]) -> Sizes:
        """Returns the extents of this unit out of those of its graph."""
        return tuple((symbol, values[symbol]) for symbol in self.loops.symbols)

    def _run(self, program: Any, operands: Sequence[Any], sizes: Sizes) -> tuple[torch.Tensor, ...]:
        """Runs the program on the operands that are tensors."""
        given = [operand for operand in operands if isinstance(operand, torch.Tensor)]
        held = program.constants
        arrays = [to_bytes(tensor) for tensor, constant in zip(given, held, strict=True) if not constant]
        results, launches = program.run(arrays)
        losses = [f"{launch.function}: {loss}" for launch in launches for loss in launch.range_losses]
        if losses:
            raise RangeLoss("; ".join(losses))
        for runs in _observers:
            runs.append(Run(self.name, program, list(launches), sources=self.loops.sources))
        return tuple(to_tensor(array, *layout) for array, layout in zip(results, self.layouts(sizes), strict=True))

    def layouts(self, sizes: Sizes) -> list[Any]:
        """Returns the type, the shape and the strides of each result. Raises `Refusal` if elements share memory."""
        if sizes not in self._evaluated:
            self._evaluated[sizes] = [self._layout(layout, dict(sizes)) for layout in self._layouts]
        return self._evaluated[sizes]

    def _layout(self, layout: Any, sizes: Mapping[str, int]) -> Any:
        """Returns the type, the shape and the strides of a result in numbers."""
        dtype, shape, stride = layout
        extents, steps = evaluated(shape, sizes), evaluated(stride, sizes)
        if not is_writable_layout(extents, steps):
            raise Refusal(f"elements of a result share memory: {extents} by {steps}", [])
        return dtype, extents, steps


def _expressions(values: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the expressions of extents: numbers of Python, or of sympy."""
    return tuple(value.node.expr if isinstance(value, torch.SymInt) else int(value) for value in values)


def evaluated(expressions: Sequence[Any], sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Returns the numbers of expressions."""
    result: list[int] = []
    for expression in expressions:
        if isinstance(expression, sympy.Expr):
            values: Any = {symbol: sizes[str(symbol)] for symbol in expression.free_symbols}
            number: Any = expression.xreplace(values)
            result.append(int(number))
        else:
            result.append(expression)
    return tuple(result)
