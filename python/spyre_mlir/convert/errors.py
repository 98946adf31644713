"""Errors of conversions."""

from __future__ import annotations


class ConvertError(Exception):
    """A program that cannot be converted: where, why, and a way out.  The text is complete, for a user to read."""
