//! The time of proofs of transformer blocks, one after the other.

use std::fs;
use std::path::Path;

use spyre_checkout::error::Error;
use spyre_checkout::process;
use spyre_checkout::project::{Profile, Project};

use super::{BLOCKS, Counts, LIMIT, RUNS, grouped, least, peak};

/// One block.
const BLOCK: &str = "examples/plans/transformer_block.mlir";

/// Returns a table of the time of planning and of proofs, and of their memory.
///
/// # Errors
/// When a command fails, which a claim that does not hold makes it.
pub(super) fn measured(project: &Project, directory: &Path) -> Result<String, Error> {
    let mut canonical = project.tool(Profile::Debug, "spyre-opt");
    canonical
        .arg(project.root.join(BLOCK))
        .arg("--canonicalize");
    let block = process::output(&mut canonical)?;
    let mut table = format!(
        "CPU seconds of `spyre-opt` for transformer blocks one after the other, of `{BLOCK}`, the least of {RUNS} runs, with the \
         start of the tool; the last column is the memory of a proof:\n\n\
         | blocks | operations | claims | plan | prove | plan with `prove=true` | MB |\n|---:|---:|---:|---:|---:|---:|---:|\n"
    );
    for blocks in BLOCKS {
        let source = directory.join(format!("blocks-{blocks}.mlir"));
        let planned = directory.join(format!("blocks-{blocks}-planned.mlir"));
        fs::write(&source, chained(&block, blocks)).map_err(Error::io(&source))?;
        let tool = || project.tool(Profile::Debug, "spyre-opt");
        let mut plan = tool();
        plan.arg(&source)
            .arg("--spyre-pipeline=plan=true bundle=false");
        plan.arg("-o").arg(&planned);
        let plan = least(&plan, RUNS)?.cpu();
        let mut prove = tool();
        let before = format!("--spyre-prove=before={} unknown=error", source.display());
        prove.arg(&planned).arg(before).args(["-o", "/dev/null"]);
        let report = process::limited(&mut prove, None, LIMIT)?.stderr();
        let counts = report.lines().map(Counts::of);
        let counts = counts
            .max_by_key(|counts| counts.claims)
            .unwrap_or_default();
        let seconds = least(&prove, RUNS)?.cpu();
        let megabytes = peak(&mut prove)? / 1_000_000;
        let mut both = tool();
        both.arg(&source)
            .arg("--spyre-pipeline=plan=true bundle=false prove=true");
        both.args(["-o", "/dev/null"]);
        let both = least(&both, RUNS)?.cpu();
        let (operations, claims) = (grouped(counts.operations), grouped(counts.claims));
        table.push_str(&format!(
            "| {blocks} | {operations} | {claims} | {plan:.2} | {seconds:.2} | {both:.2} | {megabytes} |\n"
        ));
    }
    Ok(table)
}

/// Returns a function of one argument that repeats the body of another one, with its result as the argument.
fn chained(block: &str, blocks: usize) -> String {
    let lines: Vec<&str> = block.lines().collect();
    let position = |what: &str| {
        let mut lines = lines.iter();
        lines.position(|line| line.trim_start().starts_with(what))
    };
    let (first, last) = (position("func.func"), position("return"));
    let (Some(first), Some(last)) = (first, last) else {
        panic!("{BLOCK} has a function that returns");
    };
    let result = lines[last].split(['%', ' ', ':']).find(|word| {
        let mut letters = word.chars();
        letters.next().is_some_and(|letter| letter.is_ascii_digit())
    });
    let result = result.expect("the function returns a value");
    let mut text = lines[..=first].join("\n");
    let mut argument = "%arg0".to_owned();
    for number in 0..blocks {
        for line in &lines[first + 1..last] {
            text.push('\n');
            text.push_str(&renamed(line, &argument, number));
        }
        argument = format!("%v{result}_{number}");
    }
    text.push('\n');
    text.push_str(&lines[last].replace(&format!("%{result}"), &argument));
    for line in &lines[last + 1..] {
        text.push('\n');
        text.push_str(line);
    }
    text.push('\n');
    text
}

/// Returns a line with other names of values, and another first argument.
fn renamed(line: &str, argument: &str, number: usize) -> String {
    let mut parts = line.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let (name, rest) = part.split_at(end.unwrap_or(part.len()));
        match name {
            "arg0" => text.push_str(argument),
            _ if name.starts_with("arg") => {
                text.push('%');
                text.push_str(name);
            }
            _ => text.push_str(&format!("%v{name}_{number}")),
        }
        text.push_str(rest);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_read_the_block_before() {
        let block = "func.func @f(%arg0: t, %arg1: t) -> t {\n  %0 = a %arg0, %arg1\n  %1 = b %0\n  return %1 : t\n}";
        let two = "func.func @f(%arg0: t, %arg1: t) -> t {\n  %v0_0 = a %arg0, %arg1\n  %v1_0 = b %v0_0\n  \
                   %v0_1 = a %v1_0, %arg1\n  %v1_1 = b %v0_1\n  return %v1_1 : t\n}\n";
        assert_eq!(chained(block, 2), two);
    }
}
