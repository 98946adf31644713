#!/usr/bin/env bash
# iree-import-tflite fails on every model with each TensorFlow from 2.19 on: its one call goes to a native function that is gone.
#
# Versions: iree-tools-tflite 20260316.1567, tensorflow 2.19.1, 2.20.0, 2.21.0, Python 3.12 on x86-64 Linux.
# Behaviour: tensorflow.mlir.experimental.tflite_to_tosa_bytecode raises
#   NameError: name 'ExperimentalTFLiteToTosaBytecode' is not defined
# Expected: a file of TOSA, or an import error that says which TensorFlow has the function.
# Consequence here: `python -m spyre_mlir.convert tflite` goes by ONNX.
#
# Exits with 0 while the behaviour is as described, 1 when it has changed. Downloads about 600 MB.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"${PYTHON:-python3.12}" -m venv "$directory/venv"
"$directory/venv/bin/pip" install -q 'tensorflow==2.21.0' 'iree-tools-tflite==20260316.1567'
cd "$directory"
"$directory/venv/bin/python" - 2>/dev/null <<'PYTHON'
import tensorflow as tf

function = tf.function(lambda x: tf.nn.relu(x), input_signature=[tf.TensorSpec((4, 8), tf.float32)])
converter = tf.lite.TFLiteConverter.from_concrete_functions([function.get_concrete_function()], None)
open("model.tflite", "wb").write(converter.convert())
PYTHON
if "$directory/venv/bin/iree-import-tflite" model.tflite -o model.mlirbc 2>error; then
    echo "changed: iree-import-tflite wrote a file"
    exit 1
fi
if ! grep -q "NameError: name 'ExperimentalTFLiteToTosaBytecode' is not defined" error; then
    echo "changed: another error"
    tail -5 error
    exit 1
fi
echo "as described: NameError in iree-import-tflite"
