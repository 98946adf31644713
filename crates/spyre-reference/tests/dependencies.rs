//! The reference shares no code with the crates that it checks.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// The crates that compile programs, and the one that simulates the card.
const FORBIDDEN: [&str; 16] = [
    "spyre-analysis",
    "spyre-bundle",
    "spyre-construct",
    "spyre-conversion",
    "spyre-dialects",
    "spyre-exec",
    "spyre-inductor-mlir",
    "spyre-layout",
    "spyre-layouts",
    "spyre-linalg",
    "spyre-ops",
    "spyre-plan",
    "spyre-planning",
    "spyre-sdsc",
    "spyre-sim",
    "spyre-uop-mlir",
];

/// The platform that cargo builds for here.
fn host() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("-vV").output().expect("rustc runs");
    let version = String::from_utf8(version.stdout).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.expect("rustc says its host").to_owned()
}

#[test]
fn nothing_that_is_checked_is_a_dependency() {
    let cargo = std::env::var_os("CARGO").expect("cargo runs this test");
    let output = Command::new(cargo)
        // Packages of other platforms are not on every machine that builds this one.
        .args([
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--filter-platform",
        ])
        .arg(host())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let list = |value: &serde_json::Value| value.as_array().expect("a list").clone();
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let names: BTreeMap<String, String> = list(&metadata["packages"])
        .iter()
        .map(|package| (text(&package["id"]), text(&package["name"])))
        .collect();
    let nodes: BTreeMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let used = list(&node["deps"]).into_iter().filter(|dep| {
                // Tests may have any dependencies.
                list(&dep["dep_kinds"])
                    .iter()
                    .any(|kind| kind["kind"] != "dev")
            });
            (
                text(&node["id"]),
                used.map(|dep| text(&dep["pkg"])).collect(),
            )
        })
        .collect();
    let dependency = names
        .iter()
        .find(|(_, name)| *name == env!("CARGO_PKG_NAME"));
    let mut left = vec![dependency.expect("this package").0.clone()];
    let mut seen = BTreeSet::new();
    while let Some(id) = left.pop() {
        if seen.insert(id.clone()) {
            left.extend(nodes[&id].iter().cloned());
        }
    }
    let seen: BTreeSet<&str> = seen.iter().map(|id| names[id].as_str()).collect();
    assert!(
        seen.contains("spyre-mlir-rt") && seen.contains("half"),
        "{seen:?}"
    );
    for name in FORBIDDEN {
        assert!(
            names
                .values()
                .any(|dependency_name| dependency_name == name),
            "there is no {name}"
        );
        assert!(!seen.contains(name), "{name} is a dependency");
    }
}
