"""Bridges from PyTorch, JAX, ONNX and LiteRT to spyre-mlir.

The loops of PyTorch Inductor, which take PyTorch (`pip install 'spyre-mlir[torch]'`):

    import torch, spyre_mlir

    with spyre_mlir.capture() as graphs:
        torch.compile(f)(x)
    json.dump(graphs[0], file)          # one "inductor-loop-ir" object per compiled graph

`spyre_mlir.install()` at the top of a program writes the same objects to
`graph<i>.loopir.json` when the program ends.  `spyre_mlir.hint(x, {"rows": 4})`
asks for a tiling of the operation that produced `x`.

Programs of the other front ends become linalg by `python -m spyre_mlir.convert`, without PyTorch.
PyTorch is imported by the first use of `capture`, `hint` or `install`.
"""

from __future__ import annotations

from typing import Any

SUPPORTED_TORCH = ("2.12", "2.15")

__all__ = ["SUPPORTED_TORCH", "capture", "check_torch_version", "hint", "install"]

_VERSIONS = " or ".join(SUPPORTED_TORCH)
_INSTALL = f"pip install 'torch=={SUPPORTED_TORCH[-1]}.*'"
_INDUCTOR = frozenset({"capture", "hint", "install"})


def check_torch_version(found: str) -> None:
    """Refuse every PyTorch release but those whose private classes this package knows."""
    if not any(found.startswith(version + ".") for version in SUPPORTED_TORCH):
        raise RuntimeError(
            f"spyre_mlir supports PyTorch {_VERSIONS} and found {found}: Inductor's private classes "
            f"differ between releases, so run {_INSTALL} "
            "or use the release of spyre_mlir that was made for your PyTorch"
        )


def __getattr__(name: str) -> Any:
    """Import the functions that read Inductor's loops, after a check of PyTorch's version."""
    if name not in _INDUCTOR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import torch
    except ImportError as error:
        raise ImportError(
            f"spyre_mlir.{name} reads the loops of PyTorch {_VERSIONS}, and PyTorch is not installed: run {_INSTALL}"
        ) from error
    check_torch_version(torch.__version__)
    from . import inductor

    return getattr(inductor, name)
