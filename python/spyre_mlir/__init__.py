"""Bridge from PyTorch Inductor to spyre-mlir.

    import torch, spyre_mlir

    with spyre_mlir.capture() as graphs:
        torch.compile(f)(x)
    json.dump(graphs[0], file)          # one "inductor-loop-ir" object per compiled graph

`spyre_mlir.install()` at the top of a program writes the same objects to
`graph<i>.loopir.json` when the program ends.  `spyre_mlir.hint(x, {"rows": 4})`
asks for a tiling of the operation that produced `x`.
"""

SUPPORTED_TORCH = "2.12"

try:
    import torch
except ImportError as error:
    raise ImportError(
        f"spyre_mlir reads the loops of PyTorch {SUPPORTED_TORCH}, and PyTorch is not installed: "
        f"run pip install 'torch=={SUPPORTED_TORCH}.*'"
    ) from error


def check_torch_version(found: str) -> None:
    """Refuse every PyTorch release except the one whose private classes this package knows."""
    if not found.startswith(SUPPORTED_TORCH + "."):
        raise RuntimeError(
            f"spyre_mlir supports PyTorch {SUPPORTED_TORCH}.x and found {found}: Inductor's private classes "
            f"differ between releases, so run pip install 'torch=={SUPPORTED_TORCH}.*' "
            "or use the release of spyre_mlir that was made for your PyTorch"
        )


check_torch_version(torch.__version__)

from .inductor import capture, hint, install  # noqa: E402  (the version is checked first)

__all__ = ["SUPPORTED_TORCH", "capture", "check_torch_version", "hint", "install"]
