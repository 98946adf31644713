"""Write test/Integration/Jax: small programs of JAX as the conversion prints them, with inputs and JAX's results.

    python python/tests/record.py            # all, in an environment with spyre-mlir[jax]
    python python/tests/record.py take eye   # some

The tests of the compiler run these files where JAX is not installed.  After a change of a pipeline, or of a version, write them
anew, and read the difference.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

DIRECTORY = Path(__file__).parents[2] / "test" / "Integration" / "Jax"


def programs() -> dict[str, tuple[str, str, list[Any]]]:
    """Return the topic of each file, the function as Python, and its arguments, by the name of the file."""
    import numpy as np

    draw = np.random.default_rng(7)

    def floats(*shape: int) -> Any:
        return draw.standard_normal(shape).astype(np.float32)

    rows = np.array([0, -1, 12, -20], np.int32)
    special = np.array([[1, np.nan, -0.0], [0, -np.inf, 2], [3, 3, -1], [np.inf, np.nan, -2]], np.float32)
    return {
        "eye": (
            "A product with truth values that are cast: true is 1, and not -1.",
            "lambda x: x @ jnp.eye(4)", [floats(5, 4)],
        ),
        "take": (
            "Rows out of range are NaN, and negative ones count from the end.",
            "lambda x, i: jnp.take(x, i, axis=0)", [floats(10, 6), rows],
        ),
        "one_hot_bytes": (
            "A product of unsigned bytes with a result of bytes, and a class out of range.",
            "lambda x, i: jax.nn.one_hot(i, 16, dtype=jnp.uint8) @ x",
            [draw.integers(0, 256, (16, 8)).astype(np.uint8), np.array([0, 5, 15, 17], np.int32)],
        ),
        "wide_product_of_bytes": (
            "A product of unsigned bytes with a wider result: 200 stays 200.",
            "lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32)",
            [draw.integers(0, 256, (4, 16)).astype(np.uint8), draw.integers(0, 256, (16, 8)).astype(np.uint8)],
        ),
        "argsort": (
            "A stable sort of rows that are no power of two, with NaN, infinities, and zeros of both signs.",
            "lambda x: jnp.argsort(x, axis=-1)", [special],
        ),
        "top_k": ("The largest elements and their positions.", "lambda x: lax.top_k(x, 2)", [floats(4, 4).astype(np.float16)]),
        "scatter_add": (
            "Updates out of range do nothing, and equal positions add up.",
            "lambda x, i: x.at[i].add(1.0)", [floats(10, 6), np.array([0, -1, 12, 0], np.int32)],
        ),
        "embedding_gradient": (
            "The gradient of a gather is a scatter.",
            "lambda w, i: jax.grad(lambda w: (w[i] ** 2).sum())(w)",
            [floats(10, 6), np.array([[1, 2, 1], [3, 9, 12]], np.int32)],
        ),
        "scan": (
            "A loop that collects rows.",
            "lambda x: lax.scan(lambda c, a: (c + a, c * a), jnp.zeros(64, jnp.float16), x)",
            [floats(4, 64).astype(np.float16)],
        ),
        "checkpoint": (
            "A gradient whose forward part is computed anew: a barrier of StableHLO is dropped.",
            "jax.grad(jax.checkpoint(lambda x: jnp.tanh(jnp.tanh(x)).sum()))", [floats(6, 5)],
        ),
        "convolution": (
            "A strided convolution with padding.",
            "lambda x, w: lax.conv_general_dilated(x, w, (2, 2), 'SAME', dimension_numbers=('NHWC', 'HWIO', 'NHWC'))",
            [floats(1, 8, 8, 4), floats(3, 3, 4, 8)],
        ),
        "spectrum": (
            "A Fourier transform is products with cosines and sines.",
            "lambda x: jnp.abs(jnp.fft.rfft(x))", [floats(2, 7)],
        ),
    }  # fmt: skip


def record(name: str, about: str, source: str, arguments: list[Any], versions: str) -> None:
    """Write the program, its inputs and its results."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax

    from spyre_mlir.convert import convert_jax

    function = eval(source, {"jax": jax, "jnp": jnp, "lax": lax})  # noqa: S307  (the sources above)
    results = [np.asarray(result) for result in jax.tree.leaves(jax.jit(function)(*arguments))]
    options = []
    (DIRECTORY / "Inputs").mkdir(parents=True, exist_ok=True)
    for kind, option, arrays in (("in", "--input", arguments), ("out", "--expect", results)):
        for number, array in enumerate(arrays):
            np.save(DIRECTORY / "Inputs" / f"{name}_{kind}_{number}.npy", array)
            options.append(f"{option} %S/Inputs/{name}_{kind}_{number}.npy")
    half = any(array.dtype == np.float16 for array in results)
    command = f"spyre-run %s {' '.join(options)} --tolerance {'1e-2' if half else '1e-5'}"
    lines = [
        f"// {about} The values are JAX's: `{source}`.",
        f"// Made with {versions}, by `python python/tests/record.py {name}`.",
        "",
        f"// RUN: {command} | FileCheck %s",
        f"// RUN: {command} --on=card | FileCheck %s",
        *(f"// CHECK: result {number}: 0 of {array.size} elements differ" for number, array in enumerate(results)),
        "",
    ]
    (DIRECTORY / f"{name}.mlir").write_text("\n".join(lines) + "\n" + convert_jax(function, *arguments))


def main() -> int:
    """Write the files that are named, or all."""
    import importlib.metadata

    versions = " and ".join(f"{package} {importlib.metadata.version(package)}" for package in ("jax", "iree-base-compiler"))
    known = programs()
    unknown = set(sys.argv[1:]) - set(known)
    if unknown:
        print(f"error: no program is named {', '.join(sorted(unknown))}: there are {', '.join(known)}", file=sys.stderr)
        return 1
    for name in sys.argv[1:] or known:
        record(name, *known[name], versions)
        print(DIRECTORY / f"{name}.mlir")
    return 0


if __name__ == "__main__":
    sys.exit(main())
