"""Compiles programs of tensors for IBM's Spyre accelerator, runs them on a simulated card, and shows its traffic.

    import spyre_mlir

    bundle = spyre_mlir.compile("examples/mlp.mlir")
    y = bundle(x, w, b, v)              # the simulated card, and the CPU for the rest
    print(bundle.stats())               # traffic and times
    bundle.save("mlp")                  # the files for the backend compiler

Programs of front ends: `from_torch`, `from_jax`, `from_onnx`, `from_tflite`, `from_tinygrad`. Many programs at once:
`compile_many`, `fuzz`. The command `spyre` does the same for files.

The loops of PyTorch Inductor (`pip install 'spyre-mlir[torch]'`):

    with spyre_mlir.capture() as graphs:
        torch.compile(f)(x)
    json.dump(graphs[0], file)          # one "inductor-loop-ir" object per compiled graph
    graphs.save("f")                    # with the values of the inputs: `spyre run f` runs it

`spyre_mlir.install()` at the top of a program writes the same objects to `graph<i>.loopir.json` when the program ends.
`spyre_mlir.hint(x, size={"rows": 4})` requests a tiling of the operation that produced `x`.

Names are imported when they are first used: a front end needs neither the native module nor another front end.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .versions import TORCH

if TYPE_CHECKING:
    __version__: str
    """The version of the package, as `0.1.0`."""

    from .arrays import Array as Array
    from .bundle import Bundle as Bundle
    from .compiler import compile as compile
    from .compiler import read_program as read_program
    from .errors import CompileError as CompileError
    from .errors import Diagnostic as Diagnostic
    from .errors import NativeMissingError as NativeMissingError
    from .errors import PlanError as PlanError
    from .errors import RunError as RunError
    from .errors import SpyreError as SpyreError
    from .explanation import Explanation as Explanation
    from .front_ends import from_jax as from_jax
    from .front_ends import from_onnx as from_onnx
    from .front_ends import from_tflite as from_tflite
    from .front_ends import from_tinygrad as from_tinygrad
    from .front_ends import from_torch as from_torch
    from .fuzzing import fuzz as fuzz
    from .inductor import capture as capture
    from .inductor import hint as hint  # pyright: ignore[reportUnknownVariableType]
    from .inductor import install as install
    from .many import Outcome as Outcome
    from .many import compile_many as compile_many
    from .page import Page as Page
    from .program import Input as Input
    from .program import Program as Program
    from .saved import load as load
    from .statistics import LaunchStatistics as LaunchStatistics
    from .statistics import Statistics as Statistics

_MODULES = {
    "Array": "arrays", "Bundle": "bundle", "compile": "compiler", "read_program": "compiler",
    "CompileError": "errors", "Diagnostic": "errors", "NativeMissingError": "errors", "PlanError": "errors",
    "RunError": "errors", "SpyreError": "errors", "Explanation": "explanation",
    "from_jax": "front_ends", "from_onnx": "front_ends", "from_tflite": "front_ends", "from_tinygrad": "front_ends",
    "from_torch": "front_ends", "fuzz": "fuzzing", "Outcome": "many", "compile_many": "many", "Page": "page",
    "Input": "program", "Program": "program", "load": "saved",
    "LaunchStatistics": "statistics", "Statistics": "statistics",
}  # fmt: skip
_OF_TORCH = ("capture", "hint", "install")

__all__ = [*_MODULES, *_OF_TORCH]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Imports a name of the package when it is first used, with the line to type where a package is missing."""
    if name == "__version__":
        globals()[name] = _version()
        return globals()[name]
    if name in _MODULES:
        value = getattr(importlib.import_module(f".{_MODULES[name]}", __name__), name)
        globals()[name] = value
        return value
    if name not in _OF_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        torch: Any = importlib.import_module("torch")
    except ImportError as error:
        raise ImportError(TORCH.missing()) from error
    TORCH.check(torch.__version__)
    inductor = importlib.import_module(".inductor", __name__)

    # From now on they are plain attributes, as Dynamo reads the attributes of a module when it traces a call of `hint`.
    globals().update({exported: getattr(inductor, exported) for exported in _OF_TORCH})
    return globals()[name]


def _version() -> str:
    """Returns the version of the installed package, or that of the native module in a checkout."""
    # Here, as metadata takes a third of the time of the import.
    import importlib.metadata

    try:
        return importlib.metadata.version("spyre-mlir")
    except importlib.metadata.PackageNotFoundError:
        from .native import native_module

        return native_module().VERSION.partition(" ")[0]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
