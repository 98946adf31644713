//! The rules accept the files of the generator, and report every fault that is put into them.

mod bundles;
mod contract;
mod program;
mod proved;
mod support;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use spyre_verify::{Options, Revision, Severity, Size, verify_with};
use support::{Bundle, Edit, cases, check, copy, messages};

#[test]
fn what_is_written_is_clean() {
    for (bundle, [file_count, operations, loops, params]) in [
        (Bundle::Loops, [3, 3, 2, 3]),
        (Bundle::Mask, [1, 1, 0, 2]),
        (Bundle::Sizes, [2, 2, 0, 6]),
        (Bundle::Tiles, [1, 1, 1, 4]),
        (Bundle::Gather, [1, 1, 0, 3]),
        (Bundle::Maximum, [1, 1, 0, 2]),
        (Bundle::Shuffle, [1, 1, 0, 0]),
        (Bundle::Convolution, [1, 1, 0, 3]),
    ] {
        for revision in Revision::ALL {
            let files = bundle.files(revision);
            let report = verify_with(&files, &Options::of_revision(revision));
            assert_eq!(
                messages(&report, Path::new("DIR")),
                [""; 0],
                "{bundle:?} {revision}"
            );
            let size = Size {
                files: file_count,
                operations,
                loops,
                params,
            };
            assert_eq!(report.size, size, "{bundle:?}");
            assert!(report.is_right());
        }
    }
}

#[test]
fn every_fault_is_reported() {
    for case in cases() {
        let directory = copy(case.bundle, Revision::R3);
        for edit in &case.edits {
            edit.apply(directory.path());
        }
        let (report, messages) = check(directory.path(), Revision::R3);
        assert_eq!(messages, case.messages, "VB{}: {:?}", case.rule, case.edits);
        let number = format!("[VB{}]", case.rule);
        assert!(
            messages.iter().any(|message| message.contains(&number)),
            "{case:?}"
        );
        let has_error = messages.iter().any(|message| message.contains("error: "));
        assert_eq!(report.is_right(), !has_error, "{case:?}");
    }
}

/// The rules of the page, with their severities.
fn documented() -> BTreeMap<u32, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/Contract.md");
    let page = fs::read_to_string(path).expect("docs/Contract.md");
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
    let (documented, cases) = (documented(), cases());
    let numbers: Vec<u32> = documented.keys().copied().collect();
    assert_eq!(numbers, (1..=81).collect::<Vec<_>>());
    for (number, severity) in documented {
        let rule = format!("[VB{number}]");
        let about = || cases.iter().filter(|case| case.rule == number);
        assert!(about().next().is_some(), "{rule} has no fault");
        for message in about()
            .flat_map(|case| &case.messages)
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
    let directory = copy(Bundle::Loops, Revision::R3);
    for (file, from, to) in [
        (
            "bundle.mlir",
            "device_mem_allocate 32768",
            "device_mem_allocate 16384",
        ),
        (
            "sdsc_0.json",
            "\"location\": \"Inner\"",
            "\"location\": \"Outer\"",
        ),
        ("sdsc_1.json", "\"exUnit\": \"sfp\"", "\"exUnit\": \"pt\""),
        (
            "sdsc_2.json",
            "\"fidelity_\": \"regular\"",
            "\"fidelity_\": 1",
        ),
    ] {
        Edit::Each(file.into(), from.into(), to.into()).apply(directory.path());
    }
    let (report, messages) = check(directory.path(), Revision::R3);
    for rule in ["VB34", "VB43", "VB71", "VB42"] {
        assert!(
            messages.iter().any(|message| message.contains(rule)),
            "{rule}: {messages:#?}"
        );
    }
    let counts = [Severity::Error, Severity::Warning].map(|severity| report.count(severity));
    assert_eq!(counts, [5, 0]);
}

/// Returns the messages about a bundle in which `change` has made a file strange.
fn strange(file: &str, change: impl Fn(&PathBuf)) -> Vec<String> {
    let directory = copy(Bundle::Loops, Revision::R3);
    let path = directory.path().join(file);
    fs::remove_file(&path).expect("removed");
    change(&path);
    let (report, messages) = check(directory.path(), Revision::R3);
    assert!(!report.is_right());
    messages
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

/// Every number of `bundle.mlir` is redundant with the files.
#[test]
fn every_constant_is_checked() {
    let text = Bundle::Loops.text(Revision::R3, "bundle.mlir");
    let mut files = Bundle::Loops.files(Revision::R3);
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
            files.insert("bundle.mlir", changed.clone().into_bytes());
            let findings = verify_with(&files, &Options::of_revision(Revision::R3)).findings;
            // A pool that is larger is still large enough.
            let is_enough = number == 32768 && delta > 0;
            assert_eq!(findings.is_empty(), is_enough, "{changed}");
        }
    }
}

/// The JSON files are damaged in `src/damage.rs`.
#[test]
fn damaged_functions_never_panic() {
    let text = Bundle::Loops.text(Revision::R3, "bundle.mlir").into_bytes();
    let mut files = Bundle::Loops.files(Revision::R3);
    let mut random = 7u64;
    let mut next = |below: usize| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) as usize % below
    };
    const ROUNDS: usize = 1000;
    let mut refused = 0;
    for round in 0..ROUNDS {
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
        files.insert("bundle.mlir", damaged);
        refused +=
            usize::from(!verify_with(&files, &Options::of_revision(Revision::R3)).is_right());
    }
    assert!(
        refused > ROUNDS / 2,
        "only {refused} of {ROUNDS} were refused"
    );
}

#[test]
fn links_to_files_and_directories_are_followed() {
    let directory = copy(Bundle::Loops, Revision::R3);
    let (file, other) = (
        directory.path().join("sdsc_0.json"),
        tempfile::tempdir().expect("a directory"),
    );
    fs::rename(&file, other.path().join("elsewhere")).expect("moved");
    symlink(other.path().join("elsewhere"), &file).expect("a link");
    let link = other.path().join("link");
    symlink(directory.path(), &link).expect("a link");
    assert_eq!(check(&link, Revision::R3).1, [""; 0]);
}
