//! The command line.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Parser, ValueEnum};
use spyre_exec::Tolerance;
use spyre_exec::bundle::WideFloats;
use spyre_exec::random::{Distribution, PowerOfTwo};
use spyre_exec::sizes::parse_size;
use spyre_mlir_rt::source::Anchor;
use spyre_sim::Rounding;

use crate::error::Error;

/// Runs a program of spyre operations on the CPU.
///
/// The program may be tiled or not, with or without layouts and plans. The exit code is 0 when it ran (and results agree),
/// 1 when it did not run or results differ, 2 for a wrong command line.
#[derive(Debug, Parser)]
#[command(version = spyre_version::VERSION)]
#[command(group(ArgGroup::new("task").args(["compare", "check_pipeline", "passes"])))]
#[command(group(ArgGroup::new("pipeline").args(["check_pipeline", "passes"])))]
#[command(group(ArgGroup::new("comparison").args(["compare", "check_pipeline", "passes", "expected"]).multiple(true)))]
pub(crate) struct Options {
    /// The program, MLIR text or bytecode, or a graph in JSON, of PyTorch Inductor or of tinyspec; `-`, like none
    /// without --bundle, is standard input. Graphs run as the functions of linalg that they become.
    pub program: Option<String>,

    /// The function to run; without it, the only public one with a body.
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,

    /// An argument of the function, as a .npy file; once for each argument, in order, or for each that does not always hold a
    /// constant. bf16 is read from uint16, its bits, or from float32, rounded.
    #[arg(short, long = "input", value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    /// Make all arguments up from this seed.
    #[arg(long, value_name = "N", conflicts_with = "inputs")]
    pub random_seed: Option<u64>,

    /// Random arguments have zeros of both signs, infinities, NaN, subnormal and extreme numbers among them.
    #[arg(long, conflicts_with = "inputs")]
    pub special_values: bool,

    /// Random arguments are integers of at most this magnitude, as far as their types have them, in floats as well. Sums of
    /// few of them are exact, in any order.
    #[arg(long, value_name = "N", conflicts_with_all = ["special_values", "inputs"])]
    pub integers: Option<u32>,

    /// Random floats are of at most this magnitude instead of 2: a power of two from 2^-15 to 2^15. With small ones, sums of
    /// many products stay in the range of 16 bits.
    #[arg(long, value_name = "X", value_parser = parse_largest, conflicts_with_all = ["integers", "special_values", "inputs"])]
    pub largest: Option<PowerOfTwo>,

    /// The extent of a dimension that the program leaves open: one that 'spyre.dim_sizes' declares #spyre.dynamic, or a symbol of a
    /// graph. Without it, inputs from files define it; without these, a symbol has the size that the graph was traced
    /// with. Of a kernel in KTIR, an extent has the name that the kernel states, or the number of its argument.
    #[arg(long = "size", value_name = "NAME=EXTENT", value_parser = parse_size)]
    pub sizes: Vec<(String, u64)>,

    /// Write the arguments to DIR/input_0.npy and so on.
    #[arg(long, value_name = "DIR")]
    pub save_inputs: Option<PathBuf>,

    /// Where to write a result, as a .npy file; once for each result, in order. Without any, results are printed. bf16 is
    /// written as uint16, its bits.
    #[arg(short, long = "output", value_name = "FILE", conflicts_with = "task")]
    pub outputs: Vec<PathBuf>,

    /// Unwritten memory holds NaN (integers: bytes 0xA5). Always on with --check-pipeline and --passes.
    #[arg(long)]
    pub poison: bool,

    /// Run another program on the same inputs as well, and compare the results.
    #[arg(long, value_name = "PROGRAM")]
    pub compare: Option<String>,

    /// The function of the other program; without it, the function of --entry or the only public one.
    #[arg(long, value_name = "NAME", requires = "compare")]
    pub compare_entry: Option<String>,

