"""The backend `spyre` of torch.compile."""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from ..native import native_module
from ..versions import TORCH
from .options import Options


def spyre(module: Any, operands: Sequence[Any], *, options: Mapping[str, Any] | None = None, mode: str | None = None) -> Any:
    """Compiles a graph of Dynamo for the simulated card: `torch.compile(model, backend="spyre", options={...})`.

    Raises ValueError for an unknown option, ImportError without the native module, and RuntimeError for another PyTorch, or
    with `strict=True` for an operator that stays in PyTorch.
    """
    import torch

    if mode not in (None, "default"):
        raise ValueError(f"mode={mode!r}: the backend spyre has no modes")
    parsed = Options.parse(options)
    TORCH.check(torch.__version__)
    native_module()
    return _compiled(module, operands, parsed)


def _compiled(module: Any, operands: Sequence[Any], options: Options) -> Any:
    """Compiles a graph by AOTAutograd, with the decompositions and the partition of Inductor."""
    from torch._dynamo.backends.common import aot_autograd
    from torch._inductor.compile_fx import partition_fn

    from ..inductor import move_hints
    from .compile import compile_graph
    from .decompositions import table
    from .lowering import settings, without_mkldnn

    move_hints(module.graph)
    module.recompile()
    backend = aot_autograd(
        fw_compiler=functools.partial(compile_graph, "forward", options),
        bw_compiler=functools.partial(compile_graph, "backward", options),
        inference_compiler=functools.partial(compile_graph, "inference", options),
        decompositions=table,
        partition_fn=partition_fn,
        # The graphs are functional then, and AOTAutograd writes inputs after them.
        keep_inference_input_mutations=False,
    )
    with settings(), without_mkldnn():
        return backend(module, operands)
