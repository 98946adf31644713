"""Bridges from PyTorch, tinygrad, JAX, ONNX and LiteRT to spyre-mlir.

The loops of PyTorch Inductor, which take PyTorch (`pip install 'spyre-mlir[torch]'`):

    import torch, spyre_mlir

    with spyre_mlir.capture() as graphs:
        torch.compile(f)(x)
    json.dump(graphs[0], file)          # one "inductor-loop-ir" object per compiled graph

`spyre_mlir.install()` at the top of a program writes the same objects to
`graph<i>.loopir.json` when the program ends.  `spyre_mlir.hint(x, size={"rows": 4})`
requests a tiling of the operation that produced `x`.

`spyre_mlir.tinygrad` exports tensors of tinygrad, and programs of the other front ends become linalg by
`python -m spyre_mlir.convert`.  They need no PyTorch, so PyTorch is imported when `capture`, `install` or `hint`
is first used.
"""

from typing import Any

from .versions import TORCH

__all__ = ["capture", "hint", "install"]  # noqa: F822  (`__getattr__` has them)


def __getattr__(name: str) -> Any:
    """Imports the bridge from PyTorch, with a message if PyTorch is missing or of a version that it does not read."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import torch
    except ImportError as error:
        raise ImportError(TORCH.missing()) from error
    TORCH.check(torch.__version__)
    from . import inductor

    # From now on they are plain attributes, as Dynamo reads the attributes of a module when it traces a call of `hint`.
    globals().update({exported: getattr(inductor, exported) for exported in __all__})
    return globals()[name]
