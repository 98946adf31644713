//! Completions of shells and manual pages of the archive.
//!
//! `spyre-run` and `spyre-translate` write theirs. The other tools have the command line of LLVM, which prints its options and
//! has them in no other form: their manual pages are the text of `--help`, and they have no completions.

use std::fs;

use spyre_checkout::error::Error;
use spyre_checkout::process;

use super::Layout;

/// The programs that write their files.
const WRITERS: [&str; 2] = ["spyre-run", "spyre-translate"];
/// The programs with the command line of LLVM, and their purposes.
const OF_LLVM: [(&str, &str); 3] = [
    ("spyre-opt", "runs passes of spyre-mlir on a module of MLIR"),
    (
        "spyre-lsp-server",
        "language server for MLIR with the dialects of spyre-mlir",
    ),
    ("spyre-reduce", "makes a failing program of MLIR smaller"),
];

/// Writes the files into `share`.
///
/// # Errors
/// When a program does not run, or a file cannot be written.
pub(super) fn write(layout: &Layout) -> Result<(), Error> {
    for program in WRITERS {
        // As in `spyre_shell_files::OPTION`, without a dependency of xtask.
        let mut writer = super::built_program(layout, program);
        process::run(writer.arg("--write-shell-files").arg(&layout.root))?;
    }
    let folder = layout.root.join("share/man/man1");
    fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    for (program, purpose) in OF_LLVM {
        let help = process::output(super::built_program(layout, program).arg("--help"))?;
        let page = manual(program, purpose, &layout.version, &help);
        let path = folder.join(format!("{program}.1"));
        fs::write(&path, page).map_err(Error::io(&path))?;
    }
    Ok(())
}

/// Returns a manual page with the help of a program, as it is printed.
fn manual(program: &str, purpose: &str, version: &str, help: &str) -> String {
    let escaped = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let name = escaped(program);
    let mut page = format!(
        ".TH {} 1 \"\" \"spyre\\-mlir {version}\"\n.SH NAME\n{name} \\- {purpose}\n.SH OPTIONS\n.nf\n",
        name.to_uppercase()
    );
    for line in help.trim_end().lines() {
        // A line that begins with a dot or an apostrophe would be a request.
        if line.starts_with(['.', '\'']) {
            page.push_str("\\&");
        }
        page.push_str(&escaped(line));
        page.push('\n');
    }
    page.push_str(".fi\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::PROGRAMS;

    #[test]
    fn lines_of_a_help_are_no_requests() {
        let page = manual(
            "spyre-opt",
            "runs passes",
            "0.1.0",
            "USAGE: spyre-opt\n.so a\\b\n'x\n\n",
        );
        let expected = ".TH SPYRE\\-OPT 1 \"\" \"spyre\\-mlir 0.1.0\"\n.SH NAME\nspyre\\-opt \\- runs passes\n.SH OPTIONS\n.nf\n\
                        USAGE: spyre\\-opt\n\\&.so a\\eb\n\\&'x\n.fi\n";
        assert_eq!(page, expected);
    }

    #[test]
    fn every_program_has_a_manual_page() {
        let others = OF_LLVM.iter().map(|(program, _)| program);
        let mut programs: Vec<&str> = WRITERS.iter().chain(others).copied().collect();
        programs.sort_unstable();
        let mut all = PROGRAMS.to_vec();
        all.sort_unstable();
        assert_eq!(programs, all);
    }
}
