"""Arrays in and out of programs: NumPy, DLPack and the buffer protocol, and `Array` for element types that NumPy lacks.

An argument is passed without a copy where it is contiguous in row-major order. It must have the shape and the element
type of the input: a conversion would hide a loss of precision, so the error has the line that converts.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .dlpack import CPU, DLPackProducer, bits_of, capsule_of
from .element_types import ElementType, element_type, element_type_of_dtype, type_text

Bytes = npt.NDArray[np.uint8]


class Array:
    """Elements of a type that NumPy lacks, as integers of the same bits.

    >>> x = Array(numpy.array([0x3F80, 0xC000], numpy.uint16), "bf16")
    >>> x
    Array([ 1., -2.], dtype=bf16)
    >>> x.view(numpy.uint16)
    array([16256, 49152], dtype=uint16)

    `torch.from_dlpack(x)` and other packages read it without a copy.
    """

    def __init__(self, bits: npt.NDArray[Any], dtype: str) -> None:
        element = element_type(dtype)
        if bits.dtype != np.dtype(element.bits):
            raise TypeError(
                f"the bits of {element.name} are {element.bits}, not {bits.dtype}: pass x.view('{element.bits}')"
            )
        self._bits = bits
        self._element = element

    @property
    def dtype(self) -> str:
        """The element type, as in MLIR."""
        return self._element.name

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents, in elements."""
        return self._bits.shape

    def view(self, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """Returns the same memory as another type of the same width: an unsigned integer, or a type of `ml_dtypes`."""
        return self._bits.view(dtype)

    def float32(self) -> npt.NDArray[np.float32]:
        """Returns the elements as floats of 32 bits, which hold each of them exactly."""
        if self._element.name == "bf16":
            return (self._bits.astype(np.uint32) << 16).view(np.float32)
        if self._element.name in ("f8E4M3FN", "f8E5M2"):
            return _values_of_f8(self._element.name)[self._bits]
        return self._bits.view(self._element.numpy or self._element.bits).astype(np.float32)

    def __dlpack__(self, **_: Any) -> Any:
        return capsule_of(self._bits, self._element)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CPU, 0)

    def __len__(self) -> int:
        return len(self._bits)

    def __repr__(self) -> str:
        elements = repr(self.float32()).partition("(")[2].rpartition(", dtype=")[0]
        return f"Array({elements}, dtype={self.dtype})"


@functools.cache
def _values_of_f8(name: str) -> npt.NDArray[np.float32]:
    """Returns the number of each byte."""
    bits = np.arange(256)
    if name == "f8E5M2":  # the upper half of an IEEE binary16
        return (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float32)
    sign, exponent, fraction = np.where(bits & 0x80, -1.0, 1.0), (bits >> 3) & 15, bits & 7
    values = np.where(exponent == 0, fraction * 2.0**-9, (8 + fraction) * 2.0 ** (exponent - 10.0))
    return np.where((bits & 0x7F) == 0x7F, np.nan, sign * values).astype(np.float32)


def row_major_bytes(value: object, shape: Sequence[int], dtype: str, label: str) -> Bytes:
    """Returns the bytes of an argument in row-major order, without a copy where it is contiguous.

    `shape` and `dtype` are those of the input, and `label` names it in errors. Raises `TypeError` for another element
    type or for an object that is no array, and `ValueError` for another shape.
    """
    expected = element_type(dtype)
    expected_text = type_text(tuple(shape), dtype)
    bits, element, name = _bits(value, expected, label)
    given_text = type_text(bits.shape, name) if element is not None else name
    if element is None or not expected.accepts(element):
        raise TypeError(
            f"{label} is {given_text}, but the program takes {expected_text}: {_conversion(value, expected)}"
        )
    if bits.shape != tuple(shape):
        same_count = bits.size == np.prod(shape, dtype=np.int64)
        advice = (
            f"reshape it, as x.reshape({', '.join(map(str, shape))})"
            if same_count
            else "pass an array of that shape, or compile the program for this one"
        )
        raise ValueError(f"{label} is {given_text}, but the program takes {expected_text}: {advice}")
    return np.ascontiguousarray(bits).reshape(-1).view(np.uint8)


