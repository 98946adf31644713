"""The arguments of a run: arrays of files, by order or by name, and random ones from a seed within ranges."""

from __future__ import annotations

import argparse
import itertools
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

    `--input FILE` are the arguments in order. `--input NAME=FILE`, `--value NAME=NUMBERS` and `--range NAME=LOW:HIGH`
    are about single inputs, and the others are random, from `--random-seed`. Raises `ValueError` where an input has no
    array, and where two options give the same input.
    """
    known = {input.name: input for input in inputs}
    named, ordered = _files(arguments.input, known)
    for option, pairs in (("--value", arguments.value), ("--range", arguments.range)):
        for name, _ in pairs:
            _require_input(name, known, option)
    if ordered:
        return _ordered_arrays(ordered, named, arguments, inputs)
    values, ranges = dict(arguments.value), dict(arguments.range)
    _require_one_option({"--input": named, "--value": values, "--range": ranges})
    given = {name: read_array(path, known[name].dtype) for name, path in named.items()}
    given |= _values(values, known)
    seed = arguments.random_seed
    if seed is None and arguments.compare is not None:
        seed = 0
    if seed is None and len(given) < len(inputs):
        raise _missing_arguments(len(given), inputs)
    arrays = random_inputs(inputs, seed or 0)
    generator = np.random.default_rng(seed or 0)
    for name, bounds in ranges.items():
        given[name] = ranged_array(known[name], bounds, generator)
    return [given.get(input.name, array) for input, array in zip(inputs, arrays, strict=True)]


def _files(texts: Sequence[str], known: Mapping[str, Input]) -> tuple[dict[str, str], list[str]]:
    """Returns the files of `--input` by the name of their input, and those without a name in order."""
    named, ordered = dict[str, str](), list[str]()
    for text in texts:
        name, equals, path = text.partition("=")
        if equals and name in named:
            raise ValueError(f"--input {name}={named[name]} and --input {text} both give '{name}': use one of them")
        if equals and name in known:
            named[name] = path
        elif equals and "/" not in name:
            raise ValueError(f"{_unknown_input(name, known, '--input')}; write ./{text} for a file of this name")
        else:
            ordered.append(text)
    return named, ordered


def _ordered_arrays(
    ordered: Sequence[str], named: Mapping[str, str], arguments: argparse.Namespace, inputs: Sequence[Input]
) -> list[Any]:
    """Returns the arrays of files in the order of the inputs. Raises `ValueError` for any option about single inputs."""
    others = {
        "--input NAME=FILE": bool(named), "--value": bool(arguments.value), "--range": bool(arguments.range),
        "--random-seed": arguments.random_seed is not None,
    }  # fmt: skip
    for option, is_given in others.items():
        if is_given:
            raise ValueError(f"--input {ordered[0]} and {option} both give the arguments: use one of them")
    if len(ordered) != len(inputs):
        raise _missing_arguments(len(ordered), inputs)
    return [read_array(path, input.dtype) for path, input in zip(ordered, inputs, strict=True)]


def _missing_arguments(count: int, inputs: Sequence[Input]) -> ValueError:
    return ValueError(
        f"{count} arguments by --input, and the program takes {len(inputs)}: {', '.join(map(str, inputs))}; "
        "add --input FILE for each, or --random-seed N"
    )


def _require_one_option(names_of: Mapping[str, Mapping[str, Any]]) -> None:
    """Raises `ValueError` where two options give the same input."""
    for (first, names), (second, others) in itertools.combinations(names_of.items(), 2):
        for name in names:
            if name in others:
                raise ValueError(f"{first} and {second} both give '{name}': use one of them")


def ranged_array(input: Input, bounds: Range, generator: np.random.Generator) -> Any:
    """Returns a random array within bounds, uniformly distributed. Raises `ValueError` for a type without any."""
    element = element_type(input.dtype)
    low, high = bounds
    if element.numpy is None or element.name == "i1":
        raise ValueError(f"--range is for floats and integers of NumPy, not for {input}: give --input NAME=FILE")
    if element.name.startswith("f"):
        largest = float(np.finfo(element.numpy).max)
        if max(-low, high) > largest:
            raise ValueError(f"--range {input.name}={low:g}:{high:g} is no range of {element.name}: at most {largest:g}")
        return generator.uniform(low, high, input.shape).astype(element.numpy)
    limits = np.iinfo(element.numpy)
    if low != int(low) or high != int(high) or low < limits.min or high - 1 > limits.max or low >= high:
        raise ValueError(
            f"--range {input.name}={low:g}:{high:g} is no range of {element.name}: write two of its numbers, of which "
            "the second is not drawn"
        )
    drawn = np.uint64 if element.name == "ui64" else np.int64
    return np.asarray(generator.integers(int(low), int(high), input.shape, drawn)).astype(element.numpy)


def _values(values: Mapping[str, tuple[float, ...]], known: Mapping[str, Input]) -> dict[str, Any]:
    """Returns the arrays of the inputs that the program is converted for one value of."""
    # The conversion has checked the types and the counts of the numbers.
    return {
        name: np.array(numbers, element_type(known[name].dtype).numpy).reshape(known[name].shape)
        for name, numbers in values.items()
    }


def _require_input(name: str, known: Mapping[str, Input], option: str) -> None:
    if name not in known:
        raise ValueError(_unknown_input(name, known, option))


def _unknown_input(name: str, known: Mapping[str, Input], option: str) -> str:
    return f"{option}: no input is named '{name}': there are {', '.join(known) or 'none'}"


def read_array(path: str, dtype: str) -> Any:
    """Returns the array of a .npy file. For types that NumPy lacks, unsigned integers in the file are the bits."""
    array = np.load(path, allow_pickle=False)
    element = element_type(dtype)
    if element.numpy is None and array.dtype == np.dtype(element.bits):
        return Array(array, element.name)
    return array
