//! Completions of shells and the manual page of a command line.
//!
//! A tool has its command line as data of clap, and no other program has it: so the tool writes its files itself, when
//! `cargo xtask dist` calls it with [`OPTION`]. The folders are those that shells and `man` read below a prefix.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::Command;
use clap_complete::{Shell, generate};

/// The first word of the command line with which a tool writes its files; the second one is the prefix. It is in no help, since only
/// a build needs it.
pub const OPTION: &str = "--write-shell-files";

/// Writes the files of a command if the words of the command line, the program first, are [`OPTION`] and a prefix. Returns the
/// exit code of the tool then.
pub fn requested(
    mut words: impl Iterator<Item = OsString>,
    command: impl FnOnce() -> Command,
) -> Option<ExitCode> {
    words.next();
    if words.next()? != OPTION {
        return None;
    }
    let prefix = words.next()?;
    match write(&mut command(), Path::new(&prefix)) {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(err) => {
            eprintln!("error: {}: {err}", prefix.display());
            Some(ExitCode::FAILURE)
        }
    }
}

/// Writes the completions for bash, zsh and fish and the manual page below a prefix, such as `/usr`.
///
/// # Errors
/// Errors of the files.
pub fn write(command: &mut Command, prefix: &Path) -> io::Result<()> {
    let name = command.get_name().to_owned();
    let shells = [
        (
            Shell::Bash,
            format!("share/bash-completion/completions/{name}"),
        ),
        (Shell::Zsh, format!("share/zsh/site-functions/_{name}")),
        (
            Shell::Fish,
            format!("share/fish/vendor_completions.d/{name}.fish"),
        ),
    ];
    for (shell, path) in shells {
        let mut text = Vec::new();
        generate(shell, command, &name, &mut text);
        write_file(&prefix.join(path), &text)?;
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    write_file(&prefix.join(format!("share/man/man1/{name}.1")), &page)
}

/// Writes a file, and the folders that it is in.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().expect("a file is in a folder");
    fs::create_dir_all(folder)?;
    fs::write(path, bytes)
}

#[cfg(test)]
mod tests {
    use clap::Arg;

    use super::*;

    fn command() -> Command {
        let option = Arg::new("random-seed").long("random-seed");
        Command::new("spyre-test").arg(option.help("Makes the arguments up"))
    }

    #[test]
    fn each_shell_and_the_manual_have_the_options() {
        let prefix = tempfile::tempdir().unwrap();
        write(&mut command(), prefix.path()).unwrap();
        let files = [
            (
                "share/bash-completion/completions/spyre-test",
                "--random-seed",
            ),
            ("share/zsh/site-functions/_spyre-test", "--random-seed"),
            (
                "share/fish/vendor_completions.d/spyre-test.fish",
                "-l random-seed",
            ),
            ("share/man/man1/spyre-test.1", "random\\-seed"),
        ];
        for (path, option) in files {
            let text = fs::read_to_string(prefix.path().join(path)).unwrap();
            assert!(text.contains(option), "{path}: {text}");
        }
    }

    #[test]
    fn other_command_lines_are_for_the_tool() {
        for words in [
            &["spyre-test"][..],
            &["spyre-test", "a.mlir"],
            &["spyre-test", OPTION],
        ] {
            let words = words.iter().map(OsString::from);
            assert!(requested(words, command).is_none());
        }
    }
}
