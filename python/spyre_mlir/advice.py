"""Settings of PyTorch that open layers that a capture has without loops.

Some layers reach Inductor as one kernel of a library, and recurrent layers do not reach it at all. PyTorch has a setting for each.
A capture warns with that setting: its user can change it, and later tools do not have the information. This module reads
recorded graphs and texts alone, and imports no framework.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Json = Any  # what json.load returns

_MKLDNN = "compile it inside of `with torch.backends.mkldnn.flags(enabled=False):`"
_FAST_PATH = "call torch.backends.mha.set_fastpath_enabled(False) before it is compiled"

# By the first characters of the name of a kernel.
_SETTINGS = {
    "aten.mkldnn_": _MKLDNN,
    "mkldnn.": _MKLDNN,
    "aten._transformer_encoder_layer_fwd": _FAST_PATH,
    "aten._native_multi_head_attention": _FAST_PATH,
}

# In the reasons that Dynamo of 2.12 to 2.15 counts for a recurrent layer which it leaves to the interpreter.
_RECURRENT = "RNN, GRU, or LSTM"


def fused_kernels(graph: Json) -> list[str]:
    """Returns a message for each kernel of a graph that a setting of PyTorch opens, in the order of the operations."""
    messages = {}
    for op in graph["ops"]:
        extern = op.get("extern") or {}
        kernel = extern.get("op_overload") or (extern.get("kernel") or "").removeprefix("torch.ops.")
        for prefix, setting in _SETTINGS.items():
            if kernel.startswith(prefix):
                messages[kernel] = (
                    f"graph {graph['graph']} has {kernel} ({op['name']}), one kernel instead of loops: "
                    f"to have its loops, {setting}"
                )
    return list(messages.values())


def missing_graphs(graphs: int, breaks: Iterable[str]) -> list[str]:
    """Returns messages about layers without loops: `graphs` were recorded, and Dynamo ended graphs for the reasons in `breaks`."""
    if any(_RECURRENT in reason for reason in breaks):
        return [
            "PyTorch compiles no torch.nn.RNN, GRU or LSTM as it is set: set torch._dynamo.config.allow_rnn = True, and "
            "to have the loops of an LSTM on the CPU, " + _MKLDNN
        ]
    if graphs == 0:
        return [
            "no graph was compiled inside of spyre_mlir.capture(): call what torch.compile returns inside of the block, "
            "and torch.compiler.reset() before it if it has run before: code that was compiled before runs as it is"
        ]
    return []
