"""Tests of the parts of graphs, under the PyTorch that is installed; without one they are skipped."""

from __future__ import annotations

import importlib.util
import random
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

HAS_TORCH = importlib.util.find_spec("torch") is not None
if HAS_TORCH:
    import torch
    from torch import fx
    from torch.fx.experimental.proxy_tensor import make_fx

    from spyre_mlir.torch import graphs, values
    from spyre_mlir.torch.graphs import Segment, Side


def traced(function: Any, *operands: Any) -> Any:
    """Returns the graph of a function, with fake values."""
    return make_fx(function, tracing_mode="fake")(*operands)


def cut(module: Any, refused: set[str]) -> tuple[Any, list[Any]]:
    """Returns the graph that calls a module for each unit, which PyTorch runs here, and the units."""
    side, _ = graphs.sides(module.graph, dict.fromkeys(refused, "refused"), ())
    parts: list[Any] = []
    for segment in graphs.segments(module.graph, side):
        if segment.side is Side.SPYRE:
            parts.append(graphs.unit(module, f"unit_{len(parts)}", segment, side))
        else:
            parts.append(segment)
    units = [part for part in parts if not isinstance(part, Segment)]
    return graphs.assembled(module, parts, {unit.name: unit.module for unit in units}, side), units


def program(x: Any, y: Any) -> Any:
    """Has views, tensors without operands, several results of one operator, and results that are views."""
    a = torch.relu(x @ y.t())
    values, positions = a.sort(dim=-1)
    b = torch.arange(4) + torch.ones(4)
    c = (values.t() * b).reshape(2, -1)
    low, high = torch.split(c, 1)
    d = torch.exp(low) + high.sum()
    return a.t(), y.t(), positions + 1, d.unsqueeze(0), c.expand(3, 2, -1), torch.zeros(2), None


@unittest.skipUnless(HAS_TORCH, "PyTorch is not installed")
class Graphs(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(0)
        self.operands = [torch.randn(4, 3), torch.randn(4, 3)]

    def test_compute_the_same_however_they_are_cut(self) -> None:
        draw = random.Random(7)
        module = traced(program, *self.operands)
        names = [node.name for node in module.graph.nodes if node.op == "call_function"]
        expected = program(*self.operands)
        for _ in range(60):
            refused = set(draw.sample(names, draw.randrange(len(names))))
            assembled, _units = cut(module, refused)
            for x, y in zip(assembled(*self.operands), expected, strict=True):
                if y is None:
                    self.assertIsNone(x)
                else:
                    self.assertTrue(torch.equal(x, y), refused)
                    self.assertEqual(x.stride(), y.stride(), refused)

    def test_are_one_unit_where_nothing_is_refused(self) -> None:
        module = traced(program, *self.operands)
        assembled, units = cut(module, set())
        self.assertEqual(len(units), 1)
        # The view of an operand stays a view of it.
        self.assertEqual(assembled(*self.operands)[1].data_ptr(), self.operands[1].data_ptr())

    def test_have_no_unit_of_views_alone(self) -> None:
        module = traced(lambda x: (x.t(), x.view(-1), torch.zeros(3)), self.operands[0])
        self.assertEqual(cut(module, set())[1], [])

    def test_keep_the_order_of_random_numbers(self) -> None:
        def dropped(x: Any) -> Any:
            return torch.rand_like(torch.exp(x)) + torch.rand(4, 3)

        module = traced(dropped, self.operands[0])
        assembled, _ = cut(module, set())
        torch.manual_seed(3)
        expected = dropped(self.operands[0])
        torch.manual_seed(3)
        self.assertTrue(torch.equal(assembled(self.operands[0]), expected))

    def test_describe_shapes_and_arguments(self) -> None:
        one = graphs.description(traced(lambda x: x * 2, torch.randn(4, 3)))
        self.assertEqual(one, graphs.description(traced(lambda x: x * 2, torch.randn(4, 3))))
        self.assertNotEqual(one, graphs.description(traced(lambda x: x * 3, torch.randn(4, 3))))
        self.assertNotEqual(one, graphs.description(traced(lambda x: x * 2, torch.randn(4, 5))))
        self.assertNotEqual(one, graphs.description(traced(lambda x: x * 2, torch.randn(3, 4).t())))

    def test_refuse_graphs_that_write_operands(self) -> None:
        module = fx.Graph()
        x = module.placeholder("x")
        module.call_function(torch.ops.aten.add_.Tensor, (x, 1))
        self.assertTrue(graphs.has_effects(module))
        self.assertFalse(graphs.has_effects(traced(program, *self.operands).graph))


@unittest.skipUnless(HAS_TORCH, "PyTorch is not installed")
class Values(unittest.TestCase):
    def test_return_by_bytes(self) -> None:
        base = torch.randn(3, 4)
        tensors = [
            base, base.t(), base[1:], base > 0, base.bfloat16(), base.half(), base.to(torch.float8_e4m3fn),
            base.to(torch.int64), torch.tensor(2.0), torch.empty(0, 3), base.unsqueeze(0).expand(2, 3, 4),
            torch.view_as_complex(torch.randn(3, 2)), base[:, :1],
        ]  # fmt: skip
        for tensor in tensors:
            content = values.to_bytes(tensor)
            found = values.to_tensor(content, tensor.dtype, tensor.shape, tensor.stride())
            with self.subTest(f"{tensor.dtype} {tensor.shape}"):
                self.assertEqual((found.dtype, found.shape, found.stride()), (tensor.dtype, tensor.shape, tensor.stride()))
                same = found.view(torch.uint8) if tensor.dtype.itemsize == 1 else found
                expected = tensor.view(torch.uint8) if tensor.dtype.itemsize == 1 else tensor
                self.assertTrue(torch.equal(same, expected))

    def test_refuse_another_number_of_bytes(self) -> None:
        with self.assertRaisesRegex(ValueError, "has 8 bytes"):
            values.to_tensor(values.to_bytes(torch.ones(2)), torch.float32, (3,), (1,))

    def test_know_layouts_that_share_elements(self) -> None:
        self.assertTrue(values.is_writable_layout((3, 4), (1, 3)))
        self.assertTrue(values.is_writable_layout((3, 4), (0, 1)))
        self.assertFalse(values.is_writable_layout((3, 4), (1, 1)))


if __name__ == "__main__":
    unittest.main()
