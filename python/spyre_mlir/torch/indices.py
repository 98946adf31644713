"""Operands of a unit that are indices of a dimension.

An index out of range has no defined result on the card, and is an error in PyTorch. So the indices that a unit gets as
operands are compared with their extents before a run, and PyTorch runs the unit, and raises its error, where one is out of
range. Indices that a unit computes, as those of a search or a sort, are not checked.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

import torch
from torch import fx

aten = torch.ops.aten

# The positions of the tensor, of its dimension and of the indices, by operator.
_ALONG_A_DIMENSION = {
    aten.index_select: (0, 1, 2), aten.gather: (0, 1, 2), aten.scatter: (0, 1, 2), aten.scatter_add: (0, 1, 2),
    aten.scatter_reduce: (0, 1, 2), aten.index_add: (0, 1, 2), aten.index_copy: (0, 1, 2), aten.index_fill: (0, 1, 2),
}  # fmt: skip

# Whose results have the elements of the first operand.
_SAME_ELEMENTS = {aten.clone, aten._to_copy, aten.alias, aten.expand, aten.view, aten.reshape, aten.unsqueeze, aten.squeeze,
                  aten.permute, aten.t, aten.transpose, torch.ops.prims.convert_element_type}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Index:
    """An operand whose elements are indices."""

    position: int
    """The number of the operand."""
    extent: Any
    """The extent of the dimension, a number or an expression."""
    is_negative_allowed: bool
    """Whether negative indices count from the end."""


def indices(graph: fx.Graph) -> list[Index]:
    """Returns the operands of a graph that are indices."""
    places = {node: position for position, node in enumerate(graph.find_nodes(op="placeholder"))}
    result: dict[Index, None] = {}
    for node in graph.nodes:
        for tensor, dimension, index, is_negative_allowed in _uses(node):
            root = _root(index)
            shape = tensor.meta["val"].shape
            if root not in places or not shape or root.meta["val"].dtype in (torch.bool, torch.uint8):
                continue
            extent = shape[dimension]
            expression = extent.node.expr if isinstance(extent, torch.SymInt) else int(extent)
            result[Index(places[root], expression, is_negative_allowed)] = None
    return list(result)


def are_in_range(operand: torch.Tensor, extent: int, is_negative_allowed: bool) -> bool:
    """Returns whether all elements are indices of a dimension of this extent."""
    if operand.numel() == 0:
        return True
    low, high = (int(bound) for bound in torch.aminmax(operand))
    return (-extent if is_negative_allowed else 0) <= low and high < extent


def _uses(node: fx.Node) -> Iterable[tuple[fx.Node, int, fx.Node, bool]]:
    """Yields the tensor, the dimension and the indices of each use in a node, and whether negative ones are allowed."""
    packet = getattr(node.target, "overloadpacket", None)
    args: Any = node.args
    if packet is aten.embedding:
        yield args[0], 0, args[1], False
    elif packet in (aten.index, aten.index_put):
        for dimension, index in enumerate(args[1]):
            if isinstance(index, fx.Node):
                yield args[0], dimension, index, True
    elif packet in _ALONG_A_DIMENSION:
        tensor, dimension, index = (args[position] for position in _ALONG_A_DIMENSION[packet])
        if isinstance(index, fx.Node) and isinstance(dimension, int):
            yield tensor, dimension, index, False


def _root(node: fx.Node) -> fx.Node:
    """Returns the node whose elements a node has."""
    while node.op == "call_function" and getattr(node.target, "overloadpacket", None) in _SAME_ELEMENTS:
        node = node.args[0]  # type: ignore[assignment]
    return node
