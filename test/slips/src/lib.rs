//! Drops single statements of the compiler, one at a time, so that a test can check that every loss is reported.
//!
//! A compiler loses an operation by a slip: a statement that should append it to a list is not reached. `cargo xtask
//! slips` puts the statements of `sites.txt` into `if ::spyre_slips::keeps() { ... }`, in a copy of the tree. The guard
//! is true unless a test has chosen its place to slip. So one build has every slip, and the test finds for each a
//! program that then fails to compile. The compiler itself has no guard, and does not use this crate.
//!
//! Places are lines of the source: [`Location::caller`] identifies them. Builds without debug assertions never drop a
//! statement.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// The place of a guarded statement in the source: file, line and column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The path of the file, as the compiler was given it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The state of a test.
struct State {
    /// The sites that were reached.
    reached: BTreeSet<Site>,
    /// The site that drops its statement.
    slips: Option<Site>,
}

static IS_ON: AtomicBool = AtomicBool::new(false);
static STATE: Mutex<State> = Mutex::new(State {
    reached: BTreeSet::new(),
    slips: None,
});

/// Returns whether the statement at the calling place is kept: true, unless a test has made it slip.
#[track_caller]
#[inline]
#[must_use]
pub fn keeps() -> bool {
    if !cfg!(debug_assertions) || !IS_ON.load(Ordering::Relaxed) {
        return true;
    }
    let caller = Location::caller();
    let site = Site {
        file: caller.file(),
        line: caller.line(),
        column: caller.column(),
    };
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    let is_kept = state.slips.as_ref() != Some(&site);
    state.reached.insert(site);
    is_kept
}

/// Runs `work`, and returns its result with the sites that it has reached.
///
/// Sites belong to the process: tests that use this function or [`without`] run one after the other.
pub fn reached<R>(work: impl FnOnce() -> R) -> (R, BTreeSet<Site>) {
    run(None, work)
}

/// Runs `work` while `site` drops its statement. See [`reached`].
pub fn without<R>(site: &Site, work: impl FnOnce() -> R) -> R {
    run(Some(site.clone()), work).0
}

fn run<R>(slips: Option<Site>, work: impl FnOnce() -> R) -> (R, BTreeSet<Site>) {
    let set = |slips| {
        let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        state.slips = slips;
        std::mem::take(&mut state.reached)
    };
    set(slips);
    IS_ON.store(true, Ordering::Relaxed);
    let result = work();
    IS_ON.store(false, Ordering::Relaxed);
    (result, set(None))
}

#[cfg(test)]
mod tests {
    use super::{keeps, reached, without};

    #[test]
    fn each_place_is_a_site_that_slips_alone() {
        let fill = || {
            let mut list = Vec::new();
            for number in 0..2 {
                if keeps() {
                    list.push(number);
                }
                if keeps() {
                    list.push(10 + number);
                }
            }
            if keeps() {
                list.push(20);
            }
            list
        };
        let (all, sites) = reached(fill);
        assert_eq!(all, [0, 10, 1, 11, 20]);
        let slipped: Vec<_> = sites.iter().map(|site| without(site, fill)).collect();
        let expected: [&[i32]; 3] = [&[10, 11, 20], &[0, 1, 20], &[0, 10, 1, 11]];
        assert_eq!(slipped, expected);
        // No slip outlives a test.
        assert_eq!(fill(), all);
    }
}
