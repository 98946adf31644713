//! The command line.

use std::path::PathBuf;
use std::thread;

use clap::{Parser, Subcommand};
use spyre_fuzz::{Checks, Size};

/// Runs random programs at every level, and compares their results.
///
/// The exit code is 1 when the results of a program differ between two levels.
#[derive(Debug, Parser)]
#[command(version = spyre_version::VERSION, args_conflicts_with_subcommands = true)]
pub(crate) struct Options {
    /// Another generator than that of recipes, or another check.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// How many programs.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub cases: u64,

    /// The seed of the random numbers. A seed and a number give the same program on every machine.
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,

    /// The number of the first program.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: u64,

    /// How many programs run at a time; as many as there are processors, unless it is given.
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    /// Most operations that a program is made from.
    #[arg(long, value_name = "N", default_value_t = Size::default().operations)]
    pub operations: usize,

    /// Most named dimensions of a program.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=6))]
    pub dims: u8,

    /// Compile one of every N programs for the CPU; 0 compiles none.
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub compile_every: u64,

    /// Run the unrolled bundle of one of every N programs; 0 runs none.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub unroll_every: u64,

    /// Let `--spyre-plan` decide about one of every N programs; 0 is for no program.
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub plan_every: u64,

    /// Make a dimension of one of every N programs dynamic, and run its bundle with several extents; 0 is for no
    /// program.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub open_every: u64,

    /// Run only programs with hints. The others are skipped and do not count as cases.
    #[arg(long)]
    pub tiled_only: bool,

    /// Where to write programs that fail.
    #[arg(long, value_name = "DIR", default_value = "target/fuzz")]
    pub output: PathBuf,

    /// Print the program of --first and stop.
    #[arg(long)]
    pub print: bool,
}

/// The commands other than the run of programs from recipes.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Programs that are drawn from shapes.
    Shapes(crate::shapes::Options),
    /// Graphs of many operations, which are not run.
    Graphs(crate::graphs::Options),
    /// Programs of linalg on tensors, as front ends print them.
    Linalg(crate::linalg::Options),
    /// Graphs of tinyspec.
    Uop(crate::uop::Options),
    /// Programs of a generator, with their parts for the card.
    Card(crate::card::Options),
    /// Bundles of files and of drawn programs, by the rules of the contract.
    Contract(crate::contract::Options),
    /// Programs of all generators, run and proved.
    Proofs(crate::proofs::Options),
    /// Kernels of programs on an interpreter of KTIR; `cargo xtask oracle` has the interpreter.
    Ktir(crate::ktir::Options),
}

impl Options {
    /// Returns the size of the programs.
    pub(crate) fn size(&self) -> Size {
        Size {
            operations: self.operations.max(1),
            dims: usize::from(self.dims),
        }
    }

    /// Returns the checks of a program.
    pub(crate) fn checks(&self, number: u64) -> Checks {
        let is_one_of = |every: u64| every > 0 && number.is_multiple_of(every);
        Checks {
            compile: is_one_of(self.compile_every),
            unroll: is_one_of(self.unroll_every),
            open: is_one_of(self.open_every),
            plan: is_one_of(self.plan_every),
            strict: false,
            prove: false,
        }
    }

    /// Returns the number of programs that run at a time.
    pub(crate) fn threads(&self) -> usize {
        let all = || thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(all).max(1)
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Options::command().debug_assert();
    }
}
