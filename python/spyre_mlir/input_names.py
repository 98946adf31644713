"""Names of the inputs of captured graphs: those of parameters, buffers and arguments, and of files for their values.

Dynamo has the source of each input as an expression of Python. This module reads texts alone, and imports no framework.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

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
