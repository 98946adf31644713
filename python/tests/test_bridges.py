"""Tests of the logic that needs no framework: versions, advice, and the arguments of hints.

    python -m unittest discover -s python/tests
"""

from __future__ import annotations

import importlib.metadata
import sys
import unittest
from pathlib import Path
from unittest import mock

PYTHON = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PYTHON))

import spyre_mlir  # noqa: E402  (the package is in the folder above, and not installed)
from spyre_mlir.advice import fused_kernels, missing_graphs  # noqa: E402
from spyre_mlir.graphs import Graphs  # noqa: E402
from spyre_mlir.input_names import file_names, input_names  # noqa: E402
from spyre_mlir.tiles import check_count, check_dimensions, check_mappings, check_names  # noqa: E402
from spyre_mlir.versions import TINYGRAD, TORCH  # noqa: E402


class Versions(unittest.TestCase):
    def test_accepts_every_release_of_the_range(self) -> None:
        for version in ("2.12.0", "2.12.1+cu130", "2.13.0", "2.14.1", "2.15.0a0+git1234", "2.15.0"):
            TORCH.check(version)

    def test_refuses_what_is_outside_with_the_way_out(self) -> None:
        for version in ("2.11.0", "2.16.0", "2.1.2", "3.12.0", "2.120.0", "unknown"):
            with self.assertRaises(RuntimeError) as caught:
                TORCH.check(version)
            self.assertIn(f"reads PyTorch 2.12 to 2.15 and found {version}", str(caught.exception))
            self.assertIn("pip install 'torch>=2.12,<2.16'", str(caught.exception))

    def test_names_a_range_of_one_release_once(self) -> None:
        with self.assertRaisesRegex(RuntimeError, r"reads tinygrad 0\.14 and found 0\.13\.0"):
            TINYGRAD.check("0.13.0")
        TINYGRAD.check("0.14.0")

    def test_the_package_requires_the_versions_that_are_read(self) -> None:
        project = (PYTHON / "pyproject.toml").read_text()
        for supported in (TORCH, TINYGRAD):
            self.assertIn(f'"{supported.requirement}"', project)

    def test_the_package_has_a_version(self) -> None:
        with mock.patch("importlib.metadata.version", return_value="1.2.3"):
            self.assertEqual(spyre_mlir._version(), "1.2.3")
        missing = importlib.metadata.PackageNotFoundError("spyre-mlir")
        with (
            mock.patch("importlib.metadata.version", side_effect=missing),
            mock.patch("spyre_mlir.native.native_module", return_value=mock.Mock(VERSION="0.1.0 (d3fdc92dfc, LLVM 22)")),
        ):
            self.assertEqual(spyre_mlir._version(), "0.1.0")

    def test_asks_for_the_version_when_a_capture_begins(self) -> None:
        other = mock.MagicMock(__version__="2.11.0")
        with mock.patch.dict(sys.modules, {"torch": other}), self.assertRaisesRegex(RuntimeError, r"found 2\.11\.0"):
            spyre_mlir.__getattr__("capture")  # a capture of another test has made it an attribute

    def test_says_what_is_missing_when_a_capture_begins(self) -> None:
        with mock.patch.dict(sys.modules, {"torch": None}), self.assertRaisesRegex(ImportError, "PyTorch is not installed"):
            spyre_mlir.__getattr__("install")


class Advice(unittest.TestCase):
    def test_names_the_setting_of_each_fused_kernel(self) -> None:
        names = ["aten.mkldnn_rnn_layer.default", "aten._transformer_encoder_layer_fwd.default", "aten.mm.out"]
        ops = [{"name": f"op{i}", "extern": {"kernel": None, "op_overload": name}} for i, name in enumerate(names)]
        messages = fused_kernels({"graph": 2, "ops": [{"name": "op9", "body": {}}, *ops]})
        self.assertEqual(len(messages), 2)
        self.assertIn("graph 2 has aten.mkldnn_rnn_layer.default (op0)", messages[0])
        self.assertIn("torch.backends.mkldnn.flags(enabled=False)", messages[0])
        self.assertIn("torch.backends.mha.set_fastpath_enabled(False)", messages[1])

    def test_says_what_opens_recurrent_layers(self) -> None:
        # The reasons of 2.12 and of 2.15.
        for reason in ("Attempted to wrap RNN, GRU, or LSTM\n  Hint: ...", "Reason: Dynamo does not support RNN, GRU, or LSTM. Set ..."):
            (message,) = missing_graphs(1, [reason])
            self.assertIn("torch._dynamo.config.allow_rnn = True", message)

    def test_says_that_nothing_was_compiled(self) -> None:
        (message,) = missing_graphs(0, [])
        self.assertIn("no graph was compiled", message)
        self.assertIn("torch.compiler.reset()", message)
        self.assertEqual(missing_graphs(1, ["print"]), [])


