//! Checks the messages of new commits.

use std::process::Command;

use crate::error::Error;
use crate::process;
use crate::project::Project;

/// The longest subject, in characters.
const SUBJECT: usize = 72;

/// Checks every commit that the upstream branch does not have, or the last one if it has them all. Prints a message where there
/// is no git.
///
/// # Errors
/// A message without a body, or with a subject that is no subject.
pub(crate) fn commits(project: &Project) -> Result<(), Error> {
    let git = || {
        let mut git = Command::new("git");
        git.arg("-C").arg(&project.root);
        git
    };
    if process::output(git().args(["rev-parse", "--git-dir"])).is_err() {
        println!("commits: skipped, this is no checkout of git");
        return Ok(());
    }
    let new = process::output(git().args(["rev-list", "--no-merges", "@{upstream}..HEAD"]));
    let new = new.unwrap_or_default();
    let mut hashes: Vec<&str> = new.lines().collect();
    if hashes.is_empty() {
        hashes.push("HEAD");
    }
    let mut wrong = Vec::new();
    for hash in &hashes {
        let message = process::output(git().args(["log", "-1", "--format=%B", hash]))?;
        if let Err(why) = check(&message) {
            let subject = message.lines().next().unwrap_or_default();
            wrong.push(format!("{hash} '{subject}': {why}"));
        }
    }
    if wrong.is_empty() {
        println!("commits: {} with a subject and a reason", hashes.len());
        return Ok(());
    }
    Err(Error::Verdict(format!(
        "CONTRIBUTING.md says how commits are written:\n{}",
        wrong.join("\n")
    )))
}

/// Checks a message: a short subject, an empty line, and a body that says why.
fn check(message: &str) -> Result<(), String> {
    let mut lines = message.lines();
    let subject = lines.next().unwrap_or_default();
    let length = subject.chars().count();
    if length == 0 || length > SUBJECT {
        return Err(format!(
            "the subject has {length} characters, not 1 to {SUBJECT}"
        ));
    }
    if !subject.contains(": ") {
        return Err("the subject does not begin with an area and a colon".to_owned());
    }
    if lines.next().is_some_and(|line| !line.is_empty()) {
        return Err("the second line is not empty".to_owned());
    }
    if lines.all(|line| line.trim().is_empty()) {
        return Err("there is no body that says why".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn messages_have_a_subject_and_a_reason() {
        assert_eq!(check("layouts: keep a stick\n\nIt was lost.\n"), Ok(()));
        for (message, why) in [
            ("", "the subject has 0 characters"),
            (
                &format!("a: {}\n\nWhy.", "x".repeat(70)),
                "the subject has 73",
            ),
            ("Keep a stick\n\nWhy.", "does not begin with an area"),
            ("layouts: keep a stick\nWhy.", "the second line"),
            ("layouts: keep a stick\n", "no body"),
            ("layouts: keep a stick\n\n \n", "no body"),
        ] {
            let found = check(message).expect_err(message);
            assert!(found.contains(why), "{message:?}: {found}");
        }
    }
}
