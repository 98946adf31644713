//! `cargo xtask mutants`: puts known mistakes in, one by one, and expects the tests to find them.
//!
//! A mistake is a patch in `test/mutants`. Its head has the class of the mistake and the tests that must fail:
//!
//! ```text
//! Class: an affine stride applied twice
//! Fault: addresses
//! Fails: test -p spyre-sdsc --test address_maps rank_2
//! Fails: lit Integration/add_mul.mlir
//! Refuted: P5 lit Integration/Proofs/add_mul.mlir
//! ```
//!
//! `test` has the arguments of `cargo test`, which has to fail. `lit` has a part of the paths of files under `test/`, each
//! of which has to fail; they may use `spyre-opt`, `spyre-run` and `spyre-translate`.
//!
//! A fault of addresses, slices, order or lifetimes has to be refuted by a proof, which runs no program: `Refuted` has
//! the claim, and tests that fail because the claim is refuted in them, and not for another reason. Other faults are
//! `none: REASON`.

pub(crate) mod patch;
pub(crate) mod tree;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::process::Command;
use std::time::Duration;

use patch::{MUTANT, Patch, Tests};
use spyre_checkout::error::Error;
use spyre_checkout::process::{self, Finished};
use spyre_checkout::project::{Profile, Project};
use tree::Tree;

use crate::slips;

/// The packages with the binaries that the `.mlir` files use.
const TOOLS: [&str; 3] = ["spyre-opt", "spyre-run", "spyre-translate"];

/// The time limits of a clean build, and of tests, which may not end with a mistake.
const BUILD_LIMIT: Duration = Duration::from_secs(3600);
const TEST_LIMIT: Duration = Duration::from_secs(600);

/// The outcome of a mutant.
enum Fate {
    /// All its tests failed. The messages are those of the proofs among them, by the numbers of the tests.
    Killed(BTreeMap<usize, String>),
    /// The listed tests passed, with the mistake.
    Survived(Vec<String>),
    /// The patch does not apply, because the code has changed.
    DoesNotApply,
    /// The mutant does not compile, so it has no test result.
    DoesNotBuild(String),
}

/// Runs the tests of all mutants, or of the named ones: first without a mistake, then with each. Prints a table. All
/// mutants include the [`slips`].
///
/// # Errors
/// A test fails without a mistake or runs no test; a mutant survives, does not apply or does not build; the slips fail.
pub(crate) fn mutants(project: &Project, names: &[String]) -> Result<(), Error> {
    let mutants = patch::read(&project.root.join("test").join("mutants"), MUTANT, names)?;
    let tree = Tree::new(project)?;
    std::fs::create_dir_all(&tree.project.root).map_err(Error::io(&tree.project.root))?;
    tree.restore()?;
    check_without(&tree, &mutants)?;
    let width = mutants.iter().map(|mutant| mutant.name.len()).max();
    let width = width.unwrap_or(0).max("mutant".len());
    println!("\n{:width$}  class, killed by", "mutant");
    let mut left = 0;
    for mutant in &mutants {
        print!("{:width$}  ", mutant.name);
        // A line takes a minute, so its start is printed first. A closed output is no error.
        let _ = io::stdout().flush();
        tree.restore()?;
        let fate = run(&tree, mutant)?;
        left += usize::from(!matches!(fate, Fate::Killed(_)));
        println!(
            "{}",
            verdict(mutant, &fate).replace('\n', &format!("\n{:width$}  ", ""))
        );
    }
    tree.restore()?;
    let slipped = if names.is_empty() {
        slips::run(&tree)
    } else {
        Ok(())
    };
    match left {
        0 => slipped,
        left => Err(Error::Verdict(format!(
            "{left} of {} mutants are not killed",
            mutants.len()
        ))),
    }
}

