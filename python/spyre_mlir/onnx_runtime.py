"""The results of ONNX Runtime for a file of ONNX, and the comparison of a program with them.

The runtime computes the file as it is, before any conversion, so a mistake of the conversion is a difference as well as
a mistake of the compiler. An element may differ by the tolerance of its type, times the scale of the result, times 1 +
the magnitude of the element. The scale is the largest magnitude of the result, 1 at most: without it, every result of
small numbers would equal zeros. Integers and truth values have to be equal.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.metadata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import Array, comparable
from .element_types import element_type_of_dtype, type_text

TOLERANCES = {"f64": 1e-6, "f32": 1e-4, "f16": 1e-2, "bf16": 5e-2}
"""The tolerances of types: sums are added up in another order than by the runtime, and f16 has 10 bits of fraction."""

TOLERANCE_DL16 = 5e-2
"""The tolerance where the card computes floats in 16 bits, with 9 bits of fraction."""

PACKAGE = "onnxruntime"


@dataclasses.dataclass(frozen=True)
class ResultComparison:
    """A result of a program next to the result of the runtime."""

    name: str
    """The name of the result in the file."""
    type: str
    """The type of the program's result, as `f32[1, 2]`."""
    elements: int
    different: int
    """The number of elements outside of the tolerance."""
    largest_difference: float
    """The largest absolute difference of an element; infinite where one of two elements is no number."""
    allowed: float
    """The tolerance times the scale of the result: an element may differ by that times 1 + its magnitude."""
    message: str = ""
    """The reason why elements are not compared, such as another shape; empty otherwise."""

    @property
    def same(self) -> bool:
        """Whether all elements are within the tolerance."""
        return not self.message and self.different == 0

    def __str__(self) -> str:
        if self.message:
            return f"{self.name}: {self.message}"
        allowed = f", of {self.allowed:.3g} times (1 + the magnitude)" if self.allowed else ""
        return (
            f"{self.name}: {self.different} of {self.elements} elements differ; "
            f"largest difference {self.largest_difference:.3g}{allowed}"
        )


