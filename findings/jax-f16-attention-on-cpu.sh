#!/usr/bin/env bash
# jax.nn.dot_product_attention of float16 runs on a CPU, and does not under jax.jit.
#
# Versions: jax 0.12.0.1 on the CPU, Python 3.12.
# Behaviour: under jax.jit, ValueError: The precision 'F16_F16_F32' is not supported by dot_general on CPU. The function asks for that
#   algorithm itself; no argument of it says otherwise. Lowering for a TPU works, and the program has the algorithm.
# Expected: the same with jax.jit and without, as for float32 and bfloat16.
# Consequence here: `python -m spyre_mlir.convert jax` lowers such functions for a TPU, and takes the accumulation type from the
#   algorithm.
#
# Exits with 0 while the behaviour is as described, 1 when it has changed.
set -euo pipefail

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
"${PYTHON:-python3.12}" -m venv "$directory/venv"
"$directory/venv/bin/pip" install -q 'jax==0.12.0.1' 'jaxlib==0.12.0.1'
JAX_PLATFORMS=cpu "$directory/venv/bin/python" - <<'PYTHON'
import sys

import jax
import jax.numpy as jnp

attention = jax.nn.dot_product_attention
behaviour = {}
for dtype in ("float32", "bfloat16", "float16"):
    argument = jnp.ones((1, 8, 2, 16), dtype)
    for mode, function in (("eager", attention), ("jit", jax.jit(attention))):
        try:
            function(argument, argument, argument).block_until_ready()
            behaviour[dtype, mode] = "runs"
        except ValueError as error:
            behaviour[dtype, mode] = str(error)
print(behaviour)
half = jax.ShapeDtypeStruct((1, 8, 2, 16), jnp.float16)
text = jax.jit(attention).trace(half, half, half).lower(lowering_platforms=("tpu",)).as_text()
expected = dict.fromkeys(behaviour, "runs")
expected["float16", "jit"] = "The precision 'F16_F16_F32' is not supported by dot_general on CPU"
if behaviour != expected or "lhs_precision_type = f16, rhs_precision_type = f16, accumulation_type = f32" not in text:
    sys.exit("changed")
print("as described: no attention of float16 under jax.jit on a CPU")
PYTHON
