"""Element types: their names in MLIR, in NumPy and in DLPack.

NumPy has no floats of 8 bits and no bf16. With `ml_dtypes` installed, which JAX brings, arrays have its types;
without, they are `Array`s of the same bits. `ml_dtypes` is imported when such a type is first needed.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import numpy as np

Dtype = np.dtype[Any]


@dataclasses.dataclass(frozen=True)
class ElementType:
    """An element type of the compiler."""

    name: str
    """As in MLIR: `f16`, `bf16`, `i1`, `ui8`."""
    numpy: str | None
    """The name of NumPy's type, or None where NumPy has none."""
    bits: str
    """The name of NumPy's type of the same width that holds the bits."""
    dlpack: tuple[int, int]
    """The code of the type and its width in bits, as DLPack has them."""
    ml_dtypes: str | None = None
    """The name in `ml_dtypes`, where NumPy has no such type."""

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return np.dtype(self.bits).itemsize

    def dtype(self) -> Dtype | None:
        """Returns the type in NumPy or `ml_dtypes`, or None without `ml_dtypes`."""
        if self.numpy is not None:
            return np.dtype(self.numpy)
        try:
            module = importlib.import_module("ml_dtypes")
        except ImportError:
            return None
        return np.dtype(getattr(module, str(self.ml_dtypes)))

    def accepts(self, other: ElementType) -> bool:
        """Returns whether elements of another type are passed as they are.

        Integers of MLIR have no sign, so `i32` takes unsigned ones too, as front ends lower them.
        """
        return self == other or (self.name.startswith("i") and other.name == f"u{self.name}" and self.name != "i1")


_INT, _UINT, _FLOAT, _BFLOAT, _BOOL, _E4M3FN, _E5M2 = 0, 1, 2, 4, 6, 10, 12

ELEMENT_TYPES = {
    element.name: element
    for element in (
        ElementType("f16", "float16", "uint16", (_FLOAT, 16)),
        ElementType("bf16", None, "uint16", (_BFLOAT, 16), "bfloat16"),
        ElementType("f32", "float32", "uint32", (_FLOAT, 32)),
        ElementType("f64", "float64", "uint64", (_FLOAT, 64)),
        ElementType("f8E4M3FN", None, "uint8", (_E4M3FN, 8), "float8_e4m3fn"),
        ElementType("f8E5M2", None, "uint8", (_E5M2, 8), "float8_e5m2"),
        ElementType("i1", "bool", "uint8", (_BOOL, 8)),
        *(ElementType(f"i{w}", f"int{w}", f"uint{w}", (_INT, w)) for w in (8, 16, 32, 64)),
        *(ElementType(f"ui{w}", f"uint{w}", f"uint{w}", (_UINT, w)) for w in (8, 16, 32, 64)),
    )
}
"""The element types by their names in MLIR."""

_BY_NUMPY = {element.numpy or element.ml_dtypes: element for element in ELEMENT_TYPES.values()}
_BY_DLPACK = {element.dlpack: element for element in ELEMENT_TYPES.values()}


def element_type(name: str) -> ElementType:
    """Returns the element type of a name: of MLIR, NumPy or `ml_dtypes`. Raises `ValueError` for another one.

    >>> element_type("bfloat16").name
    'bf16'
    """
    found = ELEMENT_TYPES.get(name) or _BY_NUMPY.get(name)
    if found is None:
        raise ValueError(f"'{name}' is no element type: the types are {', '.join(ELEMENT_TYPES)}")
    return found


def element_type_of_dtype(dtype: Dtype) -> ElementType | None:
    """Returns the element type of a type of NumPy or `ml_dtypes`, or None."""
    return _BY_NUMPY.get(dtype.name) if dtype.isnative else None


def element_type_of_dlpack(code: int, bits: int) -> ElementType | None:
    """Returns the element type of a type of DLPack, or None."""
    return _BY_DLPACK.get((code, bits))


def type_text(shape: tuple[int, ...], name: str) -> str:
    """Returns a type as messages have it.

    >>> type_text((96, 384), "f16")
    'f16[96, 384]'
    """
    return f"{name}[{', '.join(map(str, shape))}]"
