"""Programs before compilation, from a file or from a front end.

A program is a source, names of its inputs, and the values of inputs that the front end knows, such as the weights of
a model. All of it is bytes and arrays, so a program can be pickled and compiled in another process.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .options import Options
from .output_files import write_file
from .sources import Source, argument_names

if TYPE_CHECKING:
    from .bundle import Bundle
    from .explanation import Explanation


@dataclasses.dataclass(frozen=True)
class Input:
    """An input of a program."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    """The element type, as in MLIR."""

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclasses.dataclass(frozen=True)
class Extent:
    """The value of an input that is an extent of another one, as graphs of PyTorch with symbolic sizes have them."""

    input: int
    """The position of the other input, among all of the program."""
    dimension: int


class Program:
    """A program: from `spyre_mlir.from_torch`, `from_jax`, `from_onnx`, `from_tflite`, `from_tinygrad` or
    `read_program`.

    >>> program = spyre_mlir.read_program("func.func @twice(%x: tensor<2xi32>) -> tensor<2xi32> {\\n"
    ...     "  %0 = spyre.add %x, %x : tensor<2xi32>\\n  return %0 : tensor<2xi32>\\n}", name="twice.mlir")
    >>> program.run(numpy.array([20, 21], numpy.int32))
    (array([40, 42], dtype=int32),)
    """

    def __init__(
        self,
        source: Source,
        *,
        names: Sequence[str | None] = (),
        values: Mapping[int, Any] | None = None,
        arguments: Sequence[int | None] | None = None,
        options: Options | None = None,
        front_end: str = "mlir",
        name: str | None = None,
    ) -> None:
        self._source = source
        self._name = name or source.name
        self._names = list(names)
        self.values: dict[int, Any] = dict(values or {})
        """Values of inputs by position: arrays that the front end knows, or an `Extent`. These inputs are not passed
        to `run`."""
        self.arguments = list(arguments) if arguments is not None else None
        """The input of each array that `run` takes, None for an array that the program does not read; None: inputs in
        order."""
        self._options = options or Options()
        self.front_end = front_end
        """`mlir`, `torch`, `jax`, `onnx`, `tflite` or `tinygrad`."""
        self._bundles: dict[Options, Bundle] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_bundles": {}}  # compiled code stays in its process

    @property
    def bytes(self) -> Source:
        """The source as bytes with a name."""
        return self._source

    @property
    def source(self) -> str:
        """The text: MLIR, or the JSON of a graph. Bytecode is printed as text."""
        text = self._source.text
        if text is None:
            from .native import transform

            text = transform(self._source, "builtin.module()")
        return text

    @property
    def name(self) -> str:
        """The name of the program; places in messages have the name of the source."""
        return self._name

    @property
    def options(self) -> Options:
        """The options of `compile` where none are given."""
        return self._options

    @property
    def saved_names(self) -> list[str | None]:
        """The names of all inputs that the front end has given; empty if it gave none."""
        return list(self._names)

    @property
    def inputs(self) -> tuple[Input, ...]:
        """The inputs that `run` takes. The types are known after a compilation, so this compiles the program."""
        return self.compile().inputs

    def input_names(self, entry: str | None, count: int) -> list[str]:
        """Returns a name for each of `count` inputs: of the front end, of the text, or its position."""
        names = self._names or argument_names(self._source, entry)
        if len(names) != count:
            names = [None] * count
        return [name or f"argument {position}" for position, name in enumerate(names)]

    def with_inputs(self, count: int) -> Program:
        """Returns the program as one of `count` inputs: without extents and other numbers, if a compilation has fixed
        them."""
        kept = [
            position
            for position in range(len(self._names))
            if not isinstance(self.values.get(position), (Extent, int, float))
        ]
        if count == len(self._names) or count != len(kept):
            return self
        new = {position: number for number, position in enumerate(kept)}
        return Program(
            self._source,
            names=[self._names[position] for position in kept],
            values={new[position]: value for position, value in self.values.items() if position in new},
            arguments=None if self.arguments is None else [_lookup(new, position) for position in self.arguments],
            options=self._options,
            front_end=self.front_end,
            name=self._name,
        )

    def compile(
        self,
        *,
        entry: str | None = None,
        floats: str | None = None,
        card: bool = True,
        sizes: Mapping[str, int] | None = None,
        shapes: Sequence[Sequence[int]] = (),
        progress: bool | None = None,
    ) -> Bundle:
        """Compiles the program, once for the same options. The arguments are those of `spyre_mlir.compile`."""
        from .bundle import Bundle

        options = Options.of(
            entry if entry is not None else self._options.entry,
            floats if floats is not None else self._options.floats,
            card and self._options.card,
            sizes if sizes is not None else dict(self._options.sizes),
            shapes or self._options.shapes,
        )
        if options not in self._bundles:
            self._bundles[options] = Bundle(self, options, progress)
        return self._bundles[options]

    def run(self, *arrays: object) -> tuple[Any, ...]:
        """Compiles the program with its options and runs it. Lists, tuples and dictionaries of arrays are taken
        apart."""
        return self.compile().run(*arrays)

    def __call__(self, *arrays: object) -> Any:
        """Runs the program; returns the result, or a tuple of several."""
        return self.compile()(*arrays)

    def explain(self) -> Explanation:
        """Returns the division between card and host, with the reasons."""
        return self.compile().explain()

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the source to a file and returns its path. Without a suffix, the path gets the suffix of the
        source."""
        target = Path(path)
        if not target.suffix:
            target = target.with_suffix(self._source.suffix)
        write_file(target, self._source.data)
        return target

    def __repr__(self) -> str:
        return f"<spyre_mlir.Program {self.name!r} of {self.front_end}, {len(self._source.data):,} bytes>"


def _lookup(table: Mapping[int, int], position: int | None) -> int | None:
    return None if position is None else table.get(position)


def leaves(arrays: Sequence[object]) -> Iterator[object]:
    """Yields the arrays of nested lists, tuples and dictionaries, in the order of `jax.tree.leaves`.

    >>> list(leaves([{"b": 2, "a": 1}, (3, [4])]))
    [1, 2, 3, 4]
    """
    for array in arrays:
        if isinstance(array, dict):
            table: dict[Any, Any] = array  # pyright: ignore[reportUnknownVariableType]
            yield from leaves([table[key] for key in sorted(table)])
        elif isinstance(array, (list, tuple)):
            yield from leaves(array)  # pyright: ignore[reportUnknownArgumentType]
        elif array is not None:  # JAX has no leaf for None
            yield array
