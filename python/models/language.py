"""Models of sequences: an encoder, Llama with a cache, a tagger with an LSTM, a mixture of experts."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from .table import Program, model


class Encoder(nn.Module):
    """The encoder of PyTorch's tutorial on nn.TransformerEncoder."""

    def __init__(self, tokens: int, width: int, heads: int, hidden: int, layers: int, length: int = 64) -> None:
        """Makes the layers."""
        super().__init__()
        self.width = width
        self.embedding = nn.Embedding(tokens, width)
        position = torch.arange(length).unsqueeze(1)
        rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        pe = torch.zeros(length, width)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(position * rate), torch.cos(position * rate)
        self.pe: torch.Tensor
        self.register_buffer("pe", pe)
        layer = nn.TransformerEncoderLayer(width, heads, hidden, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.linear = nn.Linear(width, tokens)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Returns the scores of the next token at each position."""
        x = self.embedding(tokens) * math.sqrt(self.width) + self.pe[: tokens.size(1)]
        mask = nn.Transformer.generate_square_subsequent_mask(tokens.size(1), dtype=x.dtype)
        return self.linear(self.encoder(x, mask=mask, is_causal=True))


@model("a transformer encoder of 2 layers, width 128, 16 tokens, in bf16", "auto", 6e-2)
def encoder() -> Program:
    """Builds it for two sequences."""
    return Program(Encoder(256, 128, 4, 256, 2).bfloat16().eval(), (torch.randint(0, 256, (2, 16)),))


class RMSNorm(nn.Module):
    """The norm of Llama."""

    def __init__(self, width: int) -> None:
        """Makes the weight."""
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns rows of mean square 1, in f32 inside."""
        dtype, x = x.dtype, x.float()
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)).to(dtype)


def rotate_half(x: torch.Tensor) -> torch.Tensor:
    """Returns the halves of each row swapped, the second one negated."""
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


class LlamaLayer(nn.Module):
    """A layer of Llama with grouped queries and a cache of keys and values."""

    def __init__(self, width: int, heads: int, kv_heads: int, hidden: int, length: int) -> None:
        """Makes the layers and the cache."""
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, width // heads
        self.input_norm, self.post_norm = RMSNorm(width), RMSNorm(width)
        self.q_proj = nn.Linear(width, heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(width, kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(width, kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(heads * self.head_dim, width, bias=False)
        self.gate_proj, self.up_proj = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.down_proj = nn.Linear(hidden, width, bias=False)
        self.key_cache: torch.Tensor
        self.value_cache: torch.Tensor
        self.register_buffer("key_cache", torch.zeros(1, kv_heads, length, self.head_dim))
        self.register_buffer("value_cache", torch.zeros(1, kv_heads, length, self.head_dim))

    def forward(
        self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, mask: torch.Tensor, at: torch.Tensor
    ) -> torch.Tensor:
        """Returns the rows of the next layer, and writes the cache at the positions."""
        residual, x = x, self.input_norm(x)
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.kv_heads, self.head_dim).transpose(1, 2)
        q, k = q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin
        self.key_cache.index_copy_(2, at, k)
        self.value_cache.index_copy_(2, at, v)
        groups = self.heads // self.kv_heads
        k, v = self.key_cache.repeat_interleave(groups, dim=1), self.value_cache.repeat_interleave(groups, dim=1)
        scores = q @ k.transpose(2, 3) / math.sqrt(self.head_dim) + mask
        out = torch.softmax(scores.float(), dim=-1).to(q.dtype) @ v
        x = residual + self.o_proj(out.transpose(1, 2).reshape(b, n, -1))
        y = self.post_norm(x)
        return x + self.down_proj(F.silu(self.gate_proj(y)) * self.up_proj(y))


class Llama(nn.Module):
    """Llama as transformers has it, with a static cache."""

    def __init__(self, tokens: int, width: int, heads: int, kv_heads: int, hidden: int, layers: int, length: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.length, self.head_dim = length, width // heads
        self.embed_tokens = nn.Embedding(tokens, width)
        self.layers = nn.ModuleList(LlamaLayer(width, heads, kv_heads, hidden, length) for _ in range(layers))
        self.norm = RMSNorm(width)
        self.lm_head = nn.Linear(width, tokens, bias=False)
        frequencies = 1.0 / 10000.0 ** (torch.arange(0, self.head_dim, 2).float() / self.head_dim)
        self.inv_freq: torch.Tensor
        self.register_buffer("inv_freq", frequencies)

    def forward(self, tokens: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        """Returns the scores of the token after each one."""
        x = self.embed_tokens(tokens)
        angles = at[:, None].float() * self.inv_freq[None, :].float()
        angles = torch.cat((angles, angles), dim=-1)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        hidden = torch.arange(self.length)[None, :] > at[:, None]
        mask = torch.zeros(hidden.shape, dtype=x.dtype).masked_fill(hidden, -10000.0)
        for layer in self.layers:
            x = layer(x, cos, sin, mask, at)
        return self.lm_head(self.norm(x))


@model("Llama of 2 layers, width 128, 4 heads and 2 of keys, a cache of 32, 8 tokens and then one, in bf16", "auto", 4e-2)
def llama() -> Program:
    """Builds it with one sequence."""
    network = Llama(256, 128, 4, 2, 256, 2, 32).bfloat16().eval()
    tokens = torch.randint(0, 256, (1, 9))

    def run(tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        first = network(tokens[:, :8], torch.arange(8))
        return first, network(tokens[:, 8:], torch.arange(8, 9))

    return Program(run, (tokens,), lambda: list(network.buffers()))


class Tagger(nn.Module):
    """The tagger of PyTorch's tutorial on LSTM, with two directions."""

    def __init__(self, words: int, width: int, hidden: int, tags: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.word_embeddings = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, hidden, bidirectional=True, batch_first=True)
        self.hidden2tag = nn.Linear(2 * hidden, tags)

    def forward(self, sentence: torch.Tensor) -> torch.Tensor:
        """Returns the logarithms of the tags' probabilities for each word."""
        out, _ = self.lstm(self.word_embeddings(sentence))
        return F.log_softmax(self.hidden2tag(out), dim=-1)


@model("the tagger of PyTorch's tutorial on LSTM, both directions, 64 hidden, sentences of 8 words", allow_rnn=True)
def lstm_tagger() -> Program:
    """Builds it for two sentences."""
    return Program(Tagger(100, 64, 64, 16).eval(), (torch.randint(0, 100, (2, 8)),))


class Experts(nn.Module):
    """A mixture of experts: the two best ones of each token, weighted."""

    def __init__(self, width: int, hidden: int, experts: int, top: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.top = top
        self.gate = nn.Linear(width, experts, bias=False)
        self.w1 = nn.Parameter(torch.randn(experts, width, hidden) / math.sqrt(width))
        self.w2 = nn.Parameter(torch.randn(experts, hidden, width) / math.sqrt(hidden))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the weighted sum of the experts for each token."""
        weights, chosen = torch.topk(torch.softmax(self.gate(x), dim=-1), self.top, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        share = torch.zeros(x.shape[0], self.w1.shape[0], dtype=x.dtype).scatter(1, chosen, weights)
        hidden = F.silu(torch.einsum("td,edh->eth", x, self.w1))
        return torch.einsum("eth,ehd,te->td", hidden, self.w2, share)


@model("a mixture of 4 experts, the best 2 of each of 32 tokens, width 64, in f16", "auto", 2e-2)
def experts() -> Program:
    """Builds it for 32 tokens."""
    return Program(Experts(64, 128, 4, 2).half().eval(), (torch.randn(32, 64).half(),))
