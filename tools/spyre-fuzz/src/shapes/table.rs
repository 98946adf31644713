//! Counts of views, by kind, head and outcome of the program.

use std::collections::BTreeMap;
use std::fmt;

use spyre_fuzz::shapes::Outcome;
use spyre_generate::Program;
use spyre_generate::view::{Head, Trait, View};

/// Counts for each outcome.
type Counts = [u64; Outcome::ALL.len()];

/// The counts of views and of other traits.
#[derive(Debug, Default)]
pub(crate) struct Table {
    views: BTreeMap<(View, Head, bool), Counts>,
    traits: BTreeMap<(Trait, bool), Counts>,
}

impl Table {
    /// Counts the views and the other traits of a program.
    pub(crate) fn add(&mut self, program: &Program, outcome: Outcome) {
        let is_tiled = program.has_hints();
        for (_, view, head) in program.views() {
            self.views.entry((view, head, is_tiled)).or_default()[outcome as usize] += 1;
        }
        for feature in program.traits() {
            self.traits.entry((feature, is_tiled)).or_default()[outcome as usize] += 1;
        }
    }
}

fn cell(f: &mut fmt::Formatter<'_>, counts: Option<&Counts>) -> fmt::Result {
    let [passed, not_admitted, refused, mismatches, faults] = counts.copied().unwrap_or_default();
    let refused = not_admitted + refused;
    write!(
        f,
        " {} / {refused} / {} |",
        passed + refused + mismatches + faults,
        mismatches + faults
    )
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "\nviews drawn / in programs that were refused / in programs that failed\n"
        )?;
        for is_tiled in [false, true] {
            write!(f, "| {} |", if is_tiled { "tiled" } else { "untiled" })?;
            for head in Head::ALL {
                write!(f, " {head} |")?;
            }
            writeln!(f, "\n|{}", "---|".repeat(1 + Head::ALL.len()))?;
            for view in View::ALL {
                write!(f, "| {view} |")?;
                for head in Head::ALL {
                    cell(f, self.views.get(&(view, head, is_tiled)))?;
                }
                writeln!(f)?;
            }
            writeln!(f)?;
        }
        writeln!(f, "| programs with | untiled | tiled |\n|---|---|---|")?;
        for feature in Trait::ALL {
            write!(f, "| {feature} |")?;
            for is_tiled in [false, true] {
                cell(f, self.traits.get(&(feature, is_tiled)))?;
            }
            writeln!(f)?;
        }
        let mut all: Vec<u64> = Vec::new();
        for view in View::ALL {
            for head in Head::ALL {
                for is_tiled in [false, true] {
                    let counts = self.views.get(&(view, head, is_tiled));
                    all.push(counts.map_or(0, |counts| counts.iter().sum()));
                }
            }
        }
        let least = all.iter().min().copied().unwrap_or_default();
        writeln!(
            f,
            "\nthe least count of a kind of view, a head, tiled or not: {least}"
        )
    }
}
