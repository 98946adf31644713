//! Names the directory of the ODS, for the macro in `src/lib.rs`.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../../dialects");
    let crate_directory = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let root = PathBuf::from(crate_directory).join("../../dialects");
    println!("cargo:rustc-env=SPYRE_ODS_DIR={}", root.display());
}
