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
    value: Any = None
    """The tensor that it is called with, or None."""
    shape: tuple[Any, ...] | None = None
    """The extents of a tensor, which are integers or symbols; None for a number."""
    is_several: bool = False
    """Whether it is a tensor subclass, which AOTAutograd replaces by the tensors in it."""


def arguments_of(graph: Any, keep_values: bool) -> list[Argument]:
    """Returns the inputs of Dynamo's graph in order, with their tensors if they are kept."""
    nodes = graph.find_nodes(op="placeholder")
    arguments = [node.meta.get("grapharg") for node in nodes]
    sources = list[str]()
    for node, argument in zip(nodes, arguments, strict=True):
        # A method in some versions of PyTorch, and an attribute in others.
        source = getattr(getattr(argument, "source", None), "name", node.name)
        sources.append(str(source() if callable(source) else source))
    found = list[Argument]()
    for name, node, argument in zip(input_names(sources), nodes, arguments, strict=True):
        value = _tensor_of(argument) if keep_values else None
        example = node.meta.get("example_value")
        shape = tuple(example.shape) if hasattr(example, "shape") else None
        # The condition of torch.utils._python_dispatch.is_traceable_wrapper_subclass.
        found.append(Argument(name, value, shape, hasattr(example, "__tensor_flatten__")))
    return found


def _tensor_of(argument: Any) -> Any:
    """Returns the tensor that an input of Dynamo's graph is called with; None for a number and for a tensor without
    elements."""
    try:
        value = getattr(argument, "example", None)
    except AssertionError:  # the tensor was freed
        return None
    return value if hasattr(value, "data_ptr") and not hasattr(value, "fake_mode") else None


def arguments_by_input(
    entries: Sequence[Mapping[str, Any]], arguments: Sequence[Argument]
) -> tuple[list[Argument | None], str | None]:
    """Returns the argument of Dynamo that each input of a graph is: `arg3_1` is number 3, and `primals_4` with a
    gradient. Where AOTAutograd may have changed the inputs, all are None, with the reason.

    >>> arguments = [Argument("w", shape=(2, 3)), Argument("x", shape=(3,))]
    >>> entries = [{"name": f"arg{n}_1", "kind": "tensor", "layout": {"size": [3] if n else [2, 3]}} for n in (1, 0)]
    >>> [argument.name for argument in arguments_by_input(entries, arguments)[0]]
    ['x', 'w']
    >>> arguments_by_input(entries[:1], arguments)
    ([None], 'the graph has 1 input, and the function that was compiled 2')
    """
    numbers = [_number(entry) for entry in entries]
    reason = _changed_inputs(entries, numbers, arguments)
    if reason is not None:
        return [None] * len(entries), reason
    return [None if number is None else arguments[number] for number in numbers], None


def _number(entry: Mapping[str, Any]) -> int | None:
    """Returns the number that an input has in the graph of AOTAutograd, or None for one that AOTAutograd has added."""
    found = re.fullmatch(r"arg(\d+)_\d+|primals_(\d+)", entry["name"])
    if found is None:
        return None
    return int(found[1]) if found[1] is not None else int(found[2]) - 1


def _changed_inputs(
    entries: Sequence[Mapping[str, Any]], numbers: Sequence[int | None], arguments: Sequence[Argument]
) -> str | None:
    """Returns the reason why inputs of a graph may have other numbers than the arguments of Dynamo, or None.

    AOTAutograd replaces a tensor subclass by its tensors, views of one memory by this memory, and equal arguments by one
    of them; a shape alone does not find out, as several inputs may have it.
    """
    several = [argument.name for argument in arguments if argument.is_several]
    if several:
        return f"{', '.join(several)} is a tensor subclass, of several tensors"
    known = sorted(number for number in numbers if number is not None)
    if known != list(range(len(arguments))):
        count = f"{len(known)} input" if len(known) == 1 else f"{len(known)} inputs"
        return f"the graph has {count}, and the function that was compiled {len(arguments)}"
    for entry, number in zip(entries, numbers, strict=True):
        if number is None or entry["kind"] == "object":
            continue
        shape = arguments[number].shape
        size = entry["layout"]["size"] if entry["kind"] == "tensor" else None
        if not _may_be_equal(size, shape):
            return f"{entry['name']} has the shape {size}, and {arguments[number].name} {shape}"
    return None


def _may_be_equal(size: Sequence[Any] | None, shape: Sequence[Any] | None) -> bool:
    """Returns whether two shapes have the same rank and the same extents where these are known; None for a number."""
    if size is None or shape is None:
        return size is None and shape is None
    pairs = zip(size, shape, strict=False)
    fixed = ((one, other) for one, other in pairs if isinstance(one, int) and isinstance(other, int))
    return len(size) == len(shape) and all(one == other for one, other in fixed)


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
