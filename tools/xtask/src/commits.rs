//! Checks the messages of new commits.

use std::fmt;
use std::path::Path;

use crate::git::{git, is_checkout};
use spyre_checkout::error::Error;
use spyre_checkout::project::Project;

/// The longest subject, in characters.
const SUBJECT: usize = 72;

/// How many commits are checked where there is no branch to compare with.
const LAST: usize = 20;

/// Checks the new commits, without merges. Prints which they are, and a line where there is no git.
///
/// # Errors
/// A message without a body, or with a subject that is no subject; git fails.
pub(crate) fn commits(project: &Project) -> Result<(), Error> {
    let root = &project.root;
    if !is_checkout(root)? {
        println!("commits: skipped, this is no checkout of git");
        return Ok(());
    }
    let range = Range::new(root)?;
    let hashes = git(root, &range.arguments())?;
    let mut wrong = Vec::new();
    for hash in hashes.lines() {
        let message = git(root, &["log", "-1", "--format=%B", hash])?;
        if let Err(reason) = check(&message) {
            let subject = message.lines().next().unwrap_or_default();
            wrong.push(format!("{hash} '{subject}': {reason}"));
        }
    }
    if wrong.is_empty() {
        let count = hashes.lines().count();
        println!("commits: {count} with a subject and a reason ({range})");
        return Ok(());
    }
    Err(Error::Verdict(format!(
        "CONTRIBUTING.md describes commit messages. Of {range}:\n{}",
        wrong.join("\n")
    )))
}

/// The commits that are checked.
#[derive(Debug, PartialEq, Eq)]
enum Range {
    /// The commits of HEAD that this branch does not have.
    Since(String),
    /// This many of the last ones.
    Last(usize),
}

impl Range {
    /// Selects the commits that the upstream branch does not have; without an upstream, the commits that `origin/main`
    /// does not have; without either, the last [`LAST`]. If no commit is new, it selects the last one alone.
    fn new(root: &Path) -> Result<Self, Error> {
        let head = git(root, &["rev-parse", "--symbolic-full-name", "HEAD"])?;
        let upstream = git(root, &["for-each-ref", "--format=%(upstream)", head.trim()])?;
        for base in [upstream.trim(), "refs/remotes/origin/main"] {
            // The list is empty, without an error, where there is no such branch.
            if base.is_empty() || git(root, &["for-each-ref", base])?.is_empty() {
                continue;
            }
            let since = Self::Since(base.to_owned());
            let nothing = git(root, &since.arguments())?.is_empty();
            return Ok(if nothing { Self::Last(1) } else { since });
        }
        Ok(Self::Last(LAST))
    }

    /// Returns the arguments with which git lists the commits.
    fn arguments(&self) -> Vec<String> {
        let which = match self {
            Self::Since(base) => vec![format!("{base}..HEAD")],
            Self::Last(count) => vec![format!("--max-count={count}"), "HEAD".to_owned()],
        };
        let list = ["rev-list", "--no-merges"].map(str::to_owned);
        list.into_iter().chain(which).collect()
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Since(base) => write!(f, "{base}..HEAD, without merges"),
            Self::Last(count) => write!(f, "the last {count} of HEAD, without merges"),
        }
    }
}

/// Checks a message: a short subject, an empty line, and a body with the reason.
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
        return Err("there is no body with the reason".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn messages_have_a_subject_and_a_reason() {
        assert_eq!(check("layouts: keep a stick\n\nIt was lost.\n"), Ok(()));
        for (message, reason) in [
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
            let refusal = check(message).expect_err(message);
            assert!(refusal.contains(reason), "{message:?}: {refusal}");
        }
    }

    #[test]
    fn new_commits_are_those_that_a_branch_lacks() -> Result<(), Error> {
        let name = format!("spyre-xtask-commits-{}", std::process::id());
        let root = std::env::temp_dir().join(name);
        fs::create_dir_all(&root).map_err(Error::io(&root))?;
        let run = |words: &str| git(&root, &words.split(' ').collect::<Vec<_>>());
        let count = || Ok::<_, Error>(git(&root, &Range::new(&root)?.arguments())?.lines().count());
        let commit =
            "-c user.name=x -c user.email=x -c commit.gpgsign=false commit --allow-empty -m a:";
        run("init --quiet --initial-branch=main")?;
        assert!(Range::new(&root).is_err(), "there is no commit");
        for _ in 0..LAST + 5 {
            run(commit)?;
        }
        assert_eq!(Range::new(&root)?, Range::Last(LAST));
        assert_eq!(count()?, LAST);
        run("update-ref refs/remotes/origin/main HEAD~3")?;
        assert_eq!(count()?, 3);
        run("branch base HEAD~2")?;
        run("branch --quiet --set-upstream-to=base")?;
        assert_eq!(
            Range::new(&root)?,
            Range::Since("refs/heads/base".to_owned())
        );
        assert_eq!(count()?, 2);
        run("checkout --quiet --detach")?;
        assert_eq!(count()?, 3);
        run("update-ref refs/remotes/origin/main HEAD")?;
        assert_eq!(Range::new(&root)?, Range::Last(1));
        fs::remove_dir_all(&root).map_err(Error::io(&root))
    }
}
