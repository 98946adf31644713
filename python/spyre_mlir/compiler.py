"""`spyre_mlir.compile` and `spyre_mlir.read_program`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from .bundle import Bundle
from .options import Options
from .program import Program
from .saved import load_program
from .sources import is_path, read_source


def compile(  # noqa: A001  (the name that users of compilers expect)
    program: object,
    *,
    entry: str | None = None,
    floats: str | None = None,
    card: bool = True,
    sizes: Mapping[str, int] | None = None,
    shapes: Sequence[Sequence[int]] = (),
    name: str | None = None,
    progress: bool | None = None,
) -> Bundle:
    """Compiles a program and returns it, ready to run.

    `program` is a path (`.mlir`, `.mlirbc`, `.json`, `.onnx`, `.tflite`, or a saved directory), the text or the bytes
    of a module, a module of MLIR's Python bindings, or a `Program`. `entry` names the function, needed where several
    are public.

    With `card`, the parts that the card computes are functions of the device and run on the simulated card; without,
    all runs on the CPU. `floats` is how the card computes floats of 32 bits: `auto` (in 16 bits where operands and
    uses have 16 bits), `exact` or `dl16` (in 16 bits). `sizes` has extents of dynamic dimensions by name (of open
    dimensions of ONNX too), or `shapes` the shapes of all inputs.

    `name` is the name in messages. `progress=False` shows no progress line; without it, a terminal does after half a
    second.

    Raises `CompileError`, with the places in the program, for a program that the compiler refuses.

    >>> bundle = spyre_mlir.compile('''
    ... func.func @twice(%x: tensor<4xf16>) -> tensor<4xf16> {
    ...   %0 = spyre.add %x, %x : tensor<4xf16>
    ...   return %0 : tensor<4xf16>
    ... }''')
    >>> bundle(numpy.arange(4, dtype=numpy.float16))
    array([0., 2., 4., 6.], dtype=float16)
    """
    if isinstance(program, (str, os.PathLike)) and _suffix(str(cast("object", program))) == ".onnx":
        # Open dimensions of ONNX get their extents before the conversion.
        from .front_ends import from_onnx

        program, sizes = from_onnx(cast("str | os.PathLike[str]", program), dims=sizes), None
    read = read_program(cast("object", program), name=name)
    return read.compile(entry=entry, floats=floats, card=card, sizes=sizes, shapes=shapes, progress=progress)


def read_program(program: object, *, name: str | None = None) -> Program:
    """Returns a program from a path, text, bytes or a module, as `compile` takes them, without compiling it."""
    if isinstance(program, Program):
        return program
    if isinstance(program, (str, os.PathLike)):
        path = str(cast("str | os.PathLike[str]", program))
        suffix = _suffix(path)
        if suffix in (".onnx", ".tflite"):
            from . import front_ends

            return front_ends.from_onnx(path) if suffix == ".onnx" else front_ends.from_tflite(path)
        if is_path(path) and Path(path).is_dir():
            return load_program(path)
    source = read_source(cast("object", program), name)
    graph = source.graph or {}
    front_end = {"inductor-loop-ir": "torch", "uop-graph-1": "tinygrad"}.get(str(graph.get("format")), "mlir")
    return Program(source, names=_graph_names(graph), options=Options(), front_end=front_end)


def _suffix(path: str) -> str:
    return Path(path).suffix.lower() if is_path(path) else ""


def _graph_names(graph: Mapping[str, object]) -> list[str | None]:
    """Returns the names of the inputs of a graph of PyTorch; a graph of tinygrad has none."""
    inputs = graph.get("inputs")
    if graph.get("format") != "inductor-loop-ir" or not isinstance(inputs, list):
        return []
    return [input.get("source") or input.get("name") for input in inputs]  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
