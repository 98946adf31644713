//! Compiles the C++ shims.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-changed=../../LLVM_VERSION");
    let llvm = spyre_build::Llvm::find_or_exit();
    let sources = [
        "cpp/Build.cpp",
        "cpp/Execution.cpp",
        "cpp/Guard.cpp",
        "cpp/Linalg.cpp",
        "cpp/Loops.cpp",
        "cpp/Math.cpp",
        "cpp/Pass.cpp",
        "cpp/Remark.cpp",
        "cpp/Tools.cpp",
    ];
    let mut cpp = cc::Build::new();
    cpp.cpp(true)
        .compiler(llvm.cpp_compiler())
        .flags(llvm.cpp_flags());
    cpp.opt_level(llvm.cpp_opt_level()).debug(false);
    // The directory of the runtime libraries of compiled programs: that of libMLIR.so, which the
    // rpath names too.
    let libraries = format!("\"{}\"", llvm.lib_dir().display());
    cpp.define("SPYRE_LLVM_LIB_DIR", libraries.as_str());
    cpp.include("cpp").files(sources);
    if let Err(err) = cpp.try_compile("spyre_mlir_rt_cpp") {
        spyre_build::fail(&err.to_string());
    }
}
