"""Parts of an ONNX model that depend on constants and static extents alone, folded before the import.

PyTorch exports `squeeze` as an `If` with a condition on an extent, and `F.pad` with pads that are computed from constants.
torch-mlir does not decide the first, and folds the second after extents that depend on it have become dynamic.

* A `Shape` of static extents, and nodes that read small constants only, become constants.
* An `If` with a constant condition becomes the nodes of its branch.

Weights are not folded: a value that is computed from more than `MOST_ELEMENTS` elements is no extent.
"""

from __future__ import annotations

import math
from typing import Any

from .onnx_rewrites import node_attributes

Model = Any  # onnx.ModelProto, which mypy lacks without the package
Node = Any  # onnx.NodeProto
Graph = Any  # onnx.GraphProto

MOST_ELEMENTS = 4096
"""The most elements of a constant that is read or computed."""


def fold_constants(model: Model) -> Model:
    """Return the model, which has inferred types, with the nodes of constant operands folded."""
    import onnx

    while _fold_once(model):
        # Dynamic extents may be static now, and inference keeps the written ones.
        values = [value for value in model.graph.value_info if not _is_open(value)]
        del model.graph.value_info[:]
        model.graph.value_info.extend(values)
        for value in model.graph.output:
            for dim in value.type.tensor_type.shape.dim:
                if not dim.HasField("dim_value"):
                    dim.Clear()
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    return model


def _is_open(value: Any) -> bool:
    return not all(dim.HasField("dim_value") for dim in value.type.tensor_type.shape.dim)


def _fold_once(model: Model) -> bool:
    """Fold the nodes that the constants and extents so far determine.  Return whether the model has changed."""
    from onnx import numpy_helper

    graph = model.graph
    inputs = {value.name for value in graph.input}
    results = {value.name for value in graph.output}
    # An initializer that is an input as well may be given another value.
    constants = {
        tensor.name: numpy_helper.to_array(tensor)
        for tensor in graph.initializer
        if tensor.name not in inputs and math.prod(tensor.dims) <= MOST_ELEMENTS
    }
    extents = _known_extents(graph)
    nodes: list[Node] = []
    changed = False
    for node in graph.node:
        branch = _decided_branch(node, constants)
        if branch is not None:
            nodes += _inline(node, branch, graph)
            changed = True
            continue
        value = None if results.intersection(node.output) else _value(model, node, constants, extents)
        if value is None:
            nodes.append(node)
            continue
        constants[node.output[0]] = value
        graph.initializer.append(numpy_helper.from_array(value, node.output[0]))
        changed = True
    if changed:
        del graph.node[:]
        graph.node.extend(nodes)
    return changed


def _known_extents(graph: Graph) -> dict[str, list[int]]:
    """Return the extents of the values with a type that has them all."""
    extents = {tensor.name: list(tensor.dims) for tensor in graph.initializer}
    for value in (*graph.input, *graph.value_info):
        tensor = value.type.tensor_type
        if tensor.HasField("shape") and not _is_open(value):
            extents[value.name] = [dim.dim_value for dim in tensor.shape.dim]
    return extents


def _value(model: Model, node: Node, constants: dict[str, Any], extents: dict[str, list[int]]) -> Any:
    """Return the value of a node that follows from constants and extents; `None` for any other node."""
    import numpy as np
    from onnx import helper, numpy_helper
    from onnx.reference import ReferenceEvaluator

    if node.domain not in ("", "ai.onnx") or len(node.output) != 1:
        return None
    if node.op_type == "Shape" and node.input[0] in extents:
        attributes = node_attributes(node)
        whole = extents[node.input[0]]
        return np.array(whole[attributes.get("start", 0) : attributes.get("end", len(whole))], np.int64)
    names = [name for name in node.input if name]
    has_graph = any(attribute.HasField("g") or attribute.graphs for attribute in node.attribute)
    # Without an input, a node is a constant or draws numbers; the ones below draw from their input.
    is_random = node.op_type in ("RandomNormalLike", "RandomUniformLike", "Multinomial", "Bernoulli", "Dropout")
    if node.op_type != "Constant" and (not names or has_graph or is_random):
        return None
    if any(name not in constants for name in names):
        return None
    if node.op_type in ("ConstantOfShape", "Expand", "Tile", "Range", "Pad", "Resize") and node.output[0] not in extents:
        return None  # The result may be of any size.
    if math.prod(extents.get(node.output[0], [])) > MOST_ELEMENTS:
        return None
    graph = helper.make_graph(
        [node],
        "constant",
        [],
        [helper.make_empty_tensor_value_info(node.output[0])],
        [numpy_helper.from_array(constants[name], name) for name in dict.fromkeys(names)],
    )
    alone = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    try:
        (value,) = ReferenceEvaluator(alone).run(None, {})
    except Exception:  # noqa: BLE001 - the evaluator has no exception type; operations that it lacks are left to the importer
        return None
    value = np.asarray(value)
    return value if value.size <= MOST_ELEMENTS and value.dtype != object else None


def _decided_branch(node: Node, constants: dict[str, Any]) -> Graph | None:
    """Return the branch of an `If` with a constant condition; `None` for any other node."""
    if node.op_type != "If" or node.domain not in ("", "ai.onnx") or node.input[0] not in constants:
        return None
    taken = "then_branch" if constants[node.input[0]].all() else "else_branch"
    return node_attributes(node)[taken]


def _inline(node: Node, branch: Graph, graph: Graph) -> list[Node]:
    """Return the nodes of a branch, which define the results of its `If`.  Its constants become constants of the graph."""
    from onnx import helper

    # The same name may be one of another branch, and no other node defines the results.
    prefix = "_".join(node.output)
    own = [name for inner in branch.node for name in inner.output if name]
    own += [tensor.name for tensor in branch.initializer]
    names = {name: f"{prefix}_{name}" for name in own}
    nodes = []
    for inner in branch.node:
        copy = type(inner)()
        copy.CopyFrom(inner)
        _rename(copy, names)
        nodes.append(copy)
    for tensor in branch.initializer:
        copy = type(tensor)()
        copy.CopyFrom(tensor)
        copy.name = names[tensor.name]
        graph.initializer.append(copy)
    for value, result in zip(branch.output, node.output):
        # The branch may yield a value from around it, or one value twice.
        nodes.append(helper.make_node("Identity", [names.get(value.name, value.name)], [result]))
    return nodes


def rename_values(graph: Graph, names: dict[str, str]) -> None:
    """Rename the values that nodes of a graph, with the graphs inside of them, read and define; inputs and results stay."""
    for node in graph.node:
        _rename(node, names)


def _rename(node: Node, names: dict[str, str]) -> None:
    """Rename the values that a node, with the graphs inside of it, reads and defines."""
    for field in (node.input, node.output):
        for number, name in enumerate(field):
            field[number] = names.get(name, name)
    for attribute in node.attribute:
        for inner_graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            for inner in inner_graph.node:
                _rename(inner, names)
            for value in inner_graph.output:
                value.name = names.get(value.name, value.name)
