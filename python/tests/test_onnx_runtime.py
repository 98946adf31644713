"""Tests of `spyre run --compare onnxruntime`: the comparison alone, and the command on small models of ONNX."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from native import HAS_NUMPY, ROOT, needs_native, needs_numpy, needs_package

if HAS_NUMPY:
    import numpy as np
    from spyre_mlir import onnx_runtime
    from spyre_mlir.arrays import Array
    from spyre_mlir.command import main
    from spyre_mlir.onnx_runtime import compare_result, file_tolerance, result_tolerance


@needs_numpy
class Comparison(unittest.TestCase):
    def test_a_float_may_differ_by_the_tolerance_times_its_magnitude(self) -> None:
        expected = np.array([1.0, 100.0, 0.0], np.float32)
        inside = compare_result("y", expected + np.array([1e-4, 9e-3, -9e-5], np.float32), expected, 1e-4)
        self.assertTrue(inside.same, inside)
        self.assertAlmostEqual(inside.largest_difference, 9e-3, 4)
        outside = compare_result("y", expected + np.array([0, 0, 2e-4], np.float32), expected, 1e-4)
        self.assertEqual((outside.same, outside.different, outside.elements), (False, 1, 3))
        self.assertEqual(
            str(outside), "y: 1 of 3 elements differ; largest difference 0.0002, of 0.0001 times (1 + the magnitude)"
        )

    def test_a_result_of_small_numbers_does_not_equal_zeros(self) -> None:
        expected = np.full((2, 4), 1e-5, np.float32)
        self.assertFalse(compare_result("y", np.zeros((2, 4), np.float32), expected, 1e-4).same)
        self.assertTrue(compare_result("y", expected * np.float32(1.00001), expected, 1e-4).same)
        # A result of zeros has no scale.
        self.assertTrue(compare_result("y", np.zeros(3, np.float32), np.zeros(3, np.float32), 1e-4).same)

    def test_numbers_that_are_none(self) -> None:
        infinite = np.array([np.inf, np.nan, 1.0], np.float32)
        self.assertTrue(compare_result("y", infinite, infinite, 1e-4).same)
        result = compare_result("y", np.array([np.nan, np.nan, -np.inf], np.float32), infinite, 1e-4)
        self.assertEqual((result.different, result.largest_difference), (2, float("inf")))

    def test_integers_have_to_be_equal(self) -> None:
        result = compare_result("n", np.array([1, 2, 250], np.uint8), np.array([1, 3, 250], np.uint8), 0.0)
        self.assertEqual((result.same, result.different, result.largest_difference), (False, 1, 1.0))
        self.assertEqual(str(result), "n: 1 of 3 elements differ; largest difference 1")
        self.assertTrue(compare_result("b", np.array([True, False]), np.array([True, False]), 0.0).same)

    def test_shapes_and_kinds_have_to_be_equal(self) -> None:
        result = compare_result("y", np.zeros((1, 2), np.float32), np.zeros((2, 1), np.float32), 1e-4)
        self.assertFalse(result.same)
        self.assertEqual(str(result), "y: the program has f32[1, 2], and onnxruntime f32[2, 1]")
        result = compare_result("y", np.zeros(2, np.int64), np.zeros(2, np.float32), 1e-4)
        self.assertEqual(result.message, "the program has i64[2], and onnxruntime f32[2]")

    def test_types_have_tolerances(self) -> None:
        self.assertEqual(result_tolerance("f32", 1e-6), 1e-4)
        self.assertEqual(result_tolerance("f32", 1e-2), 1e-2)  # weights in 16 bits
        self.assertEqual(result_tolerance("i64", 1e-2), 0)

    def test_without_the_runtime_the_error_is_the_line_to_type(self) -> None:
        missing = onnx_runtime.importlib.metadata.PackageNotFoundError("onnxruntime")
        with (
            mock.patch.object(onnx_runtime.importlib.metadata, "version", side_effect=missing),
            mock.patch.dict("sys.modules", {"onnxruntime": None}),
            self.assertRaisesRegex(ImportError, "not installed here: run pip install onnxruntime"),
        ):
            onnx_runtime.require_runtime()


class Rows(unittest.TestCase):
    """A table of 300 rows of 8 numbers, of which indices choose some, times a scale."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.path = str(self.root / "rows.onnx")
        self.write(np.float32)

    def write(self, dtype: Any) -> None:
        import onnx
        from onnx import TensorProto, helper, numpy_helper

        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        table = np.random.default_rng(1).uniform(-1, 1, (300, 8)).astype(dtype)
        nodes = [
            helper.make_node("Gather", ["table", "indices"], ["rows"]),
            helper.make_node("Mul", ["rows", "scale"], ["scaled"]),
            helper.make_node("Cast", ["scaled"], ["y"], to=TensorProto.FLOAT),
        ]
        graph = helper.make_graph(
            nodes,
            "rows",
            [
                helper.make_tensor_value_info("indices", TensorProto.INT64, ["count"]),
                helper.make_tensor_value_info("scale", kind, []),
            ],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["count", 8])],
            [numpy_helper.from_array(table, "table")],
        )
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.path)

    def spyre(self, *arguments: object) -> tuple[int, str, str]:
        """Returns the exit code, the output and the errors of a run of the model."""
        with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
            try:
                code = main(["run", self.path, *map(str, arguments)])
            except SystemExit as end:
                code = int(str(end.code))
        return code, output.getvalue(), errors.getvalue()


