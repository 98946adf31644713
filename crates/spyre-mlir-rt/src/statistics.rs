//! Totals of the statistics of Rust passes.
//!
//! MLIR compiles its statistics out of every build without assertions, as distributions package it: there
//! `--mlir-pass-statistics` prints an empty report, for C++ passes too. So each registered pass also keeps totals here,
//! and [`crate::tool::opt_main`] prints them where MLIR would not.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::pass::RustPass;

/// A registered pass with its totals. Lives as long as MLIR's registry, which is as long as the process.
#[derive(Debug)]
pub(crate) struct Registered {
    pub(crate) pass: &'static RustPass,
    has_run: AtomicBool,
    /// One total per statistic of the pass.
    totals: Vec<AtomicU64>,
}

impl Registered {
    pub(crate) fn note_run(&self) {
        self.has_run.store(true, Ordering::Relaxed);
    }

    /// Adds to the statistic at `index`; saturates at the largest number.
    pub(crate) fn add(&self, index: usize, count: u64) {
        if let Some(total) = self.totals.get(index) {
            let add = |old: u64| Some(old.saturating_add(count));
            let _ = total.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        }
    }
}

static REGISTERED: Mutex<Vec<&'static Registered>> = Mutex::new(Vec::new());

/// Returns the registered passes. Only the holder of the guard registers passes.
pub(crate) fn registered() -> MutexGuard<'static, Vec<&'static Registered>> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Adds a pass to the list; `None` when it is in the list already.
pub(crate) fn enter(
    list: &mut Vec<&'static Registered>,
    pass: &'static RustPass,
) -> Option<&'static Registered> {
    if list
        .iter()
        .any(|registered| std::ptr::eq(registered.pass, pass))
    {
        return None;
    }
    let totals = pass.statistics.iter().map(|_| AtomicU64::new(0)).collect();
    let entry = Box::leak(Box::new(Registered {
        pass,
        has_run: AtomicBool::new(false),
        totals,
    }));
    list.push(entry);
    Some(entry)
}

/// Returns the count of a statistic of a registered pass in this process, over all runs and threads; `None` when the pass is not
/// registered or has no such statistic.
#[must_use]
pub fn total(pass: &'static RustPass, statistic: &str) -> Option<u64> {
    let list = registered();
    let entry = list.iter().find(|entry| std::ptr::eq(entry.pass, pass))?;
    let index = pass
        .statistics
        .iter()
        .position(|candidate| candidate.name == statistic)?;
    entry
        .totals
        .get(index)
        .map(|total| total.load(Ordering::Relaxed))
}

/// Returns the totals of all passes that have run and have statistics, by name, in the form of MLIR's report.
#[must_use]
pub fn report() -> String {
    let list = registered();
    let mut entries: Vec<_> = list
        .iter()
        .filter(|entry| entry.has_run.load(Ordering::Relaxed))
        .collect();
    entries.sort_by_key(|entry| entry.pass.argument);
    let mut text = String::new();
    for entry in entries {
        let mut rows: Vec<(String, &str, &str)> = entry
            .pass
            .statistics
            .iter()
            .zip(&entry.totals)
            .map(|(statistic, total)| {
                (
                    total.load(Ordering::Relaxed).to_string(),
                    statistic.name,
                    statistic.description,
                )
            })
            .collect();
        if rows.is_empty() {
            continue;
        }
        rows.sort_by_key(|(_, name, _)| *name);
        let values = rows
            .iter()
            .map(|(value, ..)| value.len())
            .max()
            .unwrap_or(0);
        let names = rows
            .iter()
            .map(|(_, name, _)| name.len())
            .max()
            .unwrap_or(0);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", entry.pass.argument);
        for (value, name, description) in rows {
            let _ = writeln!(
                text,
                "  (S) {value:>values$} {name:<names$} - {description}"
            );
        }
    }
    text
}
