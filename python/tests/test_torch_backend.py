"""Tests of the backend of torch.compile, with PyTorch and the native module; without one of them they are skipped."""

from __future__ import annotations

import copy
import importlib.util
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

HAS_BOTH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("spyre_mlir._native") is not None
if HAS_BOTH:
    import torch
    import torch.nn.functional as F
    import torch.utils.checkpoint
    from torch import nn
    from torch.utils._pytree import tree_leaves

    import spyre_mlir.torch
    from spyre_mlir.torch import compile as compilation
    from spyre_mlir.torch import lowering, units


@unittest.skipUnless(HAS_BOTH, "PyTorch or the native module is not installed")
class Backend(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(0)
        torch.compiler.reset()
        self.x = torch.randn(4, 8)

    def compiled(self, function: Callable[..., Any], dynamic: bool | None = None, **options: Any) -> Callable[..., Any]:
        """Returns a compiled function, without a cache unless the options have one."""
        given = {"cache": False, **options}
        return torch.compile(function, backend=spyre_mlir.torch.spyre, options=given, dynamic=dynamic)

    def assert_same(self, found: Any, expected: Any, tolerance: float = 1e-4) -> None:
        """Checks values, types, shapes and strides."""
        for x, y in zip(tree_leaves(found), tree_leaves(expected), strict=True):
            if not isinstance(y, torch.Tensor):
                self.assertEqual(x, y)
                continue
            self.assertEqual((x.dtype, x.shape, x.stride()), (y.dtype, y.shape, y.stride()))
            torch.testing.assert_close(x, y, rtol=tolerance, atol=tolerance, equal_nan=True)

    def check(self, function: Callable[..., Any], *operands: Any, dynamic: bool | None = None, tolerance: float = 1e-4) -> Any:
        """Compiles a function without gradients, and compares its results and its operands after a run."""
        mine, theirs = copy.deepcopy(operands), copy.deepcopy(operands)
        with torch.no_grad():
            torch.manual_seed(5)
            found = self.compiled(function, dynamic)(*mine)
            torch.manual_seed(5)
            self.assert_same((found, mine), (function(*theirs), theirs), tolerance)
        return found

    def test_returns_what_pytorch_does(self) -> None:
        programs: dict[str, Callable[[Any], Any]] = {
            "product": lambda x: torch.softmax(x @ x.t(), dim=-1),
            "views": lambda x: (x.t(), (x * 2).t(), None, 3, x, x.expand(2, 4, 8), (x + 1).expand(2, 4, 8)),
            "types": lambda x: (x > 0, (x > 0).to(torch.int8), x.half(), x.to(torch.float8_e4m3fn).view(torch.int8)),
            "in place": lambda x: (x.add_(1), x * 2)[1],
            "alias": lambda x: (x.view(-1), x[1:], x.add_(1)),
            "constant": lambda x: x + torch.tensor([float(i) for i in range(80)]).reshape(10, 8).sum(0),
            "scalar": lambda x: x.sum() * 2,
            "no elements": lambda x: x @ torch.zeros(8, 0),
            "nothing": lambda x: x,
            "several results": lambda x: (x.sort(), x.topk(2), x.argmax(1)),
            "scatter": lambda x: torch.zeros(3, 8).index_add(0, torch.tensor([0, 2, 2, 1]), x),
            "branch": lambda x: torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x + 1, (x,)) * 3,
            "graph break": lambda x: x * x.sum().item(),
            "extents of data": lambda x: x.nonzero() * 2,
        }
        for name, function in programs.items():
            with self.subTest(name):
                self.check(function, self.x)
        self.check(lambda x: x * 2, self.x.t())

    def test_keeps_the_operators_that_are_refused_in_pytorch(self) -> None:
        with compilation.observed_graphs() as graphs:
            self.check(lambda x: torch.linalg.svd(x * 2 + 1)[1] * 2, self.x)
        (graph,) = graphs
        self.assertEqual(list(graph.reasons), ["_linalg_svd"])
        self.assertIn("not converted", graph.reasons["_linalg_svd"])
        self.assertEqual(len(graph.units), 2)

    def test_draws_the_random_numbers_of_pytorch(self) -> None:
        self.check(lambda x: (x + torch.rand(4, 8)) * torch.randn_like(x) + F.dropout(x, 0.5), self.x)

    def test_runs_complex_numbers_in_pytorch(self) -> None:
        self.check(lambda x: torch.exp(x * 1j).sum() + torch.fft.fft(x), self.x, tolerance=1e-3)

    def test_compiles_once_for_a_range_of_sizes(self) -> None:
        def scaled(x: Any) -> Any:
            return (x * 2).sum(0) + x.shape[0], x.shape[0] * 2, x.view(-1)

        compiled = self.compiled(scaled, dynamic=True)
        with compilation.observed_graphs() as graphs, torch.no_grad():
            for rows in (4, 7, 5):
                x = torch.randn(rows, 8)
                self.assert_same(compiled(x), scaled(x))
        self.assertEqual(len(graphs), 1)

    def test_computes_gradients(self) -> None:
        networks = {
            "perceptron": nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 8)),
            "norm": nn.LayerNorm(8),
            "dropout": nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.5)),
        }
        for name, network in networks.items():
            with self.subTest(name):
                self.check_gradients(network, self.x)

    def check_gradients(self, network: Any, x: Any) -> None:
        """Compares the gradients of the operand and of the parameters, and the buffers."""
        mine, theirs = copy.deepcopy(network), network
        a, b = x.clone().requires_grad_(), x.clone().requires_grad_()
        torch.manual_seed(5)
        found = self.compiled(mine)(a)
        torch.manual_seed(5)
        expected = theirs(b)
        found.square().sum().backward()
        expected.square().sum().backward()
        pairs = [
            (found, expected),
            (a.grad, b.grad),
            *((p.grad, q.grad) for p, q in zip(mine.parameters(), theirs.parameters(), strict=True)),
        ]
        pairs += list(zip(mine.buffers(), theirs.buffers(), strict=True))
        for one, other in pairs:
            torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)

    def test_trains_with_running_statistics(self) -> None:
        self.check_gradients(nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ReLU()), torch.randn(2, 2, 6, 6))

    def test_trains_with_a_checkpoint(self) -> None:
        # The state of the random numbers has an extent that no operand has.
        network = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Dropout(0.3), nn.Linear(8, 8))
        again = lambda x: torch.utils.checkpoint.checkpoint(network, x, use_reentrant=False)  # noqa: E731
        gradients: list[Any] = []
        with compilation.observed_graphs() as graphs:
            for function in (self.compiled(again), again):
                x = self.x.clone().requires_grad_()
                torch.manual_seed(5)
                function(x).sum().backward()
                gradients.append(x.grad)
        torch.testing.assert_close(*gradients)
        self.assertTrue(graphs[0].units)

    def test_decomposes_transposed_convolutions(self) -> None:
        for stride, padding, extra, dilation in ((2, 1, 0, 1), (2, 1, 1, 2), (1, 0, 0, 1), (3, 2, 1, 1)):
            layer = nn.ConvTranspose2d(4, 6, 3, stride, padding, output_padding=extra, dilation=dilation, groups=2)
            with self.subTest(stride=stride, padding=padding):
                self.check(layer, torch.randn(2, 4, 5, 6), tolerance=1e-3)

    def test_decomposes_encoder_layers(self) -> None:
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
        mask = torch.zeros(4, 4, dtype=torch.bool)
        mask[0, 3] = mask[1] = True  # the second row has no key
        pad = torch.tensor([[False] * 4, [False, False, True, True]])
        for options in ({}, {"src_mask": mask}, {"src_key_padding_mask": pad}):
            with self.subTest(list(options)), compilation.observed_graphs() as graphs:
                self.check(lambda x, options=options: layer(x, **options), torch.randn(2, 4, 8), tolerance=1e-3)
                self.assertNotIn("encoder", " ".join(graphs[0].reasons))

    def test_opens_an_lstm(self) -> None:
        layer = nn.LSTM(4, 8).eval()
        with torch._dynamo.config.patch(allow_rnn=True), compilation.observed_graphs() as graphs:
            self.check(lambda x: layer(x)[0], torch.randn(3, 2, 4))
        self.assertNotIn("rnn", " ".join(graphs[0].reasons))

    def test_refuses_unknown_options(self) -> None:
        with self.assertRaisesRegex(Exception, "no option 'flaots'"):
            self.compiled(lambda x: x * 2, flaots="dl16")(self.x)

    def test_is_strict_if_asked(self) -> None:
        with self.assertRaisesRegex(Exception, "_linalg_svd: .*not converted"):
            self.compiled(lambda x: torch.linalg.svd(x)[1] * 2, strict=True)(self.x)
        self.compiled(lambda x: x * 2, strict=True)(self.x)

    def test_runs_in_pytorch_what_the_program_does_not_run(self) -> None:
        compiled = self.compiled(lambda x: x * 2 + 1)
        compiled(self.x)
        with (
            mock.patch.object(units.UnitModule, "_run", side_effect=OSError("no card")),
            self.assertLogs("spyre_mlir.torch.units", "WARNING"),
        ):
            self.assert_same(compiled(self.x), self.x * 2 + 1)

    def test_uses_no_result_of_numbers_that_the_card_does_not_have(self) -> None:
        mask = torch.full((64, 64), float("-inf")).triu(1).bfloat16()
        x = torch.randn(64, 64).bfloat16()
        with self.assertLogs("spyre_mlir.torch.units", "WARNING") as logs:
            self.check(lambda x, mask: torch.softmax(x @ x.t() + mask, dim=-1), x, mask, tolerance=2e-2)
        self.assertIn("beyond the numbers of the card", logs.output[0])

    def test_raises_the_error_of_pytorch(self) -> None:
        table = torch.randn(4, 3)
        programs: list[tuple[Callable[[Any], Any], type[Exception]]] = [
            (lambda i: table[i] * 2, IndexError),
            (lambda i: F.embedding(i, table) * 2, IndexError),
            (lambda i: table.index_select(0, i.view(-1)) * 2, IndexError),
            (lambda i: table.gather(0, i.unsqueeze(1)) * 2, RuntimeError),
        ]
        for number, (function, error) in enumerate(programs):
            for index in ([0, 9], [0, -5]):
                with self.subTest(number=number, index=index), self.assertRaises(error):
                    self.compiled(function)(torch.tensor(index))
        self.check(lambda i: table[i] * 2, torch.tensor([0, -4]))

    def test_keeps_loops_in_the_cache(self) -> None:
        network = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        with tempfile.TemporaryDirectory() as directory, torch.no_grad():
            first = self.compiled(network, cache=directory)(self.x)
            torch.compiler.reset()
            with mock.patch.object(compilation, "loops", side_effect=AssertionError("it is lowered again")):
                self.assert_same(self.compiled(network, cache=directory)(self.x), first)
            torch.compiler.reset()
            with mock.patch.object(compilation, "loops", side_effect=lowering.Refusal("another", [])) as lower:
                self.compiled(nn.Sequential(nn.Linear(8, 16), nn.GELU()), cache=directory)(self.x)
            lower.assert_called()

    def test_keeps_programs_in_the_cache(self) -> None:
        network = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        with tempfile.TemporaryDirectory() as directory, torch.no_grad():

            def fresh() -> Any:
                """Returns the results of a new process, as far as the cache is concerned."""
                torch.compiler.reset()
                with mock.patch.object(units, "programs", units.Programs()):
                    with mock.patch.object(compilation, "programs", units.programs):
                        return self.compiled(network, cache=directory)(self.x)

            first = fresh()
            with mock.patch.object(units, "_compiled", side_effect=AssertionError("it is compiled again")):
                self.assert_same(fresh(), first)
            # Damaged entries are compiled again.
            for entry in Path(directory).glob("??/*"):
                entry.write_bytes(entry.read_bytes()[:-9])
            with mock.patch.object(units, "_compiled", side_effect=units._compiled) as compiled, self.assertLogs(level="INFO"):
                self.assert_same(fresh(), first)
            compiled.assert_called()

    def test_reports_what_ran_where(self) -> None:
        def mixed(x: Any) -> Any:
            return torch.linalg.svd(x @ x.t())[1] * 2

        report = spyre_mlir.torch.report(mixed, torch.randn(64, 64), spyre_options={"floats": "dl16", "cache": False})
        self.assert_same(report.result.shape, torch.Size([64]))
        places = {row.where for row in report.rows}
        self.assertLessEqual({"card", "PyTorch"}, places)
        card = next(row for row in report.rows if row.where == "card")
        self.assertGreater(min(card.work or 0, card.traffic or 0, card.time or 0), 0)
        self.assertIn("% of the work is on the card", str(report))
        self.assertIn("<td>PyTorch</td>", report._repr_html_())

    def test_reports_the_setting_of_recurrent_layers(self) -> None:
        layer = nn.LSTM(4, 8).eval()
        with torch.no_grad():
            report = spyre_mlir.torch.report(lambda x: layer(x)[0] * 2, torch.randn(3, 2, 4), spyre_options={"cache": False})
        self.assertTrue(any("allow_rnn = True" in note for note in report.notes), report.notes)


class EntryPoint(unittest.TestCase):
    def test_names_the_function(self) -> None:
        text = (ROOT / "pyproject.toml").read_text()
        self.assertIn('[project.entry-points.torch_dynamo_backends]\nspyre = "spyre_mlir.torch.backend:spyre"', text)
        self.assertTrue((ROOT / "spyre_mlir" / "torch" / "backend.py").exists())

    def test_needs_no_pytorch_to_be_imported(self) -> None:
        program = "import sys; sys.modules['torch'] = None; import spyre_mlir.torch.backend as b; assert callable(b.spyre)"
        subprocess.run([sys.executable, "-c", program], check=True, env={"PYTHONPATH": str(ROOT)})


if __name__ == "__main__":
    unittest.main()
