"""Tensors of PyTorch as bytes in row-major order, and back."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# PyTorch has types for a part of its functions.

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch

Bytes = npt.NDArray[np.uint8]


def to_bytes(tensor: torch.Tensor) -> Bytes:
    """Returns the elements of a dense tensor on the CPU in row-major order, without a copy where they lie so."""
    plain = tensor.detach().resolve_conj().resolve_neg().contiguous()
    if plain.numel() == 0:
        return np.empty(0, np.uint8)
    # A view by a type of another width needs a last dimension, with stride 1, which one of extent 1 need not have.
    return plain.reshape(-1).view(torch.uint8).numpy()


def to_tensor(content: Bytes, dtype: torch.dtype, shape: Sequence[int], stride: Sequence[int]) -> torch.Tensor:
    """Returns a tensor of elements in row-major order, with these strides. Raises ValueError for another number of bytes."""
    size = math.prod(shape) * dtype.itemsize
    if content.size != size:
        raise ValueError(f"a result has {content.size} bytes, and {tuple(shape)} of {dtype} have {size}")
    if size == 0:
        return torch.empty_strided(tuple(shape), tuple(stride), dtype=dtype)
    if not content.flags.writeable:
        content = content.copy()
    dense = torch.from_numpy(content).view(dtype).reshape(tuple(shape))
    if dense.stride() == tuple(stride):
        return dense
    # Elements along a stride of 0 are one element.
    single = tuple(1 if step == 0 else extent for extent, step in zip(shape, stride, strict=True))
    first = dense[tuple(slice(0, extent) for extent in single)]
    result = torch.empty_strided(single, tuple(stride), dtype=dtype)
    result.copy_(first)
    return result.as_strided(tuple(shape), tuple(stride))


def is_writable_layout(shape: Sequence[int], stride: Sequence[int]) -> bool:
    """Returns whether each element has its own place in memory, but for those along a stride of 0."""
    if 0 in shape:
        return True
    reach = 1
    for extent, step in sorted(zip(shape, stride, strict=True), key=lambda item: item[1]):
        if extent == 1 or step == 0:
            continue
        if step < reach:
            return False
        reach = step * (extent - 1) + reach
    return True
