"""The arguments of a run: arrays of files, by order or by name, and random ones from a seed within ranges."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import Array
from ..element_types import element_type
from ..many import random_inputs
from ..program import Input

Range = tuple[float, float]
"""The least and the largest number of a random input; integers are less than the largest."""


def input_arrays(arguments: argparse.Namespace, inputs: Sequence[Input]) -> list[Any]:
    """Returns the arrays for the inputs of a program.

    `--input FILE` are the arguments in order. `--input NAME=FILE` and `--value NAME=NUMBERS` are single inputs, and the
    others are random, from `--random-seed`. Raises `ValueError` where an input has no array.
    """
    known = {input.name: input for input in inputs}
    named, ordered = dict[str, str](), list[str]()
    for text in arguments.input:
        name, equals, path = text.partition("=")
        if equals and name in known:
            named[name] = path
        else:
            ordered.append(text)
    values = _values(arguments.value, known)
    seed = arguments.random_seed
    if seed is None and arguments.compare is not None and not ordered:
        seed = 0
    if ordered and (named or seed is not None):
        other = "--input NAME=FILE" if named else "--random-seed"
        raise ValueError(f"--input {ordered[0]} and {other} both give the arguments: use one of them")
    if ordered and len(ordered) == len(inputs):
        return [read_array(path, input.dtype) for path, input in zip(ordered, inputs, strict=True)]
    given = {**{name: read_array(path, known[name].dtype) for name, path in named.items()}, **values}
    if ordered or (seed is None and len(given) < len(inputs)):
        wanted = ", ".join(map(str, inputs))
        raise ValueError(
            f"{len(ordered) or len(given)} arguments by --input, and the program takes {len(inputs)}: {wanted}; "
            "add --input FILE for each, or --random-seed N"
        )
    arrays = random_inputs(inputs, seed or 0)
    generator = np.random.default_rng(seed or 0)
    for name, bounds in _ranges(arguments.range, known).items():
        given.setdefault(name, ranged_array(known[name], bounds, generator))
    return [given.get(input.name, array) for input, array in zip(inputs, arrays, strict=True)]


def ranged_array(input: Input, bounds: Range, generator: np.random.Generator) -> Any:
    """Returns a random array within bounds, uniformly distributed. Raises `ValueError` for a type without any."""
    element = element_type(input.dtype)
    low, high = bounds
    if element.numpy is None or element.name == "i1":
        raise ValueError(f"--range is for floats and integers of NumPy, not for {input}: give --input NAME=FILE")
    if element.name.startswith("f"):
        return generator.uniform(low, high, input.shape).astype(element.numpy)
    limits = np.iinfo(element.numpy)
    if low != int(low) or high != int(high) or low < limits.min or high - 1 > limits.max or low >= high:
        raise ValueError(
            f"--range {input.name}={low:g}:{high:g} is no range of {element.name}: write two of its numbers, of which "
            "the second is not drawn"
        )
    return np.asarray(generator.integers(int(low), int(high), input.shape)).astype(element.numpy)


def _ranges(ranges: Sequence[tuple[str, Range]], known: Mapping[str, Input]) -> dict[str, Range]:
    for name, _ in ranges:
        _require_input(name, known, "--range")
    return dict(ranges)


def _values(values: Sequence[tuple[str, tuple[float, ...]]], known: Mapping[str, Input]) -> dict[str, Any]:
    """Returns the arrays of the inputs that the program is converted for one value of."""
    arrays = dict[str, Any]()
    for name, numbers in values:
        _require_input(name, known, "--value")
        input = known[name]
        # The conversion has checked the type and the count of the numbers.
        arrays[name] = np.array(numbers, element_type(input.dtype).numpy).reshape(input.shape)
    return arrays


def _require_input(name: str, known: Mapping[str, Input], option: str) -> None:
    if name not in known:
        raise ValueError(f"{option}: no input is named '{name}': there are {', '.join(known) or 'none'}")


def read_array(path: str, dtype: str) -> Any:
    """Returns the array of a .npy file. For types that NumPy lacks, unsigned integers in the file are the bits."""
    array = np.load(path, allow_pickle=False)
    element = element_type(dtype)
    if element.numpy is None and array.dtype == np.dtype(element.bits):
        return Array(array, element.name)
    return array
