"""Bridge from PyTorch Inductor to spyre-mlir.

    import torch, spyre_mlir

    with spyre_mlir.capture() as graphs:
        torch.compile(f)(x)
    json.dump(graphs[0], file)          # one "inductor-loop-ir" object per compiled graph

`spyre_mlir.install()` at the top of a program writes the same objects to
`graph<i>.loopir.json` when the program ends.  `spyre_mlir.hint(x, {"rows": 4})`
asks for a tiling of the operation that produced `x`.
"""

SUPPORTED_TORCH = ("2.12", "2.15")

_VERSIONS = " or ".join(SUPPORTED_TORCH)
_INSTALL = f"pip install 'torch=={SUPPORTED_TORCH[-1]}.*'"

try:
    import torch
except ImportError as error:
    raise ImportError(
        f"spyre_mlir reads the loops of PyTorch {_VERSIONS}, and PyTorch is not installed: run {_INSTALL}"
    ) from error


def check_torch_version(found: str) -> None:
    """Refuse every PyTorch release but those whose private classes this package knows."""
    if not any(found.startswith(version + ".") for version in SUPPORTED_TORCH):
        raise RuntimeError(
            f"spyre_mlir supports PyTorch {_VERSIONS} and found {found}: Inductor's private classes "
            f"differ between releases, so run {_INSTALL} "
            "or use the release of spyre_mlir that was made for your PyTorch"
        )


check_torch_version(torch.__version__)

from .inductor import capture, hint, install  # noqa: E402  (the version is checked first)

__all__ = ["SUPPORTED_TORCH", "capture", "check_torch_version", "hint", "install"]
