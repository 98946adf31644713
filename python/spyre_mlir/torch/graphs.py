"""Parts of a graph of FX: which nodes the compiler gets, and which ones PyTorch runs.

A node is on one of two sides, or on none: views and tensors without operands cost nothing, so each part that reads one has a
copy, and the results of a graph that are views stay views. The other nodes are cut into segments: all nodes of one side that
are ready, then all nodes of the other side that are ready, and so on. A segment depends on earlier segments alone, so every
segment of the compiler is one function. Nodes with effects, and random numbers, keep their order.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import dataclasses
import enum
import functools
import operator
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import torch
from torch import fx
from torch.fx.experimental.symbolic_shapes import free_symbols


class Side(enum.Enum):
    """Where a node runs."""

    SPYRE = "spyre"
    PYTORCH = "pytorch"
    FREE = "free"


@dataclasses.dataclass
class Segment:
    """Nodes of one side, in the order of the graph."""

    side: Side
    nodes: list[fx.Node]


@dataclasses.dataclass
class Unit:
    """A segment of the compiler, as a graph of its own."""

    name: str
    module: fx.GraphModule
    operands: list[fx.Node]
    """The nodes of the whole graph that it reads, in the order of its placeholders."""
    results: list[fx.Node]
    """The nodes of the whole graph that it computes for others, in the order of its outputs."""


def sides(graph: fx.Graph, refused: Mapping[str, str], symbols: Collection[str]) -> tuple[dict[fx.Node, Side], dict[str, str]]:
    """Returns the side of each node, and the reason for each node that PyTorch runs.

    `refused` has reasons by name; `symbols` are those that an operand of the graph has as an extent.
    """
    result: dict[fx.Node, Side] = {}
    reasons: dict[str, str] = {}
    for node in graph.nodes:
        if node.op != "call_function":
            continue
        if node.target is operator.getitem and node.args[0] in result:
            result[node] = result[node.args[0]]
            continue
        reason = refused.get(node.name) or _obstacle(node, symbols)
        if reason is not None:
            result[node] = Side.PYTORCH
            if reason:
                reasons[node.name] = reason
        else:
            result[node] = Side.FREE if _is_view(node) or _is_creation(node) else Side.SPYRE
    return result, reasons


def has_effects(graph: fx.Graph) -> bool:
    """Returns whether an operator of a graph writes one of its operands: its order is then more than the flow of data."""
    return any(
        node.op == "call_function" and isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable
        for node in graph.nodes
    )


def segments(graph: fx.Graph, side: Mapping[fx.Node, Side]) -> list[Segment]:
    """Returns the segments of the nodes that are not free, in an order in which they may run."""
    before = _dependencies(graph, side)
    waiting = [node for node in graph.nodes if side.get(node) in (Side.SPYRE, Side.PYTORCH)]
    done: set[fx.Node] = set()
    result: list[Segment] = []
    # Numbers of PyTorch first, so that few segments of the compiler wait for them.
    turn = Side.PYTORCH
    while waiting:
        taken: list[fx.Node] = []
        rest: list[fx.Node] = []
        for node in waiting:
            if side[node] is turn and before[node] <= done:
                taken.append(node)
                done.add(node)
            else:
                rest.append(node)
        if taken:
            result.append(Segment(turn, taken))
        waiting = rest
        turn = Side.SPYRE if turn is Side.PYTORCH else Side.PYTORCH
    return result


def _dependencies(graph: fx.Graph, side: Mapping[fx.Node, Side]) -> dict[fx.Node, set[fx.Node]]:
    """Returns the nodes that each node needs, through free ones; a node with an order needs the last such node."""
    needs: dict[fx.Node, set[fx.Node]] = {}
    last_ordered: fx.Node | None = None
    for node in graph.nodes:
        found: set[fx.Node] = set()
        for operand in node.all_input_nodes:
            if side.get(operand) is Side.FREE:
                found |= needs[operand]
            elif operand in side:
                found.add(operand)
        if node in side and _is_ordered(node):
            if last_ordered is not None:
                found.add(last_ordered)
            last_ordered = node
        needs[node] = found
    return needs


def unit(module: fx.GraphModule, name: str, segment: Segment, side: Mapping[fx.Node, Side]) -> Unit:
    """Returns a segment as a graph, with copies of the free nodes that it reads."""
    graph = fx.Graph()
    members = set(segment.nodes)
    copies: dict[fx.Node, fx.Node] = {}
    operands: list[fx.Node] = []
    wanted = [node for node in segment.nodes if _is_read_outside(node, members, side) and _holds_tensor(node)]
    placeholders = list(dict.fromkeys(root for node in segment.nodes for root in _roots(node, members, side)))
    for operand in placeholders:
        copies[operand] = graph.placeholder(operand.name)
        copies[operand].meta = dict(operand.meta)
        operands.append(operand)

    for node in segment.nodes:
        _copy(node, graph, copies)
    graph.output(tuple(copies[node] for node in wanted))
    return Unit(name, fx.GraphModule(module, graph), operands, wanted)


def _copy(node: fx.Node, graph: fx.Graph, copies: dict[fx.Node, fx.Node]) -> fx.Node:
    """Returns the copy of a node in a graph; what it reads is copied before, unless it has a copy."""
    if node not in copies:
        for operand in node.all_input_nodes:
            _copy(operand, graph, copies)
        copies[node] = graph.node_copy(node, lambda operand: copies[operand])
    return copies[node]


def _roots(node: fx.Node, members: set[fx.Node], side: Mapping[fx.Node, Side]) -> Iterable[fx.Node]:
    """Yields the nodes outside of a segment that one of its nodes reads, through free ones."""
    for operand in node.all_input_nodes:
        if operand in members:
            continue
        if side.get(operand) is Side.FREE:
            yield from _roots(operand, members, side)
        else:
            yield operand


def _is_read_outside(node: fx.Node, members: set[fx.Node], side: Mapping[fx.Node, Side]) -> bool:
    """Returns whether a node of another segment, or the output, reads a node, through free ones."""
    return any(
        user not in members and (side.get(user) is not Side.FREE or _is_read_outside(user, members, side))
        for user in node.users
    )


def assembled(
    module: fx.GraphModule, parts: list[Segment | Unit], units: Mapping[str, torch.nn.Module], side: Mapping[fx.Node, Side]
) -> fx.GraphModule:
    """Returns the graph that calls the modules of the units, and runs the nodes of PyTorch and the free ones that are read."""
    graph = fx.Graph()
    copies: dict[fx.Node, fx.Node] = {}
    for node in module.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            copies[node] = graph.node_copy(node)

    for part in parts:
        if isinstance(part, Segment):
            for node in part.nodes:
                _copy(node, graph, copies)
            continue
        call = graph.call_module(part.name, tuple(copies[operand] for operand in part.operands))
        for position, node in enumerate(part.results):
            copies[node] = graph.call_function(operator.getitem, (call, position))
            copies[node].meta = dict(node.meta)
    output = module.graph.output_node()
    for operand in output.all_input_nodes:
        _copy(operand, graph, copies)
    graph.node_copy(output, lambda operand: copies[operand])
    for node in reversed(graph.nodes):
        if node.op == "get_attr" and not node.users:
            graph.erase_node(node)
    constants = {str(node.target): attribute(module, str(node.target)) for node in graph.find_nodes(op="get_attr")}
    return fx.GraphModule({**constants, **units}, graph)


def attribute(module: torch.nn.Module, name: str) -> Any:
    """Returns the attribute of a module by its path."""
    return functools.reduce(getattr, name.split("."), module)


def tensors(value: Any) -> list[torch.Tensor]:
    """Returns the tensors in the value of a node."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors(item)]  # pyright: ignore[reportUnknownVariableType]
    return []