    /// Run this pipeline pass by pass on the function and its callees, for example
    /// 'builtin.module(func.func(coarse-tile))', and the program before and after each pass. Stops at the first pass
    /// that changes a result, with exit code 1. Inputs are random with seed 0 unless others are given.
    #[arg(long, value_name = "PIPELINE")]
    pub check_pipeline: Option<String>,

    /// As --check-pipeline, for a list of passes that nest themselves as the flags of spyre-opt do:
    /// 'coarse-tile,spyre-work-division'.
    #[arg(long, value_name = "LIST")]
    pub passes: Option<String>,

    /// Prove each pass of --check-pipeline or --passes: that the program after it reads and computes what the program before
    /// it does, for all inputs, iterations, cores and extents, and that the files of a bundle have the addresses of the
    /// plan. The program also runs before and after each pass if --input, --expect or --random-seed names its inputs.
    /// Stops at the first pass with a claim that does not hold, with exit code 1; a claim that is not decided is a
    /// remark.
    #[arg(long, requires = "pipeline")]
    pub prove: bool,

    /// Write the module before the pass that changed a result, was refuted, failed, or broke the program.
    #[arg(long, value_name = "FILE")]
    pub save_ir: Option<PathBuf>,

    /// Elements may differ by this many units in the last place. 0 means the same values; NaN equals NaN.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "comparison")]
    pub max_ulps: u64,

    /// Elements of floats may differ by X times (1 + the magnitude of the expected one), where --max-ulps does not allow it. Once
    /// for all results, or once for each result, in order.
    #[arg(long, value_name = "X", value_parser = parse_tolerance, requires = "comparison")]
    pub tolerance: Vec<f64>,

    /// A result that the program should have, as a .npy file; once for each result, in order. Without a task the results of the
    /// run are compared with them; with --check-pipeline and --passes the results of every run, in place of the run
    /// before.
    #[arg(long = "expect", value_name = "FILE", conflicts_with_all = ["compare", "outputs", "random_seed"])]
    pub expected: Vec<PathBuf>,

    /// Print how long compiling and running took, and with --bundle the traffic between memories, on standard error.
    #[arg(long)]
    pub stats: bool,

    /// Print messages and statistics as JSON, one object a line, on standard error.
    #[arg(long)]
    pub json: bool,

    /// Where the program runs. On the card, parts with device operations become functions of the device, each a bundle
    /// that runs on a simulated card; the rest runs on the CPU and calls them. The program may be in linalg.
    #[arg(long, value_enum, value_name = "WHERE", default_value = "cpu", conflicts_with_all = ["bundle", "check_pipeline", "passes"])]
    pub on: On,

