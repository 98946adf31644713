"""DLPack for the element types that NumPy lacks: views of tensors of other packages, and capsules for them.

NumPy reads and writes DLPack, but refuses bf16 and floats of 8 bits. Their memory is an array of integers of the same
width with another code of the type, so a view is taken by the fields of the C structure, through `ctypes`, and the
producer keeps the memory until the view is freed.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any, Protocol, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from .element_types import ElementType, element_type_of_dlpack

CPU = 1
"""The number of the CPU among the devices of DLPack."""
_HOST_MEMORY = (CPU, 3, 11)  # of the CPU, pinned by CUDA, pinned by ROCm


@runtime_checkable
class DLPackProducer(Protocol):
    """A tensor of any package that exports DLPack."""

    def __dlpack__(self) -> Any: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


class _DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class _DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", _DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", _DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_NAME = b"dltensor"
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


def _tensor_of(capsule: Any) -> Any:
    """Returns the structure of a capsule. `DLManagedTensor` begins with it."""
    return _DLTensor.from_address(cast("int", _get_pointer(capsule, _NAME)))


class _Memory:
    """The memory of a capsule, for NumPy's array interface.

    The capsule keeps its name, so its destructor frees the tensor when this object, and with it the last view, is
    gone.
    """

    def __init__(self, capsule: Any, interface: dict[str, Any]) -> None:
        self.capsule = capsule
        self.__array_interface__ = interface


def bits_of(producer: DLPackProducer) -> tuple[npt.NDArray[Any], ElementType | None, str]:
    """Returns the elements of a tensor as integers of their width, without a copy; the element type; and its name in
    messages.

    The element type is None if the compiler has none such. Raises `ValueError` for memory that the CPU cannot read.
    """
    device = producer.__dlpack_device__()[0]
    if int(device) not in _HOST_MEMORY:
        raise ValueError(
            f"is on device {int(device)} of DLPack, not in the memory of the CPU: copy it to the CPU first"
        )
    capsule = producer.__dlpack__()
    tensor = _tensor_of(capsule)
    code, width, lanes = tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes
    element = element_type_of_dlpack(code, width) if lanes == 1 else None
    if element is None:
        return np.empty(0, np.uint8), None, f"DLPack type {code} of {width} bits"
    shape = tuple(tensor.shape[dim] for dim in range(tensor.ndim))
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[dim] * element.size for dim in range(tensor.ndim))
    if math.prod(shape) == 0:
        return np.empty(shape, element.bits), element, element.name
    interface = {
        "version": 3,
        "typestr": np.dtype(element.bits).str,
        "shape": shape,
        "strides": strides,
        "data": (tensor.data + tensor.byte_offset, True),
    }
    return np.asarray(_Memory(capsule, interface)), element, element.name


def capsule_of(bits: npt.NDArray[Any], element: ElementType) -> Any:
    """Returns a capsule of DLPack for elements that are given as integers of their width."""
    if not bits.flags.writeable:
        bits = bits.copy()
    capsule: Any = bits.__dlpack__()
    tensor = _tensor_of(capsule)
    tensor.dtype.code, tensor.dtype.bits = element.dlpack
    return capsule
