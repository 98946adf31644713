"""The models of the table: how each is built, and how it runs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch


@dataclasses.dataclass
class Program:
    """A model with its weights, its operands and its state."""

    function: Callable[..., Any]
    operands: Sequence[Any]
    state: Callable[[], list[torch.Tensor]] = list
    """Tensors besides the results that a run changes: caches, weights after a step of training."""


@dataclasses.dataclass(frozen=True)
class Model:
    """A row of the table."""

    name: str
    purpose: str
    """What it is, in a few words, with its sizes."""
    build: Callable[[], Program]
    """Builds the program; with the same seed of PyTorch, the same weights and operands."""
    floats: str
    """The option `floats` of the backend: `dl16` for a model of f32, `auto` for one of 16 bits."""
    tolerance: float
    """The difference of results that is allowed, relative to 1 + magnitude."""
    has_gradients: bool = False
    settings: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])
    """Settings of `torch._dynamo.config` that it needs to be compiled."""


MODELS: dict[str, Model] = {}


def model(
    purpose: str, floats: str = "dl16", tolerance: float = 3e-2, has_gradients: bool = False, **settings: Any
) -> Callable[[Callable[[], Program]], Callable[[], Program]]:
    """Adds a model under the name of the function that builds it."""

    def add(build: Callable[[], Program]) -> Callable[[], Program]:
        name = build.__name__
        MODELS[name] = Model(name, purpose, build, floats, tolerance, has_gradients, settings)
        return build

    return add
