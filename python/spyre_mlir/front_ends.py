"""Programs of PyTorch, JAX, ONNX, LiteRT and tinygrad.

Each function returns a `Program` with names of inputs, and with the values that the front end knows, such as weights.
The packages of a front end are imported when its function is called; without them, the error is the line to type.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import importlib.metadata
import inspect
import json
import linecache
import os
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, cast

from .convert.errors import ConvertError
from .convert.versions import REQUIRED, install_line
from .errors import CompileError, Diagnostic
from .program import Program
from .sources import Source

PACKAGES = {**REQUIRED, "torch": ("torch",), "tinygrad": ("tinygrad",)}
"""The packages of each extra of `spyre-mlir`."""


def missing_packages(front_end: str) -> list[str]:
    """Returns the packages of a front end that are not installed."""
    missing = list[str]()
    for package in PACKAGES[front_end]:
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            missing.append(package)
    return missing


def require_packages(front_end: str) -> None:
    """Raises `ImportError` with the line to type where packages of a front end are not installed."""
    missing = missing_packages(front_end)
    if missing:
        raise ImportError(
            f"from_{front_end} needs {' and '.join(missing)}, not installed here: run {install_line(front_end)}"
        )


def from_torch(
    module: Callable[..., Any], *arguments: Any, dynamic: bool | Mapping[int, Sequence[int]] = False
) -> Program:
    """Captures a module or a function of PyTorch for these arguments.

    Weights are values of the program: `run` takes the arguments of the module. `dynamic` leaves extents open: `True`
    all that PyTorch can, and `{0: [1]}` dimension 1 of argument 0; their values are those of the arguments here
    unless `compile(shapes=...)` or `compile(sizes=...)` has others.

    The graph has no gradients. Raises `ImportError` without PyTorch, and the errors of PyTorch for a function with
    several graphs.
    """
    require_packages("torch")
    from .torch_graph import capture_program

    return capture_program(module, arguments, dynamic)


def from_jax(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Program:
    """Converts a function of JAX for arguments of these shapes: arrays, `jax.ShapeDtypeStruct`, and trees of them.

    Each leaf is an input, in the order of `jax.tree.leaves`. Raises `CompileError` with lines of Python where the
    function has no conversion.
    """
    require_packages("jax")
    from .convert.from_jax import convert_jax

    name = str(getattr(function, "__name__", type(function).__name__))
    with _conversion_errors():
        text = convert_jax(function, *arguments, **keywords)
    names = argument_labels(
        function, (*arguments, *(keywords[key] for key in sorted(keywords))), tuple(sorted(keywords))
    )
    return _linalg_program(text, name, "jax", names)


def from_onnx(
    path: str | os.PathLike[str],
    *,
    dims: Mapping[str, int] | None = None,
    shapes: Mapping[str, tuple[int, ...]] | None = None,
    values: Mapping[str, tuple[float, ...]] | None = None,
    opset: int | None = None,
) -> Program:
    """Converts a file of ONNX.

    `dims` has the extents of open dimensions by name, `shapes` the shapes of inputs, `values` the numbers of inputs
    that always have the same, and `opset` an operator set that the model is converted to first.
    """
    require_packages("onnx")
    from .convert.from_onnx import convert_onnx

    file = os.fspath(path)
    with _conversion_errors():
        text = convert_onnx(file, opset, dims, shapes, values)
    onnx: Any = importlib.import_module("onnx")
    model = onnx.load(file, load_external_data=False)
    constants = {initializer.name for initializer in model.graph.initializer}
    names: list[str | None] = [value.name for value in model.graph.input if value.name not in constants]
    return _linalg_program(text, file, "onnx", names)


def from_tflite(path: str | os.PathLike[str], *, shapes: Mapping[str, tuple[int, ...]] | None = None) -> Program:
    """Converts a file of LiteRT (TensorFlow Lite); `shapes` has the shapes of inputs that the file leaves open."""
    require_packages("tflite")
    from .convert.from_tflite import convert_named_tflite

    file = os.fspath(path)
    with _conversion_errors():
        text, names = convert_named_tflite(file, dict(shapes or {}))
    return _linalg_program(text, file, "tflite", names)


def from_tinygrad(*tensors: Any, name: str = "program") -> Program:
    """Exports the graph that computes tensors of tinygrad. The buffers are values of the program, so `run()` takes
    nothing.

    `run` with an array for each buffer computes the same of other numbers.
    """
    require_packages("tinygrad")
    import numpy as np

    from . import tinygrad as bridge
    from .arrays import array_of_bytes
    from .element_types import element_type

    exported = bridge.export(*tensors, name=name)
    values = dict[int, Any]()
    for position, buffer in enumerate(exported.inputs):
        dtype = {"bool": "i1"}.get(buffer.dtype, re.sub(r"^u(?=\d)", "ui", buffer.dtype))
        data = np.frombuffer(bytearray(buffer.data), np.uint8)
        values[position] = array_of_bytes(data, buffer.shape, element_type(dtype).name)
    graph = json.dumps(exported.graph, allow_nan=False).encode("utf-8")
    return Program(Source(graph, name), values=values, front_end="tinygrad")


def _linalg_program(text: str, name: str, front_end: str, names: Sequence[str | None] = ()) -> Program:
    # Places in messages of the compiler are lines of the converted text, not of the file or of Python.
    return Program(Source(text.encode("utf-8"), f"<linalg of {name}>"), names=names, front_end=front_end, name=name)


def argument_labels(
    function: Callable[..., Any], arguments: Sequence[Any], keywords: Sequence[str] = ()
) -> list[str | None]:
    """Returns a name for each array among the arguments of a function, by its parameters.

    >>> argument_labels(lambda x, weights: None, [1, {"w": 2, "b": 3}])
    ['x', "weights['b']", "weights['w']"]
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    labels = list[str | None]()
    positional = len(arguments) - len(keywords)
    for position, argument in enumerate(arguments):
        if position >= positional:
            name = keywords[position - positional]
        elif position < len(parameters) and parameters[position].kind is not inspect.Parameter.VAR_POSITIONAL:
            name = parameters[position].name
        else:
            name = f"argument {position}"
        labels += _leaf_labels(name, argument)
    return labels


