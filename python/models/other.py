"""A perceptron, a network on a graph, and steps of training."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# PyTorch has types for a part of its functions.

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import nn

from .table import Program, model


class MLP(nn.Module):
    """A perceptron of three layers."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        """Makes the layers."""
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, outputs)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Returns the scores of the classes."""
        return self.layers(x)


@model("a perceptron of 3 layers, 128 wide, a batch of 64")
def mlp() -> Program:
    """Builds it."""
    return Program(MLP(64, 128, 64).eval(), (torch.randn(64, 64),))


class GraphConv(nn.Module):
    """A graph convolution: the mean of the neighbours, by a gather and a scatter."""

    def __init__(self, inputs: int, outputs: int) -> None:
        """Makes the layer."""
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.root = nn.Linear(inputs, outputs, bias=False)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        """Returns the features of the nodes; `edges` has the source and the target of each edge."""
        source, target = edges
        total = torch.zeros_like(x).index_add_(0, target, x[source])
        ones = torch.ones_like(target, dtype=x.dtype)
        count = torch.zeros(x.shape[0], dtype=x.dtype).scatter_add_(0, target, ones)
        return self.linear(total / count.clamp(min=1).unsqueeze(1)) + self.root(x)


class GNN(nn.Module):
    """Two graph convolutions."""

    def __init__(self) -> None:
        """Makes the layers."""
        super().__init__()
        self.conv1, self.conv2 = GraphConv(64, 64), GraphConv(64, 64)

    def forward(self, x: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        """Returns the scores of the nodes."""
        return self.conv2(F.relu(self.conv1(x, edges)), edges)


@model("a network of 2 graph convolutions by index_add and scatter_add, 32 nodes of 64, 96 edges")
def gnn() -> Program:
    """Builds it for a random graph."""
    return Program(GNN().eval(), (torch.randn(32, 64), torch.randint(0, 32, (2, 96))))


@model("a step of training of the perceptron with SGD and momentum, a batch of 64", has_gradients=True)
def mlp_training() -> Program:
    """Builds the step."""
    network = MLP(64, 128, 64)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.cross_entropy(network(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return Program(step, (torch.randn(64, 64), torch.randint(0, 64, (64,))), lambda: [p.detach() for p in network.parameters()])


@model("a step of training of an encoder layer, width 64, 2 sequences of 16; AdamW in PyTorch, in f32", has_gradients=True)
def transformer_training() -> Program:
    """Builds the step."""
    layer = nn.TransformerEncoderLayer(64, 2, 128, dropout=0.0, batch_first=True)
    head = nn.Linear(64, 64)
    network = nn.Sequential(layer, head)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    # The squares of gradients are smaller than any number of 16 bits.
    disable: Any = torch.compiler.disable
    zero_grad, optimizer_step = disable(optimizer.zero_grad), disable(optimizer.step)

    def step(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        zero_grad()
        loss = F.cross_entropy(network(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer_step()
        return loss

    return Program(
        step, (torch.randn(2, 16, 64), torch.randint(0, 64, (2, 16))), lambda: [p.detach() for p in network.parameters()]
    )
