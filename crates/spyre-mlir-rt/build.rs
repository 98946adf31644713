//! Compiles the C++ shims.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-changed=../../LLVM_VERSION");
    let llvm = spyre_build::Llvm::find_or_exit();
    let sources = ["cpp/Build.cpp", "cpp/Pass.cpp", "cpp/Tools.cpp"];
    spyre_build::cpp(&llvm)
        .include("cpp")
        .files(sources)
        .compile("spyre_mlir_rt_cpp");
}
