"""The options of the backend, as `torch.compile(..., backend="spyre", options={...})` has them.

This module imports no framework.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FLOATS = ("auto", "exact", "dl16")


@dataclasses.dataclass(frozen=True)
class Options:
    """Holds the options of one compilation."""

    floats: str = "auto"
    """How the card computes floats of 32 bits: `auto`, `exact` or `dl16`."""
    strict: bool = False
    """Whether an operator that stays in PyTorch is an error."""
    cache: Path | None = None
    """The directory of the cache; `None` for no cache."""

    @staticmethod
    def parse(options: Mapping[str, Any] | None) -> Options:
        """Returns the options of a mapping. Raises ValueError for an unknown name, and for a value of another kind."""
        given = dict(options or {})
        floats = given.pop("floats", "auto")
        strict = given.pop("strict", False)
        cache = given.pop("cache", True)
        if given:
            names = ", ".join(sorted(map(repr, given)))
            raise ValueError(f"the backend spyre has no option {names}: its options are 'floats', 'strict' and 'cache'")
        if floats not in FLOATS:
            raise ValueError(f"floats={floats!r} of the backend spyre: it is one of {', '.join(map(repr, FLOATS))}")
        if not isinstance(strict, bool):
            raise ValueError(f"strict={strict!r} of the backend spyre: it is True or False")
        if isinstance(cache, bool):
            directory = default_directory() if cache else None
        elif isinstance(cache, (str, os.PathLike)):
            directory = Path(os.fspath(cache))
        else:
            raise ValueError(f"cache={cache!r} of the backend spyre: it is True, False or a directory")
        return Options(floats, strict, directory)


def default_directory() -> Path:
    """Returns the directory of the cache: `$SPYRE_CACHE_DIR`, otherwise `spyre-mlir` in `$XDG_CACHE_HOME` or `~/.cache`."""
    if directory := os.environ.get("SPYRE_CACHE_DIR"):
        return Path(directory)
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "spyre-mlir"
