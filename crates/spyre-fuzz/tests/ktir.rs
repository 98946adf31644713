//! Programs on the CPU, on the simulated card, and as kernels in KTIR in both orders of cores.

use std::collections::BTreeMap;
use std::thread;

use spyre_fuzz::ktir::{Kernels, Outcome, reason, type_without_interpreter};
use spyre_fuzz::{Size, shrink};

const SEED: u64 = 5;
const THREADS: u64 = 2;

/// The number of programs in every run of the tests, and in the campaign.
const FIRST: u64 = 150;
const CAMPAIGN: u64 = 20_000;

/// The outcomes of programs.
#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    no_plan: u64,
    same: u64,
    /// Programs with several launches.
    launches: u64,
    /// Programs with types that interpreters of KTIR do not have.
    without_interpreter: u64,
    /// Refusals of the conversion, by reason.
    refused: BTreeMap<String, u64>,
}

impl Counts {
    fn add(mut self, other: Self) -> Self {
        self.programs += other.programs;
        self.no_plan += other.no_plan;
        self.same += other.same;
        self.launches += other.launches;
        self.without_interpreter += other.without_interpreter;
        for (reason, count) in other.refused {
            *self.refused.entry(reason).or_default() += count;
        }
        self
    }
}

/// Runs a thread's share of the programs from a number on.
fn share(thread: u64, numbers: std::ops::Range<u64>) -> Counts {
    let kernels = Kernels::new();
    let mut counts = Counts::default();
    for number in numbers.filter(|number| number % THREADS == thread) {
        let program = shrink::program(Size::default(), SEED, number);
        counts.programs += 1;
        match kernels.run(&program, number) {
            Outcome::NoPlan(_) => counts.no_plan += 1,
            Outcome::Refused(message) => {
                *counts.refused.entry(reason(&message)).or_default() += 1;
            }
            Outcome::Same { launches } => {
                counts.same += 1;
                counts.launches += u64::from(launches > 1);
                counts.without_interpreter +=
                    u64::from(type_without_interpreter(&program).is_some());
            }
            Outcome::WithoutInterpreter(element) => {
                panic!("number {number}: {element:?} runs without an interpreter")
            }
            Outcome::Failed(failure) => {
                let smallest = kernels.minimize(Size::default(), SEED, number);
                let text = smallest.map(|it| format!("{:?}\n{}", it.failure, it.program));
                panic!("number {number}: {failure:?}\n{}", text.unwrap_or_default());
            }
        }
    }
    counts
}

fn run(numbers: std::ops::Range<u64>) -> Counts {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let numbers = numbers.clone();
                scope.spawn(move || share(thread, numbers))
            })
            .collect();
        let counts = workers
            .into_iter()
            .map(|it| it.join().expect("a share of the programs"));
        counts.fold(Counts::default(), Counts::add)
    })
}

#[test]
fn kernels_compute_what_the_card_computes() {
    let counts = run(0..FIRST);
    println!("{counts:#?}");
    assert!(counts.same * 3 >= FIRST, "{counts:#?}");
    assert!(counts.launches > 0, "{counts:#?}");
}

/// The campaign, from the number in `SPYRE_KTIR_FIRST` on, as many programs as `SPYRE_KTIR_PROGRAMS`.
#[test]
#[ignore = "an hour"]
fn campaign_of_kernels() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("SPYRE_KTIR_FIRST").unwrap_or(0);
    let programs: u64 = number("SPYRE_KTIR_PROGRAMS").unwrap_or(CAMPAIGN);
    println!("{:#?}", run(first..first + programs));
}
