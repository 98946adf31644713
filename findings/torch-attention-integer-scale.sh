#!/usr/bin/env bash
# PyTorch 2.12 to 2.15: torch.compile fails on attention that is divided by an integer, if a gradient is wanted.
#
#   softmax(q @ k^T / 8) @ v
#
# compiles without gradients, with 8.0, and with a product; eager computes all of them. Inductor's patterns for attention take the
# divisor as a symbol in the graph with gradients, and the symbol stays in the guards of the program: in 2.15.0 "Guard failed on the
# same frame it was created ... name 'sym_3' is not defined", in 2.12.1 an IndexError in produce_guards_verbose.
#
# Exit code 0: PyTorch is as described. About 6 GB are downloaded into a temporary folder.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-cache-dir "torch==${TORCH:-2.15.0}" "numpy==2.3.4"

cat > "$folder/program.py" <<'PYTHON'
import torch


def compiles(divisor, gradient):
    torch.compiler.reset()
    operands = [torch.randn(2, 4, 16, 64, requires_grad=gradient) for _ in range(3)]
    attention = lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) / divisor, -1) @ v
    assert torch.isfinite(attention(*operands)).all()
    try:
        # The graph is compiled as far as the patterns go, and then run by operations: no C++ compiler is needed.
        torch.compile(attention, backend=joint_graph)(*operands)
        return True
    except Exception as error:
        print(f"  {type(error).__name__}: {str(error).splitlines()[0]}")
        return False


def joint_graph(graph, examples):
    from torch._inductor.compile_fx import compile_fx

    def by_operations(inner, operands, **options):
        def run(arguments):
            arguments = list(arguments)
            return torch.fx.Interpreter(inner).run(*arguments)

        run._boxed_call = True
        return run

    return compile_fx(graph, examples, inner_compile=by_operations)


print(torch.__version__)
found = {}
for divisor in (8, 8.0):
    for gradient in (True, False):
        found[divisor, type(divisor), gradient] = compiles(divisor, gradient)
        print(f"divided by {divisor!r}, gradient {gradient}: {'compiles' if found[divisor, type(divisor), gradient] else 'fails'}")
expected = {(8, int, True): False, (8, int, False): True, (8.0, float, True): True, (8.0, float, False): True}
if found != expected:
    raise SystemExit("PyTorch is no longer as described")
PYTHON
"$folder/venv/bin/python" -W ignore "$folder/program.py"
