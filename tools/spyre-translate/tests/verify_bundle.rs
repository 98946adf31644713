//! `--verify-bundle` accepts what the tool writes, and says what is wrong with everything else.

mod verify_cases;
mod verify_support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use verify_cases::CASES;
use verify_support::{Bundle, Edit, copy, messages, verify};

#[test]
fn what_is_written_is_clean() {
    for (bundle, size) in [
        (
            Bundle::Loops,
            "3 files, 3 operations, 2 loops, 3 parameters, 0 warnings",
        ),
        (
            Bundle::Mask,
            "1 file, 1 operation, 0 loops, 2 parameters, 0 warnings",
        ),
        (
            Bundle::Sizes,
            "2 files, 2 operations, 0 loops, 6 parameters, 0 warnings",
        ),
        (
            Bundle::Tiles,
            "1 file, 1 operation, 1 loop, 4 parameters, 0 warnings",
        ),
        (
            Bundle::Gather,
            "1 file, 1 operation, 0 loops, 3 parameters, 0 warnings",
        ),
        (
            Bundle::Maximum,
            "1 file, 1 operation, 0 loops, 2 parameters, 0 warnings",
        ),
        (
            Bundle::Shuffle,
            "1 file, 1 operation, 0 loops, 0 parameters, 0 warnings",
        ),
    ] {
        let directory = bundle.directory();
        let output = verify(&directory);
        assert_eq!(messages(&output, &directory), [""; 0], "{bundle:?}");
        assert!(output.status.success(), "{bundle:?}");
        let expected = format!("{}: {size}\n", directory.display());
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
}

#[test]
fn every_fault_is_reported() {
    for case in CASES {
        let directory = copy(case.bundle);
        for edit in case.edits {
            edit.apply(directory.path());
        }
        let output = verify(directory.path());
        let found = messages(&output, directory.path());
        assert_eq!(found, case.messages, "VB{}: {:?}", case.rule, case.edits);
        let number = format!("[VB{}]", case.rule);
        assert!(
            found.iter().any(|message| message.contains(&number)),
            "{case:?}"
        );
        let has_error = found.iter().any(|message| message.contains("error: "));
        assert_eq!(output.status.code(), Some(i32::from(has_error)), "{case:?}");
    }
}

/// The rules of the page, with their severities.
fn documented() -> BTreeMap<u32, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/VerifyBundle.md");
    let page = fs::read_to_string(path).expect("docs/VerifyBundle.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| VB"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split(" | ").collect();
        let [number, _, severity, ..] = cells[..] else {
            panic!("a row has four cells: {row}");
        };
        (number.parse().expect("a number"), severity.to_owned())
    })
    .collect()
}

#[test]
fn every_rule_is_documented_and_has_a_fault() {
    let documented = documented();
    let numbers: Vec<u32> = documented.keys().copied().collect();
    assert_eq!(numbers, (1..=80).collect::<Vec<_>>());
    for (number, severity) in documented {
        let rule = format!("[VB{number}]");
        let about = || CASES.iter().filter(|case| case.rule == number);
        assert!(about().next().is_some(), "{rule} has no fault");
        for message in about()
            .flat_map(|case| case.messages)
            .filter(|m| m.contains(&rule))
        {
            assert!(
                message.contains(&format!("{severity}: ")),
                "{severity}: {message}"
            );
        }
    }
}

#[test]
fn many_faults_are_reported_at_once() {
    let directory = copy(Bundle::Loops);
    for edit in [
        Edit::Each(
            "bundle.mlir",
            "device_mem_allocate 32768",
            "device_mem_allocate 16384",
        ),
        Edit::Each(
            "sdsc_0.json",
            "\"location\": \"Inner\"",
            "\"location\": \"Outer\"",
        ),
        Edit::Each("sdsc_1.json", "\"exUnit\": \"sfp\"", "\"exUnit\": \"pt\""),
        Edit::Each(
            "sdsc_2.json",
            "\"fidelity_\": \"regular\"",
            "\"fidelity_\": 1",
        ),
    ] {
        edit.apply(directory.path());
    }
    let output = verify(directory.path());
    let found = messages(&output, directory.path());
    for rule in ["VB34", "VB43", "VB71", "VB42"] {
        assert!(
            found.iter().any(|message| message.contains(rule)),
            "{rule}: {found:#?}"
        );
    }
    let end = format!("{}: 5 errors, 0 warnings\n", directory.path().display());
    assert!(String::from_utf8_lossy(&output.stderr).ends_with(&end));
}

/// What is said about a bundle in which `change` has made a file strange.
fn strange(file: &str, change: impl Fn(&PathBuf)) -> Vec<String> {
    let directory = copy(Bundle::Loops);
    let path = directory.path().join(file);
    fs::remove_file(&path).expect("removed");
    change(&path);
    let output = verify(directory.path());
    assert_eq!(output.status.code(), Some(1));
    messages(&output, directory.path())
}

