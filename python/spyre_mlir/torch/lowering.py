"""The loops of a unit, as the lowering of PyTorch Inductor has them before the scheduler.

The steps are those of `torch._inductor.compile_fx` between AOTAutograd and the scheduler: shapes, the passes after gradients,
the lowering. No code is generated.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import contextlib
import copy
import dataclasses
import json
from collections.abc import Generator
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._inductor import compile_fx, config
from torch._inductor.fx_passes.post_grad import view_to_reshape
from torch._inductor.virtualized import V

from ..inductor import RecordedLowering

_NODE = "spyre_node"  # key in node.meta["custom"], which PyTorch copies to all nodes made from a node

Json = Any  # what json.dump accepts


class Refusal(Exception):
    """A unit that the compiler does not take, with the names of the nodes at fault, of which there may be none."""

    def __init__(self, reason: str, nodes: list[str]) -> None:
        """Takes the reason, in words for the user."""
        super().__init__(reason)
        self.reason = reason
        self.nodes = nodes


@dataclasses.dataclass(frozen=True)
class Loops:
    """The record of a unit, in JSON."""

    record: bytes
    symbols: list[str]
    """The symbols of sizes, of which a program has the values."""
    sources: dict[str, list[str]]
    """The nodes of the unit that each operation of the record computes, the last one first."""
    kernels: dict[str, str]
    """The kernel of each operation that is no loop nest."""

    def to_bytes(self) -> bytes:
        """Returns the bytes of a cache's entry."""
        head = {"symbols": self.symbols, "sources": self.sources, "kernels": self.kernels}
        return json.dumps(head).encode() + b"\n" + self.record

    @staticmethod
    def from_bytes(content: bytes) -> Loops:
        """Reads an entry. Raises ValueError where it is none."""
        head, _, record = content.partition(b"\n")
        fields = json.loads(head)
        try:
            return Loops(record, fields["symbols"], fields["sources"], fields["kernels"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"no record of loops: {error!r}") from error


def settings() -> contextlib.AbstractContextManager[Any]:
    """Returns the settings of Inductor for decompositions and lowering. Random numbers are PyTorch's, as without a compiler."""
    return config.patch(fallback_random=True, layout_optimization=False, comprehensive_padding=False)


@contextlib.contextmanager
def without_mkldnn() -> Generator[None]:
    """Traces an LSTM operation by operation in the block, and not as one kernel of MKLDNN."""
    # `torch.backends.mkldnn.flags` sets other flags as well, with warnings about them.
    before = torch._C._get_mkldnn_enabled()
    torch._C._set_mkldnn_enabled(False)
    try:
        yield
    finally:
        torch._C._set_mkldnn_enabled(before)


def loops(unit: fx.GraphModule, fake_mode: Any) -> Loops:
    """Lowers a unit. Raises `Refusal` where Inductor has no lowering of it, or the record misses a part."""
    module = copy.deepcopy(unit)
    operands: list[Any] = []
    for node in module.graph.nodes:
        node.meta["custom"] = {**node.meta.get("custom", {}), _NODE: node.name}
        if node.op == "placeholder":
            operands.append(node.meta["val"])
    with _lowering_context(fake_mode):
        try:
            return _lowered(module, operands, fake_mode)
        except Refusal:
            raise
        except Exception as error:  # whatever the passes and lowerings of Inductor raise
            raise Refusal(f"a pass of Inductor fails: {type(error).__name__}: {_first_line(error)}", []) from error


@contextlib.contextmanager
def _lowering_context(fake_mode: Any) -> Generator[None]:
    """Enters the contexts that lowering needs."""
    with (
        settings(),
        torch.no_grad(),
        V.set_fake_mode(fake_mode),
        mock.patch.object(fake_mode, "allow_non_fake_inputs", True),
        torch._dynamo.utils.preserve_rng_state(),
    ):
        yield


def _lowered(module: fx.GraphModule, operands: list[Any], fake_mode: Any) -> Loops:
    """Runs the passes and the lowering."""
    view_to_reshape(module)
    compile_fx.fake_tensor_prop(module, operands)
    compile_fx._recursive_post_grad_passes(module, is_inference=True)
    lowering = RecordedLowering(
        module, example_inputs=operands, shape_env=fake_mode.shape_env, layout_opt=False, is_inference=True
    )
    with V.set_graph_handler(lowering), V.set_extern_kernel_nodes([]):
        try:
            lowering.run(*operands)
        except Exception as error:
            current = getattr(lowering, "current_node", None)
            names = [] if current is None else [_source(current)]
            raise Refusal(f"Inductor does not lower it: {type(error).__name__}: {_first_line(error)}", names) from error
        record = lowering.record
        if record is None:
            raise Refusal("Inductor does not finish its lowering", [])
        sources = {op.get_operation_name(): _sources(op) for op in lowering.operations}
    _check(record, sources)
    kernels: dict[str, str] = {}
    for op in record["ops"]:
        extern = op.get("extern") or {}
        if kernel := extern.get("op_overload") or extern.get("kernel"):
            kernels[op["name"]] = kernel
    text = json.dumps(record, allow_nan=False, separators=(",", ":"))
    return Loops(text.encode(), [symbol["name"] for symbol in record["symbols"]], sources, kernels)


def _check(record: Json, sources: dict[str, list[str]]) -> None:
    """Refuses a record that writes an input, has a constant without its elements, or a result that is no tensor."""
    inputs = {item["name"] for item in record["inputs"]}
    for op in record["ops"]:
        if written := inputs.intersection(op.get("mutates", ())):
            raise Refusal(f"an operand is written: {', '.join(sorted(written))}", sources[op["name"]][:1])
        if (op.get("extern") or {}).get("unbacked"):
            raise Refusal("the data decide an extent", sources[op["name"]][:1])
    for item in record["inputs"]:
        if item["kind"] == "object":
            raise Refusal(f"the operand {item['name']} is no tensor", [])
    for item in record["constants"]:
        if "data" not in item:
            raise Refusal(f"the record has no elements of the constant {item['name']}", [])
    if any(not isinstance(output, dict) or "buffer" not in output for output in record["outputs"]):
        raise Refusal("a result is no tensor", [])


def _sources(operation: Any) -> list[str]:
    """Returns the names of the unit's nodes that an operation computes, the node that Inductor names it after first."""
    nodes = [operation.get_origin_node(), *operation.get_origins()]
    return list(dict.fromkeys(_source(node) for node in nodes if node is not None))


def _source(node: fx.Node) -> str:
    """Returns the name of the unit's node that a node is made from."""
    return node.meta.get("custom", {}).get(_NODE, node.name)


def _first_line(error: BaseException) -> str:
    """Returns the first line of a message."""
    return next((line.strip() for line in str(error).splitlines() if line.strip()), "no message")
