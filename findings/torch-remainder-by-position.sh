#!/usr/bin/env bash
# PyTorch 2.14 on the CPU: the remainder of the same two numbers depends on where they are in a tensor.
#
#   torch.remainder(x, y) with x full of 1.0 and y full of inf
#
# is NaN where the elements are computed in vectors, and 1.0 in the rest of the tensor, which fills no vector. The vectors compute
# x - y * floor(x / y), which has inf * 0; the rest uses fmod, which is exact. Finite numbers differ as well: 1.0 and 1e-7.
# One would have guessed the numbers of Python and NumPy, 1.0 and the exact remainder, at all positions.
#
# Exit code 0: PyTorch is as described. About 1 GB is downloaded into a temporary folder.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-cache-dir numpy==2.3.4 filelock==3.20.0 typing_extensions==4.15.0 sympy==1.14.0 \
    networkx==3.4.2 jinja2==3.1.6 fsspec==2025.10.0
# The packages of CUDA are not needed for the CPU.
"$folder/venv/bin/pip" install -q --no-cache-dir --no-deps "torch==${TORCH:-2.14.0}"

cat > "$folder/program.py" <<'PYTHON'
import numpy
import torch

print(torch.__version__)
# 64 elements fill vectors of any width; the last 3 fill none.
count = 67
for x, y in ((1.0, float("inf")), (1.0, 1e-7)):
    dividend, divisor = torch.full((count,), x), torch.full((count,), y)
    results = torch.remainder(dividend, divisor)
    exact = float(numpy.remainder(numpy.float32(x), numpy.float32(y)))
    print(f"remainder({x}, {y}): first {results[0].item()}, last {results[-1].item()}, NumPy {exact}")
    if torch.equal(results[:1], results[-1:]) or results[-1].item() != exact:
        raise SystemExit("PyTorch is no longer as described")
PYTHON
"$folder/venv/bin/python" -W ignore "$folder/program.py"