#[test]
fn strange_files_are_errors() {
    let say = |file, what: &[u8]| strange(file, |path| fs::write(path, what).expect("written"));
    assert_eq!(
        say("sdsc_0.json", b""),
        ["sdsc_0.json:1:1: error: the text ends where a value is expected [VB36]"]
    );
    assert_eq!(
        say("sdsc_0.json", &[b'['; 1 << 20]),
        ["sdsc_0.json:1:65: error: arrays and objects are nested too deeply [VB36]"]
    );
    assert_eq!(
        say("sdsc_0.json", b"{\"0_add\": \xff}"),
        ["bundle.mlir:30:5: error: 'sdsc_0.json' is not UTF-8: byte 10 is no character [VB2]"]
    );
    assert_eq!(
        say("bundle.mlir", b"\xff"),
        ["bundle.mlir: error: is not UTF-8: byte 0 is no character [VB1]"]
    );
    for open in ["{", "(", "module {", "- - -", "<"] {
        let messages = say("bundle.mlir", open.repeat(100_000).as_bytes());
        assert!(
            messages[0].ends_with("signs in a row [VB6]"),
            "{messages:?}"
        );
    }
    let long = format!(
        "#map = affine_map<(d0) -> (d0{})>\n",
        " + d0".repeat(100_000)
    );
    assert_eq!(
        say("bundle.mlir", long.as_bytes()),
        ["bundle.mlir:1:8: error: a map has more than 4096 bytes [VB6]"]
    );
    assert_eq!(
        strange("sdsc_0.json", |path| symlink("nowhere", path)
            .expect("a link")),
        [
            "bundle.mlir:30:5: error: 'sdsc_0.json' cannot be read: No such file or directory (os error 2) [VB2]"
        ]
    );
    assert_eq!(
        strange("sdsc_0.json", |path| symlink("sdsc_0.json", path)
            .expect("a link")),
        [
            "bundle.mlir:30:5: error: 'sdsc_0.json' cannot be read: Too many levels of symbolic links (os error 40) [VB2]"
        ]
    );
    assert_eq!(
        strange("sdsc_0.json", |path| symlink("/dev/zero", path)
            .expect("a link")),
        ["bundle.mlir:30:5: error: 'sdsc_0.json' is not a file [VB2]"]
    );
    assert_eq!(
        strange("bundle.mlir", |path| fs::create_dir(path)
            .expect("a directory")),
        ["bundle.mlir: error: is not a file [VB1]"]
    );
}

/// Every number of `bundle.mlir` says something about the bundle that the files say as well.
#[test]
fn every_constant_is_checked() {
    let text = fs::read_to_string(Bundle::Loops.directory().join("bundle.mlir")).expect("a file");
    let directory = copy(Bundle::Loops);
    let constants: Vec<usize> = [
        "arith.constant ",
        "device_mem_allocate ",
        "(s0 + ",
        "*d0 + ",
    ]
    .iter()
    .flat_map(|before| {
        text.match_indices(before)
            .map(|(at, before)| at + before.len())
    })
    .collect();
    assert_eq!(constants.len(), 13);
    for at in constants {
        let digits = text[at..].chars().take_while(char::is_ascii_digit).count();
        let number: i64 = text[at..at + digits].parse().expect("a number");
        for delta in [128, -128] {
            let changed = number + delta;
            let changed = format!("{}{changed}{}", &text[..at], &text[at + digits..]);
            fs::write(directory.path().join("bundle.mlir"), &changed).expect("written");
            let output = verify(directory.path());
            let messages = String::from_utf8_lossy(&output.stderr);
            // A pool that is larger is still large enough.
            let is_enough = number == 32768 && delta > 0;
            assert_eq!(messages.contains("[VB"), !is_enough, "{changed}");
        }
    }
}

/// The JSON files are damaged in `src/verify/damage.rs`, without a process for each.
#[test]
fn damaged_functions_never_crash() {
    let text = fs::read(Bundle::Loops.directory().join("bundle.mlir")).expect("a file");
    let directory = copy(Bundle::Loops);
    let mut random = 7u64;
    let mut next = |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) as usize % below
    };
    let mut refused = 0;
    for round in 0..100 {
        let mut damaged = text.clone();
        let at = next(damaged.len());
        match round % 4 {
            0 => damaged[at] = b"0123456789-+*%#()<>[]{}:,\n"[next(26)],
            1 => drop(damaged.drain(at..(at + next(30)).min(text.len()))),
            2 => damaged.insert(at, b"0123456789-+*%#()<>[]{}:,\n"[next(26)]),
            _ => {
                let from = next(text.len());
                let piece = &text[from..(from + next(60)).min(text.len())];
                damaged.splice(at..at, piece.iter().copied());
            }
        }
        fs::write(directory.path().join("bundle.mlir"), &damaged).expect("written");
        let output = verify(directory.path());
        let messages = String::from_utf8_lossy(&output.stderr);
        // A signal has no code, and a panic has 101.
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{:?}: {messages}\n{}",
            output.status,
            String::from_utf8_lossy(&damaged)
        );
        refused += usize::from(output.status.code() == Some(1));
    }
    assert!(refused > 50, "only {refused} of 100 were refused");
}

#[test]
fn links_to_files_and_directories_are_followed() {
    let directory = copy(Bundle::Loops);
    let (file, other) = (
        directory.path().join("sdsc_0.json"),
        tempfile::tempdir().expect("a directory"),
    );
    fs::rename(&file, other.path().join("elsewhere")).expect("moved");
    symlink(other.path().join("elsewhere"), &file).expect("a link");
    let link = other.path().join("link");
    symlink(directory.path(), &link).expect("a link");
    assert!(verify(&link).status.success());
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
