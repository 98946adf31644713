"""Tests of the export of tinygrad's graphs, under the tinygrad that is installed; without one they are skipped.

The tests compute no tensors, so no compiler is needed. `test/Target/Uop/tinygrad.mlir` has programs with results.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

HAS_TINYGRAD = importlib.util.find_spec("tinygrad") is not None
if HAS_TINYGRAD:
    # tinygrad looks for a device with a compiler otherwise, and refuses every tensor where it finds none.
    os.environ.setdefault("DEV", "PYTHON")
    from tinygrad import Tensor, TinyJit, Variable, dtypes

    from spyre_mlir.tinygrad import Buffer, UnsupportedError, capture, export


@unittest.skipUnless(HAS_TINYGRAD, "tinygrad is not installed")
class Export(unittest.TestCase):
    def nodes(self, *results: Tensor) -> list[str]:
        """Returns the operations of a program with the types and shapes of their results."""
        graph = export(*results).graph
        self.assertEqual([node["id"] for node in graph["nodes"]], list(range(len(graph["nodes"]))))
        self.assertTrue(all(src < node["id"] for node in graph["nodes"] for src in node["src"]))
        return [f"{node['op']} {node['dtype']} {node['shape']}" for node in graph["nodes"]]

    def test_writes_axes_and_the_type_of_constants(self) -> None:
        self.assertEqual(
            self.nodes(Tensor([1.0, 2.0]) * 2),
            ["Buffer f32 [2]", "Const f32 []", "Reshape f32 [1]", "Expand f32 [2]", "Mul f32 [2]"],
        )
        self.assertIn("Const u32 []", self.nodes(Tensor([1, 2], dtype=dtypes.uint32) + 3))

    def test_keeps_reduced_axes_until_they_are_dropped(self) -> None:
        nodes = self.nodes(Tensor([[1, 2], [3, 4], [5, 6]]).sum(1))
        self.assertEqual(nodes[-3:], ["Permute i32 [2, 3]", "Reduce i32 [1, 3]", "Reshape i32 [3]"])

    def test_takes_the_value_of_a_whole_assignment(self) -> None:
        self.assertNotIn("Buffer", " ".join(self.nodes(Tensor.ones(2, 3) + 1)))

    def test_replaces_bound_variables_and_refuses_open_ones(self) -> None:
        x, n = Tensor([[1.0, 2.0]] * 4), Variable("n", 1, 4)
        self.assertIn("Shrink f32 [3, 2]", self.nodes(x[: n.bind(3)].sum(0)))
        with self.assertRaisesRegex(UnsupportedError, "the extent n is open; bind its variable"):
            export(x[:n].sum(0))

    def test_refuses_types_that_the_file_lacks(self) -> None:
        with self.assertRaisesRegex(UnsupportedError, "fp8e4m3 is no element type of the file; cast to one of bool"):
            export(Tensor([1.0]).cast(dtypes.fp8e4m3))

    def test_numbers_the_buffers_of_arguments_first(self) -> None:
        @TinyJit
        def divide(by: Tensor, x: Tensor) -> Tensor:
            return (x / by).realize()

        program = capture(divide, Tensor([2.0, 4.0]), Tensor([1.0, 3.0]))
        self.assertEqual([buffer.elements() for buffer in program.inputs], [[2.0, 4.0], [1.0, 3.0]])

    def test_refuses_functions_that_read_numbers(self) -> None:
        with self.assertRaisesRegex(UnsupportedError, "reads the numbers of a tensor"):
            capture(lambda x: x * x.sum().item(), Tensor([1.0, 2.0]))
        with self.assertRaisesRegex(UnsupportedError, "returns int, which is no tensor"):
            capture(lambda x: 1, Tensor([1.0, 2.0]))

    def test_writes_files_that_numpy_reads(self) -> None:
        program = export(Tensor([float("nan"), float("-inf"), 0.5]) + Tensor([1.0]).cast(dtypes.bfloat16))
        self.assertEqual(program.inputs[0].elements(), ["nan", "-inf", 0.5])
        self.assertEqual(Buffer("bf16", (1,), b"\xc0\x3f").elements(), [1.5])
        with tempfile.TemporaryDirectory() as directory:
            program.write(directory)
            head = (Path(directory) / "in_0.npy").read_bytes()
        self.assertEqual(head[:10], b"\x93NUMPY\x01\x00v\x00")
        self.assertEqual(len(head), 128 + 3 * 4)
        self.assertEqual(head[127:128], b"\n")


if __name__ == "__main__":
    unittest.main()
