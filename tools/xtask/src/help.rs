//! Prints the help of [`crate::commands`].

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;

use crate::commands::{self, COMMANDS};

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

/// Returns the help that a command line requests, with `--help` after a subcommand or with `help` before it, and `None`
/// if it requests no help. The words after `--` belong to the program that the subcommand runs, and request no help.
pub(crate) fn asked(command: &OsStr, words: &[OsString]) -> Option<String> {
    let is_help = |word: &OsStr| word == "--help" || word == "-h";
    if command == "help" || is_help(command) {
        let Some(named) = words.first() else {
            return Some(usage());
        };
        return text_for(named);
    }
    let mut arguments = words.iter().take_while(|word| *word != "--");
    arguments
        .any(|word| is_help(word))
        .then(|| text_for(command))
        .flatten()
}

/// Returns the help of a subcommand; `None` if there is none of this name.
fn text_for(name: &OsStr) -> Option<String> {
    let command = commands::find(name)?;
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
    use crate::commands::Command;

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
    fn contributing_lists_every_command() {
        let page = include_str!("../../../CONTRIBUTING.md");
        for Command { name, .. } in &COMMANDS {
            assert!(page.contains(&format!("\ncargo xtask {name} ")), "{name}");
        }
    }

    #[test]
    fn other_words_are_no_help() {
        assert_eq!(help(&["test", "help"]), None);
        assert_eq!(help(&["test", "--", "--help"]), None);
        assert_eq!(help(&["nothing", "--help"]), None);
        assert_eq!(help(&["help", "nothing"]), None);
    }
}
