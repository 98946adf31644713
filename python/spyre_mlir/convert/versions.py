"""Versions of the packages that conversions are tested with.

Importers and passes of front ends change without notice from release to release, and a changed one may give wrong numbers
instead of an error.  So the versions that the tests ran with are in one table, `TESTED`.  Others are not refused: a
warning names the tested version, and the user has to compare results of `spyre-run` with the results of the front end.
"""

from __future__ import annotations

import importlib.metadata
import warnings
from collections.abc import Callable

from .errors import ConvertError

TESTED = {
    "jax": "0.12.0.1",
    "jaxlib": "0.12.0.1",
    "iree-base-compiler": "3.13.0",
    "onnx": "1.23.2",
    "tensorflow": "2.21.0",
    "tf2onnx": "1.17.0",
}
"""The version of each package that conversions are tested with."""

REQUIRED = {
    "stablehlo": ("iree-base-compiler",),
    "jax": ("jax", "jaxlib", "iree-base-compiler"),
    "onnx": ("onnx", "iree-base-compiler"),
    "tflite": ("tensorflow", "tf2onnx", "onnx", "iree-base-compiler"),
}
"""The packages that each front end needs, by the names of the extras of `spyre-mlir`."""


class UntestedVersion(UserWarning):
    """A package has another version than conversions are tested with."""


def install_line(front_end: str) -> str:
    """Return the command that installs the packages of a front end."""
    return f"pip install 'spyre-mlir[{front_end}]'"


def check_packages(front_end: str, installed_version: Callable[[str], str] = importlib.metadata.version) -> None:
    """Check the packages of a front end.

    Raises `ConvertError` with the command to type when one is missing, and warns of versions that are not tested.
    """
    missing = []
    for package in REQUIRED[front_end]:
        try:
            version = installed_version(package)
        except importlib.metadata.PackageNotFoundError:
            missing.append(package)
            continue
        warn_untested(package, version)
    if missing:
        raise ConvertError(
            f"'convert {front_end}' needs {' and '.join(missing)}, not installed here: run {install_line(front_end)}"
        )


def warn_untested(package: str, version: str) -> None:
    """Warn when a package is of another version than the tested one."""
    tested = TESTED[package]
    if version != tested:
        warnings.warn(
            f"{package} {version} is not tested, {tested} is: compare results with those of the front end "
            "(spyre-run --input ... --expect ...)",
            UntestedVersion,
            stacklevel=2,
        )
