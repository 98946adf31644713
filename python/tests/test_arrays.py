"""Tests of arrays in and out; NumPy is enough."""

from __future__ import annotations

import array
import gc
import unittest

from native import needs_numpy, needs_package

try:
    import numpy as np
    from spyre_mlir.arrays import Array, array_of_bytes, comparable, random_array, row_major_bytes
    from spyre_mlir.element_types import ELEMENT_TYPES
except ImportError:
    pass  # the tests are skipped


class Tensor:
    """A tensor of another package: it has DLPack alone, and refuses to export a tensor with a gradient, as PyTorch
    does."""

    def __init__(self, content, gradient: bool = False, device: int = 1) -> None:
        self.content, self.gradient, self.device = content, gradient, device

    def __dlpack__(self, **_: object):
        if self.gradient:
            raise BufferError("Can't export tensors that require gradient")
        return self.content.__dlpack__()

    def __dlpack_device__(self):
        return (self.device, 0)

    def detach(self) -> Tensor:
        return Tensor(self.content, False, self.device)


@needs_numpy
class Arguments(unittest.TestCase):
    def test_contiguous_arrays_are_not_copied(self) -> None:
        x = np.arange(6, dtype=np.float16).reshape(2, 3)
        for value in (x, Tensor(x), memoryview(x)):
            data = row_major_bytes(value, (2, 3), "f16", "x")
            self.assertEqual(data.ctypes.data, x.ctypes.data, type(value))
            self.assertEqual(data.tobytes(), x.tobytes())

    def test_other_orders_are_copied_in_row_major_order(self) -> None:
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        for value in (x.T, Tensor(x.T), x[::1, ::-1].T[::-1], np.asfortranarray(x.T)):
            self.assertEqual(
                row_major_bytes(value, (3, 2), "f32", "x").view(np.float32).reshape(3, 2).tolist(), x.T.tolist()
            )

    def test_read_only_arrays_and_scalars(self) -> None:
        x = np.ones(3, np.float16)
        x.flags.writeable = False
        self.assertEqual(row_major_bytes(x, (3,), "f16", "x").size, 6)
        self.assertEqual(row_major_bytes(7, (), "i64", "n").view(np.int64).tolist(), [7])
        self.assertEqual(row_major_bytes(np.float32(0.5), (), "f32", "n").view(np.float32).tolist(), [0.5])
        self.assertEqual(
            row_major_bytes(array.array("f", [1, 2]), (2,), "f32", "x").view(np.float32).tolist(), [1, 2]
        )

    def test_a_tensor_with_a_gradient_is_read(self) -> None:
        self.assertEqual(row_major_bytes(Tensor(np.ones(2, np.float32), True), (2,), "f32", "x").size, 8)

    def test_the_memory_of_a_tensor_lives_as_long_as_its_view(self) -> None:
        data = row_major_bytes(Tensor(np.full(100_000, 7, np.uint8)), (100_000,), "ui8", "x")
        gc.collect()
        self.assertEqual(set(data.tolist()), {7})

    def test_integers_without_a_sign_take_both(self) -> None:
        row_major_bytes(np.zeros(2, np.uint32), (2,), "i32", "x")
        with self.assertRaisesRegex(TypeError, "x is i32.2., but the program takes ui32.2."):
            row_major_bytes(np.zeros(2, np.int32), (2,), "ui32", "x")

    def test_errors_name_both_types_and_the_way_out(self) -> None:
        x = np.zeros((2, 3), np.float32)
        for value, shape, dtype, kind, message in (
            (
                x,
                (2, 3),
                "f16",
                TypeError,
                r"^x is f32\[2, 3\], but the program takes f16\[2, 3\]: .*x\.astype\('float16'\)$",
            ),
            (
                x,
                (3, 2),
                "f32",
                ValueError,
                r"^x is f32\[2, 3\], but the program takes f32\[3, 2\]: .*x\.reshape\(3, 2\)$",
            ),
            (x, (4,), "f32", ValueError, r"compile the program for this one$"),
            (
                x,
                (2, 3),
                "bf16",
                TypeError,
                r"x\.astype\(ml_dtypes\.bfloat16\), or .* spyre_mlir\.Array\(bits, 'bf16'\)",
            ),
            (x.astype(">f4"), (2, 3), "f32", TypeError, r"^x is >f4, but"),
            (x.astype(complex), (2, 3), "f32", TypeError, r"^x is complex128, but"),
            (
                [[1.0]],
                (1, 1),
                "f32",
                TypeError,
                r"^x is a list, which is no array: .*numpy\.asarray\(x, 'float32'\)$",
            ),
            (None, (1,), "f16", TypeError, r"^x is a NoneType"),
            (
                Tensor(x, device=2),
                (2, 3),
                "f32",
                TypeError,
                r"^x, a Tensor, is on device 2 of DLPack.*: copy it to the CPU",
            ),
        ):
            with self.assertRaisesRegex(kind, message):
                row_major_bytes(value, shape, dtype, "x")


@needs_numpy
class BitsOnly(unittest.TestCase):
    def test_bf16_goes_through_dlpack_both_ways(self) -> None:
        x = Array(np.array([[0x3F80, 0xC000]], np.uint16), "bf16")
        data = row_major_bytes(Tensor(x), (1, 2), "bf16", "x")
        self.assertEqual(data.ctypes.data, x.view(np.uint16).ctypes.data)
        self.assertEqual(x.float32().tolist(), [[1.0, -2.0]])

    def test_bits_have_the_width_of_the_type(self) -> None:
        with self.assertRaisesRegex(TypeError, "the bits of bf16 are uint16, not float32"):
            Array(np.zeros(2, np.float32), "bf16")
        with self.assertRaisesRegex(ValueError, "'q8' is no element type: the types are f16, bf16"):
            Array(np.zeros(2, np.uint8), "q8")

    @needs_package("ml_dtypes")
    def test_all_numbers_of_8_bits_are_those_of_ml_dtypes(self) -> None:
        import ml_dtypes

        bits = np.arange(256).astype(np.uint8)
        for name, dtype in (("f8E4M3FN", ml_dtypes.float8_e4m3fn), ("f8E5M2", ml_dtypes.float8_e5m2)):
            values = Array(bits, name).float32()
            self.assertTrue(np.array_equal(values, bits.view(dtype).astype(np.float32), equal_nan=True), name)
            self.assertEqual(row_major_bytes(bits.view(dtype), (256,), name, "x").tolist(), bits.tolist())

    def test_random_arrays_of_all_types_are_arguments(self) -> None:
        for name in ELEMENT_TYPES:
            for shape in ((), (3, 5)):
                first, second = (random_array(shape, name, np.random.default_rng(1)) for _ in range(2))
                data = row_major_bytes(first, shape, name, "x")
                self.assertEqual(data.tobytes(), row_major_bytes(second, shape, name, "x").tobytes())
                again = array_of_bytes(data, shape, name)
                self.assertTrue(np.array_equal(comparable(again), comparable(first)), name)

    @needs_package("torch")
    def test_tensors_of_torch(self) -> None:
        import torch

        x = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
        self.assertEqual(row_major_bytes(x, (2, 3), "bf16", "x").ctypes.data, x.data_ptr())
        y = torch.from_dlpack(Array(np.array([0x3F80], np.uint16), "bf16"))
        self.assertEqual((y.dtype, y.tolist()), (torch.bfloat16, [1.0]))
        with self.assertRaisesRegex(TypeError, r"x\.to\(torch\.float16\)$"):
            row_major_bytes(torch.ones(2), (2,), "f16", "x")


if __name__ == "__main__":
    unittest.main()