@needs_package("onnx")
@needs_numpy
class Tolerances(Rows):
    def saved(self, nodes: list[Any], initializers: list[Any] = []) -> str:  # noqa: B006  (it is not written)
        """Writes a model of inputs of f64 with these nodes, and returns its path."""
        import onnx
        from onnx import TensorProto, helper

        infos = [helper.make_tensor_value_info(name, TensorProto.DOUBLE, [2]) for name in "xy"]
        graph = helper.make_graph(nodes, "g", infos[:1], infos[1:], initializers)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.path)
        return self.path

    def test_integers_and_truth_values_are_exact(self) -> None:
        from onnx import helper, numpy_helper

        indices = numpy_helper.from_array(np.array([0, 1]), "indices")
        path = self.saved([helper.make_node("Gather", ["x", "indices"], ["y"])], [indices])
        self.assertEqual(file_tolerance(path, None), 1e-6)

    def test_constants_and_subgraphs_have_weights(self) -> None:
        from onnx import TensorProto, helper, numpy_helper

        half = numpy_helper.from_array(np.ones(2, np.float16), "half")
        cast = helper.make_node("Cast", ["half"], ["w"], to=TensorProto.DOUBLE)
        constant = helper.make_node("Constant", [], ["half"], value=half)
        self.assertEqual(file_tolerance(self.saved([constant, cast]), None), 1e-2)
        number = helper.make_node("Constant", [], ["half"], value_float=0.5)
        self.assertEqual(file_tolerance(self.saved([number, cast]), None), 1e-4)
        result = [helper.make_tensor_value_info("w", TensorProto.DOUBLE, [2])]
        for branch in (
            helper.make_graph([constant, cast], "branch", [], result),
            helper.make_graph([cast], "branch", [], result, [half]),
        ):
            node = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)
            self.assertEqual(file_tolerance(self.saved([node]), None), 1e-2)

    def test_weights_in_16_bits_have_their_tolerance(self) -> None:
        self.assertEqual(file_tolerance(self.path, None), 1e-4)
        self.assertEqual(file_tolerance(self.path, "dl16"), 5e-2)
        self.write(np.float16)
        self.assertEqual(file_tolerance(self.path, "exact"), 1e-2)


@needs_package("onnx")
@needs_package("onnxruntime")
@needs_numpy
class Runtime(Rows):
    def test_results_have_names_and_errors_the_text_of_the_runtime(self) -> None:
        arrays = {"indices": np.array([0, 299]), "scale": np.array(2, np.float32)}
        results = onnx_runtime.runtime_results(self.path, arrays)
        self.assertEqual({name: array.shape for name, array in results.items()}, {"y": (2, 8)})
        with self.assertRaisesRegex(ValueError, "rows.onnx: onnxruntime: .*indices"):
            onnx_runtime.runtime_results(self.path, {**arrays, "indices": np.array([300])})
        bits = Array(np.array([0], np.uint16), "bf16")
        with self.assertRaisesRegex(ValueError, "no arrays of bf16 from NumPy, which input 'scale' is"):
            onnx_runtime.runtime_results(self.path, {**arrays, "scale": bits})


