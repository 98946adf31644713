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
llvm = os.environ.get("MLIR_SYS_220_PREFIX", "/usr/lib/llvm-22")
llvm_bin = os.path.join(llvm, "bin")
library = "lib{}" + (".dylib" if sys.platform == "darwin" else ".so")
runner_libraries = ["mlir_runner_utils", "mlir_c_runner_utils", "mlir_float16_utils"]

config.test_exec_root = os.path.abspath(os.path.join(target, "lit"))
config.environment["PATH"] = os.pathsep.join([bin_dir, llvm_bin, os.environ["PATH"]])
# %s, %S, %p and %t are lit's own.
config.substitutions += [
    ("%{root}", root),
    ("%{plugin}", os.path.join(bin_dir, library.format("spyre_plugin"))),
    ("%{mlir-opt}", os.path.join(llvm_bin, "mlir-opt")),
    ("%{runner-libs}", ",".join(os.path.join(llvm, "lib", library.format(name)) for name in runner_libraries)),
]
