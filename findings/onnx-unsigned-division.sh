#!/usr/bin/env bash
# torch-mlir in IREE divides unsigned integers of ONNX as signed ones, without a warning.
#
# Versions: iree-base-compiler 3.13.0, onnx 1.23.2, onnxruntime 1.32.0, Python 3.12.
# Behaviour: Div of uint8 becomes arith.divsi of i8: 200 / 3 is 238 (-18), where onnxruntime has 66.
# Expected: arith.divui.
# Consequence here: `python -m spyre_mlir.convert onnx` casts to wider numbers first.
#
# Exits with 0 while the behaviour is as described, 1 when it has changed.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"${PYTHON:-python3.12}" -m venv "$directory/venv"
"$directory/venv/bin/pip" install -q 'iree-base-compiler==3.13.0' 'onnx==1.23.2' 'onnxruntime==1.32.0'
cd "$directory"
venv/bin/python - <<'PYTHON'
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper

values = [helper.make_tensor_value_info(name, TensorProto.UINT8, [1]) for name in "aby"]
graph = helper.make_graph([helper.make_node("Div", ["a", "b"], ["y"])], "main", values[:2], values[2:])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.save(model, "model.onnx")
(result,) = onnxruntime.InferenceSession("model.onnx").run(None, {"a": np.array([200], np.uint8), "b": np.array([3], np.uint8)})
assert result[0] == 66, result
PYTHON
venv/bin/iree-import-onnx model.onnx -o model.torch.mlir
venv/bin/iree-opt --torch-onnx-to-torch-backend-pipeline --torch-backend-to-linalg-on-tensors-backend-pipeline model.torch.mlir -o model.mlir
if grep -q 'arith.divsi .* : i8' model.mlir && ! grep -q 'arith.divui' model.mlir; then
    echo "as described: a signed division of uint8"
else
    echo "changed"
    cat model.mlir
    exit 1
fi
