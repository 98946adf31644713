"""Weights of a model that was published without: `python -m zoo.weights NAME FILE TARGET`.

The light models of ONNX are networks with their published graph and `ConstantOfShape` in place of weights. All channels
of such a network are equal, and a program that mixes them up gives right results. So weights are drawn from a seed, as
networks are initialized before their training: weights of a convolution or product from a normal distribution with a
variance of 2 / inputs of a sum; scales uniformly around 1, shifts around 0. Mean and variance of a batch normalization
are computed from its input for an image from the same seed, as in training: otherwise results would leave the range of
16 bits, or be 0 everywhere. Files have some small weights, which belong to the missing ones: they are drawn as well.

It runs in the environment of ONNX.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from .models import Model, chosen
from .values import draw, seed

ModelProto = Any  # onnx.ModelProto, which mypy does not know without the package
Node = Any  # onnx.NodeProto

_SCALES = {("BatchNormalization", 1), ("Mul", 1)}
_STATISTICS = {("BatchNormalization", 3), ("BatchNormalization", 4)}
_SHIFTS = {("BatchNormalization", 2), ("Add", 1), ("Conv", 2), ("Gemm", 2)}
_SPREAD = 0.5
"""The largest distance of a scale from 1 and of a shift from 0."""


def light_weights(graph: Any) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the weights that a graph has `ConstantOfShape` for, by name, in the order of their nodes."""
    from onnx import numpy_helper

    constants = {tensor.name: tensor for tensor in graph.initializer}
    nodes = [node for node in graph.node if node.op_type == "ConstantOfShape" and node.input[0] in constants]
    return {node.output[0]: tuple(numpy_helper.to_array(constants[node.input[0]]).tolist()) for node in nodes}


def kept_weights(graph: Any) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the floats that a graph has, by name, in their order."""
    from onnx import TensorProto

    return {tensor.name: tuple(tensor.dims) for tensor in graph.initializer if tensor.data_type == TensorProto.FLOAT}


def readers(graph: Any) -> dict[str, tuple[Node, int]]:
    """Return the first node that computes with each value, and the number of its operand: none that gives it another shape."""
    found: dict[str, tuple[Node, int]] = {}
    # From the end, so that users of the result of an `Unsqueeze` come before it.
    for node in reversed(graph.node):
        for number, name in enumerate(node.input):
            moves = node.op_type in ("Reshape", "Unsqueeze") and node.output[0] in found
            found[name] = found[node.output[0]] if moves else (node, number)
    return found


def drawn_weight(generator: Any, shape: tuple[int, ...], node: Node, operand: int) -> Any:
    """Return a weight for an operand of a node.  Raises `ValueError` where the operand is no weight that is known here."""
    import numpy as np

    place = (node.op_type, operand)
    if place in _SCALES:
        values = generator.uniform(1 - _SPREAD, 1 + _SPREAD, shape)
    elif place in _SHIFTS:
        values = generator.uniform(-_SPREAD, _SPREAD, shape)
    elif place in _STATISTICS:
        values = np.ones(shape)  # until the input is known
    elif place in {("Conv", 1), ("Gemm", 1)}:
        transposed = any(attribute.name == "transB" and attribute.i for attribute in node.attribute)
        # That of a product may have other extents before, which are 1.
        rows, columns = shape[-2:]
        summed = shape[1:] if node.op_type == "Conv" else (columns if transposed else rows,)
        values = generator.normal(0, np.sqrt(2 / np.prod(summed)), shape)
    else:
        raise ValueError(f"operand {operand} of {node.op_type} '{node.name}' is no weight that can be drawn")
    return values.astype(np.float32)


def with_weights(model: ModelProto, arrays: Mapping[str, Any], generator: Any) -> ModelProto:
    """Return the model with weights, which is changed.  `arrays` are inputs to take means and variances for, by name."""
    from onnx import numpy_helper

    graph = model.graph
    shapes = light_weights(graph)
    if not shapes:
        raise ValueError("the graph has no ConstantOfShape of constant extents, so it has its weights")
    places = readers(graph)
    shapes |= {name: shape for name, shape in kept_weights(graph).items() if name in places}
    weights = {name: drawn_weight(generator, shape, *places[name]) for name, shape in shapes.items()}
    nodes = [node for node in graph.node if node.output[0] not in weights]
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    last = {name: number for number, node in enumerate(nodes) for name in node.input}
    values: dict[str, Any] = {**constants, **weights, **arrays}
    for number, node in enumerate(nodes):
        if node.op_type == "BatchNormalization":
            _, _, _, mean, variance = node.input
            weights[mean], weights[variance] = _statistics(generator, values[node.input[0]])
            values |= {mean: weights[mean], variance: weights[variance]}
        values |= _computed(model, node, values)
        for name in [name for name in node.input if last[name] == number]:
            values.pop(name, None)
    del graph.node[:]
    graph.node.extend(nodes)
    # Extents of weights are read by no node any more.
    used = {name for node in nodes for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in used and tensor.name not in weights]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in weights.items())
    # Version 3 of the format wants every initializer among the inputs, where a user may give another.
    model.ir_version = max(model.ir_version, 4)
    inputs = [value for value in graph.input if value.name in arrays]
    del graph.input[:]
    graph.input.extend(inputs)
    return model


def _statistics(generator: Any, array: Any) -> tuple[Any, Any]:
    """Return a mean and a variance for each channel of an input.

    The variance is that of all channels, within a half: that of a channel of few elements may be next to 0.
    """
    import numpy as np

    mean = array.mean(axis=(0, 2, 3))
    variance = (array - mean[:, None, None]).var() * generator.uniform(1 - _SPREAD, 1 + _SPREAD, mean.shape)
    return mean.astype(np.float32), variance.astype(np.float32)


def _computed(model: ModelProto, node: Node, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the results of a node, by name, as ONNX Runtime computes them."""
    import onnxruntime
    from onnx import helper

    names = [name for name in dict.fromkeys(node.input) if name]
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(values[name].dtype), values[name].shape)
        for name in names
    ]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
    graph = helper.make_graph([node], "node", inputs, outputs)
    alone = helper.make_model(graph, opset_imports=model.opset_import, ir_version=max(model.ir_version, 4))
    session = onnxruntime.InferenceSession(alone.SerializeToString(), providers=["CPUExecutionProvider"])
    results = session.run(None, {name: values[name] for name in names})
    return dict(zip((value.name for value in outputs), results))


def write_model(model: Model, source: str, target: str) -> None:
    """Write the file of a model with weights."""
    import numpy as np
    import onnx

    # Not the generator of the compared inputs: the statistics are from another image.
    generator = np.random.default_rng([seed(model), 1])
    arrays = {value.name: draw(generator, value) for value in model.inputs}
    onnx.save(with_weights(onnx.load(source), arrays, generator), target)


def main(arguments: list[str]) -> int:
    """Write a model with weights, and return the exit code."""
    name, source, target = arguments
    (model,) = chosen([name])
    write_model(model, source, target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
