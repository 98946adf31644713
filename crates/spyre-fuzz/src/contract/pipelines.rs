//! The pipelines by which the programs of a file become bundles.

/// The pipelines of every program, after the passes that import linalg: with `--spyre-plan`, or with single passes.
const EVERY: [&str; 2] = ["spyre-pipeline", "spyre-pipeline{plan=false}"];

/// The options with which every program of linalg is split between host and device.
const SPLITS: [&str; 2] = ["host=true", "host=true float=dl16"];

/// The pipelines that the `RUN` lines of a file name, in addition to the pipelines of every program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pipelines {
    /// Pipelines of modules that end in `--spyre-pipeline`.
    whole: Vec<String>,
    /// Options of `--spyre-pipeline`, and of `--spyre-import-linalg` without a host.
    options: Vec<(&'static str, String)>,
    /// Options of `--spyre-import-linalg` with a host.
    parts: Vec<String>,
    /// Whether programs are split between host and device, in linalg or not.
    pub(super) splits: bool,
}

impl Pipelines {
    /// Returns the pipelines from a program to one bundle. `import` are the passes before, unless the pipeline has
    /// import passes.
    pub(super) fn to_bundles(&self, import: Option<&str>) -> Vec<String> {
        let mut pipelines = Vec::new();
        let mut add = |pipeline: String| {
            if !pipelines.contains(&pipeline) {
                pipelines.push(pipeline);
            }
        };
        let before = import.map_or(String::new(), |import| format!("{import},"));
        for pipeline in EVERY {
            add(format!("{before}{pipeline}"));
        }
        for (pass, options) in &self.options {
            match (*pass, import) {
                ("spyre-pipeline", _) => add(format!("{before}{pass}{{{options}}}")),
                (_, Some(_)) => add(format!("{pass}{{{options}}},spyre-pipeline")),
                (_, None) => {}
            }
        }
        self.whole.iter().cloned().for_each(add);
        pipelines
    }

    /// Returns the options of `--spyre-import-linalg` that split a program.
    pub(super) fn to_parts(&self) -> Vec<String> {
        let mut options: Vec<String> = SPLITS.map(str::to_owned).to_vec();
        for part in &self.parts {
            if !options.contains(part) {
                options.push(part.clone());
            }
        }
        options
    }
}

/// Reads the pipelines in the `RUN` lines of a file: the values of `--check-pipeline` and `--pass-pipeline`, and
/// options of `--spyre-pipeline` and `--spyre-import-linalg`. Options with a substitution of lit or a variable of the
/// shell are left out.
#[must_use]
pub fn pipelines(text: &str) -> Pipelines {
    let mut pipelines = Pipelines::default();
    for line in text.lines().filter(|line| line.contains("RUN:")) {
        pipelines.splits |= ["--on=card", "--on card", "host=true"]
            .iter()
            .any(|word| line.contains(word));
        for pipeline in quoted(line, "builtin.module(") {
            let passes = pipeline.strip_suffix(')');
            if let Some(passes) = passes.filter(|passes| passes.contains("spyre-pipeline")) {
                pipelines.whole.push(passes.to_owned());
            }
        }
        for pass in ["spyre-pipeline", "spyre-import-linalg"] {
            for options in given(line, &format!("--{pass}=")) {
                match options.contains("host=true") {
                    true => pipelines.parts.push(options),
                    false => pipelines.options.push((pass, options)),
                }
            }
        }
    }
    pipelines
}

/// Returns the texts after `start` in a line, up to the quotation mark that ends the argument.
fn quoted(line: &str, start: &str) -> Vec<String> {
    let texts = line.split(start).skip(1);
    let texts = texts.filter_map(|rest| rest.split(['\'', '"']).next());
    texts
        .filter(|text| is_plain(text))
        .map(str::to_owned)
        .collect()
}

/// Returns the values after `flag` in a line, without their quotation marks.
fn given(line: &str, flag: &str) -> Vec<String> {
    let values = line.split(flag).skip(1).filter_map(|rest| {
        let mark = rest
            .chars()
            .next()
            .filter(|mark| matches!(mark, '\'' | '"'));
        match mark {
            Some(mark) => rest[1..].split(mark).next(),
            None => rest.split_whitespace().next(),
        }
    });
    values
        .filter(|text| is_plain(text))
        .map(str::to_owned)
        .collect()
}

/// Returns whether the tool gets the text of an argument unchanged.
fn is_plain(text: &str) -> bool {
    !text.contains(['%', '$', '\\'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_planned_in_two_ways() {
        let none = pipelines("func.func @f()");
        assert_eq!(none, Pipelines::default());
        assert_eq!(
            none.to_bundles(None),
            ["spyre-pipeline", "spyre-pipeline{plan=false}"]
        );
        assert_eq!(none.to_parts(), ["host=true", "host=true float=dl16"]);
    }

    #[test]
    fn run_lines_add_their_own() {
        let text = "
// RUN: spyre-run %s --check-pipeline='builtin.module(spyre-pipeline{lx=false})' --poison
// RUN: spyre-opt %s --spyre-pipeline=plan=false | FileCheck %s
// RUN: spyre-opt %s --spyre-import-linalg=\"host=true max=4\"
// RUN: spyre-opt %s --spyre-import-linalg=float=dl16 --spyre-pipeline=\"target={cores=4}\"
// RUN: spyre-opt %s --spyre-pipeline=%{options}
// CHECK: --spyre-pipeline=lx=true
";
        let actual = pipelines(text);
        assert!(actual.splits);
        assert_eq!(
            actual.to_bundles(Some("spyre-import-linalg")),
            [
                "spyre-import-linalg,spyre-pipeline",
                "spyre-import-linalg,spyre-pipeline{plan=false}",
                "spyre-import-linalg,spyre-pipeline{target={cores=4}}",
                "spyre-import-linalg{float=dl16},spyre-pipeline",
                "spyre-pipeline{lx=false}",
            ]
        );
        assert_eq!(
            actual.to_parts(),
            ["host=true", "host=true float=dl16", "host=true max=4"]
        );
    }
}
