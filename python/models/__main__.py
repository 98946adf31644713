"""The command line: runs the models, compares with PyTorch, and keeps the table of shares.

The exit code is 0 when all results agree and no share is smaller than in the table; 1 otherwise; 2 for a wrong command line.
`--write` puts larger shares into the table; a smaller one is changed by hand.
"""

# pyright: reportPrivateUsage=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false, reportMissingTypeStubs=false
# PyTorch has the graphs of its compiler in private modules, and types for a part of them.

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import logging
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from spyre_mlir.torch.report import report
from spyre_mlir.versions import TORCH

from .table import MODELS, Model

# They add their models to the table.
for module in ("other", "vision", "language"):
    importlib.import_module(f".{module}", __package__)

TABLE = Path(__file__).with_name("share.json")

_SLACK = 0.0005  # of rounding in the table

_LOG = logging.getLogger("models")


@dataclasses.dataclass
class Outcome:
    """The end of a run."""

    model: Model
    share: float
    error: float
    """The largest difference, relative to 1 + magnitude."""
    seconds: float
    table: str

    @property
    def is_equal(self) -> bool:
        """Returns whether the results agree."""
        return self.error <= self.model.tolerance


def run(model: Model, is_cached: bool = False) -> Outcome:
    """Runs a model in PyTorch and by the backend."""
    with torch.set_grad_enabled(model.has_gradients), torch._dynamo.config.patch(dict(model.settings)):
        torch.manual_seed(1)
        expected = model.build()
        torch.manual_seed(1)
        program = model.build()
        results = expected.function(*expected.operands)
        torch.compiler.reset()
        start = time.perf_counter()
        options = {"floats": model.floats, "cache": is_cached}
        found = report(program.function, *program.operands, spyre_options=options)
        seconds = time.perf_counter() - start
    pairs = zip([*tree_leaves(found.result), *program.state()], [*tree_leaves(results), *expected.state()], strict=True)
    return Outcome(model, found.share, max(difference(x, y) for x, y in pairs), seconds, str(found))


def difference(found: torch.Tensor, expected: torch.Tensor) -> float:
    """Returns the largest difference relative to 1 + magnitude, infinity for another type, shape, or place of NaN."""
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return float("inf")
    x, y = found.detach().double(), expected.detach().double()
    error = torch.where(x == y, 0.0, (x - y).abs() / (1 + y.abs()))
    return float(error.nan_to_num(nan=float("inf")).max()) if error.numel() else 0.0


def problems(outcomes: Sequence[Outcome], shares: dict[str, float]) -> list[str]:
    """Returns a message for each different result, and for each share that is smaller than in the table."""
    messages: list[str] = []
    for outcome in outcomes:
        name = outcome.model.name
        if not outcome.is_equal:
            messages.append(f"{name}: the difference is {outcome.error:.2g}, and {outcome.model.tolerance:g} is allowed")
        if outcome.share < shares.get(name, 0.0) - _SLACK:
            messages.append(f"{name}: the share on the card is {outcome.share:.4f}, and was {shares[name]:.4f}")
    return messages


def read_shares() -> dict[str, float]:
    """Returns the table."""
    return json.loads(TABLE.read_text()) if TABLE.exists() else {}


def write_shares(outcomes: Sequence[Outcome], shares: dict[str, float]) -> None:
    """Writes the larger of the shares of the table and of the runs whose results agree."""
    grown = {o.model.name: max(round(o.share, 4), shares.get(o.model.name, 0.0)) for o in outcomes if o.is_equal}
    merged: dict[str, float] = {**shares, **grown}
    ordered = {name: merged[name] for name in MODELS if name in merged}
    TABLE.write_text(json.dumps(ordered, indent=2) + "\n")


def main(command_line: Sequence[str] | None = None) -> int:
    """Runs the models that are named, or all, and returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m models", description="Runs models by the backend spyre.")
    parser.add_argument("--write", action="store_true", help="put larger shares into the table")
    parser.add_argument("--report", action="store_true", help="write the report of each model")
    parser.add_argument("--cache", action="store_true", help="use the cache of compiled graphs")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(MODELS)}; all without any")
    arguments: Any = parser.parse_args(command_line)
    if unknown := set(arguments.names) - set(MODELS):
        parser.error(f"no model is named {', '.join(sorted(unknown))}")
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout, force=True)
    # Other versions of PyTorch have other graphs, and so other shares.
    is_newest = torch.__version__.startswith("{}.{}.".format(*TORCH.last))
    if arguments.write and not is_newest:
        parser.error(f"the table is that of PyTorch {TORCH.last[0]}.{TORCH.last[1]}")
    shares = read_shares() if is_newest else {}
    outcomes: list[Outcome] = []
    for name in arguments.names or MODELS:
        outcome = run(MODELS[name], arguments.cache)
        outcomes.append(outcome)
        verdict = "equal" if outcome.is_equal else "DIFFERENT"
        _LOG.info(
            "%-22s %-9s %.1e of %.0e, %5.1f %% on the card, %.1f s",
            name, verdict, outcome.error, outcome.model.tolerance, 100 * outcome.share, outcome.seconds,
        )  # fmt: skip
        if arguments.report:
            _LOG.info("%s", outcome.table)
    if arguments.write:
        write_shares(outcomes, shares)
    found = problems(outcomes, shares)
    for message in found:
        _LOG.error("error: %s", message)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
