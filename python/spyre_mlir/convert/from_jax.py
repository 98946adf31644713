"""Functions of JAX to linalg: JAX prints StableHLO, and `from_stablehlo` goes on."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .arguments import Argument
from .errors import ConvertError
from .from_stablehlo import linalg_text
from .iree import parse_module
from .versions import check_packages


def convert_jax(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> str:
    """Return the linalg of a function of JAX for arguments of these shapes.

    Arguments are the ones of `jax.jit(function).lower`: arrays, `jax.ShapeDtypeStruct`, and trees of them.  Each leaf becomes an
    argument of the program, in the order of `jax.tree.leaves`; each leaf of the result becomes a result.
    """
    check_packages("jax")
    import jax

    # All arguments stay, used or not: a caller counts them.
    traced = jax.jit(function, keep_unused=True).trace(*arguments, **keywords)
    lowered = _without_sharding(lambda: _lower(traced))
    name = getattr(function, "__name__", type(function).__name__)
    # With locations, errors are at lines of the user's Python.
    return linalg_text(parse_module(lowered.as_text(dialect="stablehlo", debug_info=True), name), name)


def _lower(traced: Any) -> Any:
    """Lower for a CPU, or for a TPU where JAX refuses a product on a CPU.

    The custom calls of JAX depend on the platform, and no later pass has the names of GPU libraries.
    A CPU has no products of f16 that add up in f32, which `jax.nn.dot_product_attention` requests; a TPU has.
    """
    try:
        return traced.lower(lowering_platforms=("cpu",))
    except ValueError as error:
        if "not supported by dot_general on CPU" not in str(error):
            raise
        return traced.lower(lowering_platforms=("tpu",))


def convert_jax_named(target: str, arguments: Sequence[Argument], example: str | None, x64: bool) -> str:
    """Return the linalg of the function `MODULE:FUNCTION`, where MODULE is a name or a path of a file.

    `example` names a tuple in the module with the arguments, or a function that returns it; it replaces `arguments`.  With
    `x64`, JAX has 64-bit types.
    """
    check_packages("jax")
    import jax

    if x64:
        jax.config.update("jax_enable_x64", True)
    module, function = load_function(target)
    if example is not None:
        found = _attribute(module, example, target)
        values = found() if callable(found) else found
        if not isinstance(values, (tuple, list)):
            raise ConvertError(f"'{example}' of {target} is a {type(values).__name__}: make it a tuple of arguments")
    else:
        for argument in arguments:
            if argument.dtype.endswith("64") and not jax.config.jax_enable_x64:
                raise ConvertError(f"an argument of {argument.dtype}, but JAX has types of 32 bits only: add --x64")
        values = [jax.ShapeDtypeStruct(argument.shape, jax.numpy.dtype(argument.dtype)) for argument in arguments]
    try:
        return convert_jax(function, *values)
    except ConvertError:
        raise
    except Exception as error:  # of the user's function, for these arguments
        shapes = ", ".join(f"{leaf.dtype}{list(leaf.shape)}" for leaf in jax.tree.leaves(values) if hasattr(leaf, "dtype"))
        raise ConvertError(
            f"{target}: JAX does not trace the function for arguments ({shapes}): {type(error).__name__}: {error}"
        ) from error


def load_function(target: str) -> tuple[ModuleType, Callable[..., Any]]:
    """Return the module and the function that `MODULE:FUNCTION` names.  Raises `ConvertError` if there is none."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise ConvertError(f"'{target}' names no function: write MODULE:FUNCTION, as models.py:mlp or package.models:mlp")
    try:
        module = _load_file(place) if place.endswith(".py") else _load_module(place)
    except ConvertError:
        raise
    except Exception as error:
        raise ConvertError(f"{place}: cannot be imported: {type(error).__name__}: {error}") from error
    function = _attribute(module, name, target)
    if not callable(function):
        raise ConvertError(f"{target}: is a {type(function).__name__}, not a function")
    return module, function


def _load_module(name: str) -> ModuleType:
    # `python -m` has the current directory first, but an installed command has not.
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    return importlib.import_module(name)


def _load_file(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise ConvertError(f"{path}: no such file")
    # Modules in the directory of the file, which it may import as a script does.
    sys.path.insert(0, str(Path(path).resolve().parent))
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        raise ConvertError(f"{path}: is no file of Python")
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(spec.name, module)
    spec.loader.exec_module(module)
    return module


def _attribute(module: ModuleType, name: str, target: str) -> Any:
    value: Any = module
    for part in name.split("."):
        if not hasattr(value, part):
            public = ", ".join(key for key in vars(module) if not key.startswith("_"))
            raise ConvertError(f"{target}: '{name}' is not in the module, which has {public}")
        value = getattr(value, part)
    return value


def _without_sharding(lower: Callable[[], Any]) -> Any:
    """Lower without operations of Shardy, which IREE does not read.  The device has one memory, and no tensor is sharded."""
    import jax

    setting = "jax_use_shardy_partitioner"
    before = getattr(jax.config, setting, None)
    if before is None:
        return lower()
    jax.config.update(setting, False)
    try:
        return lower()
    finally:
        jax.config.update(setting, before)