def _bits(value: object, expected: ElementType, label: str) -> tuple[npt.NDArray[Any], ElementType | None, str]:
    """Returns the elements as an array, the element type, and the name of the type in messages."""
    if isinstance(value, Array):
        return value.view(np.dtype(element_type(value.dtype).bits)), element_type(value.dtype), value.dtype
    if isinstance(value, (bool, int, float)) and expected.numpy is not None:
        value = np.asarray(value, expected.numpy)
    if not isinstance(value, (np.ndarray, np.generic)):
        if isinstance(value, DLPackProducer):
            return _bits_of_tensor(value, label)
        value = _array_of_buffer(value, expected, label)
    array: npt.NDArray[Any] = np.asarray(value)  # pyright: ignore[reportUnknownArgumentType]
    element = element_type_of_dtype(array.dtype)
    return array, element, element.name if element is not None else str(array.dtype)


def _bits_of_tensor(value: DLPackProducer, label: str) -> tuple[npt.NDArray[Any], ElementType | None, str]:
    # PyTorch refuses to export a tensor that requires a gradient; its elements are read, so the gradient is no matter.
    detach = getattr(value, "detach", None)
    try:
        return bits_of(detach() if detach is not None else value)
    except (BufferError, ValueError, RuntimeError) as error:
        raise TypeError(f"{label}, a {type(value).__name__}, {error}") from error


def _array_of_buffer(value: object, expected: ElementType, label: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(memoryview(value))  # pyright: ignore[reportArgumentType]  (a TypeError if it has no buffer)
    except TypeError:
        dtype = expected.numpy or expected.name
        raise TypeError(
            f"{label} is a {type(value).__name__}, which is no array: pass a NumPy array, a tensor with __dlpack__ or a buffer, "
            f"as numpy.asarray(x, '{dtype}')"
        ) from None


def _conversion(value: object, expected: ElementType) -> str:
    """Returns the line that converts an argument."""
    if expected.numpy is not None:
        method = (
            f"to(torch.{expected.numpy})"
            if type(value).__module__.startswith("torch")
            else f"astype('{expected.numpy}')"
        )
        return f"convert it, as x.{method}"
    return (
        f"convert it, as x.astype(ml_dtypes.{expected.ml_dtypes}), or pass its bits, "
        f"as spyre_mlir.Array(bits, '{expected.name}') of {expected.bits}"
    )


def array_of_bytes(data: Bytes, shape: Sequence[int], dtype: str) -> Any:
    """Returns a result as an array of NumPy; as an `Array` where NumPy has no such type and `ml_dtypes` is not
    installed."""
    element = element_type(dtype)
    bits = data.view(element.bits).reshape(tuple(shape))
    known = element.dtype()
    return Array(bits, element.name) if known is None else bits.view(known)


def random_array(shape: Sequence[int], dtype: str, generator: np.random.Generator, largest: float = 1.0) -> Any:
    """Returns an array of random elements: floats up to `largest`, and small integers, which fit into every type."""
    element = element_type(dtype)
    if element.name == "i1":
        return generator.integers(0, 2, tuple(shape)).astype(np.bool_)
    if element.name.startswith(("i", "ui")):
        return generator.integers(0, 8, tuple(shape)).astype(element.numpy)
    values = generator.uniform(-largest, largest, tuple(shape)).astype(np.float32)
    if element.numpy is not None:
        return values.astype(element.numpy)
    if element.name == "bf16":
        return array_of_bytes(_bf16_bits(values).reshape(-1).view(np.uint8), shape, "bf16")
    table = np.nan_to_num(_values_of_f8(element.name)[:0x78])  # the positive numbers, in order
    bits = np.searchsorted(table, np.abs(values)).astype(np.uint8) | np.where(values < 0, 0x80, 0).astype(np.uint8)
    return array_of_bytes(np.asarray(bits).reshape(-1), shape, element.name)


def _bf16_bits(values: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
    """Returns floats rounded to the nearest number of bf16, ties to even."""
    bits = np.asarray(values).reshape(-1).view(np.uint32)
    rounded = bits + 0x7FFF + ((bits >> 16) & 1)
    return (rounded >> 16).astype(np.uint16).reshape(np.shape(values))


def comparable(array: Any) -> npt.NDArray[Any]:
    """Returns an array for a comparison: floats in 64 bits, integers as they are."""
    if isinstance(array, Array):
        return array.float32().astype(np.float64)
    element = element_type_of_dtype(np.asarray(array).dtype)
    if element is not None and element.name.startswith(("f", "bf")):
        return np.asarray(array).astype(np.float64)
    return np.asarray(array)


def npy_bytes(array: Any) -> bytes:
    """Returns the contents of a .npy file with an array of NumPy."""
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()
