"""Models of ONNX to linalg, by the importer and the passes of torch-mlir in IREE's compiler."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import ConvertError
from .from_stablehlo import LINALG as STABLEHLO_LINALG
from .iree import module_text, run_passes
from .onnx_fold import fold_constants, rename_values
from .onnx_rewrites import rewrite_model
from .tm_tensor import expand_tm_tensor
from .versions import check_packages

TORCH = "builtin.module(torch-onnx-to-torch-backend-pipeline)"
"""Operations of ONNX become operations of torch."""

LINALG = "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)"
"""Operations of torch become linalg."""

OLDEST_OPSET = 17
"""The oldest operator set that the importer reads all of."""


def convert_onnx(
    path: str,
    opset: int | None = None,
    extents: Mapping[str, int] | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    values: Mapping[str, tuple[float, ...]] | None = None,
) -> str:
    """Return the linalg of a file of ONNX.

    `opset` is the operator set that an older model is converted to first; without it, an older one than `OLDEST_OPSET` is
    converted to that, if ONNX can.  `extents` has the extents of named dimensions, `shapes` the shapes of inputs, where the file
    leaves them open, and `values` the numbers of inputs with one value.  A warning names the dimensions that stay dynamic.
    """
    check_packages("onnx")
    return convert_onnx_model(read_model(path), path, opset, extents or {}, shapes or {}, values or {})


def convert_onnx_model(
    model: Any,
    path: str,
    opset: int | None,
    extents: Mapping[str, int],
    shapes: Mapping[str, tuple[int, ...]],
    values: Mapping[str, tuple[float, ...]] | None = None,
) -> str:
    """Return the linalg of a model, which is changed.

    `path` is the file that errors name; the other arguments are the same as of `convert_onnx`.
    """
    import onnx
    from iree.compiler import ir
    from iree.compiler.extras import onnx_importer

    _fix_extents(model, path, extents, shapes)
    _fix_values(model, path, values or {})
    dimensions = open_dimensions(model)
    if dimensions:
        warnings.warn(
            f"{path}: inputs have open dimensions ({'; '.join(dimensions)}), and spyre-run takes known ones: "
            "add --dim NAME=EXTENT or --shape INPUT=SHAPE",
            OpenDimensions,
            stacklevel=2,
        )
    model = _convert_opset(model, path, opset)
    try:
        model = fold_constants(onnx.shape_inference.infer_shapes(model, data_prop=True))
        model = rewrite_model(model, path)
        context = ir.Context()
        info = onnx_importer.ModelInfo(model)
        module = info.create_module(context=context)
        importer = onnx_importer.NodeImporter.define_function(info.main_graph, module.operation)
        importer.import_all()
    except ConvertError:
        raise
    except Exception as error:  # the importer has no exception type for each kind
        foreign = _foreign_text(model, path)
        raise ConvertError(f"{foreign}{path}: cannot be imported: {type(error).__name__}: {error}{_advice(model)}") from error
    for pipeline in (TORCH, LINALG):
        try:
            run_passes(module, pipeline, path)
        except ConvertError as error:
            raise ConvertError(f"{_foreign_text(model, path)}{error}{_advice(model)}") from error
    if expand_tm_tensor(module):
        run_passes(module, STABLEHLO_LINALG, path)
    _warn_foreign(module, path)
    return module_text(module)


class UnreadOperations(UserWarning):
    """The program has operations that `spyre-opt` does not read."""


def _warn_foreign(module: Any, path: str) -> None:
    """Warn of operations of `tm_tensor` that have no expansion, such as with dynamic extents."""
    from iree.compiler import ir

    foreign = set()

    def visit(operation: Any) -> Any:
        if operation.name.startswith(("tm_tensor.", "iree_linalg_ext.")) and not operation.name.endswith(".yield"):
            foreign.add(operation.name)
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    if foreign:
        warnings.warn(
            f"{path}: torch-mlir leaves {', '.join(sorted(foreign))} as they are, which spyre-opt does not read: "
            "fix the extents of their operands (--dim, --shape), or compute TopK, ScatterND, CumSum and NonZero elsewhere",
            UnreadOperations,
            stacklevel=3,
        )


class OpenDimensions(UserWarning):
    """The program has inputs with dynamic extents."""


def open_dimensions(model: Any) -> list[str]:
    """Return the open dimensions of the inputs of a model, as `images: dimension 0, batch`."""
    constants = {initializer.name for initializer in model.graph.initializer}
    return [
        f"{value.name}: dimension {number}" + (f", {dim.dim_param}" if dim.dim_param else "")
        for value in model.graph.input
        if value.name not in constants
        for number, dim in enumerate(value.type.tensor_type.shape.dim)
        if not dim.HasField("dim_value") or dim.dim_value <= 0
    ]


def read_model(path: str) -> Any:
    """Read a file of ONNX, and check it."""
    import onnx
    from google.protobuf.message import DecodeError

    if not Path(path).is_file():
        raise ConvertError(f"{path}: no such file")
    try:
        model = onnx.load(path)
        # Outputs may have no shape in the file, which the check requires.
        model = onnx.shape_inference.infer_shapes(model)
        onnx.checker.check_model(model)
    except (
        DecodeError,
        onnx.checker.ValidationError,
        onnx.shape_inference.InferenceError,
        FileNotFoundError,
        ValueError,
    ) as error:
        raise ConvertError(f"{path}: is no valid file of ONNX: {error}") from error
    return model


def _fix_extents(model: Any, path: str, extents: Mapping[str, int], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Write extents into the inputs of a model, and clear the shapes of other values, which shape inference finds."""
    if not extents and not shapes:
        return
    inputs = {value.name: value.type.tensor_type.shape.dim for value in model.graph.input}
    named = {dim.dim_param for dims in inputs.values() for dim in dims if dim.dim_param}
    for name in extents:
        if name not in named:
            raise ConvertError(
                f"{path}: no dimension of an input is named '{name}': there are {', '.join(sorted(named)) or 'none'}"
            )
    for name, shape in shapes.items():
        if name not in inputs:
            raise ConvertError(f"{path}: no input is named '{name}': there are {', '.join(sorted(inputs))}")
        if len(shape) != len(inputs[name]):
            raise ConvertError(f"{path}: input '{name}' has {len(inputs[name])} dimensions, not {len(shape)}")
        for dim, extent in zip(inputs[name], shape):
            if dim.dim_value > 0 and dim.dim_value != extent:
                raise ConvertError(f"{path}: input '{name}' has a dimension of {dim.dim_value}, not {extent}")
            dim.dim_value = extent
    for dims in inputs.values():
        for dim in dims:
            if dim.dim_param in extents:
                dim.dim_value = extents[dim.dim_param]
    del model.graph.value_info[:]
    for value in model.graph.output:
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in extents:
                dim.dim_value = extents[dim.dim_param]
            elif dim.dim_param:
                dim.Clear()


