# Lets LLVM's lit run this tree: `lit test/`. `cargo test` runs the same files without it (crates/spyre-test).
import os
import sys

import lit.formats

config.name = "spyre-mlir"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))

root = os.path.dirname(config.test_source_root)
target = os.environ.get("CARGO_TARGET_DIR", os.path.join(root, "target"))
bin_dir = os.path.abspath(os.environ.get("SPYRE_BIN_DIR", os.path.join(target, "debug")))
llvm_bin = os.path.join(os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22"), "bin")
plugin = "libspyre_plugin" + (".dylib" if sys.platform == "darwin" else ".so")

config.test_exec_root = os.path.abspath(os.path.join(target, "lit"))
config.environment["PATH"] = os.pathsep.join([bin_dir, llvm_bin, os.environ["PATH"]])
# %s, %S, %p and %t are lit's own.
config.substitutions += [
    ("%{root}", root),
    ("%{plugin}", os.path.join(bin_dir, plugin)),
    ("%{mlir-opt}", os.path.join(llvm_bin, "mlir-opt")),
]
