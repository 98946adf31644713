//! Programs that PyTorch Inductor exports in `f16`, and the same programs of `spyre` operations.
//!
//! Both compute the same in the same shapes. The graph of PyTorch is imported with the default options, and both are
//! planned by the default pipeline.

use std::path::Path;

use super::{DIRECTORY, graphs, times};
use spyre_checkout::error::Error;
use spyre_checkout::plan::{Plan, planned};
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

/// The line before the table, and the line after it.
pub(super) const MARKS: [&str; 2] = [
    "<!-- The table of PyTorch is written by `cargo xtask plan-table --write`. -->",
    "<!-- The end of the table of PyTorch. -->",
];

/// The folder of the graphs in that of all graphs, and the one in it with the programs of `spyre` operations.
const FOLDERS: [&str; 2] = ["pytorch", "pytorch/spyre"];

/// How many times as long as the program of `spyre` operations a graph may take, in hundredths.
const MOST_TIME: u64 = 110;

/// A graph of PyTorch and the same program.
#[derive(Debug)]
pub(super) struct Pair {
    name: String,
    graph: Plan,
    program: Plan,
}

/// Plans the graphs and the programs.
///
/// # Errors
/// When the folder cannot be read, or a program cannot be planned.
pub(super) fn pairs(project: &Project) -> Result<Vec<Pair>, Error> {
    let [graphs_in, programs_in] = FOLDERS.map(|folder| Path::new(DIRECTORY).join(folder));
    let names = graphs(&project.root.join(&graphs_in))?;
    let pair = |name: String| {
        let file = project
            .target
            .join("plans")
            .join(format!("{name}-imported.mlir"));
        let mut opt = project.tool(Profile::Debug, "spyre-opt");
        opt.arg(graphs_in.join(format!("{name}.mlir")));
        opt.args(["--convert-inductor-to-linalg", "--spyre-import-linalg"]);
        process::output(opt.arg("-o").arg(&file))?;
        let program = programs_in.join(format!("{name}.mlir"));
        Ok(Pair {
            graph: planned(project, &file, &name, "plan=true")?,
            program: planned(project, &program, &name, "plan=true")?,
            name,
        })
    };
    names.into_iter().map(pair).collect()
}

impl Pair {
    /// Returns why the graph takes too long, if it does.
    pub(super) fn broken(&self) -> Option<String> {
        let (graph, program) = (self.graph.picoseconds, self.program.picoseconds);
        (graph * 100 > program * MOST_TIME).then(|| {
            format!(
                "{}: the graph of PyTorch takes {graph} picoseconds, more than {MOST_TIME} hundredths of the {program} of the same \
                 program of spyre operations",
                self.name
            )
        })
    }
}

/// Returns the table in Markdown.
pub(super) fn table(pairs: &[Pair]) -> String {
    let mut text = String::from(
        "| program | of PyTorch: MiB | us | of `spyre` operations: MiB | us | time, of it |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for pair in pairs {
        let cells = |plan: Plan| {
            format!(
                "{:.1} | {:.1}",
                times(plan.distinct, 1 << 20),
                times(plan.picoseconds, 1_000_000)
            )
        };
        text += &format!(
            "| [{0}](../{DIRECTORY}/{1}/{0}.mlir) | {2} | {3} | {4:.2} |\n",
            pair.name,
            FOLDERS[0],
            cells(pair.graph),
            cells(pair.program),
            times(pair.graph.picoseconds, pair.program.picoseconds),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(picoseconds: u64) -> Plan {
        Plan {
            distinct: 1 << 20,
            all: 1 << 20,
            compulsory: 1 << 20,
            unavoidable: 1 << 20,
            lx: 0,
            in_memory: 0,
            picoseconds,
            bound: 0,
            least: 0,
        }
    }

    #[test]
    fn a_graph_may_take_a_tenth_longer() {
        let pair = |picoseconds| Pair {
            name: "a".into(),
            graph: plan(picoseconds),
            program: plan(2_000_000),
        };
        assert_eq!(pair(2_200_000).broken(), None);
        assert!(pair(2_200_001).broken().unwrap().contains("2000000"));
        let table = table(&[pair(2_200_000)]);
        let last = table.lines().last().unwrap();
        let expected = "| [a](../examples/plans/pytorch/a.mlir) | 1.0 | 2.2 | 1.0 | 2.0 | 1.10 |";
        assert_eq!(last, expected);
    }
}
