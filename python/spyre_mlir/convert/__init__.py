"""Programs of JAX, StableHLO, ONNX and LiteRT as linalg, which `spyre-opt --spyre-import-linalg` and `spyre-run` take.

    python -m spyre_mlir.convert jax models.py:mlp --shapes 'f16[96,384]' 'f16[384,512]' -o mlp.mlir
    python -m spyre_mlir.convert onnx model.onnx -o model.mlir

The same from Python:

    text = spyre_mlir.convert.convert_jax(mlp, x, w)

Each front end has a module, which imports its packages when it converts: importing this package imports none of them.
"""

from .errors import ConvertError
from .from_jax import convert_jax
from .from_onnx import convert_onnx
from .from_stablehlo import convert_stablehlo
from .from_tflite import convert_tflite
from .versions import TESTED, UntestedVersion

__all__ = [
    "TESTED",
    "ConvertError",
    "UntestedVersion",
    "convert_jax",
    "convert_onnx",
    "convert_stablehlo",
    "convert_tflite",
]
