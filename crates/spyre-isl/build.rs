//! Links the isl of LLVM; see the crate's documentation.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../LLVM_VERSION");
    let lib = spyre_build::Llvm::find_or_exit().lib_dir();
    let archive = lib.join("libPollyISL.a");
    if !archive.exists() {
        spyre_build::fail(&format!(
            "{} is missing: isl, in the package of Polly.\nRun `cargo xtask setup` (Debian, Ubuntu), or install LLVM \
             {} with Polly and set MLIR_SYS_220_PREFIX to its prefix.",
            archive.display(),
            spyre_build::LLVM_VERSION.trim()
        ));
    }
    println!("cargo:rustc-link-search=native={}", lib.display());
    println!("cargo:rustc-link-lib=static=PollyISL");
}