def _holds_tensor(node: fx.Node) -> bool:
    """Returns whether the value of a node is one tensor, and no tuple of them."""
    return isinstance(node.meta.get("val"), torch.Tensor)


def _obstacle(node: fx.Node, symbols: Collection[str]) -> str | None:
    """Returns the reason why PyTorch runs a node, empty where there is no work; `None` where the compiler may get it."""
    value = node.meta.get("val")
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float, bool)):
        return ""
    if node.target is operator.getitem:
        return ""
    if not isinstance(node.target, torch._ops.OpOverload):
        return f"{_target(node)} is no operator of ATen"
    if _is_ordered(node):
        return f"{_target(node)} draws random numbers or has an effect"
    if node.target is torch.ops.aten.as_strided.default:
        return f"{_target(node)} reads memory, not elements"
    results = tensors(value)
    if not results:
        return f"{_target(node)} has no result that is a tensor"
    for operand in node.all_input_nodes:
        item = operand.meta.get("val")
        if operand.op != "get_attr" and not isinstance(item, (torch.Tensor, torch.SymInt, int, list, tuple)):
            return f"{_target(node)} has an operand that is neither a tensor nor a size"
        results += tensors(item)
    for tensor in results:
        if tensor.device.type != "cpu":
            return f"{_target(node)} has a tensor on {tensor.device}"
        if tensor.layout is not torch.strided or type(tensor) not in _DENSE or tensor.is_quantized:
            return f"{_target(node)} has a tensor that is not dense"
        if unknown := sorted(name for name in map(str, free_symbols(tensor)) if name not in symbols):
            return f"{_target(node)} has an extent that no operand of the graph has: {unknown[0]}"
    return None


