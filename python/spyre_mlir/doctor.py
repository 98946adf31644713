"""The packages and tools on this computer next to the versions that this package reads, with the line to type for
each gap."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import platform
import shutil
import sys
from pathlib import Path
from typing import Any

from .convert.versions import TESTED, install_line
from .front_ends import PACKAGES
from .native import native_module
from .versions import TINYGRAD, TORCH, Supported

OLDEST_PYTHON = (3, 11)
_READ = {supported.package: supported for supported in (TORCH, TINYGRAD)}
_TOOLS = {
    "spyre-opt": "passes on files", "spyre-translate": "bundles and plans of files", "spyre-run": "running files",
    "spyre-lsp-server": "an editor",
}  # fmt: skip
"""Tools of a checkout, which the wheel does not have: the command `spyre` does the same."""

_OPTIONAL = {
    "ml_dtypes": "arrays of bf16 and of 8-bit floats", "distributed": "spyre run-suite --scheduler",
    "onnxruntime": "spyre run --compare onnxruntime",
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Finding:
    """A package or a tool."""

    name: str
    version: str | None
    """The version, `yes` for a tool, or None if it is missing."""
    state: str
    """`good`, `untested`, `wrong` or `missing`."""
    expected: str
    """The versions that this package reads, or the purpose of an optional part."""
    fix: str = ""
    """The line to type."""
    required: bool = False

    def to_json(self) -> dict[str, Any]:
        """Returns the fields as JSON has them."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        text = f"{self.state:<8}  {self.name:<18}  {self.version or '-':<14}  {self.expected}"
        return f"{text}; run {self.fix}" if self.fix else text


def findings() -> list[Finding]:
    """Returns a finding for Python, the native module, each package of a front end, each optional package, and each
    tool: in a checkout, and otherwise those on the PATH."""
    found = [_python(), _native()]
    extras = dict[str, str]()
    for extra, packages in PACKAGES.items():
        for package in packages:
            extras.setdefault(package, extra)
    found += [_package(package, extra) for package, extra in extras.items()]
    found += [
        Finding(name, version, "good" if version else "missing", purpose, "" if version else f"pip install {name}")
        for name, purpose in _OPTIONAL.items()
        for version in [_version(name)]
    ]
    for tool, purpose in _TOOLS.items():
        place = shutil.which(tool)
        if place is None and not _is_checkout():
            continue
        fix = "" if place else f"cargo build --release -p {tool} in a checkout, and put target/release on the PATH"
        found.append(Finding(tool, "on the PATH" if place else None, "good" if place else "missing", purpose, fix))
    return found


def _is_checkout() -> bool:
    """Returns whether this package is in a checkout, where the tools can be built."""
    return (Path(__file__).resolve().parents[2] / "Cargo.toml").is_file()


def _python() -> Finding:
    good = sys.version_info[:2] >= OLDEST_PYTHON
    oldest = ".".join(map(str, OLDEST_PYTHON))
    fix = "" if good else f"this package with Python {oldest} or later"
    return Finding("python", platform.python_version(), "good" if good else "wrong", f"{oldest} or later", fix, True)


def _native() -> Finding:
    try:
        native = native_module()
    except ImportError:
        return Finding("spyre_mlir._native", None, "missing", "the compiler", "pip install spyre-mlir", True)
    return Finding("spyre_mlir._native", native.VERSION, "good", "the compiler", "", True)


def _package(package: str, extra: str) -> Finding:
    version, read, tested = _version(package), _READ.get(package), TESTED.get(package)
    expected = read.releases if read is not None else f"{tested}, tested"
    if version is None:
        return Finding(package, None, "missing", expected, install_line(extra))
    if read is not None:
        good = _reads(read, version)
        return Finding(
            package,
            version,
            "good" if good else "wrong",
            expected,
            "" if good else f"pip install '{read.requirement}'",
        )
    if version == tested:
        return Finding(package, version, "good", expected)
    return Finding(package, version, "untested", expected, f"pip install '{package}=={tested}', or compare results")


def _reads(supported: Supported, version: str) -> bool:
    try:
        supported.check(version)
    except RuntimeError:
        return False
    return True


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
