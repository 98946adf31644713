"""Tests of programs of front ends; each is skipped without its packages."""

from __future__ import annotations

import importlib.metadata
import pickle
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import spyre_mlir
from native import HAS_NATIVE, HAS_NUMPY, needs_native, needs_numpy, needs_package

if HAS_NUMPY:
    import numpy as np


@needs_numpy
class Missing(unittest.TestCase):
    def test_the_error_is_the_line_to_type(self) -> None:
        with mock.patch("importlib.metadata.version", side_effect=importlib.metadata.PackageNotFoundError):
            for name in ("torch", "jax", "onnx", "tflite", "tinygrad"):
                with self.assertRaisesRegex(
                    ImportError, rf"^from_{name} needs .*: run pip install 'spyre-mlir\[{name}\]'$"
                ):
                    getattr(spyre_mlir, f"from_{name}")(None)


@needs_numpy
class Positions(unittest.TestCase):
    def test_extents_leave_when_a_compilation_fixes_them(self) -> None:
        from spyre_mlir.program import Extent, Program
        from spyre_mlir.sources import Source

        program = Program(
            Source(b"{}", "graph"), names=["w", "s0", "x"], values={0: 1.5j, 1: Extent(2, 0)}, arguments=[2, None]
        )
        self.assertIs(program.with_inputs(3), program)
        fixed = program.with_inputs(2)
        self.assertEqual((fixed.saved_names, fixed.values, fixed.arguments), (["w", "x"], {0: 1.5j}, [1, None]))


@needs_native
@needs_package("torch")
class Torch(unittest.TestCase):
    def setUp(self) -> None:
        import torch

        self.torch = torch
        torch.manual_seed(0)

    def same(self, got, expected) -> None:
        self.assertTrue(np.allclose(np.asarray(got, np.float32), expected.detach().float().numpy(), atol=2e-2))

    def test_captured_graphs_are_saved_with_their_values(self) -> None:
        torch = self.torch
        model, x = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.Tanh()), torch.rand(8, 64)
        torch.compiler.reset()
        with torch.no_grad(), spyre_mlir.capture() as graphs:
            expected = torch.compile(model, dynamic=True)(x)
        with tempfile.TemporaryDirectory() as directory:
            (path,) = graphs.save(Path(directory) / "model")
            self.assertTrue((path / "0.weight.npy").is_file())
            self.same(spyre_mlir.load(path)(), expected)

    def test_weights_are_values_and_arguments_are_not(self) -> None:
        torch = self.torch
        model = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 64)).half()
        x = torch.rand(32, 64).half()
        program = spyre_mlir.from_torch(model, x)
        self.assertEqual([str(input) for input in program.inputs], ["input: f16[32, 64]"])
        self.assertEqual(program.name, "Sequential")
        self.same(program(x), model(x))
        other = torch.rand(32, 64).half()
        self.same(pickle.loads(pickle.dumps(program))(other), model(other))
        with tempfile.TemporaryDirectory() as folder:
            self.same(spyre_mlir.load(program.compile().save(Path(folder, "p")))(other), model(other))

    def test_trees_unused_arguments_and_numbers(self) -> None:
        torch = self.torch
        a, tree = torch.rand(8, 16), {"s": torch.rand(24), "w": torch.rand(16, 24)}

        def function(a, tree, scale, unused):
            return torch.softmax(a @ tree["w"], -1) * tree["s"] * scale

        program = spyre_mlir.from_torch(function, a, tree, 3, torch.ones(2))
        self.assertEqual([input.name for input in program.inputs], ["a", "tree['w']", "tree['s']"])
        self.same(program(a, tree, 3, torch.ones(2)), function(a, tree, 3, None))

    def test_inputs_that_are_replaced_are_refused(self) -> None:
        torch = self.torch

        def shared(x, y, z):
            x.mul_(2)
            return y + z

        memory = torch.randn(6)
        with self.assertLogs("spyre_mlir", "WARNING"), self.assertRaisesRegex(RuntimeError, "PyTorch replaced inputs of"):
            spyre_mlir.from_torch(shared, memory[:4], memory[2:], torch.randn(4))

    def test_a_dynamic_extent_has_the_extent_of_each_compilation(self) -> None:
        torch = self.torch
        program = spyre_mlir.from_torch(lambda x: torch.softmax(x, -1), torch.rand(8, 16), dynamic={0: [0]})
        x = torch.rand(12, 16)
        self.same(program.compile(shapes=[(12, 16)])(x), torch.softmax(x, -1))
        with self.assertRaisesRegex(
            ValueError, r"argument 0 \(x\) is f32\[12, 16\], but the program takes f32\[8, 16\]"
        ):
            program(x)


@needs_native
@needs_package("jax")
@needs_package("iree")
class Jax(unittest.TestCase):
    def test_leaves_of_trees_have_names(self) -> None:
        import jax

        def layer(x, params):
            return jax.nn.relu(x @ params["w"] + params["b"])

        x = np.full((96, 384), 0.1, np.float16)
        params = {"w": np.full((384, 512), 0.01, np.float16), "b": np.ones(512, np.float16)}
        program = spyre_mlir.from_jax(layer, x, params)
        self.assertEqual([input.name for input in program.inputs], ["x", "params['b']", "params['w']"])
        self.assertTrue(np.allclose(program(x, params), np.asarray(layer(x, params)), atol=1e-2))
        self.assertEqual(program.explain().statistics.device_share, 1.0)

    def test_an_error_is_at_a_line_of_python(self) -> None:
        import jax.numpy as jnp

        with self.assertRaises(spyre_mlir.CompileError) as caught:
            spyre_mlir.from_jax(lambda a: jnp.linalg.cholesky(a), np.eye(4, dtype=np.float32))
        self.assertRegex(caught.exception.location, r"test_front_ends\.py:\d+:\d+$")
        self.assertIn("cholesky(a)", str(caught.exception))


@needs_native
@needs_package("onnx")
@needs_package("iree")
class Onnx(unittest.TestCase):
    def test_open_dimensions_and_names(self) -> None:
        import onnx
        from onnx import TensorProto, helper

        def value(name: str, *shape: int | str):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT16, shape)

        nodes = [helper.make_node("MatMul", ["x", "w"], ["y"]), helper.make_node("Relu", ["y"], ["z"])]
        graph = helper.make_graph(nodes, "g", [value("x", "n", 64), value("w", 64, 64)], [value("z", "n", 64)])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "model.onnx")
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
            bundle = spyre_mlir.compile(path, sizes={"n": 32})
            self.assertEqual([str(input) for input in bundle.inputs], ["x: f16[32, 64]", "w: f16[64, 64]"])
            x, w = np.ones((32, 64), np.float16), np.eye(64, dtype=np.float16)
            self.assertEqual(bundle(x, w).tolist(), x.tolist())
            self.assertEqual(bundle.name, str(path))


@needs_package("tinygrad")
class Tinygrad(unittest.TestCase):
    @unittest.skipUnless(HAS_NATIVE, "the native module is not built")
    def test_buffers_are_values(self) -> None:
        from tinygrad import Tensor

        try:
            tensor = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).softmax()
        except RuntimeError as error:
            self.skipTest(f"tinygrad has no device: {error}")
        program = spyre_mlir.from_tinygrad(tensor)
        self.assertEqual(program.inputs, ())
        self.assertTrue(np.allclose(program()[1], [0.09003057, 0.24472848, 0.66524094], atol=1e-3))
        self.assertTrue(np.allclose(program(np.zeros(6, np.float32)), 1 / 3, atol=1e-3))


if __name__ == "__main__":
    unittest.main()
