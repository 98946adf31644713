"""Options of a compilation, as a value that is compared, pickled and saved."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

FLOATS = ("auto", "exact", "dl16")
"""How the card computes floats of 32 bits: in 16 bits where operands and uses have 16 bits, as the program does, or
in 16 bits."""


@dataclasses.dataclass(frozen=True)
class Options:
    """The options of `spyre_mlir.compile`."""

    entry: str | None = None
    floats: str = "auto"
    card: bool = True
    sizes: tuple[tuple[str, int], ...] = ()
    shapes: tuple[tuple[int, ...], ...] = ()

    @staticmethod
    def of(
        entry: str | None, floats: str, card: bool, sizes: Mapping[str, int] | None, shapes: Sequence[Sequence[int]]
    ) -> Options:
        """Returns the options, and refuses values that no compilation has."""
        if floats not in FLOATS:
            raise ValueError(f"floats='{floats}': choose one of {', '.join(FLOATS)}")
        named = tuple(sorted((sizes or {}).items()))
        for name, extent in named:
            if extent < 1:
                raise ValueError(f"sizes: {name}={extent} is no extent: give a positive number")
        if isinstance(shapes, Mapping):  # as `sizes` is, and as from_onnx takes them
            raise TypeError("shapes has the shapes of all inputs in order, as [(256, 512)], and no names: pass a list")
        return Options(entry, floats, card, named, tuple(tuple(map(int, shape)) for shape in shapes))

    def to_json(self) -> dict[str, Any]:
        """Returns the options as JSON has them."""
        return {
            **dataclasses.asdict(self),
            "sizes": dict(self.sizes),
            "shapes": [list(shape) for shape in self.shapes],
        }

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Options:
        """Returns the options of `to_json`."""
        return Options.of(value["entry"], value["floats"], value["card"], value["sizes"], value["shapes"])
