//! Plans of programs, as `spyre-opt` makes them and `spyre-translate --emit-plan-json` reports them.

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::process;
use crate::project::{Profile, Project};

/// The bytes that a plan moves, and its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Bytes between device memory and the cores; bytes that cores share count once.
    pub distinct: u64,
    /// The same bytes, counted for each core.
    pub all: u64,
    /// Bytes of the arguments and the results.
    pub compulsory: u64,
    /// The least bytes that any plan with the same layouts moves.
    pub unavoidable: u64,
    /// The most bytes of a scratchpad that values take at once.
    pub lx: u64,
    /// The number of values between operations that are in device memory.
    pub in_memory: u64,
    /// The modelled time, in picoseconds.
    pub picoseconds: u64,
    /// The larger of the time to compute on all cores and of the time to move the compulsory bytes, in picoseconds.
    pub bound: u64,
    /// Their sum, in picoseconds: the modelled time of a plan without other costs.
    pub least: u64,
}

/// Plans a graph with options of `--spyre-pipeline`. The planned program is `target/plans/NAME.mlir`.
///
/// # Errors
/// A tool fails, or prints no plan.
pub fn planned(project: &Project, graph: &Path, name: &str, options: &str) -> Result<Plan, Error> {
    let directory = project.target.join("plans");
    fs::create_dir_all(&directory).map_err(Error::io(&directory))?;
    let file = directory.join(format!("{name}.mlir"));
    let mut opt = project.tool(Profile::Debug, "spyre-opt");
    opt.arg(graph)
        .arg(format!("--spyre-pipeline=bundle=false {options}"));
    opt.arg("-o").arg(&file);
    process::output(&mut opt)?;
    let mut translate = project.tool(Profile::Debug, "spyre-translate");
    let json = process::output(translate.arg("--emit-plan-json").arg(&file))?;
    Plan::parse(&json)
        .ok_or_else(|| Error::Verdict(format!("the plan of {name} lacks a number: {json}")))
}

impl Plan {
    /// Reads the totals of a plan with one function.
    fn parse(json: &str) -> Option<Self> {
        let totals = json.split_once("\"totals\": {")?.1.split_once('}')?.0;
        let number = |key: &str| {
            let (_, rest) = totals.split_once(&format!("\"{key}\": "))?;
            let digits = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            rest[..digits].parse::<u64>().ok()
        };
        let (compute, memory) = (
            number("compute_picoseconds")?,
            number("memory_picoseconds")?,
        );
        Some(Self {
            distinct: number("distinct_bytes")?,
            all: number("all_bytes")?,
            compulsory: number("compulsory_bytes")?,
            unavoidable: number("unavoidable_bytes")?,
            lx: number("lx_bytes_taken")?,
            in_memory: number("values_in_memory")?,
            picoseconds: number("picoseconds")?,
            bound: compute.max(memory),
            least: compute + memory,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "{ \"functions\": [ { \"totals\": {\n\"distinct_bytes\": 300,\n\"all_bytes\": 400,\n\
        \"compulsory_bytes\": 200,\"unavoidable_bytes\": 300,\n\"lx_bytes_taken\": 2048,\n\"values_in_memory\": 1,\n\
        \"picoseconds\": 5000000,\n\"compute_picoseconds\": 1000000,\n\
        \"memory_picoseconds\": 4000000,\n\"executions\": 5 } } ] }";

    #[test]
    fn totals_are_read() {
        let plan = Plan::parse(JSON).unwrap();
        assert_eq!((plan.distinct, plan.all), (300, 400));
        assert_eq!((plan.compulsory, plan.unavoidable), (200, 300));
        assert_eq!((plan.lx, plan.in_memory), (2048, 1));
        assert_eq!((plan.picoseconds, plan.bound), (5_000_000, 4_000_000));
        assert_eq!(plan.least, 5_000_000);
        assert_eq!(Plan::parse("{}"), None);
    }
}
