"""StableHLO to linalg, by passes of IREE's compiler."""

from __future__ import annotations

from .expand import expand_operations
from .iree import Module, module_text, read_module, run_passes
from .versions import check_packages

FUNCTIONS = "builtin.module(func.func(iree-stablehlo-legalize-custom-calls,chlo-legalize-to-stablehlo))"
"""Operations of CHLO, `top_k` among them, become operations of StableHLO, which may be a sort."""

LINALG = (
    "builtin.module("
    "func.func(iree-stablehlo-legalize-control-flow),"
    "iree-stablehlo-preprocessing-flatten-scf-tuples,"
    "inline,"
    "func.func("
    "iree-stablehlo-preprocessing-lower-complex,"
    "iree-stablehlo-preprocessing-einsum-to-dot-general,"
    "iree-stablehlo-preprocessing-dot-general-to-dot,"
    "iree-stablehlo-canonicalize,"
    "cse,"
    "chlo-legalize-to-stablehlo),"
    "iree-stablehlo-to-iree-input,"
    "iree-util-drop-compiler-hints,"
    "reconcile-unrealized-casts,"
    "canonicalize)"
)
"""The passes to linalg.  `iree-stablehlo-to-stablehlo-preprocessing` is left out: it moves a cast from truth values into a
product, where they are signed, so true is -1, and it drops the clamp of `stablehlo.gather`."""


def convert_stablehlo(path: str) -> str:
    """Return the linalg of a file of StableHLO, text or bytecode of MLIR."""
    check_packages("stablehlo")
    return linalg_text(read_module(path), path)


def linalg_text(module: Module, name: str) -> str:
    """Return the linalg of a program of StableHLO, which is changed; errors without a location have `name`."""
    run_passes(module, FUNCTIONS, name)
    expand_operations(module, name)
    run_passes(module, LINALG, name)
    return module_text(module)
