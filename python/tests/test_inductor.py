"""Tests of the capture of PyTorch's graphs, under the PyTorch that is installed; without one they are skipped.

Graphs are not compiled to C++ here: the capture is complete by then.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import sys
import tempfile
import unittest
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch
    from torch import nn
    from torch._inductor import config
    from torch._inductor.custom_graph_pass import CustomGraphPass
    from torch._inductor.graph import GraphLowering

    import spyre_mlir
    from spyre_mlir import inductor

    class _Pass(CustomGraphPass):
        """Counts its runs."""

        runs = 0

        def __call__(self, graph: torch.fx.Graph) -> None:
            type(self).runs += 1

        def uuid(self) -> str:
            return "test"


@contextlib.contextmanager
def scheduled_only() -> Iterator[None]:
    """Stops after the schedule, and runs graphs operation by operation."""

    def module(lowering: Any) -> Any:
        lowering.init_wrapper_code()
        lowering._update_scheduler()
        graph = lowering.orig_gm
        call = lambda operands: torch.fx.Interpreter(graph).run(*operands)  # noqa: E731
        return mock.MagicMock(call=call, __file__="", runtime=None, value="", key="")

    with mock.patch.object(GraphLowering, "compile_to_module", module):
        yield


def captured(function: Callable[..., Any], *operands: Any, gradient: bool = False) -> tuple[list[Any], list[str]]:
    """Returns the graphs of a program and the warnings of the capture."""
    torch.compiler.reset()
    with warnings.catch_warnings(record=True) as caught, scheduled_only(), torch.set_grad_enabled(gradient):
        warnings.simplefilter("always")
        with spyre_mlir.capture() as graphs:
            torch.compile(function)(*operands)
    return json.loads(json.dumps(graphs)), [str(w.message) for w in caught if "spyre_mlir" in str(w.message)]


@unittest.skipUnless(HAS_TORCH, "PyTorch is not installed")
class Capture(unittest.TestCase):
    def test_says_which_pytorch_wrote_the_graph(self) -> None:
        (graph,), messages = captured(torch.sin, torch.randn(4))
        self.assertEqual((graph["torch"], messages), (torch.__version__, []))

    def test_reads_flex_attention_whose_buffers_have_no_names(self) -> None:
        from torch.nn.attention.flex_attention import flex_attention

        operands = [torch.randn(1, 2, 128, 32) for _ in range(3)]
        (graph,), messages = captured(lambda *x: flex_attention(*x, score_mod=lambda s, b, h, i, j: s + (i - j)), *operands)
        kernels = [op["extern"]["kernel"] for op in graph["ops"] if op["kind"] == "extern"]
        self.assertIn("flex_attention", kernels)
        self.assertEqual(messages, [])

    def test_runs_every_custom_pass(self) -> None:
        for passes in (_Pass(), [_Pass(), _Pass()], (_Pass(),)):
            _Pass.runs = 0
            with config.patch(pre_grad_custom_pass=passes):
                self.assertEqual(len(captured(torch.sin, torch.randn(4))[0]), 1)
            self.assertEqual(_Pass.runs, len(passes) if isinstance(passes, (list, tuple)) else 1)

    def test_names_the_settings_of_recurrent_layers(self) -> None:
        layer, x = nn.LSTM(4, 8).eval(), torch.randn(3, 2, 4)
        run = lambda x: layer(x)[0]  # noqa: E731
        graphs, (message,) = captured(run, x)
        self.assertEqual(graphs, [])
        self.assertIn("allow_rnn = True", message)
        with torch._dynamo.config.patch(allow_rnn=True):
            _, (message,) = captured(run, x)
            self.assertIn("mkldnn.flags(enabled=False)", message)
            with torch.backends.mkldnn.flags(enabled=False):
                (graph,), messages = captured(run, x)
        self.assertEqual(messages, [])
        self.assertNotIn("mkldnn", json.dumps([op.get("extern") for op in graph["ops"]]))

    def test_names_the_setting_of_encoder_layers(self) -> None:
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
        _, (message,) = captured(layer, torch.randn(2, 4, 8))
        self.assertIn("set_fastpath_enabled(False)", message)

    def test_leaves_out_what_it_cannot_read_and_says_so(self) -> None:
        with mock.patch("spyre_mlir.inductor._operation", side_effect=KeyError("moved")):
            graphs, messages = captured(torch.sin, torch.randn(4))
        self.assertEqual(graphs, [])
        self.assertTrue(any("left out" in message and "moved" in message for message in messages), messages)

    def test_writes_hints_as_sizes(self) -> None:
        def program(x: torch.Tensor) -> torch.Tensor:
            return spyre_mlir.hint(torch.softmax(x, -1), size={"rows": 4}, count={"columns": 2})

        (graph,), _ = captured(program, torch.randn(16, 64))
        (item,) = next(op["hints"] for op in graph["ops"] if "hints" in op)
        self.assertEqual(item["dims"], {"rows": 4, "columns": 32})
        self.assertEqual(item["positions"], {"rows": 0, "columns": 1})

    def test_refuses_a_hint_that_says_no_form(self) -> None:
        with self.assertRaisesRegex(TypeError, "size=.*count="):
            captured(lambda x: spyre_mlir.hint(x.sin(), {"rows": 4}), torch.randn(16, 64))

    def test_refuses_a_hint_of_another_type(self) -> None:
        with self.assertRaisesRegex(TypeError, "size=4 names no dimension: write size="):
            captured(lambda x: spyre_mlir.hint(x.sin(), size=4), torch.randn(16, 64))

    def test_names_inputs_and_writes_their_values(self) -> None:
        import numpy

        class Network(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.layers = nn.ModuleList([nn.Linear(4, 4)])
                self.register_buffer("scale", torch.full((4,), 2.0))

            def forward(self, x: torch.Tensor) -> torch.Tensor:
                return self.layers[0](x) * self.scale

        network, x = Network(), torch.randn(3, 4)
        for gradient in (False, True):
            torch.compiler.reset()
            with scheduled_only(), torch.set_grad_enabled(gradient), spyre_mlir.capture() as graphs:
                torch.compile(network)(x)
            names = sorted(entry["source"] for entry in graphs[0]["inputs"])
            self.assertEqual(names, ["layers.0.bias", "layers.0.weight", "scale", "x"])
            with tempfile.TemporaryDirectory() as directory:
                (path, *_) = graphs.save(directory)
                files = {file.stem: numpy.load(file) for file in path.glob("*.npy")}
                listed = json.loads((path / "program.json").read_text("utf-8"))
            self.assertEqual(sorted(files), names)
            self.assertEqual(sorted(listed["names"]), names)
            numpy.testing.assert_array_equal(files["layers.0.weight"], network.layers[0].weight.detach().numpy())
            numpy.testing.assert_array_equal(files["x"], x.numpy())

    def test_inputs_in_an_uncertain_order_have_no_names_and_no_values(self) -> None:
        from torch.testing._internal.two_tensor import TwoTensor

        def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return x + 2 * y

        def shared(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
            x.mul_(2)
            return y + z

        memory = torch.randn(6)
        for function, operands, reason in (
            (add, (TwoTensor(torch.randn(4), torch.randn(4)), torch.randn(4)), "x is a tensor subclass"),
            (shared, (memory[:4], memory[2:], torch.randn(4)), "the graph has 2 inputs, and the function .* 3"),
        ):
            for recorder in (spyre_mlir.capture, lambda: inductor._capture(inductor._Recorder(keep_values=False))):
                torch.compiler.reset()
                with (
                    scheduled_only(),
                    torch.no_grad(),
                    self.assertLogs("spyre_mlir", "WARNING") as logged,
                    recorder() as graphs,
                    contextlib.suppress(Exception),  # the graph is captured before it runs
                ):
                    torch.compile(function)(*operands)
                self.assertEqual(len(graphs), 1)
                self.assertEqual([entry.get("source") for entry in graphs[0]["inputs"]], [None] * len(graphs[0]["inputs"]))
                self.assertEqual(set(graphs.values_of(graphs[0])), {None})
                self.assertRegex(logged.output[0], f"have no names and no values: {reason}")

    def test_code_that_was_compiled_before_says_what_to_type(self) -> None:
        torch.compiler.reset()
        compiled, x = torch.compile(torch.sin), torch.randn(4)
        with scheduled_only(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            # In a capture as well, since PyTorch would keep a graph that is scheduled only in its cache on disk.
            with spyre_mlir.capture() as first:
                compiled(x)
            with spyre_mlir.capture() as graphs:
                compiled(x)
        self.assertEqual(len(first), 1)
        self.assertIn("torch.compiler.reset()", " ".join(str(warning.message) for warning in caught))
        with self.assertRaisesRegex(IndexError, r"torch.compiler.reset\(\)"):
            graphs[0]

    def test_captures_a_function_and_its_gradient(self) -> None:
        layer = nn.Linear(4, 4)
        layer.weight.requires_grad_(False)
        torch.compiler.reset()
        with scheduled_only(), spyre_mlir.capture() as graphs:
            torch.compile(layer)(torch.randn(2, 4)).sum().backward()
        self.assertEqual(len(graphs), 2)
        self.assertIn(None, graphs[1]["outputs"])


if __name__ == "__main__":
    unittest.main()
