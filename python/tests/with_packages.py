"""Convert programs of JAX, ONNX and LiteRT, run them, and compare with the values of the front ends.

    python3.12 -m venv /tmp/venv && /tmp/venv/bin/pip install './python[jax,onnx]' onnxruntime
    /tmp/venv/bin/python python/tests/with_packages.py --spyre-run target/debug/spyre-run

Every program is run on the CPU and on the simulated card.  A line is printed for each, and the exit code is 1 if one differs.
Front ends are jax and onnx, or the named ones; LiteRT (tflite) needs TensorFlow, in a separate environment:

    python3.12 -m venv /tmp/tflite && /tmp/tflite/bin/pip install './python[tflite]'
    /tmp/tflite/bin/python python/tests/with_packages.py --spyre-run target/debug/spyre-run tflite
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

TOLERANCE = "1e-4"  # relative to 1 + magnitude; sums of f32 are added up in another order


@dataclasses.dataclass
class Case:
    """A program, and the results of the front end."""

    name: str
    convert: Callable[[], str]
    inputs: Sequence[Any]
    results: Sequence[Any]


def jax_cases() -> Iterator[Case]:
    """Yield programs of JAX, each for something that a pipeline of IREE drops or refuses."""
    import jax
    import jax.numpy as jnp
    import numpy as np
    from jax import lax

    from spyre_mlir.convert import convert_jax

    draw = np.random.default_rng(1)

    def floats(*shape: int) -> Any:
        return draw.standard_normal(shape).astype(np.float32)

    def integers(low: int, high: int, *shape: int, dtype: Any = np.int32) -> Any:
        return draw.integers(low, high, shape).astype(dtype)

    special = np.round(floats(4, 11) * 2)
    special[0, 0], special[1, 1], special[2, 2], special[3, 3] = np.nan, -0.0, np.inf, -np.inf
    u8 = integers(0, 256, 16, 8, dtype=np.uint8)
    rows = np.array([0, -1, 12, -20], np.int32)
    programs: list[tuple[str, Callable[..., Any], Sequence[Any]]] = [
        ("product with truth values", lambda x: x @ jnp.eye(4), [floats(5, 4)]),
        ("product of unsigned bytes", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.int32), [u8.T.copy(), u8]),
        ("one-hot product of bytes", lambda x, i: jax.nn.one_hot(i, 16, dtype=jnp.uint8) @ x, [u8, rows]),
        ("convolution of bytes", lambda x, w: lax.conv_general_dilated(
            x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), preferred_element_type=jnp.int32),
         [integers(0, 256, 1, 8, 8, 2, dtype=np.uint8), integers(0, 256, 3, 3, 2, 4, dtype=np.uint8)]),
        ("convolution, strided", lambda x, w: lax.conv_general_dilated(
            x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), [floats(1, 16, 16, 8), floats(3, 3, 8, 16)]),
        ("take out of range", lambda x, i: jnp.take(x, i, axis=0), [floats(10, 6), rows]),
        ("sort", lambda x: jnp.sort(x), [special]),
        ("argsort, descending", lambda x: jnp.argsort(x, axis=0, descending=True), [special]),
        ("sort by two keys", lambda x, y: lax.sort((x, y), num_keys=2), [integers(0, 3, 4, 9), floats(4, 9)]),
        ("top_k", lambda x: lax.top_k(x, 3), [special]),
        ("unique", lambda x: jnp.unique(x, size=8), [integers(0, 5, 20)]),
        ("scatter out of range", lambda x, i: x.at[i].add(1.0), [floats(10, 6), rows]),
        ("batched scatter", jax.vmap(lambda x, i, u: x.at[i].set(u)), [floats(3, 10), integers(-3, 12, 3, 4), floats(3, 4)]),
        ("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4), [floats(10, 6), integers(-1, 6, 10)]),
        ("gradient of a gather", lambda w, i: jax.grad(lambda w: (w[i] ** 2).sum())(w), [floats(10, 6), integers(0, 10, 2, 4)]),
        ("scan", lambda x: lax.scan(lambda c, a: (c + a, c * a), jnp.zeros(6), x), [floats(10, 6)]),
        ("while", lambda x: lax.while_loop(lambda c: jnp.sum(c) < 100, lambda c: c * 2 + 1, x), [floats(4)]),
        ("gradient with a checkpoint", jax.grad(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)).sum())), [floats(6, 5)]),
        ("random numbers", lambda k: jax.random.normal(k, (4, 4)), [np.array([1, 2], np.uint32)]),
        ("spectrum", lambda x: jnp.abs(jnp.fft.rfft2(x)), [floats(2, 6, 7)]),
        ("filter by a spectrum", lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 2, n=16), [floats(4, 16)]),
        ("unused argument", lambda x, y: x * 2, [floats(4), floats(5)]),
    ]  # fmt: skip
    # JAX has no attention of f16 under jit on a CPU, so the values are computed in f32.
    half = [floats(1, 64, 2, 64).astype(np.float16) for _ in range(3)]
    exact = jax.nn.dot_product_attention(*(array.astype(np.float32) for array in half), is_causal=True)
    yield Case(
        "causal attention in f16",
        lambda: convert_jax(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True), *half),
        half,
        [np.asarray(exact).astype(np.float16)],
    )
    for name, function, arguments in programs:
        results = jax.tree.leaves(jax.jit(function)(*arguments))

        def convert(function: Callable[..., Any] = function, arguments: Sequence[Any] = arguments) -> str:
            return convert_jax(function, *arguments)

        yield Case(name, convert, arguments, [np.asarray(result) for result in results])


def onnx_cases(directory: str) -> Iterator[Case]:
    """Yield models of ONNX: an old operator set, open dimensions, attention in f16, sorts, scans and scatters."""
    import numpy as np
    import onnx
    import onnxruntime
    from onnx import helper

    from spyre_mlir.convert import convert_onnx

    draw = np.random.default_rng(2)

    def model(
        name: str,
        opset: int,
        nodes: list[Any],
        inputs: dict[str, Any],
        types: dict[str, Any],
        weights: dict[str, Any],
        result: list[str] | None = None,
    ) -> Case:
        elements = {key: helper.np_dtype_to_tensor_dtype(array.dtype) for key, array in inputs.items()}
        values = [helper.make_tensor_value_info(key, elements[key], shape) for key, shape in types.items()]
        output = helper.make_tensor_value_info("y", next(iter(elements.values())), result)
        constants = [onnx.numpy_helper.from_array(array, key) for key, array in weights.items()]
        graph = helper.make_graph(nodes, "main", values, [output], constants)
        proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        path = os.path.join(directory, "model.onnx")
        onnx.save(proto, path)
        results = onnxruntime.InferenceSession(path).run(None, inputs)
        extents = {
            dim: inputs[key].shape[place]
            for key, shape in types.items()
            for place, dim in enumerate(shape)
            if isinstance(dim, str)
        }
        text = convert_onnx(path, extents=extents)
        return Case(name, lambda: text, list(inputs.values()), results)

    image = draw.standard_normal((2, 3, 8, 8)).astype(np.float32)
    weight = draw.standard_normal((16, 3, 3, 3)).astype(np.float32)
    ones = np.ones(16, np.float32)
    yield model(
        "convolution and norm of operator set 11, open batch",
        11,
        [
            helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]),
            helper.make_node("BatchNormalization", ["c", "s", "b", "m", "v"], ["n"]),
            helper.make_node("Relu", ["n"], ["r"]),
            helper.make_node("GlobalAveragePool", ["r"], ["y"]),
        ],
        {"x": image},
        {"x": ["batch", 3, 8, 8]},
        {"w": weight, "s": ones * 2, "b": ones * 0.5, "m": ones * 0.1, "v": ones * 3},
    )
    q, k, v = (draw.standard_normal((1, 2, 64, 64)).astype(np.float16) * np.float16(0.5) for _ in range(3))
    yield model(
        "attention in f16",
        17,
        [
            helper.make_node("Transpose", ["k"], ["kt"], perm=[0, 1, 3, 2]),
            helper.make_node("MatMul", ["q", "kt"], ["s"]),
            helper.make_node("Mul", ["s", "scale"], ["scaled"]),
            helper.make_node("Softmax", ["scaled"], ["p"], axis=-1),
            helper.make_node("MatMul", ["p", "v"], ["y"]),
        ],
        {"q": q, "k": k, "v": v},
        dict.fromkeys("qkv", (1, 2, 64, 64)),
        {"scale": np.array(0.125, np.float16)},
    )
    x = draw.standard_normal((4, 13)).astype(np.float32)
    axis, count = np.array(1, np.int64), np.array([3], np.int64)
    rows, columns = np.array([[1], [3]], np.int64), np.array([[1, 12], [0, 3], [5, 4], [2, 9]], np.int64)
    for name, node, weights in (
        ("TopK", helper.make_node("TopK", ["x", "count"], ["y", "positions"]), {"count": count}),
        ("CumSum", helper.make_node("CumSum", ["x", "axis"], ["y"]), {"axis": axis}),
        ("ScatterND", helper.make_node("ScatterND", ["x", "i", "u"], ["y"]), {"i": rows, "u": x[:2] * 2}),
        (
            "ScatterElements that adds",
            helper.make_node("ScatterElements", ["x", "i", "u"], ["y"], axis=1, reduction="add"),
            {"i": columns, "u": x[:, :2] * 2},
        ),
    ):
        yield model(name, 17, [node], {"x": x}, {"x": x.shape}, weights)
    yield model(
        "causal Attention of operator set 23 in f16",
        23,
        [helper.make_node("Attention", ["q", "k", "v"], ["y"], is_causal=1)],
        {"q": q, "k": k, "v": v},
        dict.fromkeys("qkv", (1, 2, 64, 64)),
        {},
    )
    scale = {"scale": draw.standard_normal(13).astype(np.float32)}
    node = helper.make_node("RMSNormalization", ["x", "scale"], ["y"])
    yield model("RMSNormalization", 23, [node], {"x": x}, {"x": x.shape}, scale)
    # PyTorch's export of squeeze: the condition follows from the extents, and the branch not taken has another rank.
    one = np.array([1], np.int64)
    squeezed = helper.make_graph(
        [helper.make_node("Squeeze", ["x", "one"], ["t"])], "then", [], [helper.make_tensor_value_info("t", 1, ["p"])]
    )
    whole = helper.make_graph(
        [helper.make_node("Identity", ["x"], ["t"])], "else", [], [helper.make_tensor_value_info("t", 1, ["p", "q"])]
    )
    nodes = [
        helper.make_node("Shape", ["x"], ["extents"]),
        helper.make_node("Gather", ["extents", "one"], ["columns"]),
        helper.make_node("Equal", ["columns", "one"], ["is_one"]),
        helper.make_node("If", ["is_one"], ["c"], then_branch=squeezed, else_branch=whole),
        helper.make_node("Neg", ["c"], ["y"]),
    ]
    yield model("squeeze by a condition", 17, nodes, {"x": x[:, :1]}, {"x": (4, 1)}, {"one": one}, ["p"])
    # Its export of F.pad, with an LSTM, which has results with the extents of the padded input.
    numbers = {"given": [0, 3], "pairs": [-1, 2], "last": [-1], "first": [-(2**63) + 1], "axis": [0], "step": [-1], "flat": [-1]}
    weights = {key: np.array(value, np.int64) for key, value in numbers.items()}
    weights |= {key: draw.standard_normal(shape).astype(np.float32) for key, shape in (("W", (1, 32, 4)), ("R", (1, 32, 8)))}
    four = onnx.numpy_helper.from_array(np.array([4], np.int64))
    nodes = [
        helper.make_node("Constant", [], ["count"], value=four),
        helper.make_node("ConstantOfShape", ["count"], ["rest"], value=onnx.numpy_helper.from_array(np.array([0], np.int64))),
        helper.make_node("Concat", ["given", "rest"], ["all"], axis=0),
        helper.make_node("Reshape", ["all", "pairs"], ["rows"]),
        helper.make_node("Slice", ["rows", "last", "first", "axis", "step"], ["reversed"]),
        helper.make_node("Transpose", ["reversed"], ["transposed"], perm=[1, 0]),
        helper.make_node("Reshape", ["transposed", "flat"], ["pads"]),
        helper.make_node("Pad", ["x", "pads"], ["padded"], mode="constant"),
        helper.make_node("LSTM", ["padded", "W", "R"], ["", "y"], hidden_size=8),
    ]
    steps = draw.standard_normal((3, 1, 1)).astype(np.float32)
    yield model("LSTM of a pad of computed extents", 17, nodes, {"x": steps}, {"x": steps.shape}, weights)
    pair = {"a": draw.integers(0, 256, (4, 8)).astype(np.uint8), "b": draw.integers(1, 256, (4, 8)).astype(np.uint8)}
    for name in ("Div", "Mod", "Max"):
        node = helper.make_node(name, ["a", "b"], ["y"])
        yield model(f"{name} of unsigned bytes", 17, [node], pair, dict.fromkeys("ab", (4, 8)), {})


def tflite_cases(directory: str) -> Iterator[Case]:
    """Yield models of LiteRT: a network of floats, and the same in integers of 8 bits."""
    import numpy as np
    import tensorflow as tf

    from spyre_mlir.convert.from_tflite import convert_named_tflite

    draw = np.random.default_rng(3)
    first, second = (tf.constant(draw.standard_normal(shape).astype(np.float32) * 0.2) for shape in ((3, 3, 8, 16), (16, 10)))

    @tf.function(input_signature=[tf.TensorSpec((1, 16, 16, 8), tf.float32)])
    def network(x: Any) -> Any:
        hidden = tf.nn.max_pool2d(tf.nn.relu6(tf.nn.conv2d(x, first, 1, "SAME")), 2, 2, "VALID")
        return tf.nn.softmax(tf.reduce_mean(hidden, [1, 2]) @ second)

    for name in ("network of floats", "network of bytes"):
        converter = tf.lite.TFLiteConverter.from_concrete_functions([network.get_concrete_function()], None)
        if name.endswith("bytes"):
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            samples = draw.standard_normal((20, 1, 16, 16, 8)).astype(np.float32)
            converter.representative_dataset = lambda samples=samples: ([sample] for sample in samples)
            converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
            converter.inference_input_type = converter.inference_output_type = tf.int8
        content = converter.convert()
        path = os.path.join(directory, "model.tflite")
        Path(path).write_bytes(content)
        interpreter = tf.lite.Interpreter(model_content=content)
        interpreter.allocate_tensors()
        (source,), (target,) = interpreter.get_input_details(), interpreter.get_output_details()
        values = (draw.standard_normal(source["shape"]) * (1 if source["dtype"] == np.float32 else 40)).astype(source["dtype"])
        interpreter.set_tensor(source["index"], values)
        interpreter.invoke()
        text, names = convert_named_tflite(path)
        if names != [source["name"]]:
            raise ValueError(f"{name}: inputs {names}, not {[source['name']]}")
        yield Case(name, lambda text=text: text, [values], [interpreter.get_tensor(target["index"])])


def run(case: Case, spyre_run: str, directory: str) -> list[str]:
    """Run a program on the CPU and on the card, and return the differences."""
    import numpy as np

    program = os.path.join(directory, "program.mlir")
    Path(program).write_text(case.convert())
    files = []
    for kind, arrays in (("input", case.inputs), ("expect", case.results)):
        for number, array in enumerate(arrays):
            path = os.path.join(directory, f"{kind}_{number}.npy")
            np.save(path, array)
            files += [f"--{kind}", path]
    # The card adds up f16 in another order, and the tolerance of f16 is that of 10 bits.
    half = any(np.asarray(array).dtype == np.float16 for array in case.results)
    command = [spyre_run, program, *files, "--tolerance", "1e-2" if half else TOLERANCE]
    problems = []
    for where in ("cpu", "card"):
        result = subprocess.run([*command, "--on", where], capture_output=True, text=True)
        if result.returncode != 0:
            problems.append(f"{where}: {(result.stdout + result.stderr).strip()[-600:]}")
    return problems


def main() -> int:
    """Run the cases of the front ends that are asked for, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spyre-run", required=True, metavar="PATH", help="the tool that runs programs")
    parser.add_argument("front_ends", nargs="*", default=["jax", "onnx"], help="jax, onnx, tflite")
    arguments = parser.parse_args()
    different = total = 0
    with tempfile.TemporaryDirectory() as directory:
        sources = {"jax": jax_cases, "onnx": lambda: onnx_cases(directory), "tflite": lambda: tflite_cases(directory)}
        for front_end in arguments.front_ends:
            for case in sources[front_end]():
                problems = run(case, arguments.spyre_run, directory)
                total += 1
                different += bool(problems)
                print(f"{front_end}: {case.name}: {'equal' if not problems else ' '.join(problems)}", flush=True)
    print(f"{total - different} passed, {different} failed")
    return 1 if different or not total else 0


if __name__ == "__main__":
    sys.exit(main())
