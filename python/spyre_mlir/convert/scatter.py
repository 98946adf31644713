"""Scatters as loops over their updates.

IREE's scatter neither takes all forms of `stablehlo.scatter` nor checks offsets.  StableHLO leaves out an update with a window
that is not wholly inside of the tensor, and JAX relies on it: `x.at[i].set(v)` has no effect for an `i` out of range.  Here, a
scatter is a loop, as XLA's ScatterExpander builds it: each iteration reads a window, combines it with its update, and writes it
back if it was inside.  Updates are applied in order, so sums of floats are the same as in XLA on a CPU.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from .tensors import Body, Region, Tensor, function_text


@dataclasses.dataclass(frozen=True)
class ScatterDimensions:
    """The dimension numbers of `stablehlo.scatter`, with the names of its specification."""

    update_window_dims: tuple[int, ...]
    inserted_window_dims: tuple[int, ...]
    input_batching_dims: tuple[int, ...]
    scatter_indices_batching_dims: tuple[int, ...]
    scatter_dims_to_operand_dims: tuple[int, ...]
    index_vector_dim: int


def window_shape(rank: int, updates: Sequence[int], numbers: ScatterDimensions) -> tuple[int, ...]:
    """Return the extents of the window of one update in the dimensions of the operand."""
    extents = iter(updates[dim] for dim in numbers.update_window_dims)
    single = {*numbers.inserted_window_dims, *numbers.input_batching_dims}
    return tuple(1 if dim in single else next(extents) for dim in range(rank))


def offset_dims(numbers: ScatterDimensions) -> tuple[int, ...]:
    """Return the dimensions of the operand in which windows have offsets; in the others they begin at 0."""
    return (*numbers.scatter_dims_to_operand_dims, *numbers.input_batching_dims)


def scatter_function(
    name: str,
    operands: Sequence[Tensor],
    indices: Tensor,
    updates: Sequence[Tensor],
    numbers: ScatterDimensions,
    combiner: Region,
) -> str:
    """Return the text of a function of the operands, the indices and the updates of a scatter, with its results.

    The combiner has the elements of the windows as its first arguments, followed by the elements of the updates.
    """
    body = Body()
    count = len(operands)
    arguments = [
        *((f"%x{number}", type) for number, type in enumerate(operands)),
        ("%indices", indices),
        *((f"%u{number}", type) for number, type in enumerate(updates)),
    ]
    window = window_shape(len(operands[0].shape), updates[0].shape, numbers)
    offsets, offsets_type = _offsets(body, indices, numbers)
    rows = [_rows(body, f"%u{number}", type, window, numbers) for number, type in enumerate(updates)]

    scalar = Tensor((), "i32")
    total = offsets_type.shape[0]
    zero, one, end = (body.constant(text, scalar) for text in ("0", "1", str(total)))
    carried = [scalar, *operands]
    names = ["%i", *(f"%a{number}" for number in range(count))]
    starts = [zero, *(f"%x{number}" for number in range(count))]
    types = ", ".join(map(str, carried))
    pairs = ", ".join(f"{inner} = {start}" for inner, start in zip(names, starts))
    truth = scalar.with_element("i1")
    body.lines.append(f"%loop:{count + 1} = stablehlo.while({pairs}) : {types}")
    body.lines.append("cond {")
    more = body.value(f"stablehlo.compare LT, %i, {end}, SIGNED : ({scalar}, {scalar}) -> {truth}")
    body.lines.append(f"stablehlo.return {more} : {truth}")
    body.lines.append("} do {")
    windows = [type.with_shape(window) for type in operands]
    results = _iteration(body, names, carried, offsets, offsets_type, offset_dims(numbers), rows, windows, combiner)
    following = body.value(f"stablehlo.add %i, {one} : {scalar}")
    body.lines.append(f"stablehlo.return {', '.join([following, *results])} : {types}")
    body.lines.append("}")
    return function_text(name, arguments, body, [(f"%loop#{number + 1}", type) for number, type in enumerate(operands)])


def _offsets(body: Body, indices: Tensor, numbers: ScatterDimensions) -> tuple[str, Tensor]:
    """Append the matrix of offsets, of `i32`: a row for each update, and a column for each of `offset_dims`."""
    value, type = "%indices", indices
    if indices.element != "i32":
        type = indices.with_element("i32")
        value = body.value(f"stablehlo.convert {value} : ({indices}) -> {type}")
    rank = len(indices.shape)
    if numbers.index_vector_dim == rank:
        target = type.with_shape((*type.shape, 1))
        value, type = body.reshape(value, type, target), target
    order = [dim for dim in range(len(type.shape)) if dim != numbers.index_vector_dim]
    value, type = body.transpose(value, type, [*order, numbers.index_vector_dim])
    batch, depth = type.shape[:-1], type.shape[-1]
    total = 1
    for extent in batch:
        total *= extent
    matrix = type.with_shape((total, depth))
    value = body.reshape(value, type, matrix)
    column = matrix.with_shape((total, 1))
    columns = [body.slice(value, matrix, [(0, total), (place, place + 1)])[0] for place in range(depth)]
    for dim in numbers.scatter_indices_batching_dims:
        grid = matrix.with_shape(batch)
        position = body.value(f"stablehlo.iota dim = {order.index(dim)} : {grid}")
        columns.append(body.reshape(position, grid, column))
    return body.concatenate(columns, [column] * len(columns), 1)


def _rows(body: Body, value: str, type: Tensor, window: Sequence[int], numbers: ScatterDimensions) -> tuple[str, Tensor]:
    """Append the updates as one tensor of windows, in the order of the rows of offsets."""
    batch = [dim for dim in range(len(type.shape)) if dim not in numbers.update_window_dims]
    value, transposed = body.transpose(value, type, [*batch, *numbers.update_window_dims])
    total = 1
    for dim in batch:
        total *= type.shape[dim]
    target = type.with_shape((total, *window))
    return body.reshape(value, transposed, target), target


def _iteration(
    body: Body,
    names: Sequence[str],
    carried: Sequence[Tensor],
    offsets: str,
    offsets_type: Tensor,
    dims: Sequence[int],
    rows: Sequence[tuple[str, Tensor]],
    windows: Sequence[Tensor],
    combiner: Region,
) -> list[str]:
    """Append the body of the loop, and return the new tensors."""
    counter, *tensors = names
    scalar, *operands = carried
    rank = len(operands[0].shape)
    zero = body.constant("0", scalar)
    row = offsets_type.with_shape((1, len(dims)))
    own = body.value(
        f"stablehlo.dynamic_slice {offsets}, {counter}, {zero}, sizes = [1, {len(dims)}] : "
        f"({offsets_type}, {scalar}, {scalar}) -> {row}"
    )
    starts = [zero] * rank
    inside = None
    truth = scalar.with_element("i1")
    for column, dim in enumerate(dims):
        part, part_type = body.slice(own, row, [(0, 1), (column, column + 1)])
        starts[dim] = start = body.reshape(part, part_type, scalar)
        last = body.constant(str(operands[0].shape[dim] - windows[0].shape[dim]), scalar)
        for direction, bound in (("GE", zero), ("LE", last)):
            holds = body.value(f"stablehlo.compare {direction}, {start}, {bound}, SIGNED : ({scalar}, {scalar}) -> {truth}")
            inside = holds if inside is None else body.value(f"stablehlo.and {inside}, {holds} : {truth}")
    place = ", ".join(starts)
    scalars = ", ".join([str(scalar)] * rank)
    current, update = [], []
    for tensor, type, window, (value, rows_type) in zip(tensors, operands, windows, rows):
        sizes = ", ".join(map(str, window.shape))
        separator = ", " if rank else ""
        current.append(
            body.value(
                f"stablehlo.dynamic_slice {tensor}{separator}{place}, sizes = [{sizes}] : "
                f"({type}{separator}{scalars}) -> {window}"
            )
        )
        one_row = rows_type.with_shape((1, *window.shape))
        sizes = ", ".join(map(str, one_row.shape))
        first = ", ".join([counter, *[zero] * rank])
        part = body.value(
            f"stablehlo.dynamic_slice {value}, {first}, sizes = [{sizes}] : "
            f"({rows_type}, {', '.join([str(scalar)] * (rank + 1))}) -> {one_row}"
        )
        update.append(body.reshape(part, one_row, window))
    combined = body.map([*current, *update], [*windows, *windows], combiner, windows[0])
    results = []
    for tensor, type, window, old, new in zip(tensors, operands, windows, current, combined):
        if inside is not None:
            new = body.value(f"stablehlo.select {inside}, {new}, {old} : {truth}, {window}")
        separator = ", " if rank else ""
        results.append(
            body.value(
                f"stablehlo.dynamic_update_slice {tensor}, {new}{separator}{place} : "
                f"({type}, {window}{separator}{scalars}) -> {type}"
            )
        )
    return results
