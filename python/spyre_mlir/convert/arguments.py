"""Types of arguments, as a user writes them on the command line."""

from __future__ import annotations

import dataclasses
import re

from .errors import ConvertError

_LONG = {
    "bool": "i1", "int4": "i4", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint4": "u4", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2",
}  # fmt: skip
_SHORT = {short: long for long, short in _LONG.items()}
_MLIR = {"ui4": "u4", "ui8": "u8", "ui16": "u16", "ui32": "u32", "ui64": "u64", "pred": "i1"}


@dataclasses.dataclass(frozen=True)
class Argument:
    """The type of an argument."""

    shape: tuple[int, ...]
    dtype: str
    """The name that NumPy and JAX have for the element type: `float16`, `uint8`."""


def parse_argument(text: str) -> Argument:
    """Return the type that is written as JAX prints it, `f16[96,384]`, or as MLIR does, `96x384xf16`.

    Raises `ConvertError` for anything else.
    """
    jax = re.fullmatch(r"\s*(\w+)\[([\d\s,]*)\]\s*", text)
    mlir = re.fullmatch(r"\s*(?:tensor<)?((?:\d+x)*)([a-z]\w*)>?\s*", text)
    if jax is not None:
        element, extents = jax[1], [extent for extent in jax[2].split(",") if extent.strip()]
    elif mlir is not None:
        element, extents = mlir[2], mlir[1].split("x")[:-1]
    else:
        raise ConvertError(f"'{text}' is no type of an argument: write 'f16[96,384]' or '96x384xf16'")
    element = _MLIR.get(element, element)
    dtype = element if element in _LONG else _SHORT.get(element)
    if dtype is None:
        raise ConvertError(f"'{text}' has the element type '{element}', which is none of {', '.join(sorted(_SHORT))}")
    return Argument(tuple(map(int, extents)), dtype)


def parse_extent(text: str) -> tuple[str, int]:
    """Return the name and the extent of `batch=1`.  Raises `ConvertError` for anything else."""
    name, equals, extent = text.rpartition("=")
    if not name or not equals or not extent.isdigit() or int(extent) == 0:
        raise ConvertError(f"'{text}' is no extent of a dimension: write NAME=EXTENT, as batch=1")
    return name, int(extent)


def parse_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """Return the name and the shape of `images=1x3x224x224`.  Raises `ConvertError` for anything else."""
    name, equals, shape = text.rpartition("=")
    if not name or not equals or not re.fullmatch(r"(\d+x)*\d+|", shape):
        raise ConvertError(f"'{text}' is no shape of an input: write NAME=SHAPE, as images=1x3x224x224")
    return name, tuple(map(int, filter(None, shape.split("x"))))


def parse_value(text: str) -> tuple[str, tuple[float, ...]]:
    """Return the name and the numbers of `rate=16000` or `sizes=1,224`.  Raises `ConvertError` for anything else."""
    name, equals, numbers = text.rpartition("=")
    try:
        values = tuple(float(number) if re.search(r"[.eEn]", number) else int(number) for number in numbers.split(","))
    except ValueError:
        values = ()
    if not name or not equals or not values:
        raise ConvertError(f"'{text}' is no value of an input: write NAME=NUMBERS, as rate=16000 or sizes=1,224")
    return name, values
