//! The help texts.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

/// The help of a subcommand.
struct Help {
    /// The subcommand.
    name: &'static str,
    /// Its arguments, behind the name.
    arguments: &'static str,
    /// What it does, in a line.
    summary: &'static str,
    /// The rest: its options and what it needs.
    details: &'static str,
}

/// The subcommands, in the order in which one needs them.
const COMMANDS: [Help; 14] = [
    Help {
        name: "setup",
        arguments: "",
        summary: "install the LLVM packages that the build needs, or say what is missing",
        details: "\
On Debian and Ubuntu it calls apt-get, with sudo where that is needed. On other systems, and with an LLVM of your own in
MLIR_SYS_220_PREFIX, it installs nothing and names the parts that are missing.
",
    },
    Help {
        name: "demo",
        arguments: "",
        summary: "build, then show the example program on its way from tensors to the SDSC bundle",
        details: "The program is examples/add_mul.mlir. The bundle is written to target/demo/add_mul.\n",
    },
    Help {
        name: "test",
        arguments: "[ARGS]",
        summary: "build everything, run cargo test and LLVM's lit",
        details: "ARGS go to `cargo test --workspace`: `cargo xtask test --release`, `cargo xtask test window`.\n",
    },
    Help {
        name: "ci",
        arguments: "",
        summary: "run every check that has to pass before a merge",
        details: "\
Commit messages, formatting, lints, tests (those that are too slow for `cargo test` too), documentation, generated files,
the table of plans, and pages in a browser, which is installed where it can be.
With SPYRE_GOLDEN=DIR in the environment, conformance with the reference data in DIR.
",
    },
    Help {
        name: "docs",
        arguments: "[--check]",
        summary: "write the generated pages under docs/",
        details: "  --check   write nothing, and fail when a page is not what the sources generate\n",
    },
    Help {
        name: "conformance",
        arguments: "--data DIR [--write]",
        summary: "compare with bundles of the reference compiler, and with programs of front ends",
        details: "\
  --data DIR   the reference data: DIR/bundle/*/expected, DIR/interface-examples/*.mlir, DIR/linalg/{jax,onnx}/*,
               DIR/inductor/*, DIR/uop/*.json
  --write      write what becomes of the programs in DIR/linalg into test/linalg-programs.txt
",
    },
    Help {
        name: "bench",
        arguments: "[--runs K] [--max N]",
        summary: "measure passes against stock mlir-opt, bundles, and running programs (release build)",
        details: "\
The cost of the passes and how it grows with the program; the cost of a bundle against writing its files; running programs
against NumPy.

  --runs K   how often each measurement is repeated
  --max N    leave out programs of more operations
",
    },
    Help {
        name: "accuracy",
        arguments: "[--all | --stride N] [--op NAME]",
        summary: "measure the errors of what --uop-decompose writes for functions of floats",
        details: "\
Compiles each function for this machine, on all cores, and compares with 64 bits. Fails where an error is above its limit.
  --all        all 2^32 floats of 32 bits: minutes
  --stride N   every N-th one; 4099 unless it is given
  --op NAME    one of exp2, log2, sin, sqrt, pow
",
    },
    Help {
        name: "fuzz",
        arguments: "[shapes|graphs|linalg] [ARGS]",
        summary: "run random programs at every level and compare (release build)",
        details: "\
ARGS go to spyre-fuzz, whose --help lists them all. Programs that fail go to target/fuzz, unless --output says where.

  shapes, graphs, linalg   another generator
  --cases N        how many programs
  --seed S         the seed of the random numbers
",
    },
    Help {
        name: "fuzz-input",
        arguments: "[--seconds N] [--cases N] [--seed S]",
        summary: "look for crashes of the tools on damaged inputs",
        details: "\
  --seconds N   how long
  --cases N     how many inputs in each thread; repeats exactly, as time does not
  --seed S      the seed of the random numbers
",
    },
    Help {
        name: "models",
        arguments: "[--write] [--debug] [NAME...]",
        summary: "compile the models of examples/models, run them and print a table (release build)",
        details: "\
They run on the simulated card and are compared with the CPU. NAMEs choose some of them.

  --write   put the table into docs/Models.md
  --debug   use the build of `cargo build`
",
    },
    Help {
        name: "plan-table",
        arguments: "[--write] [--check]",
        summary: "plan the graphs of examples/plans, and print what the plans move and cost",
        details: "\
Without tiles, with hints, and by --spyre-plan. It fails where the automatic plan is worse than one of the others.
  --write   put the table into docs/Plans.md
  --check   fail when that page has another table
",
    },
    Help {
        name: "pages",
        arguments: "[--install] [--write]",
        summary: "look at the pages of plans in a browser without a window",
        details: "\
  --install   install Debian's chromium, where there is no browser and it can be
  --write     put pictures of the pages into docs/images
",
    },
    Help {
        name: "mutants",
        arguments: "[NAME...]",
        summary: "put known mistakes into a copy of the tree and expect the tests to find them",
        details: "\
The mistakes are the patches in test/mutants, all or those that are named. Each names the tests that must fail. The copy is
target/mutants.
",
    },
];

/// Returns the list of the subcommands.
pub(crate) fn usage() -> String {
    let mut text = "Usage: cargo xtask <command>\n\n".to_owned();
    for command in &COMMANDS {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "  {:<13}{}", command.name, command.summary);
    }
    text.push_str("\n`cargo xtask <command> --help` has the arguments. It builds nothing.\n");
    text
}

/// Returns the help that a command line asks for: that of a subcommand with `--help` behind it, or of the one behind `help`.
/// Returns `None` for anything else, and for words behind `--`, which belong to the program that the subcommand runs.
pub(crate) fn asked(command: &OsStr, words: &[OsString]) -> Option<String> {
    let is_help = |word: &OsStr| word == "--help" || word == "-h";
    if command == "help" || is_help(command) {
        let Some(named) = words.first() else {
            return Some(usage());
        };
        return of(named);
    }
    let mut own = words.iter().take_while(|word| *word != "--");
    own.any(|word| is_help(word)).then(|| of(command)).flatten()
}

/// Returns the help of a subcommand; `None` if there is none of this name.
fn of(name: &OsStr) -> Option<String> {
    let command = COMMANDS.iter().find(|command| name == command.name)?;
    let (name, arguments, summary) = (command.name, command.arguments, command.summary);
    let call = format!("cargo xtask {name} {arguments}");
    let (first, rest) = summary.split_at(1);
    Some(format!(
        "{}{rest}.\n\nUsage: {}\n\n{}",
        first.to_uppercase(),
        call.trim_end(),
        command.details
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(words: &[&str]) -> Option<String> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        asked(&words[0], &words[1..])
    }

    #[test]
    fn every_command_has_its_help() {
        for command in &COMMANDS {
            let text = help(&[command.name, "--help"]).unwrap();
            assert!(text.contains(&format!("Usage: cargo xtask {}", command.name)));
            assert_eq!(help(&["help", command.name]), Some(text.clone()));
            assert_eq!(help(&[command.name, "--seed", "1", "-h"]), Some(text));
            assert!(usage().contains(command.summary));
        }
        assert_eq!(help(&["--help"]), Some(usage()));
    }

    #[test]
    fn other_words_are_no_help() {
        assert_eq!(help(&["test", "help"]), None);
        assert_eq!(help(&["test", "--", "--help"]), None);
        assert_eq!(help(&["nothing", "--help"]), None);
        assert_eq!(help(&["help", "nothing"]), None);
    }
}
