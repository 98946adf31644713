"""Compilation of the graphs of AOTAutograd: forward, backward, inference."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import json
import logging
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import sympy
import torch
from torch import fx
from torch._guards import detect_fake_mode
from torch._inductor import compile_fx, config
from torch._subclasses import FakeTensorMode
from torch.fx.node import map_aggregate

from ..native import native_module
from . import graphs
from .cache import Cache, content_key
from .graphs import Segment, Side, Unit
from .lowering import Loops, Refusal, loops, settings
from .options import Options
from .units import UnitModule, nodes_of, programs, sizes_of_call, without_pass

_LOG = logging.getLogger(__name__)

_ROUNDS = 12
"""How often a graph is cut anew around operators that the compiler does not take; then whole units stay in PyTorch."""

_LOST = 0.05
"""The work on the host, relative to that on the card, for which a graph is cut anew around functions that stay on the host."""


@dataclasses.dataclass
class CompiledGraph:
    """A graph that was compiled, for a report."""

    number: int
    kind: str
    """`inference`, `forward` or `backward`."""
    module: fx.GraphModule
    units: list[UnitModule]
    reasons: dict[str, str]
    """Why PyTorch runs a node, by the name of the node."""
    work: dict[str, int]
    """The elements that each of these nodes computes, or the terms of sums and products."""
    seconds: float = 0.0


_numbers = itertools.count()
_observers: list[list[CompiledGraph]] = []


@contextlib.contextmanager
def observed_graphs() -> Generator[list[CompiledGraph]]:
    """Collects the graphs that are compiled in the block."""
    found: list[CompiledGraph] = []
    _observers.append(found)
    try:
        yield found
    finally:
        _observers.remove(found)


def compile_graph(kind: str, options: Options, module: fx.GraphModule, operands: Sequence[Any]) -> Callable[[list[Any]], Any]:
    """Returns the function of a graph, which takes a list of operands and empties it."""
    start = time.perf_counter()
    compilation = _Compilation(module, operands, options)
    with settings():
        if kind == "inference":
            # For a graph with gradients the function that cuts it in two has run these passes.
            compilation.module = compile_fx._recursive_joint_graph_passes(module)
        assembled, units = compilation.run()
    graph = CompiledGraph(next(_numbers), kind, assembled, units, compilation.reasons, compilation.work())
    for number, unit in enumerate(units):
        unit.name = f"{kind} {graph.number}.{number}"
    graph.seconds = time.perf_counter() - start
    for observer in _observers:
        observer.append(graph)
    for node, reason in graph.reasons.items():
        _LOG.info("%s %d: %s stays in PyTorch: %s", kind, graph.number, node, reason)
    if options.strict and graph.reasons:
        listed = "; ".join(f"{node}: {reason}" for node, reason in graph.reasons.items())
        raise RuntimeError(f"strict=True of the backend spyre, and operators of the {kind} graph stay in PyTorch: {listed}")
    read = _symbol_reader(compilation.module)

    def run(arguments: list[Any]) -> Any:
        values = list(arguments)
        arguments.clear()
        token = sizes_of_call.set(read(values))
        try:
            return assembled(*values)
        finally:
            sizes_of_call.reset(token)

    run._boxed_call = True  # type: ignore[attr-defined]  # AOTAutograd gives a list that may be emptied
    return run


@dataclasses.dataclass
class _Cut:
    """A graph that is cut, its units, the nodes that were refused, and the reasons for all that PyTorch runs."""

    module: fx.GraphModule
    units: list[UnitModule]
    refused: dict[str, str]
    reasons: dict[str, str]


class _Compilation:
    """One graph on its way to units."""

    def __init__(self, module: fx.GraphModule, operands: Sequence[Any], options: Options) -> None:
        """Takes the graph and its operands, which are fake tensors and sizes."""
        self.module = module
        self.options = options
        self.cache = Cache(options.cache) if options.cache else None
        self.fake_mode: Any = detect_fake_mode(operands) or FakeTensorMode(allow_non_fake_inputs=True)
        self.reasons: dict[str, str] = {}
        self._known: dict[str, Loops | Refusal] = {}

    def run(self) -> tuple[fx.GraphModule, list[UnitModule]]:
        """Cuts the graph until the compiler takes every unit."""
        self._give_values()
        if (obstacle := self._obstacle()) is not None:
            operators = (node.name for node in self.module.graph.nodes if node.op == "call_function")
            self.reasons = dict.fromkeys(operators, obstacle)
            return self.module, []
        cut = self._cut({})
        # With `strict` the host is better than PyTorch, as its part is compiled.
        while not self.options.strict and (moved := self._nodes_of_lost_functions(cut)):
            other = self._cut({**cut.refused, **moved})
            if self._device_work(other) <= self._device_work(cut):
                break
            cut = other
        self.reasons = cut.reasons
        return cut.module, cut.units

    def _cut(self, refused: Mapping[str, str]) -> _Cut:
        """Returns the graph, cut until the compiler takes every unit; `refused` has reasons for nodes that PyTorch runs."""
        refused = dict(refused)
        for attempt in itertools.count():
            side, reasons = graphs.sides(self.module.graph, refused, _bound_symbols(self.module))
            # After the last round whole units are refused, so that there is an end.
            result, new = self._attempt(side, attempt >= _ROUNDS)
            if result is not None:
                return _Cut(*result, refused, reasons)
            refused |= new
        raise AssertionError("the count has no end")

    def _nodes_of_lost_functions(self, cut: _Cut) -> dict[str, str]:
        """Returns the operators at which functions of the card turned out to be none, and stay on the host as a whole."""
        found: dict[str, str] = {}
        for unit in cut.units:
            program = self._program(unit)
            if program.host_work < _LOST * sum(function.work for function in program.functions):
                continue
            for diagnostic in program.diagnostics:
                if re.search(r"@\w+ stays on the host", diagnostic.message):
                    reason = without_pass(re.sub(r"^@\w+ stays on the host: ", "", diagnostic.message))
                    found |= dict.fromkeys(nodes_of(unit.loops, diagnostic.location), reason)
        return {name: reason for name, reason in found.items() if name not in cut.refused}

    def _device_work(self, cut: _Cut) -> int:
        """Returns the work on the card, for the extents of the tracing."""
        return sum(function.work for unit in cut.units for function in self._program(unit).functions)

    def _program(self, unit: UnitModule) -> Any:
        """Returns the program of a unit for the extents of the tracing."""
        return programs.get(unit.key, unit.loops, unit.sizes(self._hints()), self.options)

    def work(self) -> dict[str, int]:
        """Returns the work of the nodes that stay in PyTorch."""
        nodes = {node.name: node for node in self.module.graph.nodes}
        return {name: _work(nodes[name]) for name in self.reasons}

    def _obstacle(self) -> str | None:
        """Returns why PyTorch runs the whole graph; `None` where parts may be compiled."""
        if graphs.has_effects(self.module.graph):
            return "an operator writes its operands"
        return None

    def _give_values(self) -> None:
        """Gives a fake tensor to each constant of the graph, as nodes with operands have."""
        for node in self.module.graph.nodes:
            if node.op == "get_attr" and "val" not in node.meta:
                value = graphs.attribute(self.module, str(node.target))
                if isinstance(value, torch.Tensor):
                    node.meta["val"] = self.fake_mode.from_tensor(value, static_shapes=True)

    def _attempt(
        self, side: Mapping[fx.Node, Side], is_last: bool
    ) -> tuple[tuple[fx.GraphModule, list[UnitModule]] | None, dict[str, str]]:
        """Compiles the units of one cut. Returns the graph, or the reasons for nodes that stay in PyTorch then."""
        parts: list[Segment | Unit] = []
        modules: dict[str, UnitModule] = {}
        refused: dict[str, str] = {}
        for segment in graphs.segments(self.module.graph, side):
            if segment.side is Side.PYTORCH:
                parts.append(segment)
                continue
            unit = graphs.unit(self.module, f"spyre_{len(modules)}", segment, side)
            if not unit.results:
                continue
            parts.append(unit)
            try:
                modules[unit.name] = self._unit_module(unit)
            except Refusal as error:
                members = {node.name for node in segment.nodes}
                at_fault = [name for name in error.nodes if name in members]
                if is_last or not at_fault:
                    at_fault = list(members)
                refused |= dict.fromkeys(at_fault, error.reason)
                modules[unit.name] = None  # type: ignore[assignment]  # the number is taken
        if refused:
            return None, refused
        return (graphs.assembled(self.module, parts, modules, side), list(modules.values())), {}

    def _unit_module(self, unit: Unit) -> UnitModule:
        """Returns the module of a unit, whose program exists for the extents of the graph's tracing. Raises `Refusal`."""
        values = [node.meta["val"] for node in unit.results]
        key = self._key(unit.module)
        lowered = self._loops(key, unit.module)
        module = UnitModule(unit.name, unit.module, lowered, key, self.options, values)
        hints = self._hints()
        sizes = module.sizes(hints)
        module.layouts(sizes)
        verdict = self.cache.read(self._verdict_key(key, sizes)) if self.cache else None
        if verdict is not None:
            # What was refused is refused again, without another attempt.
            reason, nodes = json.loads(verdict)
            raise Refusal(reason, nodes)
        try:
            programs.get(key, lowered, sizes, self.options)
        except Refusal as error:
            if self.cache:
                self.cache.write(self._verdict_key(key, sizes), json.dumps([error.reason, error.nodes]).encode())
            raise
        return module

    def _loops(self, key: str, module: fx.GraphModule) -> Loops:
        """Returns the loops of a unit: of this compilation, of the cache, or lowered. Raises `Refusal`."""
        known = self._known.get(key)
        if known is None:
            known = self._lowered(key, module)
            self._known[key] = known
        if isinstance(known, Refusal):
            raise known
        return known

    def _lowered(self, key: str, module: fx.GraphModule) -> Loops | Refusal:
        """Returns the loops of the cache, otherwise lowers the unit."""
        content = self.cache.read(key) if self.cache else None
        if content is not None:
            try:
                return Loops.from_bytes(content)
            except ValueError as error:
                _LOG.warning("an entry of the cache is none: %s", error)
        guards = len(self.fake_mode.shape_env.guards) if self.fake_mode.shape_env else 0
        try:
            result = loops(module, self.fake_mode)
        except Refusal as error:
            return error
        # A lowering that adds guards holds for some extents only, and a hit of the cache would not add them.
        if self.cache and (not self.fake_mode.shape_env or len(self.fake_mode.shape_env.guards) == guards):
            self.cache.write(key, result.to_bytes())
        return result

    def _key(self, module: fx.GraphModule) -> str:
        """Returns the key of a unit: its content, the ranges of its symbols, and the versions of what reads it."""
        env: Any = self.fake_mode.shape_env
        ranges: list[tuple[str, str, str]] = []
        if env is not None:
            ranges = [(str(s), str(bounds), str(env.replacements.get(s))) for s, bounds in env.var_to_range.items()]
        parts = [graphs.description(module), str(sorted(ranges)), *self._environment]
        return content_key(*(part.encode() for part in parts))

    @functools.cached_property
    def _environment(self) -> tuple[str, ...]:
        """The settings and the versions that lowering depends on. They are the same for all units of a compilation."""
        return (str(_settings_key()), *_versions())

    def _verdict_key(self, key: str, sizes: Any) -> str:
        """Returns the key of the reason why a program is refused."""
        return content_key(b"verdict", key.encode(), repr(sizes).encode(), self.options.floats.encode())

    def _hints(self) -> dict[str, int]:
        """Returns the extents that the graph was traced with."""
        env = self.fake_mode.shape_env
        if env is None:
            return {}
        return {symbol.name: int(value) for symbol, value in env.backed_var_to_val.items()}