@dataclasses.dataclass(frozen=True)
class RuntimeComparison:
    """All results of a program next to the results of the runtime."""

    version: str
    """The version of ONNX Runtime."""
    results: tuple[ResultComparison, ...]

    @property
    def same(self) -> bool:
        """Whether all results are within their tolerances."""
        return all(result.same for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as JSON has them."""
        return {**dataclasses.asdict(self), "package": PACKAGE, "same": self.same}

    def __str__(self) -> str:
        head = f"{PACKAGE} {self.version}: {'equal' if self.same else 'different'}"
        return "\n".join([head, *(f"  {result}" for result in self.results)])


def require_runtime() -> str:
    """Returns the version of ONNX Runtime. Raises `ImportError` with the line to type where it is not installed."""
    try:
        return importlib.metadata.version(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        pass
    try:
        # Builds for accelerators have the same module in a package of another name, such as onnxruntime-gpu.
        return str(importlib.import_module(PACKAGE).__version__)
    except ImportError as error:
        raise ImportError(
            f"--compare {PACKAGE} needs {PACKAGE}, not installed here: run pip install {PACKAGE}"
        ) from error


def runtime_results(path: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the results of ONNX Runtime for inputs by name, by name and in the order of the file.

    Only basic optimizations are on: others replace functions by approximations. Raises `ValueError` with the text of
    the runtime where it refuses the file or an input.
    """
    runtime: Any = importlib.import_module(PACKAGE)
    for name, array in arrays.items():
        if isinstance(array, Array):
            raise ValueError(
                f"{PACKAGE} takes no arrays of {array.dtype} from NumPy, which input '{name}' is: export the model with "
                "inputs of f16 or f32"
            )
    options = runtime.SessionOptions()
    options.log_severity_level = 4  # errors are exceptions, and warnings of unused weights no concern of users
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    try:
        session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        # A file of version 3 of the format has its weights among the inputs; these keep their values.
        names = [value.name for value in session.get_outputs()]
        return dict(zip(names, session.run(names, dict(arrays)), strict=True))
    except Exception as error:  # the runtime has an exception type for each status, without a common one
        raise ValueError(f"{path}: {PACKAGE}: {error}") from error


def file_tolerance(path: str, floats: str | None) -> float:
    """Returns the tolerance of a file: that of the least precise float among its weights and inputs.

    Weights are initializers and constants, of subgraphs and functions as well. A file of weights in 16 bits may have
    inputs and results of 32 bits. With `floats` of `dl16`, the card computes floats of 32 bits in 16 bits.
    """
    onnx: Any = importlib.import_module("onnx")
    model = onnx.load(path, load_external_data=False)
    kinds = {value.type.tensor_type.elem_type for value in model.graph.input} | _weight_kinds(model.graph)
    for function in model.functions:
        kinds |= _node_kinds(function.node)
    names = {
        onnx.TensorProto.FLOAT16: "f16", onnx.TensorProto.BFLOAT16: "bf16", onnx.TensorProto.FLOAT: "f32",
        onnx.TensorProto.DOUBLE: "f64",
    }  # fmt: skip
    # Integers, such as indices and shapes, are exact. The type of a result counts as well, in `result_tolerance`: weights
    # of f64 alone do not make results of f32 more precise.
    of_file = max([TOLERANCES["f64"], *(TOLERANCES[names[kind]] for kind in kinds if kind in names)])
    return max(of_file, TOLERANCE_DL16) if floats == "dl16" else of_file


def _weight_kinds(graph: Any) -> set[int]:
    """Returns the element types of the weights of a graph and of its subgraphs, by their numbers in ONNX."""
    kinds = {tensor.data_type for tensor in graph.initializer}
    kinds |= {tensor.values.data_type for tensor in graph.sparse_initializer}
    return kinds | _node_kinds(graph.node)


def _node_kinds(nodes: Sequence[Any]) -> set[int]:
    """Returns the element types of the constants among nodes and of the weights of their subgraphs."""
    onnx: Any = importlib.import_module("onnx")
    kinds = set[int]()
    for node in nodes:
        for attribute in node.attribute:
            for graph in (attribute.g, *attribute.graphs):
                kinds |= _weight_kinds(graph)
            if node.op_type != "Constant":
                continue  # a tensor, such as the value of ConstantOfShape, is no weight
            match attribute.type:
                case onnx.AttributeProto.TENSOR:
                    kinds.add(attribute.t.data_type)
                case onnx.AttributeProto.SPARSE_TENSOR:
                    kinds.add(attribute.sparse_tensor.values.data_type)
                case onnx.AttributeProto.FLOAT | onnx.AttributeProto.FLOATS:
                    kinds.add(onnx.TensorProto.FLOAT)
                case _:  # integers and texts
                    pass
    return kinds


def result_tolerance(dtype: str, of_file: float) -> float:
    """Returns the tolerance of a result of an element type, as in MLIR; 0 for integers."""
    return max(of_file, TOLERANCES[dtype]) if dtype in TOLERANCES else 0.0


def compare_result(name: str, computed: Any, expected: Any, tolerance: float) -> ResultComparison:
    """Compares a result of a program with the result of the runtime."""
    got, right = comparable(computed), comparable(expected)
    shown = type_text(got.shape, _type_name(computed))
    if got.shape != right.shape or (got.dtype.kind == "f") != (right.dtype.kind == "f"):
        message = f"the program has {shown}, and {PACKAGE} {type_text(right.shape, _type_name(expected))}"
        return ResultComparison(name, shown, got.size, got.size, float("inf"), tolerance, message)
    if got.dtype.kind != "f":
        different = int(np.sum(got != right))
        # Floats, since a difference of unsigned integers wraps around.
        gaps = np.abs(got.astype(np.float64) - right.astype(np.float64))
        return ResultComparison(name, shown, got.size, different, float(np.max(gaps, initial=0)), 0.0)
    finite = np.where(np.isfinite(right), np.abs(right), 0.0)
    allowed = tolerance * min(1.0, float(np.max(finite, initial=0)) or 1.0)
    equal = (got == right) | (np.isnan(got) & np.isnan(right))
    with np.errstate(invalid="ignore", over="ignore"):
        gaps = np.where(equal, 0.0, np.abs(got - right))
    gaps = np.where(np.isnan(gaps), np.inf, gaps)
    different = int(np.sum(gaps > allowed * (1 + finite)))
    return ResultComparison(name, shown, got.size, different, float(np.max(gaps, initial=0)), allowed)


def _type_name(array: Any) -> str:
    if isinstance(array, Array):
        return array.dtype
    dtype = np.asarray(array).dtype
    element = element_type_of_dtype(dtype)
    return element.name if element is not None else str(dtype)


def compare_with_runtime(
    path: str,
    arrays: Mapping[str, Any],
    results: Sequence[Any],
    *,
    floats: str | None = None,
    tolerance: float | None = None,
) -> RuntimeComparison:
    """Compares the results of a program, converted from a file of ONNX, with the results of ONNX Runtime.

    `arrays` are the inputs by name. `floats` is how the card has computed floats of 32 bits, and `tolerance` replaces
    the tolerances of float types.
    """
    version = require_runtime()
    expected = runtime_results(path, arrays)
    if len(expected) != len(results):
        raise ValueError(f"{path}: {PACKAGE} has {len(expected)} results, and the program {len(results)}")
    of_file = file_tolerance(path, floats)
    compared = list[ResultComparison]()
    for (name, right), computed in zip(expected.items(), results, strict=True):
        allowed = result_tolerance(_type_name(computed), of_file)
        if tolerance is not None and allowed > 0:  # integers stay exact
            allowed = tolerance
        compared.append(compare_result(name, computed, right, allowed))
    return RuntimeComparison(version, tuple(compared))
