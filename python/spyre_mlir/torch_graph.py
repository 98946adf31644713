"""The graph of a module of PyTorch, with the inputs that it takes from the module and from the caller.

Inductor lists the inputs of a graph in the order of their first use, weights and sizes among them, and the graph has
no names of the module. The backend of a compilation is called with the tensors themselves, in the order of the
graph's inputs: a tensor that is an argument of the caller is passed to `run`, any other is a value of the program,
and a number is an extent of an argument.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .arrays import array_of_bytes
from .dlpack import bits_of
from .front_ends import argument_labels
from .program import Extent, Program, leaves
from .sources import Source

Json = dict[str, Any]


def capture_program(module: Any, arguments: Sequence[Any], dynamic: bool | Mapping[int, Sequence[int]]) -> Program:
    """Returns the program of a module or a function for these arguments."""
    graph, passed = _compile(module, arguments, dynamic)
    given = list(leaves(arguments))
    labels = argument_labels(getattr(module, "forward", module), arguments)
    parameters = _named_tensors(module)
    if any(entry["kind"] == "tensor" and "source" not in entry for entry in graph["inputs"]):
        # Values by position would be those of other inputs.
        raise RuntimeError(
            f"PyTorch replaced inputs of {module!r}, as it does with tensor subclasses and with views of one memory that are "
            "written: pass plain tensors; the logger spyre_mlir has the reason"
        )
    names = list[str | None]()
    values = dict[int, Any]()
    positions = list[int | None]([None] * len(given))
    for position, entry in enumerate(graph["inputs"]):
        # `arg3_1` is input 3 of the graph that the backend was called with.
        value = passed[int(entry["name"].removeprefix("arg").partition("_")[0])]
        argument = next((number for number, leaf in enumerate(given) if leaf is value), None)
        # Python has one object for equal small numbers, so a number is an extent first.
        if argument is not None and not isinstance(value, (int, float)):
            positions[argument] = position
            names.append(labels[argument])
        elif isinstance(value, (int, float)):
            names.append(str(entry.get("expr", entry["name"])))
            values[position] = extent_of(entry.get("expr"), graph["inputs"]) or value
        else:
            names.append(parameters.get(value.data_ptr(), entry["name"]))
            values[position] = array_of_tensor(value)
    name = str(getattr(module, "__name__", type(module).__name__))
    data = json.dumps(graph, allow_nan=False).encode("utf-8")
    return Program(
        Source(data, f"<graph of {name}>"),
        names=names,
        values=values,
        arguments=positions,
        front_end="torch",
        name=name,
    )


def _compile(
    module: Any, arguments: Sequence[Any], dynamic: bool | Mapping[int, Sequence[int]]
) -> tuple[Json, Sequence[Any]]:
    """Returns the graph, and the values that its inputs have for these arguments."""
    from . import capture

    torch: Any = importlib.import_module("torch")
    compile_fx: Any = importlib.import_module("torch._inductor.compile_fx").compile_fx

    passed = list[Sequence[Any]]()

    def backend(graph: Any, examples: Any) -> Callable[..., Any]:
        compiled: Any = compile_fx(graph, examples)

        def call(*inputs: Any) -> Any:
            passed.append(inputs)
            return compiled(*inputs)

        return call

    if isinstance(dynamic, Mapping):
        for argument, dimensions in dynamic.items():
            for dimension in dimensions:
                torch._dynamo.mark_dynamic(arguments[argument], dimension)
    torch.compiler.reset()
    with torch.no_grad(), capture() as graphs:
        function: Any = torch.compile(
            module, backend=backend, fullgraph=True, dynamic=True if dynamic is True else None if dynamic else False
        )
        function(*arguments)
    if len(graphs) != 1 or len(passed) != 1:
        raise RuntimeError(
            f"PyTorch compiled {len(graphs)} graphs of {module!r}, and a program is one: pass a function that computes a tensor of "
            "its arguments"
        )
    return graphs[0], passed[0]


def _named_tensors(module: Any) -> dict[int, str]:
    """Returns the names of parameters and buffers by the addresses of their memory."""
    names = dict[int, str]()
    for kind in ("named_parameters", "named_buffers"):
        for name, tensor in getattr(module, kind, lambda: ())():
            names.setdefault(tensor.data_ptr(), name)
    return names


def array_of_tensor(tensor: Any) -> Any:
    """Returns a copy of a tensor as an array, which can be pickled."""
    bits, element, name = bits_of(tensor.detach())
    if element is None:
        raise TypeError(f"a tensor of {name} has no element type of the compiler: convert it before the export")
    data = np.ascontiguousarray(bits).reshape(-1).view(np.uint8).copy()
    return array_of_bytes(data, bits.shape, element.name)


def extent_of(expression: Any, inputs: Sequence[Json]) -> Extent | None:
    """Returns the dimension with a symbolic extent, such as `s77`, or None where no tensor has it.

    >>> extent_of("s0", [{"kind": "scalar", "expr": "s0"}, {"kind": "tensor", "layout": {"size": [8, "s0"]}}])
    Extent(input=1, dimension=1)
    """
    for position, entry in enumerate(inputs):
        for dimension, size in enumerate(entry.get("layout", {}).get("size", [])):
            if size == expression:
                return Extent(position, dimension)
    return None
