"""Operators as others, besides those that Inductor decomposes: kernels that the compiler has no loops for."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch._inductor.decomposition import select_decomp_table

aten = torch.ops.aten


def table() -> dict[Any, Callable[..., Any]]:
    """Returns the decompositions of Inductor as it is set, and those of this module."""
    return {
        **select_decomp_table(),
        aten.convolution.default: convolution,
        aten._transformer_encoder_layer_fwd.default: encoder_layer,
    }


def convolution(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
) -> torch.Tensor:
    """Returns a transposed convolution: the operand with zeros between its elements, convolved with the kernel in reverse."""
    rank = len(stride)
    if not transposed or x.dim() != rank + 2:
        return NotImplemented
    for axis in range(2, rank + 2):
        if (step := stride[axis - 2]) != 1:
            extent = x.shape[axis]
            spread = F.pad(x.unsqueeze(axis + 1), [0, 0] * (rank + 1 - axis) + [0, step - 1])
            x = spread.flatten(axis, axis + 1).narrow(axis, 0, (extent - 1) * step + 1)
    borders: list[int] = []
    for axis in reversed(range(rank)):
        border = dilation[axis] * (weight.shape[axis + 2] - 1) - padding[axis]
        borders += [border, border + output_padding[axis]]
    inputs, outputs = weight.shape[:2]
    kernel = weight.reshape(groups, inputs // groups, outputs, *weight.shape[2:]).transpose(1, 2)
    kernel = kernel.reshape(groups * outputs, inputs // groups, *weight.shape[2:]).flip(list(range(2, rank + 2)))
    return aten.convolution(F.pad(x, borders), kernel, bias, [1] * rank, [0] * rank, dilation, False, [0] * rank, groups)


def encoder_layer(
    x: torch.Tensor,
    width: int,
    heads: int,
    qkv_weight: torch.Tensor,
    qkv_bias: torch.Tensor,
    proj_weight: torch.Tensor,
    proj_bias: torch.Tensor,
    use_gelu: bool,
    norm_first: bool,
    eps: float,
    norm_weight_1: torch.Tensor,
    norm_bias_1: torch.Tensor,
    norm_weight_2: torch.Tensor,
    norm_bias_2: torch.Tensor,
    up_weight: torch.Tensor,
    up_bias: torch.Tensor,
    down_weight: torch.Tensor,
    down_bias: torch.Tensor,
    mask: torch.Tensor | None = None,
    mask_type: int | None = None,
) -> torch.Tensor:
    """Returns the rows after an encoder layer of dense operands, as the kernel does, with NaN in rows without a key."""
    if x.dim() != 3:
        return NotImplemented

    def attention(x: torch.Tensor) -> torch.Tensor:
        batch, length, _ = x.shape
        q, k, v = F.linear(x, qkv_weight, qkv_bias).view(batch, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        scores = (q / math.sqrt(width // heads)) @ k.transpose(-2, -1)
        if mask is not None:
            # 0: of queries and keys; 1: of the keys of each sequence; 2: of each head.
            shape = {0: (1, 1, length, length), 1: (batch, 1, 1, length)}.get(2 if mask_type is None else mask_type)
            hidden = mask.to(torch.bool)
            scores = scores.masked_fill(hidden if shape is None else hidden.view(shape), -math.inf)
        rows = (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(batch, length, width)
        return F.linear(rows, proj_weight, proj_bias)

    def hidden_layer(x: torch.Tensor) -> torch.Tensor:
        hidden = F.linear(x, up_weight, up_bias)
        return F.linear(F.gelu(hidden) if use_gelu else F.relu(hidden), down_weight, down_bias)

    def norm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(x, (width,), weight, bias, eps)

    if norm_first:
        x = x + attention(norm(x, norm_weight_1, norm_bias_1))
        return x + hidden_layer(norm(x, norm_weight_2, norm_bias_2))
    x = norm(x + attention(x), norm_weight_1, norm_bias_1)
    return norm(x + hidden_layer(x), norm_weight_2, norm_bias_2)
