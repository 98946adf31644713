//! Writes the linker script; see the crate's documentation.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../LLVM_VERSION");
    let llvm = spyre_build::Llvm::find_or_exit();
    if let Err(message) = write_script(&llvm.lib_dir()) {
        spyre_build::fail(&message);
    }
}

/// The main of `mlir-reduce`, which libMLIR.so does not have either. Only `spyre-reduce` uses its object.
const REDUCER: &str = "libMLIRReduceLib.a";

fn write_script(lib: &Path) -> Result<(), String> {
    let mut archives: Vec<PathBuf> = std::fs::read_dir(lib)
        .map_err(|error| format!("cannot read {}: {error}", lib.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| {
                    name.starts_with("libMLIRCAPI") && name.ends_with(".a") || name == REDUCER
                })
        })
        .collect();
    if archives.is_empty() {
        return Err(format!(
            "no libMLIRCAPI*.a in {}; run `cargo xtask setup`",
            lib.display()
        ));
    }
    archives.sort();
    let group: Vec<String> = archives
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let script = format!(
        "GROUP ( {} {l}/libMLIR.so {l}/libLLVM.so AS_NEEDED ( {l}/libmlir_float16_utils.so {l}/libmlir_c_runner_utils.so ) )\n",
        group.join(" "),
        l = lib.display()
    );
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    std::fs::write(out.join("libMLIR-C.so"), script).map_err(|error| error.to_string())?;
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-search=native={}", lib.display());
    Ok(())
}
