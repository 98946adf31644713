"""Tests of the table of models, with PyTorch and the native module; without one of them they are skipped."""

from __future__ import annotations

import importlib.util
import sys
import unittest
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

HAS_BOTH = importlib.util.find_spec("torch") is not None and importlib.util.find_spec("spyre_mlir._native") is not None
if HAS_BOTH:
    import torch

    import models.__main__ as models
    from models.table import MODELS


@unittest.skipUnless(HAS_BOTH, "PyTorch or the native module is not installed")
class Table(unittest.TestCase):
    def outcome(self, share: float = 0.5, error: float = 0.0) -> Any:
        """Returns the end of a run of the first model."""
        return models.Outcome(MODELS["mlp"], share, error, 1.0, "")

    def test_has_twelve_models_and_their_shares(self) -> None:
        self.assertEqual(len(MODELS), 12)
        self.assertEqual(sorted(models.read_shares()), sorted(MODELS))

    def test_may_only_grow(self) -> None:
        self.assertEqual(models.problems([self.outcome(0.5)], {"mlp": 0.5}), [])
        self.assertEqual(models.problems([self.outcome(0.6)], {"mlp": 0.5}), [])
        self.assertIn("0.4000, and was 0.5000", models.problems([self.outcome(0.4)], {"mlp": 0.5})[0])

    def test_refuses_another_result(self) -> None:
        self.assertIn("the difference is 0.5", models.problems([self.outcome(error=0.5)], {})[0])

    def test_differences_are_relative_to_one_and_the_magnitude(self) -> None:
        self.assertAlmostEqual(models.difference(torch.tensor([11.0, 2.0]), torch.tensor([9.0, 2.0])), 0.2)
        nan = torch.tensor([float("nan")])
        self.assertEqual(models.difference(nan, torch.ones(1)), float("inf"))
        self.assertEqual(models.difference(torch.ones(1), torch.ones(1, dtype=torch.float64)), float("inf"))

    def test_runs_a_model(self) -> None:
        outcome = models.run(MODELS["mlp"])
        self.assertTrue(outcome.is_equal)
        self.assertGreaterEqual(outcome.share, models.read_shares()["mlp"] - 0.001)


if __name__ == "__main__":
    unittest.main()
