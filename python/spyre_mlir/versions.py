"""Versions of the frameworks with private classes that this package reads, and the check of the installed version.

Inductor's loops and tinygrad's graphs are private: a field that moves between two releases is read wrongly, and not always with
an error. So a bridge checks the version before it reads a graph. This module imports no framework, so that the messages are
the same whether one is installed or not.
"""

from __future__ import annotations

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Supported:
    """Holds the range of releases of a framework that a bridge reads, both ends included."""

    framework: str  # as its documentation writes it
    package: str  # its name for pip
    first: tuple[int, int]
    last: tuple[int, int]

    @property
    def requirement(self) -> str:
        """Returns the requirement of pip that has these releases and no others."""
        (low, below), (major, minor) = self.first, self.last
        return f"{self.package}>={low}.{below},<{major}.{minor + 1}"

    @property
    def releases(self) -> str:
        """Returns the range in words."""
        first, last = (".".join(map(str, release)) for release in (self.first, self.last))
        return first if first == last else f"{first} to {last}"

    def check(self, version: str) -> None:
        """Refuses a version outside of the range, with RuntimeError."""
        release = re.match(r"(\d+)\.(\d+)", version)
        if release is None or not self.first <= (int(release[1]), int(release[2])) <= self.last:
            raise RuntimeError(
                f"spyre_mlir reads {self.framework} {self.releases} and found {version}: the private classes that it reads "
                f"differ between releases, so run pip install '{self.requirement}' "
                f"or use the release of spyre_mlir that was made for your {self.framework}"
            )

    def missing(self) -> str:
        """Returns the message for a framework that is not installed."""
        return (
            f"spyre_mlir reads {self.framework} {self.releases}, and {self.framework} is not installed: "
            f"run pip install '{self.requirement}'"
        )


TORCH = Supported("PyTorch", "torch", (2, 12), (2, 15))
TINYGRAD = Supported("tinygrad", "tinygrad", (0, 14), (0, 14))