_DENSE = (torch.Tensor, torch.nn.Parameter, torch._subclasses.FakeTensor)


_ATTENTION = (
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu,
    torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward,
)


def _target(node: fx.Node) -> str:
    """Returns the name of the operator of a node."""
    return (
        str(node.target)
        if isinstance(node.target, torch._ops.OpOverload)
        else getattr(node.target, "__name__", str(node.target))
    )


def _is_ordered(node: fx.Node) -> bool:
    """Returns whether a node draws random numbers or has an effect."""
    if not isinstance(node.target, torch._ops.OpOverload):
        return node.target is not operator.getitem and isinstance(node.target, torch._ops.HigherOrderOperator)
    if node.target.overloadpacket in _ATTENTION:
        # The one of the CPU has no dropout, although it has the tag and an argument of it.
        return False
    return torch.Tag.nondeterministic_seeded in node.target.tags or node.target._schema.is_mutable or node.is_impure()


def _is_view(node: fx.Node) -> bool:
    """Returns whether an operator returns views of its operand."""
    returns = node.target._schema.returns  # type: ignore[union-attr]
    return bool(returns) and all(item.alias_info is not None and not item.alias_info.is_write for item in returns)


def _is_creation(node: fx.Node) -> bool:
    """Returns whether an operator has no operand but numbers."""
    return not any(tensors(operand.meta.get("val")) or operand.op == "get_attr" for operand in node.all_input_nodes)


def description(module: fx.GraphModule) -> str:
    """Returns the content of a graph: its nodes with their arguments, and the types of their values."""
    lines: list[str] = []
    for node in module.graph.nodes:
        value = node.meta.get("val")
        types = [
            f"{tensor.dtype}{tuple(map(str, tensor.shape))}{tuple(map(str, tensor.stride()))}{tensor.device}"
            for tensor in tensors(value)
        ]
        if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            types.append(str(value.node.expr))
        hints = node.meta.get("custom", {}).get("spyre_hints", "")
        lines.append(f"{node.op} {node.name} = {_target(node)} {node.args!r} {node.kwargs!r} : {' '.join(types)} {hints}")
    return "\n".join(lines)
