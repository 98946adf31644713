//! The generator is independent of layouts and passes, so it depends on no crate.

use std::process::Command;

#[test]
fn there_are_no_dependencies() {
    let cargo = std::env::var_os("CARGO").expect("cargo runs this test");
    let output = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--no-deps",
            "--offline",
        ])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let locked_package = packages
        .iter()
        .find(|package| package["name"] == env!("CARGO_PKG_NAME"));
    let dependencies = locked_package.expect("this package")["dependencies"]
        .as_array()
        .expect("a list");
    let used: Vec<&str> = dependencies
        .iter()
        .filter(|dependency| dependency["kind"].is_null() || dependency["kind"] == "build")
        .map(|dependency| dependency["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(used, [""; 0]);
}