class Inputs(unittest.TestCase):
    def test_names_are_those_of_modules_and_arguments(self) -> None:
        weight = "L['self']._modules['layers']._modules['0']._parameters['weight']"
        sources = [weight, "L['self']._buffers['scale']", "L['x']", "L['cache']['keys']", "L['self'].table[0]", "s0"]
        names = ["layers.0.weight", "scale", "x", "cache['keys']", "self.table[0]", "s0"]
        self.assertEqual(input_names(sources), names)
        self.assertEqual(input_names([weight, weight]), ["self.layers.0.weight", "self.layers.0.weight_2"])

    def test_files_differ_on_every_system(self) -> None:
        names = ["a/b", "a_b", "A_B", "../x", "", "cache['keys']"]
        self.assertEqual(file_names(names), ["a_b.npy", "a_b_2.npy", "A_B_3.npy", "x.npy", "input.npy", "cache_keys.npy"])

    def test_an_empty_capture_says_what_to_type(self) -> None:
        graphs = Graphs()
        for error, use in ((IndexError, lambda: graphs[0]), (ValueError, lambda: graphs.save("nowhere"))):
            with self.assertRaisesRegex(error, r"no graph was compiled in the block: call torch.compiler.reset\(\)"):
                use()
        self.assertEqual(graphs[:], [])

    def test_values_stay_with_their_graph(self) -> None:
        graphs = Graphs()
        first, second = {"graph": 0, "inputs": [{}]}, {"graph": 0, "inputs": [{}]}
        graphs.add(first, [1])
        graphs.add(second, [2])
        graphs.reverse()
        self.assertEqual([graphs.values_of(graph) for graph in graphs], [[2], [1]])
        del graphs[0]
        self.assertEqual([graphs.values_of(graph) for graph in graphs], [[1]])
        # An equal graph that no capture added has no values.
        self.assertEqual(graphs.values_of({"graph": 0, "inputs": [{}]}), [None])


class Tiles(unittest.TestCase):
    def test_refuses_a_mapping_alone_with_both_forms(self) -> None:
        with self.assertRaises(TypeError) as caught:
            check_mappings({"rows": 4}, None, None)
        self.assertIn("size={'rows': 4}", str(caught.exception))
        self.assertIn("count={'rows': 4}", str(caught.exception))

    def test_refuses_numbers_that_are_none_of_tiles(self) -> None:
        with self.assertRaisesRegex(ValueError, "rows=0"):
            check_mappings(None, {"rows": 0}, None)
        with self.assertRaisesRegex(ValueError, "a size and a count"):
            check_mappings(None, {"rows": 4}, {"rows": 2})
        with self.assertRaisesRegex(TypeError, "give size="):
            check_mappings(None, None, None)

    def test_refuses_other_types_with_the_text_to_write(self) -> None:
        for size in (4, [4], "rows", (("rows", 4),)):
            with self.assertRaisesRegex(TypeError, r"names no dimension: write size=\{'rows': 4\}"):
                check_mappings(None, size, None)
        with self.assertRaisesRegex(TypeError, "0 in count is no name: write count="):
            check_mappings(None, None, {0: 4})
        with self.assertRaisesRegex(TypeError, r"hint: 4 names no dimension: write size=\{'rows': 4\} .* or count="):
            check_mappings(4, None, None)
        with self.assertRaisesRegex(ValueError, "rows=True is no size"):
            check_mappings(None, {"rows": True}, None)
        check_names(None)
        check_names(["rows", "columns"])
        with self.assertRaisesRegex(TypeError, r"dims='rows' is one text: write dims=\('rows',\)"):
            check_names("rows")
        for dims in (3, [0, 1]):
            with self.assertRaisesRegex(TypeError, "is no list of names: write dims="):
                check_names(dims)

    def test_refuses_counts_that_leave_a_rest(self) -> None:
        check_count("rows", 4, 16)
        with self.assertRaisesRegex(ValueError, "3 tiles do not divide the 16 elements of rows.*'rows': 6"):
            check_count("rows", 3, 16)

    def test_refuses_names_of_another_tensor(self) -> None:
        check_dimensions(["rows"], ["rows"], 2, complete=False)
        with self.assertRaisesRegex(ValueError, "do not fit a tensor with 2"):
            check_dimensions(["rows"], ["rows"], 2, complete=True)
        with self.assertRaisesRegex(ValueError, "x is not one"):
            check_dimensions(["a", "b"], ["x"], 2, complete=True)


if __name__ == "__main__":
    unittest.main()
