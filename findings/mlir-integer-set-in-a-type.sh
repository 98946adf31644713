#!/usr/bin/env bash
# MLIR (of iree-base-compiler 3.13.0, and 22.1.8): a type or attribute of a dialect that has an integer set as a parameter prints
# text that MLIR cannot read again, if the set has a comparison.
#
#   #d.attr<affine_set<(d0) : (d0 >= 0)>>       error: unbalanced '(' character in pretty dialect name
#   #d.attr<affine_set<(d0) : (d0 == 0)>>       is read
#   #d.attr<affine_map<(d0) -> (d0)>>           is read
#
# The extent of the body is found by counting brackets before the dialect's parser sees it: the arrow of a map has an exception
# there, the `>` of `>=` closes a bracket. The same set is read as an attribute of an operation, and through an alias. One would
# expect that what `parameters = (ins "IntegerSet":$set)` and `assemblyFormat = "`<` $set `>`"` print is read.
#
# Exit code 0: MLIR is as described.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install -q --no-cache-dir iree-base-compiler==3.13.0

cat > "$folder/program.py" <<'PYTHON'
from iree.compiler import ir


def is_read(text):
    with ir.Context() as context, ir.Location.unknown():
        context.allow_unregistered_dialects = True
        try:
            ir.Module.parse(text)
        except ir.MLIRError as error:
            return next(iter(error.error_diagnostics), error)
        return True


def attribute(text):
    return f'"a.b"() {{x = {text}}} : () -> ()'


SET = "affine_set<(d0) : (d0 >= 0)>"
found = {
    "set with >= in an attribute": is_read(attribute(f"#d.attr<{SET}>")),
    "set with == in an attribute": is_read(attribute("#d.attr<affine_set<(d0) : (d0 == 0)>>")),
    "map in an attribute": is_read(attribute("#d.attr<affine_map<(d0) -> (d0)>>")),
    "set alone": is_read(attribute(SET)),
    "set by an alias": is_read(f"#set = {SET}\n" + attribute("#d.attr<#set>")),
}
for what, outcome in found.items():
    print(f"{what}: {outcome if outcome is True else str(getattr(outcome, 'message', outcome))}")
if [outcome is True for outcome in found.values()] != [False, True, True, True, True]:
    raise SystemExit("MLIR is no longer as described")
PYTHON
"$folder/venv/bin/python" "$folder/program.py"
