//! Tests of the output of `--verify-bundle`, and of its exit code. The rules are tested in `crates/spyre-verify`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const PROGRAM: &str = r#"
#stick = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
!t = tensor<64x256xf16, #stick>
module attributes {spyre.target = #spyre.target<cores = 2>} {
  func.func @program(%a: !t {spyre.dims = ["A", "B"]}, %b: !t {spyre.dims = ["A", "B"]}) -> !t {
    %x = spyre.add %a, %b tile [0: "A" in 2, 1: "B" in 2] : !t
    %y = spyre.exp %x tile [0: "A" in 2, 1: "B" in 2] : !t
    %z = spyre.clip %y min -1.5 max 2.25 : !t
    return %z : !t
  }
}
"#;

fn run(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_spyre-translate"))
        .args(arguments)
        .output()
        .expect("the tool runs")
}

fn verify(directory: &Path) -> Output {
    run(&[Path::new("--verify-bundle"), directory])
}

#[test]
fn a_bundle_and_faults_in_it() {
    let place = tempfile::tempdir().expect("a temporary directory");
    let (source, bundle) = (
        place.path().join("program.mlir"),
        place.path().join("bundle"),
    );
    fs::write(&source, PROGRAM).expect("written");
    let written = run(&[
        "--spyre-to-bundle".as_ref(),
        &source,
        "-o".as_ref(),
        &bundle,
    ]);
    assert!(written.status.success(), "{written:?}");
    let output = verify(&bundle);
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), b"".as_slice())
    );
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        format!(
            "{}: 3 files, 3 operations, 2 loops, 3 parameters, 0 warnings\n",
            bundle.display()
        )
    );
    for (file, from, to) in [
        (
            "bundle.mlir",
            "device_mem_allocate 32768",
            "device_mem_allocate 16384",
        ),
        ("sdsc_1.json", "\"exUnit\": \"sfp\"", "\"exUnit\": \"pt\""),
    ] {
        let text = fs::read_to_string(bundle.join(file)).expect("a file");
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(bundle.join(file), text.replace(from, to)).expect("written");
    }
    let output = verify(&bundle);
    assert_eq!(output.status.code(), Some(1));
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(printed.contains("[K4, VB71] at /1_exp/"), "{printed}");
    let mut lines = printed.lines().skip_while(|line| !line.ends_with("[VB34]"));
    let operation = lines.nth(1).expect("the line of the operation");
    assert!(operation.contains("sdscbundle.sdsc_execute"), "{printed}");
    let end = format!(
        ": {} errors, 0 warnings\n",
        printed.matches("error: ").count()
    );
    assert!(printed.ends_with(&end), "{printed}");
}

#[test]
fn no_directory() {
    let output = verify(Path::new("/nowhere/at/all"));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "/nowhere/at/all: error: cannot be read: No such file or directory (os error 2) [VB1]\n\
         /nowhere/at/all: 1 error, 0 warnings\n"
    );
}
