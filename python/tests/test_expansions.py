"""Sorts, scatters, transforms and casts as text, and the numbers that the network and the windows give."""

import math
import random
import re
import unittest

from spyre_mlir.convert.expand import element_width, must_widen, scatter_dimensions, tensor_type
from spyre_mlir.convert.fourier import fourier_function
from spyre_mlir.convert.onnx_rewrites import wide_element
from spyre_mlir.convert.scatter import ScatterDimensions, offset_dims, scatter_function, window_shape
from spyre_mlir.convert.sort import network_stages, padded_extent, sort_function
from spyre_mlir.convert.tensors import Region, Tensor
from spyre_mlir.convert.tm_tensor import scan_function

LESS = Region(
    header="^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):",
    operations=('%0 = "stablehlo.compare"(%arg0, %arg1) <{comparison_direction = #stablehlo<comparison_direction LT>}> : '
                "(tensor<f32>, tensor<f32>) -> tensor<i1>",),
    returned=("%0",),
    results=("i1",),
)  # fmt: skip


def network_sort(values: list) -> list:
    """Sort by the stages, as `sort_function` writes them: keys with positions, padding after all."""
    extent = padded_extent(len(values))
    keys = [(0, value, index) for index, value in enumerate(values)] + [(1, 0, index) for index in range(len(values), extent)]
    for stage in network_stages(extent):
        for first in range(extent):
            second = first + stage.distance
            if first & stage.distance == 0:
                descending = first & stage.run != 0
                if (keys[second] < keys[first]) != descending:
                    keys[first], keys[second] = keys[second], keys[first]
    return [(value, index) for padding, value, index in keys if not padding]


