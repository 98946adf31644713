//! The programs that a generator draws by their numbers: their range, the number of threads, and their outcomes by
//! message.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clap::Args;
use spyre_fuzz::kind::normalized;

/// The programs after which a context is dropped: it keeps every type and attribute that it has seen.
const FRESH: u64 = 100;

/// Which programs run.
#[derive(Debug, Args)]
pub(crate) struct Numbers {
    /// How many programs.
    #[arg(long, value_name = "N", default_value_t = 1500)]
    pub cases: u64,

    /// The seed of the random numbers. A seed and a number give the same program on every machine.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// The number of the first program.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: u64,

    /// How many programs run at a time; as many as there are processors, unless it is given.
    #[arg(long, value_name = "N")]
    threads: Option<usize>,

    /// Print the program of --first and stop.
    #[arg(long)]
    pub print: bool,
}

impl Numbers {
    /// Runs every number on some thread. Each thread makes a runner, and a new one after [`FRESH`] programs.
    pub(crate) fn each<R>(&self, new: impl Fn() -> R + Sync, run: impl Fn(&R, u64) + Sync) {
        let next = AtomicU64::new(self.first);
        let last = self.first + self.cases;
        let all = || thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.unwrap_or_else(all).max(1);
        let work = || {
            let mut runner = new();
            for at in 1.. {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= last {
                    return;
                }
                if at % FRESH == 0 {
                    runner = new();
                }
                run(&runner, number);
            }
        };
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
    }
}

/// How many programs have each message, and the first number of each.
#[derive(Debug, Default)]
pub(crate) struct Classes(BTreeMap<String, (u64, u64)>);

impl Classes {
    /// Counts a program by its message without numbers.
    pub(crate) fn add(&mut self, number: u64, message: &str) {
        let class = self.0.entry(normalized(message));
        let (count, first) = class.or_insert((0, number));
        *count += 1;
        *first = (*first).min(number);
    }

    /// Returns how many programs there are.
    pub(crate) fn count(&self) -> u64 {
        self.0.values().map(|(count, _)| count).sum()
    }

    /// Returns each message, its programs and its first number, the most frequent ones first.
    pub(crate) fn sorted(&self) -> Vec<(&str, u64, u64)> {
        let classes = self.0.iter();
        let mut sorted: Vec<_> = classes
            .map(|(message, (count, first))| (message.as_str(), *count, *first))
            .collect();
        sorted.sort_by_key(|(_, count, first)| (Reverse(*count), *first));
        sorted
    }
}
