"""Sorts as networks of comparisons.

No structured operation sorts, and IREE lowers `stablehlo.sort` to an operation of its dialect.  Here, a sort is Batcher's bitonic
network ("Sorting networks and their applications", 1968): for n = 2^k elements k (k + 1) / 2 stages, each of which compares
half of the elements with the other half and exchanges them.  A stage consists of elementwise operations and reshapes.

The network is not stable, so the position of each element is sorted along and decides between equal ones.  Other extents than
powers of two are padded; the positions of the padding are the largest, and it goes to the end with any comparator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .tensors import Body, Region, Tensor, function_text


@dataclasses.dataclass(frozen=True)
class Stage:
    """A stage of the network: element `i` is compared with `i + distance`, for each `i` in which the bit of `distance` is 0."""

    distance: int
    run: int
    """Where the bit of `run` in `i` is 1, the order is descending."""


def network_stages(extent: int) -> list[Stage]:
    """Return the stages of the bitonic network for a power of two."""
    stages = []
    run = 2
    while run <= extent:
        distance = run // 2
        while distance:
            stages.append(Stage(distance, run))
            distance //= 2
        run *= 2
    return stages


def padded_extent(extent: int) -> int:
    """Return the smallest power of two that is not less than the extent."""
    return 1 << max(extent - 1, 0).bit_length()


def sort_function(name: str, types: Sequence[Tensor], dimension: int, comparator: Region) -> str:
    """Return the text of a function that sorts its arguments together along a dimension.

    The comparator has two arguments for each tensor, and returns whether the first of each pair comes before the second.
    The sort is stable.
    """
    body = Body()
    arguments = [(f"%x{index}", type) for index, type in enumerate(types)]
    extent = types[0].shape[dimension]
    padded = padded_extent(extent)
    values = []
    wide = [type.with_shape(_replaced(type.shape, dimension, padded)) for type in types]
    for (value, type), target in zip(arguments, wide):
        values.append(value if extent == padded else _padding(body, value, type, target, dimension))
    position = Tensor(wide[0].shape, "i32")
    values.append(body.value(f"stablehlo.iota dim = {dimension} : {position}"))
    wide.append(position)
    for stage in network_stages(padded):
        values = _stage(body, values, wide, dimension, stage, extent, comparator)
    results = []
    for value, type, target in zip(values, wide, types):
        if type != target:
            value, _ = body.slice(value, type, [(0, size) for size in target.shape])
        results.append((value, target))
    return function_text(name, arguments, body, results)


def _replaced(shape: Sequence[int], dimension: int, *extents: int) -> tuple[int, ...]:
    return (*shape[:dimension], *extents, *shape[dimension + 1 :])


def _padding(body: Body, value: str, type: Tensor, target: Tensor, dimension: int) -> str:
    scalar = type.with_shape(())
    zero = body.constant(type.zero, scalar)
    rank = len(type.shape)
    none = [0] * rank
    high = list(_replaced(none, dimension, target.shape[dimension] - type.shape[dimension]))
    return body.value(
        f"stablehlo.pad {value}, {zero}, low = {none}, high = {high}, interior = {none} : ({type}, {scalar}) -> {target}"
    )


def _stage(
    body: Body, values: list[str], types: list[Tensor], dimension: int, stage: Stage, extent: int, comparator: Region
) -> list[str]:
    """Append a stage: halves of pairs at a distance, `before` for each pair, and a choice by it."""
    length = types[0].shape[dimension]
    pairs = length // (2 * stage.distance)
    split = [type.with_shape(_replaced(type.shape, dimension, pairs, 2, stage.distance)) for type in types]
    halves: list[list[str]] = [[], []]
    half_types = []
    for value, type, target in zip(values, types, split):
        value = body.reshape(value, type, target)
        ranges = [(0, size) for size in target.shape]
        for half in range(2):
            ranges[dimension + 1] = (half, half + 1)
            part, half_type = body.slice(value, target, ranges)
            halves[half].append(part)
        half_types.append(half_type)
    swap = _swap(body, halves, half_types, dimension, stage, length, extent, comparator)
    result = []
    truth = half_types[0].with_element("i1")
    for first, second, type, half_type, target in zip(*halves, types, half_types, split):
        pair = [
            body.value(f"stablehlo.select {swap}, {chosen}, {other} : {truth}, {half_type}")
            for chosen, other in ((second, first), (first, second))
        ]
        joined, _ = body.concatenate(pair, [half_type] * 2, dimension + 1)
        result.append(body.reshape(joined, target, type))
    return result


def _swap(
    body: Body,
    halves: list[list[str]],
    types: list[Tensor],
    dimension: int,
    stage: Stage,
    length: int,
    extent: int,
    comparator: Region,
) -> str:
    """Append whether the second element of each pair comes before the first, or after it in descending runs."""
    (*first, first_position), (*second, second_position) = halves
    *data, position = types
    truth = position.with_element("i1")

    def compared(left: list[str], right: list[str]) -> str:
        operands = [value for pair in zip(left, right) for value in pair]
        return body.map(operands, [type for type in data for _ in range(2)], comparator, truth)[0]

    signature = f"({position}, {position}) -> {truth}"
    second_is_less = compared(second, first)
    first_is_less = compared(first, second)
    earlier = body.value(f"stablehlo.compare LT, {second_position}, {first_position}, SIGNED : {signature}")
    # Of equal elements neither is less, or both are, as by the comparator >= of a sort of torch.
    decided = body.value(f"stablehlo.xor {second_is_less}, {first_is_less} : {truth}")
    swap = body.value(f"stablehlo.select {decided}, {second_is_less}, {earlier} : {truth}, {truth}")
    if extent < length:
        # Padding has positions from `extent` on; among pairs with one, positions alone decide.
        last = body.value(f"stablehlo.maximum {first_position}, {second_position} : {position}")
        bound = body.constant(str(extent), position)
        padding = body.value(f"stablehlo.compare GE, {last}, {bound}, SIGNED : {signature}")
        swap = body.value(f"stablehlo.select {padding}, {earlier}, {swap} : {truth}, {truth}")
    if stage.run < length:
        number = body.value(f"stablehlo.iota dim = {dimension} : {position}")
        bit = body.constant(str(stage.run // (2 * stage.distance)), position)
        masked = body.value(f"stablehlo.and {number}, {bit} : {position}")
        zero = body.constant("0", position)
        descending = body.value(f"stablehlo.compare NE, {masked}, {zero}, SIGNED : {signature}")
        swap = body.value(f"stablehlo.xor {swap}, {descending} : {truth}")
    return swap