def _fix_values(model: Any, path: str, values: Mapping[str, tuple[float, ...]]) -> None:
    """Let nodes read a constant in place of each of these inputs.  The inputs stay, so a caller gives them as before."""
    import numpy as np
    from onnx import helper, numpy_helper

    inputs = {value.name: value.type.tensor_type for value in model.graph.input}
    for name, numbers in values.items():
        if name not in inputs:
            raise ConvertError(f"{path}: no input is named '{name}': there are {', '.join(sorted(inputs))}")
        dims = inputs[name].shape.dim
        shape = [dim.dim_value for dim in dims]
        if not all(dim.HasField("dim_value") for dim in dims) or math.prod(shape) != len(numbers):
            extents = "x".join(str(dim.dim_value or "?") for dim in dims) or "one number"
            raise ConvertError(f"{path}: input '{name}' is {extents}, and --value has {len(numbers)} numbers")
        array = np.array(numbers, helper.tensor_dtype_to_np_dtype(inputs[name].elem_type)).reshape(shape)
        if list(array.ravel()) != list(numbers):
            raise ConvertError(f"{path}: input '{name}' of {array.dtype} cannot have the value {numbers}")
        constant = f"{name}_value"
        model.graph.initializer.append(numpy_helper.from_array(array, constant))
        # Initializers among the inputs are older than version 4 of the format.
        model.ir_version = max(model.ir_version, 4)
        rename_values(model.graph, {name: constant})


def foreign_operators(model: Any) -> list[str]:
    """Return the operators that are not of ONNX and that the model does not define, as `com.microsoft.FusedConv`, each once."""
    defined = {(function.domain, function.name) for function in model.functions}
    names = []

    def visit(nodes: Any) -> None:
        for node in nodes:
            if node.domain not in ("", "ai.onnx", "ai.onnx.ml") and (node.domain, node.op_type) not in defined:
                names.append(f"{node.domain}.{node.op_type}")
            for attribute in node.attribute:
                for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                    visit(graph.node)

    visit(model.graph.node)
    return sorted(set(names))


def _foreign_text(model: Any, path: str) -> str:
    """Return the first line of an error: the operators that are not of ONNX.  Empty where there are none.

    torch-mlir converts a few of them.  Of others it says that what reads their results has no type.
    """
    foreign = foreign_operators(model)
    if not foreign:
        return ""
    return f"{path}: has operators that are not of ONNX: {', '.join(foreign)}; export the model without optimizations for a runtime\n"


def _convert_opset(model: Any, path: str, opset: int | None) -> Any:
    """Convert the model to a newer operator set, if it is older."""
    from onnx import version_converter

    current = opset_version(model)
    if current >= (opset or OLDEST_OPSET):
        return model
    try:
        return version_converter.convert_version(model, opset or OLDEST_OPSET)
    except (RuntimeError, ValueError, version_converter.ConvertError) as error:
        if opset is None:
            return model  # the importer reads most operations of older sets, and reports the others
        raise ConvertError(f"{path}: cannot be converted from operator set {current} to {opset}: {error}") from error


def opset_version(model: Any) -> int:
    """Return the version of the operator set of ONNX itself that a model imports."""
    return max((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), default=1)


def condition_inputs(model: Any) -> list[str]:
    """Return the inputs of integers and truth values that conditions of `If` and `Loop` depend on, as the file has them.

    A condition on an extent depends on no number of an input.
    """
    from onnx import TensorProto

    producers = {name: node for node in model.graph.node for name in node.output}
    pending = [name for node in model.graph.node if node.op_type in ("If", "Loop") for name in node.input[:2]]
    reached: set[str] = set()
    while pending:
        name = pending.pop()
        if name in reached:
            continue
        reached.add(name)
        if name in producers and producers[name].op_type != "Shape":
            pending += producers[name].input
    kinds = (TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL)
    constants = {initializer.name for initializer in model.graph.initializer}
    return [
        value.name
        for value in model.graph.input
        if value.name in reached - constants and value.type.tensor_type.elem_type in kinds
    ]


def _advice(model: Any) -> str:
    """Return the advice for an error, each piece in a line."""
    lines = []
    dimensions = open_dimensions(model)
    if dimensions:
        lines.append(
            f"Inputs have open dimensions ({'; '.join(dimensions)}): try --dim NAME=EXTENT or --shape INPUT=1x3x224x224"
        )
    inputs = condition_inputs(model)
    if inputs:
        lines.append(
            f"Conditions depend on the numbers of {', '.join(inputs)}: try --value {inputs[0]}=NUMBERS, which decides them"
        )
    return "".join(f"\n{line}" for line in lines)
