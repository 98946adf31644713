"""Types, extents and shapes of the command line."""

import unittest

from native import PYTHON  # noqa: F401  (the package is in the folder above, and not installed)
from spyre_mlir.convert.arguments import Argument, parse_argument, parse_extent, parse_shape
from spyre_mlir.convert.errors import ConvertError


class ParseArgument(unittest.TestCase):
    def test_both_ways_of_writing_are_one_type(self) -> None:
        for text in ("f16[96,384]", "float16[96, 384]", "96x384xf16", "tensor<96x384xf16>"):
            self.assertEqual(parse_argument(text), Argument((96, 384), "float16"), text)

    def test_scalars_and_unsigned_integers(self) -> None:
        self.assertEqual(parse_argument("f32[]"), Argument((), "float32"))
        self.assertEqual(parse_argument("i32"), Argument((), "int32"))
        for text in ("u8[4]", "uint8[4]", "4xui8"):
            self.assertEqual(parse_argument(text), Argument((4,), "uint8"), text)
        self.assertEqual(parse_argument("pred[2]"), Argument((2,), "bool"))

    def test_unknown_element_type_is_named(self) -> None:
        with self.assertRaisesRegex(ConvertError, r"'q8\[4\]' has the element type 'q8', which is none of bf16, f16"):
            parse_argument("q8[4]")

    def test_no_type_says_how_to_write_one(self) -> None:
        for text in ("", "96,384", "f16(2)", "[2]", "-1xf16"):
            with self.assertRaisesRegex(ConvertError, r"write 'f16\[96,384\]' or '96x384xf16'", msg=text):
                parse_argument(text)


class ParseExtentsAndShapes(unittest.TestCase):
    def test_names_may_have_equal_signs(self) -> None:
        self.assertEqual(parse_extent("batch=4"), ("batch", 4))
        self.assertEqual(parse_extent("a=b=4"), ("a=b", 4))
        self.assertEqual(parse_shape("images:0=1x3x224x224"), ("images:0", (1, 3, 224, 224)))
        self.assertEqual(parse_shape("x=7"), ("x", (7,)))
        self.assertEqual(parse_shape("x="), ("x", ()))

    def test_wrong_ones_say_how_to_write_them(self) -> None:
        for text in ("batch", "batch=", "=4", "batch=0", "batch=-1", "batch=n"):
            with self.assertRaisesRegex(ConvertError, "write NAME=EXTENT", msg=text):
                parse_extent(text)
        for text in ("x", "=1x2", "x=1x", "x=1,2", "x=?x3"):
            with self.assertRaisesRegex(ConvertError, "write NAME=SHAPE", msg=text):
                parse_shape(text)


if __name__ == "__main__":
    unittest.main()
