//! Draws programs by number, and reduces a failing program to the smallest one that fails in the same way.

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::case::{Checks, Failure, Runner, Verdict};
use crate::compose;
use crate::program::Program;
use crate::recipe::{Size, recipes};

/// Largest number of programs that are tried to make one smaller.
const MOST_TRIES: usize = 600;

/// A failing program, as small as possible.
#[derive(Debug, Clone)]
pub struct Minimal {
    /// The program.
    pub program: Program,
    /// The failure of the program.
    pub failure: Failure,
}

/// Returns the program of a seed with this number. It does not depend on the other programs.
#[must_use]
pub fn program(size: Size, seed: u64, number: u64) -> Program {
    compose::program(&tree(size, seed, number).current())
}

/// Reduces a failing program as long as it fails in the same way. `None` if the program does not
/// fail.
#[must_use]
pub fn minimize(
    runner: &Runner,
    size: Size,
    seed: u64,
    number: u64,
    checks: Checks,
) -> Option<Minimal> {
    minimize_by(size, seed, number, |program| {
        match runner.run(program, number, checks) {
            Verdict::Failed(failure) => Some(failure),
            _ => None,
        }
    })
}

/// Reduces the program of a number as long as `fails` returns a failure of the same phase and kind. `None` if it does
/// not fail.
pub(crate) fn minimize_by(
    size: Size,
    seed: u64,
    number: u64,
    fails: impl Fn(&Program) -> Option<Failure>,
) -> Option<Minimal> {
    let mut tree = tree(size, seed, number);
    let first = compose::program(&tree.current());
    let failure = fails(&first)?;
    let mut minimal = Minimal {
        program: first,
        failure,
    };
    let same = |a: &Failure, b: &Failure| a.phase == b.phase && a.kind == b.kind;
    let mut smaller = tree.simplify();
    for _ in 0..MOST_TRIES {
        if !smaller {
            break;
        }
        let next = compose::program(&tree.current());
        smaller = match fails(&next) {
            Some(failure) if same(&failure, &minimal.failure) => {
                minimal = Minimal {
                    program: next,
                    failure,
                };
                tree.simplify()
            }
            _ => tree.complicate(),
        };
    }
    Some(minimal)
}

fn tree(size: Size, seed: u64, number: u64) -> impl ValueTree<Value = crate::recipe::Recipe> {
    let mut bytes = [0; 32];
    let (first, rest) = bytes.split_at_mut(8);
    first.copy_from_slice(&seed.to_le_bytes());
    rest[..8].copy_from_slice(&number.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let tree = recipes(size).new_tree(&mut runner);
    tree.expect("no recipe is rejected")
}
