"""Tensor types and small pieces of StableHLO, as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor type of static extents."""

    shape: tuple[int, ...]
    element: str
    """The element type as MLIR writes it: `f32`, `ui8`, `i1`."""

    def __str__(self) -> str:
        return "tensor<" + "".join(f"{extent}x" for extent in self.shape) + self.element + ">"

    def with_shape(self, shape: Iterable[int]) -> Tensor:
        """Return the type with the same elements in another shape."""
        return Tensor(tuple(shape), self.element)

    def with_element(self, element: str) -> Tensor:
        """Return the type of the same shape with other elements."""
        return Tensor(self.shape, element)

    @property
    def zero(self) -> str:
        """Return the literal of a zero of the element type."""
        if self.element == "i1":
            return "false"
        return "0.0" if self.element.startswith(("f", "bf", "tf")) else "0"


class Body:
    """The lines of a function.  Each method appends an operation and returns the name of its result."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def value(self, operation: str) -> str:
        """Append an operation that has one result."""
        name = f"%v{self._count}"
        self._count += 1
        self.lines.append(f"{name} = {operation}")
        return name

    def constant(self, literal: str, type: Tensor) -> str:
        """Append a tensor of equal elements."""
        return self.value(f"stablehlo.constant dense<{literal}> : {type}")

    def reshape(self, value: str, source: Tensor, target: Tensor) -> str:
        """Append a reshape, unless the types are equal."""
        if source == target:
            return value
        return self.value(f"stablehlo.reshape {value} : ({source}) -> {target}")

    def transpose(self, value: str, source: Tensor, order: Sequence[int]) -> tuple[str, Tensor]:
        """Append a permutation of dimensions, unless it is the identity."""
        if list(order) == list(range(len(source.shape))):
            return value, source
        target = source.with_shape(source.shape[dim] for dim in order)
        return self.value(f"stablehlo.transpose {value}, dims = {list(order)} : ({source}) -> {target}"), target

    def slice(self, value: str, source: Tensor, ranges: Sequence[tuple[int, int]]) -> tuple[str, Tensor]:
        """Append a slice with steps of one; `ranges` has the first element and the one after the last of each dimension."""
        target = source.with_shape(last - first for first, last in ranges)
        text = ", ".join(f"{first}:{last}" for first, last in ranges)
        return self.value(f"stablehlo.slice {value} [{text}] : ({source}) -> {target}"), target

    def concatenate(self, values: Sequence[str], types: Sequence[Tensor], dimension: int) -> tuple[str, Tensor]:
        """Append a concatenation, unless there is one operand."""
        if len(values) == 1:
            return values[0], types[0]
        extent = sum(type.shape[dimension] for type in types)
        target = types[0].with_shape((*types[0].shape[:dimension], extent, *types[0].shape[dimension + 1 :]))
        text = ", ".join(map(str, types))
        return self.value(f"stablehlo.concatenate {', '.join(values)}, dim = {dimension} : ({text}) -> {target}"), target

    def map(self, operands: Sequence[str], types: Sequence[Tensor], scalar: Region, result: Tensor) -> list[str]:
        """Append the function of scalars on each element of the operands, one operation for each of its results."""
        names = []
        for index in range(len(scalar.results)):
            dimensions = list(range(len(result.shape)))
            element = scalar.results[index]
            target = result.with_element(element)
            self.lines.append(f"%m{self._count} = \"stablehlo.map\"({', '.join(operands)}) <{{dimensions = array<i64"
                              + (f": {', '.join(map(str, dimensions))}" if dimensions else "") + ">}> ({")  # fmt: skip
            self.lines.append(scalar.header)
            self.lines.extend(scalar.operations)
            self.lines.append(f'"stablehlo.return"({scalar.returned[index]}) : (tensor<{element}>) -> ()')
            self.lines.append(f"}}) : ({', '.join(map(str, types))}) -> {target}")
            names.append(f"%m{self._count}")
            self._count += 1
        return names


@dataclasses.dataclass(frozen=True)
class Region:
    """A function of scalars, as the region of a sort or of a scatter has it.

    Names of values in it come from MLIR's printer (`%arg0`, `%3`), so they differ from the names of a `Body`.
    """

    header: str
    """The label of the block with its arguments: `^bb0(%arg0: tensor<f32>, ...):`."""
    operations: tuple[str, ...]
    """All operations but the last, in the generic form."""
    returned: tuple[str, ...]
    """The names of the returned values."""
    results: tuple[str, ...]
    """The element types of the returned values."""


def function_text(name: str, arguments: Sequence[tuple[str, Tensor]], body: Body, results: Sequence[tuple[str, Tensor]]) -> str:
    """Return the text of a private function."""
    parameters = ", ".join(f"{value}: {type}" for value, type in arguments)
    types = ", ".join(str(type) for _, type in results)
    lines = [f"func.func private @{name}({parameters}) -> ({types}) {{"]
    lines += [f"  {line}" for line in body.lines]
    lines += [f"  return {', '.join(value for value, _ in results)} : {types}", "}"]
    return "\n".join(lines) + "\n"
