//! Graphs of many operations: the layout passes accept a graph if, and only if, it becomes a bundle.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use spyre_fuzz::VOCABULARY;
use spyre_fuzz::graphs::{Agreement, Judge};
use spyre_generate::graph::{self, graph};

/// Operations of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Family {
    /// Views of all kinds, and operations element by element between them.
    Views,
    /// Permutations, sums element by element and products of matrices.
    Permutes,
}

/// Draws graphs of 10 to 100 operations and compares the graphs that the layout passes accept with the graphs that
/// become a bundle.
///
/// The exit code is 1 when one accepts a graph that the other refuses, or when a graph of the family `permutes` is
/// refused.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How many graphs.
    #[arg(long, value_name = "N", default_value_t = 2000)]
    cases: u64,

    /// The seed of the random numbers. A seed and a number give the same graph on every machine.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// The number of the first graph.
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,

    /// Which operations graphs have.
    #[arg(long, value_enum, default_value = "views")]
    family: Family,

    /// Where to write a graph of each kind of disagreement.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz-graphs")]
    output: PathBuf,

    /// Print the graph of --first and stop.
    #[arg(long)]
    print: bool,
}

/// Judges all graphs, and returns whether they are as they must be.
pub(crate) fn run(options: &Options) -> io::Result<bool> {
    let family = match options.family {
        Family::Views => graph::Family::Views,
        Family::Permutes => graph::Family::Permutes,
    };
    if options.print {
        let graph = graph(&VOCABULARY, family, options.seed, options.first);
        spyre_files::print(&graph.to_mlir(false))?;
        return Ok(true);
    }
    fs::create_dir_all(&options.output)?;
    let mut judge = Judge::new();
    let mut counts: BTreeMap<Agreement, (u64, u64)> = BTreeMap::new();
    for number in options.first..options.first + options.cases {
        if number.is_multiple_of(200) {
            judge = Judge::new();
        }
        let program = graph(&VOCABULARY, family, options.seed, number);
        let agreement = judge.judge(&program);
        let group_number = counts.len();
        let (count, _) = counts.entry(agreement.clone()).or_insert((0, number));
        *count += 1;
        if *count == 1 && !matches!(agreement, Agreement::Accepted) {
            let path = options
                .output
                .join(format!("{:?}-{group_number}.mlir", options.family).to_lowercase());
            let minimal = judge.minimize(&program, &agreement);
            let seed = options.seed;
            let text = format!(
                "// {agreement}\n// Made smaller from: spyre-fuzz graphs --seed {seed} --first {number} --cases 1\n{}",
                minimal.to_mlir(false)
            );
            fs::write(&path, text)?;
        }
    }
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (agreement, (count, first)) in sorted {
        spyre_files::print(&format!(
            "{count} graphs, first number {first}: {agreement}\n"
        ))?;
    }
    Ok(counts.keys().all(|agreement| match agreement {
        Agreement::Accepted => true,
        Agreement::Refused(_) => options.family == Family::Views,
        Agreement::Differs { .. } => false,
    }))
}