fn verdict(mutant: &Patch, fate: &Fate) -> String {
    let fault = mutant.fault.map(|fault| format!(" ({fault})"));
    let class = format!("{}{}", mutant.about, fault.unwrap_or_default());
    match fate {
        Fate::Killed(messages) => {
            let tests = mutant.tests.iter().enumerate();
            let lines = tests.map(|(number, test)| match messages.get(&number) {
                Some(message) => format!("\n  {test}\n    {message}"),
                None => format!("\n  {test}"),
            });
            format!("{class}{}", lines.collect::<String>())
        }
        Fate::Survived(tests) => {
            let tests = tests.join("\n  ");
            format!("{class}\nSURVIVED: these pass, at least in part\n  {tests}")
        }
        Fate::DoesNotApply => format!("{class}\nDOES NOT APPLY"),
        Fate::DoesNotBuild(reason) => format!("{class}\nDOES NOT BUILD\n{}", reason.trim_end()),
    }
}

/// Checks that every test passes without a mistake, and that it runs at least one test.
fn check_without(tree: &Tree, mutants: &[Patch]) -> Result<(), Error> {
    let mut all: Vec<&Tests> = Vec::new();
    for tests in mutants.iter().flat_map(|mutant| &mutant.tests) {
        if !all.contains(&tests) {
            all.push(tests);
        }
    }
    for tests in all {
        println!("{tests}");
        if let Some(reason) = build(tree, tests)? {
            return Err(Error::Verdict(format!(
                "does not build without a mistake:\n{reason}"
            )));
        }
        let finished = execute(tree, tests)?;
        let output = String::from_utf8_lossy(&finished.stdout);
        if !finished.success() {
            let output = format!("{output}{}", finished.stderr());
            return Err(Error::Verdict(format!(
                "`{tests}` fails without a mistake:\n{output}"
            )));
        }
        if passed(&output) == 0 {
            return Err(Error::Verdict(format!("`{tests}` names no test")));
        }
    }
    Ok(())
}

fn run(tree: &Tree, mutant: &Patch) -> Result<Fate, Error> {
    if !tree.apply(&mutant.file)? {
        return Ok(Fate::DoesNotApply);
    }
    let mut survived = Vec::new();
    let mut messages = BTreeMap::new();
    for (number, tests) in mutant.tests.iter().enumerate() {
        if let Some(reason) = build(tree, tests)? {
            return Ok(Fate::DoesNotBuild(reason));
        }
        let finished = execute(tree, tests)?;
        let output = String::from_utf8_lossy(&finished.stdout);
        let is_killed = match tests {
            Tests::Cargo(_) => true,
            Tests::Lit(_) => passed(&output) == 0,
            Tests::Proof { claim, .. } => match refutation(&output, claim) {
                Some(message) => {
                    messages.insert(number, message.to_owned());
                    true
                }
                None => false,
            },
        };
        if finished.success() || !is_killed {
            survived.push(tests.to_string());
        }
    }
    Ok(match survived.as_slice() {
        [] => Fate::Killed(messages),
        _ => Fate::Survived(survived),
    })
}

/// Returns the number of tests that passed, by the lines `test result: FAILED. 3 passed; 1 failed; ...`.
pub(crate) fn passed(output: &str) -> u64 {
    let results = output.lines().filter_map(|line| {
        let (_, result) = line.split_once("test result: ")?;
        let (_, counts) = result.split_once(". ")?;
        counts.split_whitespace().next()?.parse::<u64>().ok()
    });
    results.sum()
}

/// Returns the first message in the output of tests by which a claim is refuted, without its place: `prove: P5: ...`, of
/// `spyre-translate prove` or of a pass, or `refuted: P5: ...`, of a test in Rust.
fn refutation<'o>(output: &'o str, claim: &str) -> Option<&'o str> {
    let words = [format!("prove: {claim}: "), format!("refuted: {claim}: ")];
    let mut messages = output
        .lines()
        .filter_map(|line| match line.split_once(" error: ") {
            Some((_, message)) => Some(message),
            None => Some(&line[line.find("refuted: ")?..]),
        });
    messages.find(|message| words.iter().any(|word| message.contains(word)))
}

