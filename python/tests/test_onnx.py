"""What conversions of ONNX do before the import, on small models; it needs the package `onnx` alone."""

import importlib.util
import unittest
from typing import Any

from spyre_mlir.convert.arguments import parse_value
from spyre_mlir.convert.errors import ConvertError

HAS_ONNX = bool(importlib.util.find_spec("onnx"))


class Values(unittest.TestCase):
    def test_values_are_read(self) -> None:
        self.assertEqual(parse_value("rate=16000"), ("rate", (16000,)))
        self.assertEqual(parse_value("a=b=1,-2,0.5"), ("a=b", (1, -2, 0.5)))
        for text in ("rate", "rate=", "=1", "rate=fast", "rate=1,,2"):
            with self.assertRaisesRegex(ConvertError, "write NAME=NUMBERS, as rate=16000"):
                parse_value(text)


@unittest.skipUnless(HAS_ONNX, "onnx is not installed")
class Models(unittest.TestCase):
    def branches(self) -> Any:
        """Return a model that adds 1 or subtracts 1, as its second input says."""
        from onnx import TensorProto, helper

        def branch(operator: str) -> Any:
            node = helper.make_node(operator, ["x", "one"], ["r"])
            return helper.make_graph([node], operator, [], [helper.make_tensor_value_info("r", TensorProto.FLOAT, [2])])

        nodes = [
            helper.make_node("Equal", ["rate", "wanted"], ["is_wanted"]),
            helper.make_node("If", ["is_wanted"], ["y"], then_branch=branch("Add"), else_branch=branch("Sub")),
        ]
        graph = helper.make_graph(
            nodes,
            "branches",
            [
                helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]),
                helper.make_tensor_value_info("rate", TensorProto.INT64, []),
            ],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [2])],
            [
                helper.make_tensor("wanted", TensorProto.INT64, [], [16000]),
                helper.make_tensor("one", TensorProto.FLOAT, [1], [1.0]),
            ],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])

    def operators(self, values: dict[str, tuple[float, ...]]) -> list[str]:
        import onnx
        from spyre_mlir.convert.from_onnx import _fix_values
        from spyre_mlir.convert.onnx_fold import fold_constants

        model = self.branches()
        _fix_values(model, "m.onnx", values)
        model = fold_constants(onnx.shape_inference.infer_shapes(model, data_prop=True))
        self.assertEqual([value.name for value in model.graph.input], ["x", "rate"])
        return [node.op_type for node in model.graph.node]

    def test_the_value_of_an_input_decides_a_condition(self) -> None:
        self.assertEqual(self.operators({}), ["Equal", "If"])
        self.assertEqual(self.operators({"rate": (16000,)}), ["Add", "Identity"])
        self.assertEqual(self.operators({"rate": (8000,)}), ["Sub", "Identity"])

    def test_a_value_that_the_input_cannot_have_is_an_error(self) -> None:
        with self.assertRaisesRegex(ConvertError, "no input is named 'sr': there are rate, x"):
            self.operators({"sr": (1,)})
        with self.assertRaisesRegex(ConvertError, "input 'x' is 2, and --value has 1 numbers"):
            self.operators({"x": (1,)})
        with self.assertRaisesRegex(ConvertError, "input 'rate' of int64 cannot have the value"):
            self.operators({"rate": (0.5,)})

    def test_inputs_of_conditions_are_named(self) -> None:
        from onnx import helper
        from spyre_mlir.convert.from_onnx import _advice, condition_inputs

        model = self.branches()
        self.assertEqual(condition_inputs(model), ["rate"])
        self.assertIn("\nConditions depend on the numbers of rate: try --value rate=NUMBERS", _advice(model))
        # A condition on an extent depends on no number.
        model.graph.node[0].input[0] = "extent"
        model.graph.node.insert(0, helper.make_node("Shape", ["rate"], ["extent"]))
        self.assertEqual((condition_inputs(model), _advice(model)), ([], ""))

    def test_operators_of_a_runtime_are_named(self) -> None:
        from onnx import helper
        from spyre_mlir.convert.from_onnx import foreign_operators

        model = self.branches()
        self.assertEqual(foreign_operators(model), [])
        branch = model.graph.node[1].attribute[0].g
        branch.node.append(helper.make_node("DynamicQuantizeLSTM", ["r"], ["z"], domain="com.microsoft"))
        model.graph.node.append(helper.make_node("Mine", ["y"], ["v"], domain="local"))
        self.assertEqual(foreign_operators(model), ["com.microsoft.DynamicQuantizeLSTM", "local.Mine"])


if __name__ == "__main__":
    unittest.main()
