//! `--spyre-lower-to-llvm`: lowers programs on plain tensors to the form that `mlir-runner` executes.

use spyre_mlir_rt::pipeline::RustPipeline;

/// `--spyre-lower-to-llvm`
///
/// Nearly all of its passes are upstream's. Functions of the mathematical library come before the expansions of
/// `convert-to-llvm`, which are less exact; operations without such a function are expanded before.
/// Two results that are one tensor get two buffers. `linalg.softmax` has no loops before it is several operations, and `tensor.scatter` has none at all.
pub static LOWER_TO_LLVM: RustPipeline = RustPipeline {
    argument: "spyre-lower-to-llvm",
    summary: "Lower the result of --convert-spyre-to-linalg to the llvm dialect, to run it with mlir-runner",
    options: &[],
    passes: |_| PASSES.to_owned(),
};

const PASSES: &str = "func.func(convert-elementwise-to-linalg,spyre-expand-gather-scatter,spyre-generalize-named-ops,spyre-order-loops,spyre-copy-shared-results),\
             one-shot-bufferize{allow-return-allocs-from-loops bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map},\
             buffer-deallocation-pipeline,\
             convert-bufferization-to-memref,\
             spyre-outline-kernels,\
             func.func(convert-linalg-to-loops,convert-complex-to-standard),\
             expand-strided-metadata,\
             lower-affine,\
             func.func(math-expand-ops{ops=rsqrt}),\
             convert-math-to-funcs,\
             func.func(spyre-convert-math),\
             convert-math-to-libm,\
             convert-scf-to-cf,\
             convert-vector-to-llvm,\
             convert-to-llvm,\
             reconcile-unrealized-casts,\
             spyre-mark-kernels";