def _versions() -> tuple[str, ...]:
    """Returns the versions of what writes and reads the entries of the cache."""
    module = native_module()
    versions = (torch.__version__, module.VERSION)
    file = Path(module.__file__)
    if not (file.parents[2] / ".git").exists():
        return versions
    # In a checkout, a build may differ from that of its commit.
    status = file.stat()
    return (*versions, f"{status.st_size} {status.st_mtime_ns}")


def _settings_key() -> Any:
    """Returns the settings of Inductor, which lowering depends on."""
    return sorted((name, repr(value)) for name, value in config.save_config_portable().items())


def _bound_symbols(module: fx.GraphModule) -> dict[str, tuple[int, int | None]]:
    """Returns for each symbol the operand and the dimension that have it, no dimension for a size."""
    result: dict[str, tuple[int, int | None]] = {}
    for position, node in enumerate(module.graph.find_nodes(op="placeholder")):
        value = node.meta.get("val")
        if isinstance(value, torch.SymInt):
            if isinstance(value.node.expr, sympy.Symbol):
                result.setdefault(value.node.expr.name, (position, None))
        elif isinstance(value, torch.Tensor):
            for dimension, extent in enumerate(value.shape):
                if isinstance(extent, torch.SymInt) and isinstance(extent.node.expr, sympy.Symbol):
                    result.setdefault(extent.node.expr.name, (position, dimension))
    return result


def _symbol_reader(module: fx.GraphModule) -> Callable[[Sequence[Any]], dict[str, int]]:
    """Returns a function from the operands of a call to the values of the symbols."""
    places = _bound_symbols(module)

    def read(operands: Sequence[Any]) -> dict[str, int]:
        return {
            name: int(operands[position] if dimension is None else operands[position].shape[dimension])
            for name, (position, dimension) in places.items()
        }

    return read


def _work(node: fx.Node) -> int:
    """Returns the elements that a node computes, or the products of a contraction, for the extents of its tracing."""
    from torch.utils.flop_counter import flop_registry

    results = graphs.tensors(node.meta.get("val"))
    packet = getattr(node.target, "overloadpacket", None)
    try:
        if packet in flop_registry:
            value = lambda item: item.meta.get("val") if isinstance(item, fx.Node) else item  # noqa: E731
            args, kwargs = map_aggregate((node.args, node.kwargs), value)
            return int(flop_registry[packet](*args, **kwargs, out_val=node.meta.get("val"))) // 2
        return sum(int(tensor.numel()) for tensor in results)
    except Exception as error:  # extents that have no number, arguments that the count of PyTorch does not have
        _LOG.debug("no work of %s: %r", node.name, error)
        return 0
