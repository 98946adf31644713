#!/usr/bin/env bash
# tinygrad 0.14.0: a custom kernel whose SINK has no KernelInfo is never run, without an error.
#
#   c.custom_kernel(a, fxn=lambda c, a: (i := UOp.range(16, 0), c[i].store(a[i] * 2).end(i).sink())[1])
#
# The result is what was in the memory of c before: of Tensor.empty, memory that nothing has written. With
# .sink(arg=KernelInfo(name="twice")), and nothing else changed, the kernel runs. The graph of both is accepted, at SPEC=2 too.
#
# Exit code 0: tinygrad is as described. A C compiler for tinygrad is needed: clang, or the one that CC names.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-cache-dir tinygrad==0.14.0

cat > "$folder/program.py" <<'PYTHON'
from tinygrad import Tensor
from tinygrad.uop.ops import KernelInfo, UOp


def twice(info):
    def kernel(c, a):
        i = UOp.range(16, 0)
        return c[i].store(a[i] * 2).end(i).sink(**info)

    a = Tensor([3.0] * 16).contiguous().realize()
    c = Tensor([1.0] * 16).contiguous().realize()
    return c.custom_kernel(a, fxn=kernel)[0].tolist()


found = twice({"arg": KernelInfo(name="twice")})[:2], twice({})[:2]
print("with KernelInfo", found[0], "without", found[1])
if found != ([6.0, 6.0], [1.0, 1.0]):
    raise SystemExit("tinygrad is no longer as described")
PYTHON
"$folder/venv/bin/python" "$folder/program.py"
SPEC=2 "$folder/venv/bin/python" "$folder/program.py"
