"""Run the bridge under each version of PyTorch that it reads, and compare the results of the graphs with PyTorch's numbers.

    python python/versions.py FOLDER [--torch 2.12 2.15]

FOLDER gets a virtual environment for each version, where there is none yet, with the newest release of that version from the
package index: about 6 GB each, as PyTorch's default build needs its CUDA packages to start.  With PIP_INDEX_URL set to PyTorch's
index for the CPU it is a tenth of that.  In each of them `record.py` captures the programs of `programs.py`.  Every graph is
imported, converted to linalg and run, on the CPU and on the simulated card, with spyre-translate, spyre-opt and spyre-run from
PATH.  One line is printed per graph and version; the exit code is 1 if a graph is refused, or a result differs.

    python python/versions.py FOLDER --models [NAME ...]

runs the tests of the backend of torch.compile and the models of `models` instead, with the native module in the package.

It is no part of CI, which has no network.  A C++ compiler is needed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from spyre_mlir.versions import TORCH  # noqa: E402  (the package is next to this script, and not installed)

TOLERANCE = "1e-4"  # relative to 1 + the magnitude, for sums in another order


def supported() -> list[str]:
    """Returns the versions from the first to the last one."""
    (major, first), (_, last) = TORCH.first, TORCH.last
    return [f"{major}.{minor}" for minor in range(first, last + 1)]


def python_of(folder: Path, version: str) -> Path:
    """Returns the interpreter of a version, after installing it where it is missing."""
    home = folder / f"torch-{version}"
    python = home / "bin" / "python"
    if not python.exists():
        venv.create(home, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-cache-dir", f"torch=={version}.*", "numpy"], check=True)
    return python


def run_tool(*command: str | Path) -> str:
    """Runs a tool and returns its first error, empty where there is none."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    lines = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[0] if lines else f"exit code {done.returncode}")


def check(case: Path) -> str:
    """Compiles and runs a recorded graph, and returns its first error, empty where there is none."""
    module, linalg = case / "graph.mlir", case / "linalg.mlir"
    if error := run_tool("spyre-translate", "--import-inductor", case / "graph.json", "-o", module):
        return error
    if error := run_tool("spyre-opt", module, "--convert-inductor-to-linalg=sizes=hint", "-o", linalg):
        return error
    files = {kind: sorted(case.glob(f"{kind}_*.npy"), key=lambda p: int(p.stem.split("_")[1])) for kind in ("in", "out")}
    operands = [part for path in files["in"] for part in ("--input", path)]
    results = [part for path in files["out"] for part in ("--expect", path)]
    for place in ("cpu", "card"):
        if error := run_tool("spyre-run", linalg, *operands, *results, "--tolerance", TOLERANCE, "--on", place):
            return f"on the {place}: {error}"
    return ""


def run_models(python: Path, names: list[str]) -> bool:
    """Runs the tests of the backend and the models under a version. Returns whether all pass."""
    environment = os.environ | {"PYTHONPATH": str(HERE)}
    tests = [python, "-W", "ignore", "-m", "unittest", "discover", "-s", HERE / "tests", "-p", "test_torch_*.py"]
    models = [python, "-W", "ignore", "-m", "models", *names]
    codes = [subprocess.run(command, check=False, env=environment).returncode for command in (tests, models)]
    return codes == [0, 0]


def main() -> int:
    """Runs the versions that are named on the command line."""
    parser = argparse.ArgumentParser(description="Run the bridge under each version of PyTorch that it reads.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--torch", nargs="+", choices=supported(), default=supported(), metavar="VERSION")
    parser.add_argument("--models", nargs="*", metavar="NAME", help="run the backend of torch.compile: all models, or these")
    arguments = parser.parse_args()
    failures = 0
    for version in arguments.torch:
        python = python_of(arguments.folder.resolve(), version)
        if arguments.models is not None:
            print(f"{version}: the backend of torch.compile", flush=True)
            failures += not run_models(python, arguments.models)
            continue
        output = arguments.folder.resolve() / f"graphs-{version}"
        environment = os.environ | {"PYTHONPATH": str(HERE)}
        subprocess.run([python, "-W", "ignore", HERE / "record.py", output], check=True, env=environment, stdout=subprocess.DEVNULL)
        for case in sorted(path.parent for path in output.glob("*/graph.json")):
            error = check(case)
            failures += bool(error)
            print(f"{version} {case.name}: {error or 'equal'}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