def _leaf_labels(name: str, argument: object) -> list[str]:
    """Returns a name for each array in nested lists, tuples and dictionaries, in the order of `leaves`."""
    if isinstance(argument, dict):
        table = cast("dict[Any, object]", argument)
        return [label for key in sorted(table) for label in _leaf_labels(f"{name}[{key!r}]", table[key])]
    if isinstance(argument, (list, tuple)):
        entries = cast("Sequence[object]", argument)
        return [label for number, entry in enumerate(entries) for label in _leaf_labels(f"{name}[{number}]", entry)]
    return [] if argument is None else [name]


@contextlib.contextmanager
def _conversion_errors() -> Generator[None]:
    """Makes a `CompileError` of an error of a conversion, with a diagnostic for each line that has a place."""
    try:
        yield
    except ConvertError as error:
        raise CompileError(str(error), conversion_diagnostics(str(error))) from error


def conversion_diagnostics(text: str) -> list[Diagnostic]:
    """Returns the diagnostics of the text of a `ConvertError`: lines without a place are notes of the line before.

    >>> conversion_diagnostics("model.py:3:9: no conversion")[0].line
    3
    >>> print(conversion_diagnostics("m.onnx: no conversion of If\\ngive --value sr=NUMBERS")[0])
    error: m.onnx: no conversion of If
    note: give --value sr=NUMBERS
    """
    diagnostics = list[Diagnostic]()
    for part in text.split("\n"):
        found = re.fullmatch(r"([^:\s][^:]*):(\d+):(\d+): (.*)", part)
        if found is not None:
            file, line, column = found[1], int(found[2]), int(found[3])
            program_line = linecache.getline(file, line).rstrip("\n") or None
            diagnostics.append(
                Diagnostic("error", found[4], f"{file}:{line}:{column}", file, line, column, source_line=program_line)
            )
        elif diagnostics:
            last = diagnostics.pop()
            diagnostics.append(dataclasses.replace(last, notes=(*last.notes, Diagnostic("note", part))))
        else:
            diagnostics.append(Diagnostic("error", part))
    return diagnostics