@needs_package("onnx")
@needs_package("onnxruntime")
@needs_package("iree")
@needs_native
class Command(Rows):
    def test_the_same_arguments_are_computed_by_the_runtime(self) -> None:
        options = ("--size", "count=4", "--range", "indices=100:300", "--compare", "onnxruntime")
        code, output, errors = self.spyre(*options)
        self.assertEqual(code, 0, errors)
        self.assertRegex(output, r"onnxruntime [\d.]+: equal\n  y: 0 of 32 elements differ; largest difference ")
        code, output, _ = self.spyre(*options, "--json")
        comparison = json.loads(output)["comparison"]
        self.assertEqual((code, comparison["same"]), (0, True))
        (result,) = comparison["results"]
        self.assertEqual((result["name"], result["type"], result["different"]), ("y", "f32[4, 8]", 0))

    def test_weights_of_f16_on_the_card(self) -> None:
        self.write(np.float16)
        code, output, errors = self.spyre("--size", "count=4", "--compare", "onnxruntime", "--json")
        self.assertEqual(code, 0, errors)
        (result,) = json.loads(output)["comparison"]["results"]
        self.assertGreater(json.loads(output)["statistics"]["device_share"], 0)
        self.assertGreater(result["allowed"], 1e-3)

    def test_a_difference_is_exit_code_1(self) -> None:
        options = ("--size", "count=4", "--compare", "onnxruntime")
        right = onnx_runtime.runtime_results
        wrong = mock.patch.object(
            onnx_runtime, "runtime_results", lambda path, arrays: {n: a + 1 for n, a in right(path, arrays).items()}
        )
        with wrong:
            code, output, _ = self.spyre(*options)
            self.assertEqual(code, 1)
            self.assertRegex(output, r"onnxruntime [\d.]+: different\n  y: 32 of 32 elements differ; ")
            self.assertIn("largest difference 1, of ", output)
            self.assertEqual(self.spyre(*options, "--tolerance", 10)[0], 0)

    def test_inputs_by_name_values_and_random_ones(self) -> None:
        np.save(self.root / "i.npy", np.array([7, 0, 299]))
        arguments = ("--size", "count=3", "--output", self.root / "y.npy", "--compare", "onnxruntime")
        code, _, errors = self.spyre(*arguments, "--input", f"indices={self.root / 'i.npy'}", "--value", "scale=0.5")
        self.assertEqual(code, 0, errors)
        expected = onnx_runtime.runtime_results(
            self.path, {"indices": np.array([7, 0, 299]), "scale": np.array(0.5, np.float32)}
        )
        np.testing.assert_allclose(np.load(self.root / "y.npy"), expected["y"], 1e-5)

    def test_wrong_options(self) -> None:
        size = ("--size", "count=3")
        for options, message in (
            (("--range", "i=0:8", "--random-seed", 1), "--range: no input is named 'i': there are indices, scale"),
            (("--range", "indices=0:0.5", "--random-seed", 1), "--range indices=0:0.5 is no range of i64"),
            (("--value", "sr=1"), "no input is named 'sr'"),
            (("--input", "scale=x.npy", "--input", "x.npy"), "--input x.npy and --input NAME=FILE both give"),
            (("--value", "scale=1", "--input", "x.npy"), "--input x.npy and --value both give the arguments"),
            (("--value", "scale=1", "--input", "scale=x.npy"), "--input and --value both give 'scale': use one"),
            ((), "0 arguments by --input, and the program takes 2: indices: i64"),
        ):
            code, _, errors = self.spyre(*size, *options)
            self.assertEqual(code, 1, options)
            self.assertIn(message, errors)
        for options in (("--range", "indices=8:0"), ("--range", "8:9"), ("--compare", "abacus"), ("--value", "x")):
            self.assertEqual(self.spyre(*size, *options)[0], 2, options)


@needs_numpy
class Refusals(unittest.TestCase):
    def test_a_program_of_mlir_has_no_runtime(self) -> None:
        program = str(ROOT / "examples" / "host.mlir")
        for options, message in (
            (("--compare", "onnxruntime"), "--compare onnxruntime is for .onnx, and "),
            (("--value", "n=7", "--random-seed", "1"), "--value is for .onnx, and "),
        ):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(main(["run", program, *options]), 1)
            self.assertIn(message, errors.getvalue())


if __name__ == "__main__":
    unittest.main()