fn cargo_test(tree: &Tree, tests: &Tests) -> Command {
    let mut cargo = tree.project.cargo();
    cargo.args(["test", "--quiet"]);
    match tests.commands() {
        Tests::Proof { .. } => unreachable!("the tests of a proof are no proof"),
        Tests::Cargo(words) => cargo.args(words),
        Tests::Lit(path) => cargo
            .args(["--package", "spyre-test", "--test", "lit", "--", path])
            .env("SPYRE_BIN_DIR", tree.project.bin_dir(Profile::Debug)),
    };
    cargo
}

/// Builds the tests, and the tools that they run. Returns the reason if that fails.
pub(crate) fn build(tree: &Tree, tests: &Tests) -> Result<Option<String>, Error> {
    let mut commands = Vec::new();
    if matches!(tests.commands(), Tests::Lit(_)) {
        let mut tools = tree.project.cargo();
        tools.args(["build", "--quiet"]);
        for tool in TOOLS {
            tools.args(["--package", tool]);
        }
        commands.push(tools);
    }
    let test = cargo_test(tree, tests);
    let mut built = tree.project.cargo();
    // Arguments after `--` are for the tests.
    built.args(test.get_args().take_while(|word| *word != "--"));
    built.arg("--no-run");
    commands.push(built);
    for mut command in commands {
        let finished = process::limited(&mut command, None, BUILD_LIMIT)?;
        if !finished.success() {
            return Ok(Some(finished.stderr()));
        }
    }
    Ok(None)
}

pub(crate) fn execute(tree: &Tree, tests: &Tests) -> Result<Finished, Error> {
    process::limited(&mut cargo_test(tree, tests), None, TEST_LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_passed_are_counted() {
        let output = "\nrunning 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored\n\
                      running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 1 ignored\n";
        assert_eq!(passed(output), 2);
        assert_eq!(passed("test result: FAILED. 2 passed; 1 failed"), 2);
        assert_eq!(passed(""), 0);
    }

    #[test]
    fn only_errors_refute() {
        let output = "a.mlir:1:2: remark: prove: P5: sdsc_0.json is not decided: a\n\
                      a.mlir:3:4: error: prove: P4: sdsc_0.json: b\n\
                      a.mlir:5:6: error: spyre-prove: P5: 'add': c\n\
                      Loops of r3: refuted: P1: d\n";
        assert_eq!(refutation(output, "P5"), Some("spyre-prove: P5: 'add': c"));
        assert_eq!(refutation(output, "P1"), Some("refuted: P1: d"));
        assert_eq!(refutation(output, "P3"), None);
    }

    /// Checks that every patch still applies. Running the mutants takes minutes, so this test shows early that the code
    /// has moved away from a patch.
    #[test]
    fn every_patch_applies() -> Result<(), Error> {
        let root = patch::root();
        let mutants = patch::read(&root.join("test").join("mutants"), MUTANT, &[])?;
        assert!(!mutants.is_empty());
        mutants.iter().try_for_each(|mutant| mutant.check(&root))
    }

    /// Checks that every mistake has a kind of fault, and that the programs of its proofs exist. [`patch::read`] refuses a
    /// fault of a claim without a proof.
    #[test]
    fn every_fault_of_a_claim_has_a_proof() -> Result<(), Error> {
        let tests = patch::root().join("test");
        let mutants = patch::read(&tests.join("mutants"), MUTANT, &[])?;
        let mut claims = BTreeMap::new();
        for mutant in &mutants {
            assert!(mutant.fault.is_some(), "{}", mutant.name);
            for test in &mutant.tests {
                let Tests::Proof {
                    claim,
                    tests: proof,
                } = test
                else {
                    continue;
                };
                *claims.entry(&claim[..]).or_insert(0) += 1;
                if let Tests::Lit(path) = &**proof {
                    let name = &mutant.name;
                    assert!(tests.join(path).is_file(), "{name}: no file {path}");
                }
            }
        }
        let all: Vec<_> = claims.keys().copied().collect();
        assert_eq!(
            all,
            ["P1", "P2", "P3", "P4", "P5"],
            "each claim refutes some mistake"
        );
        Ok(())
    }
}
