"""Inputs of a model, from a fixed seed, and the results of ONNX Runtime or LiteRT: `python -m zoo.values NAME FILE DIRECTORY`.

It runs in the environment of the model's front end, writes `input_0.npy`, `expect_0.npy` and so on, and prints the scales of
the results.
"""

from __future__ import annotations

import sys
import zlib
from pathlib import Path
from typing import Any

from .models import Input, Model, chosen


def seed(model: Model) -> int:
    """Return the seed of a model's inputs, which depends on its name only, so that other models do not change it."""
    return zlib.crc32(model.name.encode())


def draw(generator: Any, value: Input) -> Any:
    """Return an array for an input."""
    import numpy as np

    if value.letters:
        return _letters(generator, value)
    if value.dtype.startswith("float") and not value.whole:
        return np.asarray(generator.uniform(value.low, value.high, value.shape)).astype(value.dtype)
    return np.asarray(generator.integers(int(value.low), int(value.high), value.shape)).astype(value.dtype)


def _letters(generator: Any, value: Input) -> Any:
    """Return an image, rows and columns last, of dark letters with a stem and two bars that are there or not."""
    import numpy as np

    image = np.full(value.shape, value.high, value.dtype)
    height, width = value.shape[-2:]
    top, bottom = height // 3, height - height // 3
    for left in range(3, width - 6, 8):
        image[..., top:bottom, left : left + 2] = value.low
        upper, lower = generator.integers(0, 2, 2)
        image[..., top : top + 2 * upper, left : left + 5] = value.low
        image[..., bottom - 2 * lower : bottom, left : left + 5] = value.low
    return image


def scales(results: list[Any]) -> list[float]:
    """Return the factor of the tolerance of each result: the largest magnitude of its elements, 1 at most.

    Without it, a result of small numbers would equal zeros.
    """
    import numpy as np

    return [min(1.0, float(np.max(np.abs(array.astype(np.float64)), initial=0)) or 1.0) for array in results]


def onnx_results(path: str, model: Model, arrays: list[Any]) -> list[Any]:
    """Return the results of ONNX Runtime, with basic optimizations only: others replace functions by approximations."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    _check_names(model, [value.name for value in session.get_inputs()])
    return session.run(None, dict(zip((value.name for value in model.inputs), arrays)))


def tflite_results(path: str, model: Model, arrays: list[Any]) -> list[Any]:
    """Return the results of LiteRT's interpreter, with its reference kernels."""
    import tensorflow as tf

    kernels = tf.lite.experimental.OpResolverType.BUILTIN_REF
    interpreter = tf.lite.Interpreter(path, experimental_op_resolver_type=kernels)
    interpreter.allocate_tensors()
    details = interpreter.get_input_details()
    _check_names(model, [detail["name"] for detail in details])
    for detail, array in zip(details, arrays):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]


def _check_names(model: Model, names: list[str]) -> None:
    """Check that the table has the inputs of the file, in order."""
    expected = [value.name for value in model.inputs]
    if names != expected:
        raise ValueError(f"{model.name}: the file has the inputs {names}, the table {expected}")


def main(arguments: list[str]) -> int:
    """Write the inputs and results of a model, and return the exit code."""
    import numpy as np

    name, path, directory = arguments
    (model,) = chosen([name])
    generator = np.random.default_rng(seed(model))
    arrays = [draw(generator, value) for value in model.inputs]
    compute = onnx_results if model.form == "onnx" else tflite_results
    results = compute(path, model, arrays)
    for kind, values in (("input", arrays), ("expect", results)):
        for number, array in enumerate(values):
            np.save(Path(directory) / f"{kind}_{number}.npy", array)
    print(" ".join(["scales", *(f"{scale:.6e}" for scale in scales(results))]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
