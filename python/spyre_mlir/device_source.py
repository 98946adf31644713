"""The program as a function of device operations, which plans are made of.

Plans have places in the program, so a program that is written in device operations is planned as it is; others are
imported first, and the places are lines of the imported text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .native import transform
from .sources import Source

_GRAPHS = (("inductor", "inductor-loop-ir"), ("uop", "uop-graph-1"))

_WITHOUT_WORK = ("linalg.yield", "linalg.fill", "linalg.index", "spyre.empty", "spyre.fill")


def device_pipelines(source: Source, floats: str, sizes: Sequence[tuple[str, int]] = ()) -> list[str]:
    """Returns the pipelines that import a program, in order; none for one of device operations alone.

    >>> device_pipelines(Source(b"func.func @f() { spyre.fill }", "f"), "auto")
    []
    >>> device_pipelines(Source(b"func.func @f() { linalg.fill }", "f"), "dl16")
    ['builtin.module(spyre-import-linalg{float=dl16})']
    """
    text = source.text or ""
    graph = source.graph
    dialects = [
        dialect for dialect, format in _GRAPHS if (graph or {}).get("format") == format or f"{dialect}.graph" in text
    ]
    options = "{sizes=" + ",".join(f"{name}={extent}" for name, extent in sizes) + "}" if sizes else ""
    pipelines = [f"builtin.module(convert-{dialect}-to-linalg{options})" for dialect in dialects]
    if pipelines or "linalg." in text or source.text is None:
        pipelines.append(f"builtin.module(spyre-import-linalg{{float={floats}}})")
    return pipelines


def host_structured_operations(source: Source, floats: str, sizes: Sequence[tuple[str, int]]) -> list[str]:
    """Returns the names of structured operations that an import for both sides leaves in functions of the host, each
    once."""
    *first, last = device_pipelines(source, floats, sizes)
    for pipeline in (*first, last.replace("{float=", "{host=true float=")):
        source = Source(transform(source, pipeline).encode("utf-8"), source.name)
    names, of_host = dict[str, None](), False
    for line in (source.text or "").splitlines():
        if "func.func" in line:
            of_host = "spyre.device" not in line
        found = re.search(r"(?:^|= )\s*((?:linalg|spyre)\.\w+)", line)
        if found is not None and of_host and found[1] not in _WITHOUT_WORK:
            element = re.search(r"[<x]([a-z]\w*)(?:, #\w+)?>[^<>]*$", line)
            names[f"{found[1]} of {element[1]}" if element is not None else found[1]] = None
    return list(names)


def device_source(source: Source, floats: str, sizes: Sequence[tuple[str, int]]) -> Source:
    """Returns the program in device operations. Raises `CompileError` where the card does not compute all of it."""
    for pipeline in device_pipelines(source, floats, sizes):
        source = Source(transform(source, pipeline).encode("utf-8"), source.name)
    return source
