//! Runs programs.

use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Error;

/// Prints the command and runs it. Its output goes where the output of this process goes.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(command: &mut Command) -> Result<(), Error> {
    println!("$ {}", line(command));
    let status = command.status().map_err(start_error(command))?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::Failed {
            command: line(command),
            status,
            stderr: String::new(),
        })
    }
}

/// Runs the command and returns its standard output.
///
/// # Errors
/// When it cannot be started or fails; the error carries its standard error.
pub fn output(command: &mut Command) -> Result<String, Error> {
    let output = successful(command)?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs the command and returns its standard error.
///
/// # Errors
/// The errors of [`output`].
pub fn errors(command: &mut Command) -> Result<String, Error> {
    let output = successful(command)?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn successful(command: &mut Command) -> Result<Output, Error> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(start_error(command))?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(Error::Failed {
            command: line(command),
            status: output.status,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }
}

/// The outcome of a program that had a time limit.
#[derive(Debug)]
pub struct Finished {
    /// The exit status; `None` when the time was up.
    pub status: Option<ExitStatus>,
    /// The standard output.
    pub stdout: Vec<u8>,
    /// The standard error.
    pub stderr: Vec<u8>,
}

impl Finished {
    /// Returns whether it ended by itself with exit code 0.
    pub fn success(&self) -> bool {
        self.status.is_some_and(|s| s.success())
    }

    /// Returns its standard error as text.
    pub fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Runs the command with `stdin` as its input for at most `limit`.
///
/// # Errors
/// When it cannot be started or waited for. A failure of the program is not an error here.
pub fn limited(
    command: &mut Command,
    stdin: Option<&[u8]>,
    limit: Duration,
) -> Result<Finished, Error> {
    command.stdin(if stdin.is_some() {
        Stdio::piped()
    } else {
        Stdio::null()
    });
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start_error(command))?;
    let (input, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        if let (Some(mut pipe), Some(bytes)) = (input, stdin) {
            // A program may stop reading its input; its exit status decides.
            scope.spawn(move || drop(io::Write::write_all(&mut pipe, bytes)));
        }
        let out = scope.spawn(|| drain(out));
        let err = scope.spawn(|| drain(err));
        let status = wait(&mut child, limit).map_err(start_error(command))?;
        Ok(Finished {
            status,
            stdout: out.join().unwrap_or_default(),
            stderr: err.join().unwrap_or_default(),
        })
    })
}

/// Calls `work` on every item, on two threads, and returns the results in order.
pub fn parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(items.len()));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { return };
                    let result = work(item);
                    results
                        .lock()
                        .unwrap_or_else(|e| e.into_inner())
                        .push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Returns the command as one would type it: the program by its name alone, words with blanks in quotes.
pub fn line(command: &Command) -> String {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or(command.get_program());
    let words = std::iter::once(program)
        .chain(command.get_args())
        .map(|word| {
            let word = word.to_string_lossy();
            let plain = |c: char| c.is_alphanumeric() || "-_=./,:+@%".contains(c);
            if !word.is_empty() && word.chars().all(plain) {
                word.into_owned()
            } else {
                format!("'{word}'")
            }
        });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns a function for `map_err` on the start of a command.
pub fn start_error(command: &Command) -> impl FnOnce(io::Error) -> Error + use<> {
    let program = command.get_program().to_string_lossy().into_owned();
    move |source| Error::Start { program, source }
}

fn drain(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // Bytes that were read before an error are kept: they are only shown or compared.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() >= limit {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_and_output_of_any_size() {
        let bytes = vec![b'x'; 1 << 20];
        let finished = limited(
            &mut Command::new("cat"),
            Some(&bytes),
            Duration::from_secs(60),
        )
        .unwrap();
        assert!(finished.success());
        assert_eq!(finished.stdout, bytes);
        // A program that does not read its input must not hang us.
        let finished = limited(
            &mut Command::new("true"),
            Some(&bytes),
            Duration::from_secs(60),
        )
        .unwrap();
        assert!(finished.success());
    }

    #[test]
    fn the_time_is_limited() {
        let finished = limited(
            Command::new("sleep").arg("60"),
            None,
            Duration::from_millis(100),
        )
        .unwrap();
        assert!(finished.status.is_none());
        assert!(!finished.success());
    }

    #[test]
    fn failures_are_errors() {
        let error = output(Command::new("sh").args(["-c", "echo why >&2; exit 3"]))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("exit status: 3") && error.contains("why"),
            "{error}"
        );
        assert!(matches!(
            output(&mut Command::new("no-such-program-of-ours")),
            Err(Error::Start { .. })
        ));
    }

    #[test]
    fn parallel_keeps_the_order() {
        let items: Vec<u32> = (0..100).collect();
        assert_eq!(
            parallel(&items, |n| n * 2),
            items.iter().map(|n| n * 2).collect::<Vec<_>>()
        );
        assert_eq!(parallel(&[] as &[u32], |n| *n), []);
    }

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("/usr/bin/prog");
        command.args(["--a=b", "two words", ""]);
        assert_eq!(line(&command), "prog --a=b 'two words' ''");
    }
}