class Sort(unittest.TestCase):
    def test_the_network_sorts_every_sequence_of_zeros_and_ones(self) -> None:
        # A network that sorts these sorts everything (the 0-1 principle, Knuth volume 3, section 5.3.4).
        for extent in range(1, 10):
            for bits in range(1 << extent):
                values = [bits >> index & 1 for index in range(extent)]
                expected = sorted((value, index) for index, value in enumerate(values))
                self.assertEqual(network_sort(values), expected)

    def test_equal_elements_stay_in_order(self) -> None:
        draw = random.Random(1)
        for extent in (31, 32, 33, 100):
            values = [draw.randrange(4) for _ in range(extent)]
            self.assertEqual(network_sort(values), sorted((value, index) for index, value in enumerate(values)))

    def test_stages_of_powers_of_two(self) -> None:
        self.assertEqual([padded_extent(extent) for extent in (1, 2, 3, 4, 5, 1024, 1025)], [1, 2, 4, 4, 8, 1024, 2048])
        for power in range(12):
            self.assertEqual(len(network_stages(1 << power)), power * (power + 1) // 2)

    def test_one_element_is_returned(self) -> None:
        text = sort_function("sort", [Tensor((4, 1), "f32")], 1, LESS)
        self.assertIn("return %x0 : tensor<4x1xf32>", text)

    def test_only_padded_extents_have_padding(self) -> None:
        self.assertNotIn("stablehlo.pad", sort_function("sort", [Tensor((8,), "f32")], 0, LESS))
        text = sort_function("sort", [Tensor((3, 5), "f32")], 1, LESS)
        self.assertIn("high = [0, 3]", text)
        self.assertEqual(text.count('"stablehlo.map"'), 2 * len(network_stages(8)))
        self.assertRegex(text, r"stablehlo.slice %v\d+ \[0:3, 0:5\] : \(tensor<3x8xf32>\) -> tensor<3x5xf32>")

    def test_names_are_defined_once_and_before_their_use(self) -> None:
        # Names of regions come from the printer, %arg0 and %0, and are defined again in each region.
        defined = {"%x0"}
        for line in sort_function("sort", [Tensor((5,), "f32")], 0, LESS).splitlines()[1:]:
            names = re.findall(r"%[vm]\d+|%x\d+", line)
            result = names.pop(0) if " = " in line and line.strip().startswith(("%v", "%m")) else None
            self.assertLessEqual(set(names), defined, line)
            if result is not None:
                self.assertNotIn(result, defined)
                defined.add(result)


class Scatter(unittest.TestCase):
    def test_windows_have_single_elements_where_dimensions_are_inserted(self) -> None:
        rows = ScatterDimensions((1,), (0,), (), (), (0,), 1)
        self.assertEqual(window_shape(2, (4, 6), rows), (1, 6))
        blocks = ScatterDimensions((1, 2), (), (), (), (0,), 1)
        self.assertEqual(window_shape(2, (3, 2, 6), blocks), (2, 6))
        batched = ScatterDimensions((), (1,), (0,), (0,), (1,), 2)
        self.assertEqual(window_shape(2, (3, 4), batched), (1, 1))
        self.assertEqual(offset_dims(batched), (1, 0))

    def test_every_update_is_checked_on_both_sides(self) -> None:
        numbers = ScatterDimensions((1, 2), (), (), (), (0,), 1)
        combine = Region("^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):", (), ("%arg1",), ("f32",))
        updates = [Tensor((3, 2, 6), "f32")]
        text = scatter_function("scatter", [Tensor((10, 6), "f32")], Tensor((3, 1), "i64"), updates, numbers, combine)
        self.assertIn("stablehlo.convert %indices : (tensor<3x1xi64>) -> tensor<3x1xi32>", text)
        # Ten rows have windows of two at 0 to 8.
        self.assertRegex(text, r"(%v\d+) = stablehlo.constant dense<8> : tensor<i32>\n.*GE.*\n.*\n?.*LE, %v\d+, \1")
        self.assertEqual(len(re.findall(r"compare (GE|LE)", text)), 2)

    def test_dimension_numbers_are_read_as_printed(self) -> None:
        text = (
            "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [2, 3], "
            "scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>"
        )
        self.assertEqual(scatter_dimensions(text), ScatterDimensions((1,), (0,), (2, 3), (0, 1), (0,), 2))
        self.assertEqual(scatter_dimensions("#stablehlo.scatter<>"), ScatterDimensions((), (), (), (), (), 0))


class Scan(unittest.TestCase):
    ADD = Region(
        "^bb0(%arg0: tensor<f32>, %arg1: tensor<f32>):",
        ("%0 = stablehlo.add %arg0, %arg1 : tensor<f32>",),
        ("%0",),
        ("f32",),
    )

    def test_stages_double_their_distance(self) -> None:
        for extent, stages in ((1, 0), (2, 1), (3, 2), (8, 3), (9, 4)):
            type, row = Tensor((4, extent), "f32"), Tensor((4,), "f32")
            text = scan_function("scan", [type, type, row], 1, self.ADD)
            self.assertEqual(text.count('"stablehlo.map"'), stages, extent)
            # The elements that a stage keeps, and the earlier ones: 0:1, then 0:2, and so on.
            heads = re.findall(r"slice %\w+ \[0:4, 0:(\d+)\]", text)[::2][:stages]
            self.assertEqual([int(head) for head in heads], [1 << stage for stage in range(stages)])

    def test_the_last_element_is_the_second_result(self) -> None:
        type, row = Tensor((4, 9), "f32"), Tensor((4,), "f32")
        text = scan_function("scan", [type, type, row], 1, self.ADD)
        self.assertRegex(text, r"slice %\w+ \[0:4, 8:9\] : \(tensor<4x9xf32>\) -> tensor<4x1xf32>\n.*reshape")


class Types(unittest.TestCase):
    def test_types_are_read_and_written_alike(self) -> None:
        for text in ("tensor<f32>", "tensor<4x16xui8>", "tensor<2x3xcomplex<f32>>", "tensor<0x4xi1>"):
            self.assertEqual(str(tensor_type(text)), text)

    def test_unsigned_and_truth_values_are_cast_for_wider_results(self) -> None:
        for operand, result in (("ui8", "i32"), ("ui8", "ui32"), ("i1", "i32"), ("ui16", "i32")):
            self.assertTrue(must_widen(operand, result), (operand, result))
        for operand, result in (("i8", "i32"), ("ui8", "ui8"), ("i1", "i1"), ("f16", "f32"), ("bf16", "f32")):
            self.assertFalse(must_widen(operand, result), (operand, result))

    def test_unsigned_integers_of_onnx_are_computed_in_wider_ones(self) -> None:
        pairs = {("UINT8", "INT"): "INT32", ("UINT32", "INT"): "INT64", ("UINT8", "FLOAT"): "FLOAT", ("UINT32", "FLOAT"): "INT64"}
        for (element, kind), wide in pairs.items():
            self.assertEqual(wide_element(element, kind), wide)
        self.assertEqual(wide_element("UINT64", "INT"), "")
        self.assertIsNone(wide_element("INT8", "INT"))
        self.assertIsNone(wide_element("FLOAT", "FLOAT"))

    def test_widths_order_types_by_what_they_hold(self) -> None:
        widths = [element_width(element) for element in ("bf16", "f16", "tf32", "f32", "f64")]
        self.assertEqual(widths, [16, 16, 19, 32, 64])


class Fourier(unittest.TestCase):
    def test_the_product_of_positions_is_reduced_before_it_is_an_angle(self) -> None:
        text = fourier_function("fft", "RFFT", [7], Tensor((2, 7), "f32"), Tensor((2, 4), "complex<f32>"))
        self.assertIn("stablehlo.remainder", text)
        self.assertIn(f"dense<{2 * math.pi / 7!r}> : tensor<7x4xf32>", text)

    def test_the_middle_of_an_even_length_counts_once(self) -> None:
        for length, half, weights in ((4, 3, "0.25, 0.5, 0.25"), (5, 3, "0.2, 0.4, 0.4")):
            text = fourier_function("fft", "IRFFT", [length], Tensor((half,), "complex<f32>"), Tensor((length,), "f32"))
            self.assertIn(f"dense<[{weights}]> : tensor<3xf32>", text)


if __name__ == "__main__":
    unittest.main()
