"""Shared by tests of the compiler: the folders, and whether the native module is there."""

from __future__ import annotations

import importlib.util
import os
import sys
import unittest
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[1]
ROOT = PYTHON.parent
sys.path.insert(0, str(PYTHON))

HAS_NUMPY = importlib.util.find_spec("numpy") is not None


def _has_native() -> bool:
    if not HAS_NUMPY:
        return False
    from spyre_mlir.native import has_native

    return has_native()


HAS_NATIVE = _has_native()

needs_numpy = unittest.skipUnless(HAS_NUMPY, "NumPy is not installed")
needs_native = unittest.skipUnless(HAS_NATIVE, "the native module is not built")


def needs_package(name: str):
    """Returns a decorator that skips a test without a package."""
    return unittest.skipUnless(importlib.util.find_spec(name) is not None, f"{name} is not installed")


def environment() -> dict[str, str]:
    """Returns the environment of a process that imports the package from this folder."""
    return {**os.environ, "PYTHONPATH": str(PYTHON)}
