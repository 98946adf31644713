"""The backend of torch.compile for the simulated card.

    model = torch.compile(model, backend="spyre", options={"floats": "dl16"})
    print(spyre_mlir.torch.report(model, x))

An installed package has the backend by its name; `backend=spyre_mlir.torch.spyre` needs no installation. PyTorch is imported
when one of them is first used.
"""

from __future__ import annotations

from typing import Any

# `__getattr__` has them.
__all__ = ["report", "spyre"]  # noqa: F822  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Imports the backend, with a message if PyTorch is missing or of a version that it does not read."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from ..versions import TORCH

    try:
        import torch
    except ImportError as error:
        raise ImportError(TORCH.missing()) from error
    TORCH.check(torch.__version__)
    from .backend import spyre
    from .report import report

    globals().update({"spyre": spyre, "report": report})
    return globals()[name]
