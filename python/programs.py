"""Programs of PyTorch, small ones, of which `record.py` captures the graphs under each version that the bridge reads.

A program is a function without arguments that compiles and runs. `compiled` is torch.compile with the backend that notes the
operands of each graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

Compile = Callable[[Any], Any]

PROGRAMS: dict[str, Callable[[Compile], None]] = {}


def program(function: Callable[[Compile], None]) -> Callable[[Compile], None]:
    """Adds a program under the name of its function."""
    PROGRAMS[function.__name__] = function
    return function


class Perceptron(nn.Module):
    """Normalizes rows, and adds two linear layers to them."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(F.gelu(self.up(self.norm(x))))


@contextmanager
def setting(read: Callable[[], Any], write: Callable[[Any], None], value: Any) -> Iterator[None]:
    """Changes a setting of PyTorch for a block."""
    before = read()
    write(value)
    try:
        yield
    finally:
        write(before)


@program
@torch.no_grad()
def mlp(compiled: Compile) -> None:
    compiled(Perceptron())(torch.randn(3, 8))


@program
def mlp_gradient(compiled: Compile) -> None:
    compiled(Perceptron())(torch.randn(3, 8, requires_grad=True)).square().mean().backward()


@program
@torch.no_grad()
def softmax(compiled: Compile) -> None:
    compiled(lambda x: torch.softmax(x, dim=-1))(torch.randn(3, 8))


@program
@torch.no_grad()
def causal_attention(compiled: Compile) -> None:
    def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    compiled(attention)(*(torch.randn(1, 2, 4, 8) for _ in range(3)))


@program
@torch.no_grad()
def masked_attention(compiled: Compile) -> None:
    def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)

    compiled(attention)(*(torch.randn(1, 2, 4, 8) for _ in range(3)), torch.ones(4, 4).tril() > 0)


@program
@torch.no_grad()
def shared_heads(compiled: Compile) -> None:
    def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)

    compiled(attention)(torch.randn(1, 4, 4, 8), *(torch.randn(1, 2, 4, 8) for _ in range(2)))


@program
@torch.no_grad()
def heads(compiled: Compile) -> None:
    layer = nn.MultiheadAttention(8, 2, batch_first=True).eval()
    compiled(lambda x: layer(x, x, x)[0])(torch.randn(2, 4, 8))


@program
@torch.no_grad()
def encoder(compiled: Compile) -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    with setting(torch.backends.mha.get_fastpath_enabled, torch.backends.mha.set_fastpath_enabled, False):
        compiled(layer)(torch.randn(2, 4, 8))


@program
@torch.no_grad()
def recurrent(compiled: Compile) -> None:
    lstm, gru = nn.LSTM(4, 8).eval(), nn.GRU(8, 4).eval()
    with torch._dynamo.config.patch(allow_rnn=True), torch.backends.mkldnn.flags(enabled=False):
        compiled(lambda x: gru(lstm(x)[0])[0])(torch.randn(3, 2, 4))


@program
@torch.no_grad()
def search(compiled: Compile) -> None:
    def positions(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.argmax(), x.argmin(0), x.permute(2, 0, 1).reshape(4, -1).argmax(1), x.amax((0, 2))

    compiled(positions)(torch.randn(2, 3, 4))


@program
@torch.no_grad()
def cache(compiled: Compile) -> None:
    def write(cache: torch.Tensor, row: torch.Tensor, position: torch.Tensor) -> torch.Tensor:
        cache[:, position] = row
        return cache.sum(-1)

    compiled(write)(torch.randn(2, 6, 4), torch.randn(2, 2, 4), torch.tensor([1, 4]))


@program
@torch.no_grad()
def padding(compiled: Compile) -> None:
    def joined(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cat([F.pad(x, (1, 1)), F.pad(y, (0, 2), value=2.0)]) * 2

    compiled(joined)(torch.randn(2, 4), torch.randn(3, 4))


@program
@torch.no_grad()
def bits(compiled: Compile) -> None:
    compiled(lambda x: (x.view(torch.int32) + 1, *torch.frexp(x)))(torch.randn(6))


@program
@torch.no_grad()
def no_tensor(compiled: Compile) -> None:
    compiled(lambda x: (None, x * 2, x.shape[0]))(torch.randn(3, 4))
