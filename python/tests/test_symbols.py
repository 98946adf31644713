"""The native module with another LLVM in the process, as TensorFlow exports one to all modules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from native import environment, needs_native

_PROGRAM = """
import ctypes, sys
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
import numpy, spyre_mlir
bundle = spyre_mlir.compile(
    "func.func @twice(%x: tensor<4xf16>) -> tensor<4xf16> {\\n"
    "  %0 = spyre.add %x, %x : tensor<4xf16>\\n  return %0 : tensor<4xf16>\\n}", card=False, name="twice.mlir"
)
print(bundle(numpy.ones(4, numpy.float16)).tolist())
"""


@needs_native
@unittest.skipUnless(hasattr(os, "RTLD_DEEPBIND"), "the loader has no RTLD_DEEPBIND")
@unittest.skipUnless(shutil.which("cc"), "no compiler of C")
class Symbols(unittest.TestCase):
    def test_the_libraries_of_the_module_come_first(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            source, library = Path(directory, "llvm.c"), Path(directory, "libllvm.so")
            names = ("LLVMInitializeX86Target", "LLVMInitializeX86TargetInfo", "LLVMInitializeAArch64Target")
            source.write_text("void abort(void);\n" + "".join(f"void {name}(void) {{ abort(); }}\n" for name in names))
            subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
            ended = subprocess.run(
                [sys.executable, "-c", _PROGRAM, str(library)], capture_output=True, text=True, env=environment()
            )
        self.assertEqual((ended.returncode, ended.stdout), (0, "[2.0, 2.0, 2.0, 2.0]\n"), ended.stderr)


if __name__ == "__main__":
    unittest.main()
