"""Models of LiteRT (TensorFlow Lite) to linalg: tf2onnx converts them to ONNX, and `from_onnx` does the rest.

The way through TOSA is closed: IREE's `iree-import-tflite` calls `tensorflow.mlir.experimental.tflite_to_tosa_bytecode`, and no
TensorFlow from 2.19 on has the native function that it needs.
"""

from __future__ import annotations

import logging
import os
import tempfile
import warnings
from pathlib import Path

from .errors import ConvertError
from .from_onnx import OLDEST_OPSET, convert_onnx_model, read_model
from .versions import check_packages


def convert_tflite(path: str, shapes: dict[str, tuple[int, ...]] | None = None) -> str:
    """Return the linalg of a file of LiteRT.

    `shapes` has the shapes of inputs, where the file leaves them open.
    """
    return convert_named_tflite(path, shapes)[0]


def convert_named_tflite(path: str, shapes: dict[str, tuple[int, ...]] | None = None) -> tuple[str, list[str]]:
    """Return the linalg of a file of LiteRT, and the names of its inputs in order."""
    check_packages("tflite")
    if not Path(path).is_file():
        raise ConvertError(f"{path}: no such file")
    if Path(path).read_bytes()[4:8] != b"TFL3":
        raise ConvertError(f"{path}: is no file of LiteRT, which has 'TFL3' after its first four bytes")
    with tempfile.TemporaryDirectory() as directory:
        output = str(Path(directory) / "model.onnx")
        unsupported = _write_onnx(path, output)
        if unsupported:
            raise ConvertError(f"{path}: tf2onnx has no conversion of {', '.join(unsupported)}")
        model = read_model(output)
    constants = {initializer.name for initializer in model.graph.initializer}
    names = [value.name for value in model.graph.input if value.name not in constants]
    return convert_onnx_model(model, path, None, {}, shapes or {}), names


def _write_onnx(path: str, output: str) -> list[str]:
    """Write the ONNX of a file of LiteRT, and return the operations that tf2onnx left as they were."""
    # TensorFlow greets with lines about the machine, on standard error, unless this is set before its import.
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tf2onnx.convert

    # tf2onnx logs its progress, and operations without a conversion as errors; the errors are returned.
    logging.getLogger("tf2onnx").setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            # tf2onnx reads the file by an interpreter that TensorFlow is about to remove, which users cannot change.
            warnings.filterwarnings("ignore", message=r"\s*Warning: tf\.lite\.Interpreter is deprecated")
            proto, _ = tf2onnx.convert.from_tflite(path, opset=OLDEST_OPSET, output_path=output)
    except Exception as error:  # tf2onnx has no exception type
        raise ConvertError(f"{path}: tf2onnx cannot read it: {type(error).__name__}: {error}") from error
    return sorted({node.op_type for node in proto.graph.node if node.op_type.startswith("TFL_")})
