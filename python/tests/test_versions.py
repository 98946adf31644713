"""Versions of packages: missing ones, and untested ones."""

import importlib.metadata
import unittest
import warnings

from spyre_mlir.convert.errors import ConvertError
from spyre_mlir.convert.versions import REQUIRED, TESTED, UntestedVersion, check_packages


def installed(versions: dict[str, str]):
    def version(package: str) -> str:
        if package not in versions:
            raise importlib.metadata.PackageNotFoundError(package)
        return versions[package]

    return version


class CheckPackages(unittest.TestCase):
    def test_tested_versions_pass_without_a_warning(self) -> None:
        for front_end in REQUIRED:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                check_packages(front_end, installed(TESTED))

    def test_a_missing_package_is_the_line_to_type(self) -> None:
        message = r"'convert jax' needs jax and jaxlib, not installed here: run pip install 'spyre-mlir\[jax\]'"
        with self.assertRaisesRegex(ConvertError, message):
            check_packages("jax", installed({"iree-base-compiler": TESTED["iree-base-compiler"]}))

    def test_another_version_warns_with_the_tested_one(self) -> None:
        for version in ("3.14.0", "3.13.0rc1", "3.13.01"):
            with self.assertWarnsRegex(UntestedVersion, rf"iree-base-compiler {version} is not tested, 3\.13\.0 is"):
                check_packages("stablehlo", installed({"iree-base-compiler": version}))

    def test_every_required_package_has_a_tested_version(self) -> None:
        self.assertEqual({package for packages in REQUIRED.values() for package in packages}, set(TESTED))

    def test_every_front_end_has_an_extra(self) -> None:
        import pathlib
        import re

        project = (pathlib.Path(__file__).parents[1] / "pyproject.toml").read_text()
        extras = project.split("[project.optional-dependencies]")[1].split("\n[")[0]
        for front_end, packages in REQUIRED.items():
            line = re.search(rf"^{front_end} = (.*)$", extras, re.MULTILINE)
            self.assertIsNotNone(line, front_end)
            for package in packages:
                # jaxlib comes with jax, in the version that jax requires.
                if package != "jaxlib":
                    self.assertIn(f'"{package}', line[1], front_end)


if __name__ == "__main__":
    unittest.main()