    /// The format in which the card computes floats of 32 bits.
    #[arg(
        long,
        value_enum,
        value_name = "FORMAT",
        default_value = "auto",
        requires = "on"
    )]
    pub float: Float,

    /// Run the bundle in this directory on a simulated card, instead of the program, which defines the parameters of
    /// the bundle. Without a program, it runs on the bytes of device memory: of --argument, or of --random-seed. Faults
    /// of the bundle are reported, and the exit code is 1.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["check_pipeline", "passes"])]
    pub bundle: Option<PathBuf>,

    /// Run the kernel in KTIR in this file on the CPU, instead of the program, which defines the tensors that the
    /// arguments of the kernel hold. An access outside of its view or its argument is an error with the place, the core
    /// and the index. A kernel also runs as the program, on the contents of device memory.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bundle", "check_pipeline", "passes", "on"])]
    pub ktir: Option<String>,

    /// The kernel in the file of --ktir; without it, the only one, or the one with the name of the function.
    #[arg(long, value_name = "NAME", requires = "ktir")]
    pub ktir_entry: Option<String>,

    /// The order in which the cores of a kernel in KTIR run, one after the other. With `both` it runs twice, and a
    /// difference is an error: a core reads or writes what another one writes.
    #[arg(long, value_enum, value_name = "ORDER", default_value = "forward")]
    pub core_order: Cores,

    /// The unit of the base addresses of views in KTIR.
    #[arg(long, value_enum, value_name = "UNIT", default_value = "element")]
    pub base_unit: Unit,

    /// With --bundle and no program, the bytes of a kernel argument in device memory: a .npy file of bytes (u8), or any
    /// other file as it is. Once for each argument that the bundle reads; --random-seed makes the others up. --output
    /// writes the bytes of each argument that the bundle writes, in the order of their numbers.
    #[arg(long = "argument", value_name = "N=FILE", value_parser = parse_argument, requires = "bundle")]
    pub arguments: Vec<(u32, PathBuf)>,

    /// With --bundle and no program, the size of a kernel argument without --argument, where it is larger than the part
    /// that operations reach.
    #[arg(long, value_name = "N=BYTES", value_parser = parse_argument_bytes, requires = "bundle")]
    pub argument_bytes: Vec<(u32, u64)>,

    /// With --bundle and no program, the sizes of kernel arguments, in the list that `spyre-translate bundle
    /// --launch-params` writes. --argument and --argument-bytes come before it.
    #[arg(long, value_name = "FILE", requires = "bundle")]
    pub launch_params: Option<PathBuf>,

    /// With --bundle and no program, run the bundle in this directory on the same bytes as well, and compare the memory
    /// that both write.
    #[arg(long, value_name = "DIR", requires = "bundle", conflicts_with_all = ["outputs", "trace"])]
    pub compare_bundle: Option<PathBuf>,

    /// Write the events of each core in each execution, as a Chrome trace (for Perfetto or chrome://tracing).
    #[arg(long, value_name = "FILE", requires = "bundle")]
    pub trace: Option<PathBuf>,

    /// How the simulated card stores 16-bit floats, with --bundle or --on=card; without it, as the program does.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub device_floats: Option<DeviceFloats>,
}

/// Reads the value of `--argument`.
fn parse_argument(text: &str) -> Result<(u32, PathBuf), String> {
    let (number, path) = split_number(text)?;
    match path.is_empty() {
        true => Err("expected a file after '=', as in 0=a.bin".to_owned()),
        false => Ok((number, path.into())),
    }
}

/// Reads the value of `--argument-bytes`.
fn parse_argument_bytes(text: &str) -> Result<(u32, u64), String> {
    let (number, bytes) = split_number(text)?;
    let bytes = bytes.parse::<u64>();
    let bytes = bytes.map_err(|_| "expected bytes after '=', as in 0=8192".to_owned())?;
    Ok((number, bytes))
}

/// Returns the number before `=`, and the text after it.
fn split_number(text: &str) -> Result<(u32, &str), String> {
    let parts = text.split_once('=');
    let parts = parts.and_then(|(number, rest)| Some((number.parse().ok()?, rest)));
    parts.ok_or_else(|| "expected the number of a kernel argument before '='".to_owned())
}

/// Reads the value of `--largest`.
fn parse_tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok();
    let number = number.filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "expected a number that is not negative, such as 1e-2".to_owned())
}

fn parse_largest(text: &str) -> Result<PowerOfTwo, String> {
    let number = text.parse::<f32>().ok().and_then(PowerOfTwo::new);
    number.ok_or_else(|| "expected a power of two from 2^-15 to 2^15, such as 0.25".to_owned())
}

/// Where a program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum On {
    /// On the CPU.
    Cpu,
    /// Run the device functions on a simulated card, and the rest on the CPU.
    Card,
}

/// The order of the cores of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Cores {
    /// From core 0 on.
    Forward,
    /// From the last core on.
    Reverse,
    /// In both orders, which must agree.
    Both,
}

/// The unit of base addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unit {
    /// Elements of the view.
    Element,
    /// Bytes.
    Byte,
}

/// The treatment of floats of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Float {
    /// In 16 bits where their operands and their uses have 16 bits.
    Auto,
    /// As the program does.
    Exact,
    /// In 16 bits; the host rounds the arguments.
    Dl16,
}

