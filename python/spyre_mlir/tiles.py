"""Checks of the arguments of `spyre_mlir.hint`, in numbers and names alone: no framework is imported.

A tile is requested by its size, in elements, or by the number of tiles. Both are integers by the name of a dimension, so the
argument distinguishes them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def check_mappings(tiles: object, size: Mapping[str, int] | None, count: Mapping[str, int] | None) -> None:
    """Refuses a mapping without `size` or `count` and other types, with TypeError, and numbers that are none of tiles, with
    ValueError."""
    if tiles is not None and not isinstance(tiles, Mapping):
        raise TypeError(
            f"hint: {tiles!r} names no dimension: write size={{'rows': 4}} for tiles of 4 rows, or count={{'rows': 4}} for 4 tiles"
        )
    if tiles is not None:
        raise TypeError(
            f"hint: {tiles!r} has neither the size of tiles nor their number: write size={tiles!r} for tiles of so many "
            f"elements, or count={tiles!r} for so many tiles"
        )
    for argument, mapping in (("size", size), ("count", count)):
        check_mapping(argument, mapping)
    if not size and not count:
        raise TypeError("hint: give size={name: elements in a tile}, count={name: number of tiles}, or both")
    for name, number in (*(size or {}).items(), *(count or {}).items()):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise ValueError(f"hint: {name}={number!r} is no size and no number of tiles, which are integers from 1 on")
    twice = [name for name in size or {} if name in (count or {})]
    if twice:
        raise ValueError(f"hint: {twice[0]} has a size and a count; give one of them")


def check_mapping(argument: str, mapping: object) -> None:
    """Refuses an argument that is no mapping from names of dimensions, with TypeError."""
    if mapping is None:
        return
    if not isinstance(mapping, Mapping):
        raise TypeError(
            f"hint: {argument}={mapping!r} names no dimension: write {argument}={{'rows': 4}}, numbers by the names of dimensions"
        )
    for name in mapping:
        if not isinstance(name, str):
            raise TypeError(f"hint: {name!r} in {argument} is no name: write {argument}={{'rows': 4}}, with names as texts")


def check_names(dims: object) -> None:
    """Refuses an argument `dims` that is no list of names, with TypeError."""
    if isinstance(dims, str):
        raise TypeError(f"hint: dims={dims!r} is one text: write dims=({dims!r},), a name for each dimension in order")
    if dims is None:
        return
    if not isinstance(dims, (list, tuple)) or not all(isinstance(name, str) for name in dims):
        raise TypeError(f"hint: dims={dims!r} is no list of names: write dims=('rows', 'columns'), a name for each dimension")


def check_dimensions(names: Sequence[str], tiled: Sequence[str], rank: int, complete: bool) -> None:
    """Refuses names that do not fit a tensor of this rank, with ValueError; `complete`: they are all of its names."""
    if len(names) > rank or (complete and len(names) != rank):
        raise ValueError(f"hint: the names {tuple(names)} do not fit a tensor with {rank} dimensions")
    for name in tiled:
        if name not in names:
            raise ValueError(f"hint: {name} is not one of the dimensions {tuple(names)}")


def check_count(name: str, count: int, extent: int) -> None:
    """Refuses a number of tiles that does not divide the extent, with ValueError: tiles of a count are of one size."""
    if extent % count != 0:
        raise ValueError(
            f"hint: {count} tiles do not divide the {extent} elements of {name}: give a count that divides them, or "
            f"size={{{name!r}: {-(-extent // count)}}}, whose last tile may be smaller"
        )
