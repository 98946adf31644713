//! `--spyre-lower-to-llvm`: lowers programs on plain tensors to the form that `mlir-runner` executes.

use spyre_mlir_rt::pipeline::RustPipeline;

/// `--spyre-lower-to-llvm`
///
/// Nearly all of its passes are upstream's. Calls of the mathematical library are made before the expansions of `convert-to-llvm`,
/// which are less exact; operations without a library function are expanded first. Two results with the same tensor get two
/// buffers. `linalg.softmax` has to be decomposed before it can be lowered to loops, and `tensor.scatter` has no lowering to loops.
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
