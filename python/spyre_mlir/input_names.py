"""Names of the inputs of captured graphs: those of parameters, buffers and arguments, and of files for their values.

Dynamo has the source of each input as an expression of Python. This module imports no framework.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any

_ROOT = re.compile(r"[LG]\['([^']*)'\]")
_MEMBER = re.compile(r"\._(?:modules|parameters|buffers)\['([^']*)'\]")


def input_names(sources: Sequence[str]) -> list[str]:
    """Returns a name for each source of an input, all different: the path of a parameter or a buffer in its module,
    with the module's own name where two modules have the same path, and the text of the expression otherwise.

    >>> layer = "L['self']._modules['layers']._modules['0']._parameters['weight']"
    >>> input_names([layer, "L['x']", "L['cache']['keys']", "G['scale']"])
    ['layers.0.weight', 'x', "cache['keys']", 'scale']
    >>> input_names([layer, layer.replace("L['self']", "G['head']")])
    ['self.layers.0.weight', 'head.layers.0.weight']
    """
    paths = [_path(source) for source in sources]
    short = [path for _, path in paths]
    names = [path if short.count(path) == 1 else f"{root}.{path}" if root else path for root, path in paths]
    return _different(names)


def file_names(names: Sequence[str]) -> list[str]:
    """Returns the name of a file of NumPy for each name of an input, all different on every system.

    >>> file_names(["layers.0.weight", "cache['keys']"])
    ['layers.0.weight.npy', 'cache_keys.npy']
    """
    words = [re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII).strip("_.") or "input" for name in names]
    return [f"{word}.npy" for word in _different(words, fold=True)]


@dataclasses.dataclass
class Argument:
    """An input of Dynamo's graph."""

    name: str
    value: Any
    """The tensor that it is called with, or None."""


def arguments_of(graph: Any, keep_values: bool) -> list[Argument]:
    """Returns the inputs of Dynamo's graph in order, with their tensors if they are kept."""
    nodes = graph.find_nodes(op="placeholder")
    arguments = [node.meta.get("grapharg") for node in nodes]
    sources = list[str]()
    for node, argument in zip(nodes, arguments, strict=True):
        # A method in some versions of PyTorch, and an attribute in others.
        source = getattr(getattr(argument, "source", None), "name", node.name)
        sources.append(str(source() if callable(source) else source))
    values = [_tensor_of(argument) if keep_values else None for argument in arguments]
    return [Argument(name, value) for name, value in zip(input_names(sources), values, strict=True)]


def _tensor_of(argument: Any) -> Any:
    """Returns the tensor that an input of Dynamo's graph is called with; None for a number and for a tensor without
    elements."""
    try:
        value = getattr(argument, "example", None)
    except AssertionError:  # the tensor was freed
        return None
    return value if hasattr(value, "data_ptr") and not hasattr(value, "fake_mode") else None


def argument_of(entry: Mapping[str, Any], arguments: Sequence[Argument]) -> Argument | None:
    """Returns the argument of Dynamo that an input of a graph is: `arg3_1` is number 3, and `primals_4` with a
    gradient.

    >>> argument_of({"name": "arg1_1", "kind": "scalar"}, [Argument("w", None), Argument("x", None)]).name
    'x'
    """
    found = re.fullmatch(r"arg(\d+)_\d+|primals_(\d+)", entry["name"])
    if found is None:
        return None
    number = int(found[1]) if found[1] is not None else int(found[2]) - 1
    if not 0 <= number < len(arguments):
        return None
    argument = arguments[number]
    if argument.value is not None and entry["kind"] == "tensor":
        # AOTAutograd may take inputs apart, so that numbers are of other tensors.
        size = entry["layout"]["size"]
        pairs = zip(size, argument.value.shape, strict=False)
        same = len(size) == argument.value.ndim and all(
            not isinstance(extent, int) or extent == actual for extent, actual in pairs
        )
        if not same:
            return None
    return argument


def _path(source: str) -> tuple[str | None, str]:
    """Returns the name of the module that a tensor is in, if it is in one, and the tensor's name there."""
    root = _ROOT.match(source)
    if root is None:
        return None, source
    members = _MEMBER.findall(source)
    # Members of a list or of an attribute have no path of a module: the text is as in Python.
    if members and _MEMBER.sub("", source[root.end() :]) == "":
        return root[1], ".".join(members)
    return None, root[1] + source[root.end() :]


def _different(names: Sequence[str], fold: bool = False) -> list[str]:
    """Returns the names, with a number after each that an earlier one equals; `fold`: in upper or lower case too."""
    taken = set[str]()
    different = list[str]()
    for name in names:
        candidate, number = name, 1
        while (candidate.casefold() if fold else candidate) in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate.casefold() if fold else candidate)
        different.append(candidate)
    return different
