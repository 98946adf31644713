"""Fourier transforms as products with matrices of cosines and sines.

IREE's passes convert few forms of `stablehlo.fft`, and to complex numbers.  Here, each transformed dimension is a product of the
real and imaginary parts with two matrices, which is n^2 operations for n elements, for which the card has a unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .tensors import Body, Tensor, function_text

KINDS = ("FFT", "IFFT", "RFFT", "IRFFT")


def fourier_function(name: str, kind: str, lengths: Sequence[int], operand: Tensor, result: Tensor) -> str:
    """Return the text of a function for a transform of the last dimensions, with these lengths.

    `kind` is one of `KINDS`.  The other dimensions of a real transform are complex ones.
    """
    body = Body()
    rank = len(operand.shape)
    inverse = kind.startswith("I")
    axes = range(rank - len(lengths), rank)
    parts = _Parts(body, operand, "%x0")
    if kind == "RFFT":
        parts.to_half(rank - 1, lengths[-1])
    for axis, length in zip(axes, lengths):
        if kind in ("FFT", "IFFT") or axis != rank - 1:
            parts.transform(axis, length, inverse)
    if kind == "IRFFT":
        value = parts.from_half(rank - 1, lengths[-1])
    else:
        value = body.value(f"stablehlo.complex {parts.real}, {parts.imaginary} : {result}")
    return function_text(name, [("%x0", operand)], body, [(value, result)])


class _Parts:
    """The real and the imaginary part of a tensor while its dimensions are transformed."""

    def __init__(self, body: Body, operand: Tensor, value: str) -> None:
        self.body = body
        self.imaginary = ""  # of a real operand, which only `to_half` takes
        if operand.element.startswith("complex<"):
            self.type = operand.with_element(operand.element[len("complex<") : -1])
            self.real = body.value(f"stablehlo.real {value} : ({operand}) -> {self.type}")
            self.imaginary = body.value(f"stablehlo.imag {value} : ({operand}) -> {self.type}")
        else:
            self.type = operand
            self.real = value

    def transform(self, axis: int, length: int, inverse: bool) -> None:
        """Transform complex numbers: sum of x[j] exp(-2 pi i j k / n), or of its conjugate divided by n."""
        cosine, sine = self._matrix(length, length, "cosine"), self._matrix(length, length, "sine")
        real_cosine, imaginary_sine = self._product(self.real, cosine, axis), self._product(self.imaginary, sine, axis)
        imaginary_cosine, real_sine = self._product(self.imaginary, cosine, axis), self._product(self.real, sine, axis)
        plus, minus = ("subtract", "add") if inverse else ("add", "subtract")
        self.real = self._binary(plus, real_cosine, imaginary_sine)
        self.imaginary = self._binary(minus, imaginary_cosine, real_sine)
        if inverse:
            scale = self.body.constant(repr(1.0 / length), self.type)
            self.real = self._binary("multiply", self.real, scale)
            self.imaginary = self._binary("multiply", self.imaginary, scale)

    def to_half(self, axis: int, length: int) -> None:
        """Transform real numbers to the n / 2 + 1 first complex ones."""
        half = length // 2 + 1
        source, real = self.type, self.real
        cosine, sine = self._matrix(length, half, "cosine"), self._matrix(length, half, "sine")
        self.real = self._product(real, cosine, axis)
        self.type = source
        self.imaginary = self.body.value(f"stablehlo.negate {self._product(real, sine, axis)} : {self.type}")

    def from_half(self, axis: int, length: int) -> str:
        """Return the real numbers with a transform that begins with these n / 2 + 1 complex ones."""
        half = length // 2 + 1
        # A number other than the first, and the last of an even length, represents its conjugate as well.
        weights = [1 if k == 0 or 2 * k == length else 2 for k in range(half)]
        row = self.type.with_shape((half,))
        text = ", ".join(repr(weight / length) for weight in weights)
        factor = self.body.value(f"stablehlo.constant dense<[{text}]> : {row}")
        wide = self.body.value(f"stablehlo.broadcast_in_dim {factor}, dims = [{axis}] : ({row}) -> {self.type}")
        real, imaginary = self._binary("multiply", self.real, wide), self._binary("multiply", self.imaginary, wide)
        source = self.type
        cosine, sine = self._matrix(half, length, "cosine", length), self._matrix(half, length, "sine", length)
        real = self._product(real, cosine, axis)
        self.type = source
        return self._binary("subtract", real, self._product(imaginary, sine, axis))

    def _matrix(self, rows: int, columns: int, function: str, length: int | None = None) -> tuple[str, Tensor]:
        """Append cos or sin of 2 pi j k / n.  The product is reduced first: angles stay exact for long transforms."""
        length = rows if length is None else length
        type = Tensor((rows, columns), "i64")
        factors = [self.body.value(f"stablehlo.iota dim = {dim} : {type}") for dim in range(2)]
        product = self.body.value(f"stablehlo.multiply {factors[0]}, {factors[1]} : {type}")
        bound = self.body.constant(str(length), type)
        number = self.body.value(f"stablehlo.remainder {product}, {bound} : {type}")
        floats = type.with_element(self.type.element)
        number = self.body.value(f"stablehlo.convert {number} : ({type}) -> {floats}")
        scale = self.body.constant(repr(2.0 * math.pi / length), floats)
        angle = self.body.value(f"stablehlo.multiply {number}, {scale} : {floats}")
        return self.body.value(f"stablehlo.{function} {angle} : {floats}"), floats

    def _product(self, value: str, matrix: tuple[str, Tensor], axis: int) -> str:
        """Append the product along a dimension, which the columns of the matrix replace.

        Sets the type of the parts.  All products of one step begin with the same type; its extent may change.
        """
        name, matrix_type = matrix
        rest = [dim for dim in range(len(self.type.shape)) if dim != axis]
        product = self.type.with_shape((*(self.type.shape[dim] for dim in rest), matrix_type.shape[1]))
        result = self.body.value(
            f"stablehlo.dot_general {value}, {name}, contracting_dims = [{axis}] x [0] : "
            f"({self.type}, {matrix_type}) -> {product}"
        )
        last = len(rest)
        result, self.type = self.body.transpose(result, product, [*range(axis), last, *range(axis, last)])
        return result

    def _binary(self, operation: str, left: str, right: str) -> str:
        return self.body.value(f"stablehlo.{operation} {left}, {right} : {self.type}")