impl From<Float> for WideFloats {
    fn from(float: Float) -> Self {
        match float {
            Float::Auto => Self::Auto,
            Float::Exact => Self::Exact,
            Float::Dl16 => Self::Dl16,
        }
    }
}

/// How the simulated card stores 16-bit floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum DeviceFloats {
    /// As IEEE binary16.
    F16,
    /// As the upper half of an f32.
    Bf16,
    /// As the card does: 6 bits of exponent, 9 of fraction.
    Dl16,
}

impl From<DeviceFloats> for Rounding {
    fn from(floats: DeviceFloats) -> Self {
        match floats {
            DeviceFloats::F16 => Self::F16,
            DeviceFloats::Bf16 => Self::Bf16,
            DeviceFloats::Dl16 => Self::Dl16,
        }
    }
}

/// The task that the command line selects.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Task<'a> {
    /// Run the program.
    Run,
    /// Run the bundle in a directory, without its program.
    Bundle(&'a Path),
    /// Compare it with the program in another file.
    Compare(&'a str),
    /// Check a pipeline on it.
    Check(Pipeline<'a>),
}

/// A pipeline on the command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pipeline<'a> {
    /// The text.
    pub text: &'a str,
    /// The way in which its passes name the operations that they run on.
    pub anchor: Anchor,
}

impl Options {
    /// Returns the path of the program; `-` is standard input.
    pub(crate) fn program(&self) -> &str {
        self.program.as_deref().unwrap_or("-")
    }

    /// Makes the checks that clap cannot: it does not require an option where another one excludes it.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let has_no_bundle = self.bundle.is_none();
        if self.device_floats.is_some() && has_no_bundle && self.on == On::Cpu {
            return Err(Error::NoCard);
        }
        if self.trace.is_some() && has_no_bundle {
            return Err(Error::NoTrace);
        }
        if self.save_ir.is_some() && !matches!(self.task(), Task::Check(_)) {
            return Err(Error::NoPasses);
        }
        let is_alone = matches!(self.task(), Task::Bundle(_));
        let names_bytes = !self.arguments.is_empty() || !self.argument_bytes.is_empty();
        let is_of_bytes = self.compare_bundle.is_some() || self.launch_params.is_some();
        if !is_alone && (names_bytes || is_of_bytes) {
            return Err(Error::BytesOfProgram);
        }
        // A bundle without its program is never read from standard input: it would wait in silence there.
        if is_alone && (self.needs_program() || !(names_bytes || self.random_seed.is_some())) {
            return Err(Error::NoProgram);
        }
        if self.program() == "-" && self.compare.as_deref() == Some("-") {
            return Err(Error::InputTwice);
        }
        Ok(())
    }

    /// Returns whether an option is about tensors, of which a bundle without its program has none.
    fn needs_program(&self) -> bool {
        let has_files = [&self.inputs, &self.expected];
        has_files.iter().any(|files| !files.is_empty())
            || self.compare.is_some()
            || self.entry.is_some()
            || self.save_inputs.is_some()
            || self.integers.is_some()
            || self.largest.is_some()
            || self.special_values
            || self.poison
    }

    /// Returns whether the command line has inputs for a run of the program, or results that it expects.
    pub(crate) fn has_data(&self) -> bool {
        !self.inputs.is_empty() || !self.expected.is_empty() || self.random_seed.is_some()
    }

    /// Returns by how much a pass may change an element.
    ///
    /// # Errors
    /// Several tolerances: a pass may change what the program returns.
    pub(crate) fn one_tolerance(&self) -> Result<Tolerance, Error> {
        let tolerances = self.tolerances(1)?;
        Ok(tolerances[0])
    }

    /// Returns by how much the elements of each of `results` results may differ.
    ///
    /// # Errors
    /// Several tolerances, and another number of results.
    pub(crate) fn tolerances(&self, results: usize) -> Result<Vec<Tolerance>, Error> {
        let tolerance = |relative| Tolerance {
            ulps: self.max_ulps,
            relative,
        };
        match *self.tolerance {
            [] => Ok(vec![tolerance(0.0); results]),
            [one] => Ok(vec![tolerance(one); results]),
            ref each if each.len() == results => {
                Ok(each.iter().map(|relative| tolerance(*relative)).collect())
            }
            ref each => Err(Error::Tolerances {
                given: each.len(),
                results,
            }),
        }
    }

    /// Returns the task.
    pub(crate) fn task(&self) -> Task<'_> {
        let pipeline = |text, anchor| Task::Check(Pipeline { text, anchor });
        if let (Some(bundle), None) = (&self.bundle, &self.program) {
            Task::Bundle(bundle)
        } else if let Some(other) = &self.compare {
            Task::Compare(other)
        } else if let Some(text) = &self.check_pipeline {
            pipeline(text, Anchor::Explicit)
        } else if let Some(text) = &self.passes {
            pipeline(text, Anchor::Implicit)
        } else {
            Task::Run
        }
    }

    /// Returns the distribution of the values of random arguments.
    pub(crate) fn distribution(&self) -> Distribution {
        if let Some(bound) = self.integers {
            Distribution::Integers(bound)
        } else if self.special_values {
            Distribution::WithSpecialValues
        } else if let Some(largest) = self.largest {
            Distribution::Within(largest)
        } else {
            Distribution::Plain
        }
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

    #[test]
    fn a_bundle_has_its_program_or_bytes() {
        let check = |arguments: &[&str]| {
            let options = Options::try_parse_from([&["spyre-run"], arguments].concat());
            options.expect("a command line").check()
        };
        assert!(check(&["--bundle", "d", "--random-seed", "1"]).is_ok());
        assert!(check(&["--bundle", "d", "--argument", "0=a.bin"]).is_ok());
        assert!(check(&["a", "--bundle", "d"]).is_ok());
        for wrong in [
            &["--bundle", "d"][..],
            &["--bundle", "d", "-i", "a.npy"],
            &["--bundle", "d", "--compare", "a", "--random-seed", "1"],
        ] {
            assert!(matches!(check(wrong), Err(Error::NoProgram)), "{wrong:?}");
        }
        for wrong in [
            &["a", "--bundle", "d", "--argument", "0=a.bin"][..],
            &["-", "--bundle", "d", "--compare-bundle", "e"],
        ] {
            assert!(
                matches!(check(wrong), Err(Error::BytesOfProgram)),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn one_task_at_a_time() {
        let parse =
            |arguments: &[&str]| Options::try_parse_from([&["spyre-run"], arguments].concat());
        assert!(matches!(parse(&["a"]).unwrap().task(), Task::Run));
        assert!(matches!(
            parse(&["a", "--compare", "b"]).unwrap().task(),
            Task::Compare("b")
        ));
        for wrong in [
            &["a", "--compare", "b", "--passes", "cse"][..],
            &["a", "--compare", "b", "--output", "z.npy"],
            &["a", "--max-ulps", "1"],
            &["a", "--compare-entry", "f"],
            &["a", "--random-seed", "1", "--input", "x.npy"],
            &["a", "--bundle", "d", "--passes", "cse"],
            &["a", "--trace", "t.json"],
            &["--argument", "0=x.bin"],
            &["--bundle", "d", "--argument", "x.bin"],
            &["--bundle", "d", "--argument", "0="],
            &["--bundle", "d", "--argument-bytes", "0=x"],
            &["--compare-bundle", "d"],
            &[
                "--bundle",
                "d",
                "--compare-bundle",
                "e",
                "--output",
                "z.bin",
            ],
            &["a", "--on", "card", "--bundle", "d"],
            &["a", "--on", "card", "--passes", "cse"],
            &["a", "--prove"],
            &["a", "--prove", "--compare", "b"],
            &["a", "--largest", "0.3"],
            &["a", "--largest", "0.25", "--integers", "2"],
            &["a", "--largest", "0.25", "--special-values"],
        ] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
