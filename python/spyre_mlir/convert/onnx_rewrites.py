"""Nodes of ONNX that torch-mlir does not convert, or converts to wrong numbers, in terms of others.

* `Attention`: the definition of ONNX in other nodes, which replace it.
* `RMSNormalization`: a mean of squares along constant axes; the definition of ONNX computes the axes, which torch-mlir refuses.
* Unsigned integers of `Div`, `Mod`, `Clip`, `TopK` and `MaxPool`, which torch-mlir computes as signed ones: the same of wider
  numbers, between casts.
"""

from __future__ import annotations

from typing import Any

from .errors import ConvertError

Node = Any  # onnx.NodeProto, which mypy lacks without the package
Model = Any  # onnx.ModelProto

INLINED = ("Attention",)
"""Nodes that are replaced by the functions that ONNX defines them by.  The one of `RotaryEmbedding` crashes IREE 3.13."""

SIGNED_ONLY = {"Div": "INT", "Mod": "INT", "Clip": "INT", "TopK": "INT", "MaxPool": "FLOAT"}
"""Nodes that torch-mlir computes as if all integers were signed, and the types to compute them in instead."""

_VALUES = {"TopK": 1, "MaxPool": 1}  # inputs that have the element type, where not all have; likewise the outputs


def rewrite_model(model: Model, path: str) -> Model:
    """Return the model with these nodes replaced.  Its types are inferred; `path` is the file that errors name."""
    import onnx
    from onnx import inliner

    used = {node.op_type for node in model.graph.node if node.domain in ("", "ai.onnx")}
    wanted = [("", name) for name in INLINED if name in used]
    if wanted:
        # The inliner ends the process if a type is unknown, and inference gives none to constants.
        known = {value.name for value in (*model.graph.input, *model.graph.value_info)}
        for constant in model.graph.initializer:
            if constant.name not in known:
                value = onnx.helper.make_tensor_value_info(constant.name, constant.data_type, list(constant.dims))
                model.graph.value_info.append(value)
        missing = sorted(_untyped(model, {name for _, name in wanted}))
        if missing:
            raise ConvertError(
                f"{path}: no types are known of {', '.join(missing)}, which {wanted[0][1]} reads: fix the inputs' shapes"
            )
        model = inliner.inline_selected_functions(model, wanted, exclude=False, inline_schema_functions=True)
        model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    types = _tensor_types(model)
    nodes: list[Node] = []
    changed = bool(wanted)
    for number, node in enumerate(model.graph.node):
        replacement = _replacement(node, types, f"spyre_{number}", path)
        changed |= replacement is not None
        nodes += [node] if replacement is None else replacement
    if not changed:
        return model
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    return onnx.shape_inference.infer_shapes(model, data_prop=True)


def _untyped(model: Model, names: set[str]) -> set[str]:
    types = _tensor_types(model)
    inputs = {name for node in model.graph.node if node.op_type in names for name in node.input if name}
    return {name for name in inputs if name not in types}


def _tensor_types(model: Model) -> dict[str, Any]:
    """Return the types of all values that are known, by name."""
    import onnx

    graph = model.graph
    values = (*graph.input, *graph.output, *graph.value_info)
    types = {value.name: value.type.tensor_type for value in values if value.type.tensor_type.elem_type}
    for constant in graph.initializer:
        info = onnx.helper.make_tensor_value_info(constant.name, constant.data_type, list(constant.dims))
        types[constant.name] = info.type.tensor_type
    return types


def _replacement(node: Node, types: dict[str, Any], prefix: str, path: str) -> list[Node] | None:
    """Return the nodes that replace a node, or `None` if it stays."""
    if node.domain not in ("", "ai.onnx"):
        return None
    if node.op_type == "RMSNormalization":
        return _root_mean_square(node, types, prefix, path)
    if node.op_type in SIGNED_ONLY and node.input[0] in types:
        from onnx import TensorProto

        element = types[node.input[0]].elem_type
        wide = wide_element(TensorProto.DataType.Name(element), SIGNED_ONLY[node.op_type])
        if wide == "":
            raise ConvertError(f"{path}: '{node.op_type}' ({node.name}) of uint64 has no conversion: cast it to int64")
        if wide is not None:
            return _between_casts(node, element, TensorProto.DataType.Value(wide), prefix)
    return None


def wide_element(element: str, kind: str) -> str | None:
    """Return the element type in which a node of an unsigned type is computed.

    Nothing if the type is signed, and "" if no type is wide enough.
    """
    if kind == "FLOAT" and element in ("UINT8", "UINT16"):
        return "FLOAT"  # which has 24 bits
    return {"UINT8": "INT32", "UINT16": "INT32", "UINT32": "INT64", "UINT64": ""}.get(element)


def _between_casts(node: Node, element: int, wide: int, prefix: str) -> list[Node]:
    """Return a node of wider elements with casts of its inputs and outputs."""
    from onnx import NodeProto, helper

    inner = NodeProto()
    inner.CopyFrom(node)
    count = _VALUES.get(node.op_type)
    before, after = [], []
    for number, name in enumerate(node.input[:count]):
        if name:
            inner.input[number] = f"{prefix}_in_{number}"
            before.append(helper.make_node("Cast", [name], [inner.input[number]], to=wide))
    for number, name in enumerate(node.output[:count]):
        if name:
            inner.output[number] = f"{prefix}_out_{number}"
            after.append(helper.make_node("Cast", [inner.output[number]], [name], to=element))
    return [*before, inner, *after]


def node_attributes(node: Node) -> dict[str, Any]:
    """Return the values of the attributes of a node, by name."""
    from onnx import helper

    return {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}


def _root_mean_square(node: Node, types: dict[str, Any], prefix: str, path: str) -> list[Node]:
    """Return x / sqrt(mean(x^2) + epsilon) * scale, in f32 where the node requests it."""
    from onnx import TensorProto, helper

    attributes = node_attributes(node)
    if node.input[0] not in types:
        raise ConvertError(
            f"{path}: the rank of '{node.input[0]}' is not known, which RMSNormalization reads: fix the inputs' shapes"
        )
    element, rank = types[node.input[0]].elem_type, len(types[node.input[0]].shape.dim)
    axes = list(range(attributes.get("axis", -1) % rank, rank))
    stash = attributes.get("stash_type", TensorProto.FLOAT)
    nodes: list[Node] = []

    def add(operation: str, *inputs: str, output: str | None = None, **more: Any) -> str:
        name = output or f"{prefix}_{len(nodes)}"
        nodes.append(helper.make_node(operation, list(inputs), [name], **more))
        return name

    def constant(values: Any, kind: int, shape: list[int]) -> str:
        return add("Constant", value=helper.make_tensor(prefix, kind, shape, values))

    x = add("Cast", node.input[0], to=stash)
    square = add("Mul", x, x)
    # Axes are an input since operator set 18, which is older than any RMSNormalization.
    mean = add("ReduceMean", square, constant(axes, TensorProto.INT64, [len(axes)]), keepdims=1)
    shifted = add("Add", mean, constant([attributes.get("epsilon", 1e-5)], stash, []))
    normal = add("Cast", add("Div", x, add("Sqrt", shifted)), to=element)
    add("Mul", normal, node.input[1], output=node.output[0])
    return nodes
