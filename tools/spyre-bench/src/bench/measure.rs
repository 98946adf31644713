//! Time and memory of one run of a program.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use spyre_checkout::error::Error;
use spyre_checkout::process;

/// The cost of one run, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    /// User and system time, in seconds.
    pub cpu: f64,
    /// Elapsed time, in seconds.
    pub wall: f64,
}

impl Cost {
    /// Returns the user and system time, in seconds.
    pub(crate) fn cpu(&self) -> f64 {
        self.cpu
    }

    /// Returns the elapsed time, in seconds.
    pub(crate) fn wall(&self) -> f64 {
        self.wall
    }

    /// Returns the smaller of each time.
    pub(crate) fn min(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.min(other.cpu),
            wall: self.wall.min(other.wall),
        }
    }
}

/// Runs `command` with its output thrown away. Returns the most bytes that it had in memory, with the bytes of mapped
/// files.
///
/// Linux reports the maximum so far (`VmHWM`), which is read until the program ends: an increase in its last
/// millisecond is missed.
///
/// # Errors
/// When the command fails.
pub(crate) fn peak(command: &mut Command) -> Result<usize, Error> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    command.stderr(Stdio::null());
    let start = process::start_error(command);
    let mut child = command.spawn().map_err(start)?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut most = 0;
    let ended = loop {
        // The file does not exist after the program has ended.
        let text = fs::read_to_string(&status).unwrap_or_default();
        most = most.max(high_water(&text).unwrap_or(0));
        if let Some(ended) = child.try_wait().map_err(Error::io(&status))? {
            break ended;
        }
        thread::sleep(Duration::from_millis(1));
    };
    if ended.success() {
        return Ok(most);
    }
    Err(Error::Failed {
        command: process::line(command),
        status: ended,
        stderr: String::new(),
    })
}

/// Returns the bytes that a process had in memory at most, from its `status`.
fn high_water(status: &str) -> Option<usize> {
    let mut lines = status.lines();
    let kilobytes = lines.find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: usize = kilobytes.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

/// Runs `command` with its output thrown away.
///
/// Bash's `time` takes the times from the kernel with a resolution of 1 ms, which the standard library does not offer.
///
/// # Errors
/// When the command fails.
pub(crate) fn measure(command: &Command) -> Result<Cost, Error> {
    let mut timed = Command::new("bash");
    timed.args([
        "-c",
        "TIMEFORMAT='%3R %3U %3S'; time \"$@\" >/dev/null",
        "bash",
    ]);
    timed
        .arg(command.get_program())
        .args(command.get_args())
        .env("LC_ALL", "C");
    if let Some(directory) = command.get_current_dir() {
        timed.current_dir(directory);
    }
    let output = timed
        .stdin(Stdio::null())
        .output()
        .map_err(|source| Error::Start {
            program: "bash".into(),
            source,
        })?;
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(Error::Failed {
            command: process::line(command),
            status: output.status,
            stderr,
        });
    }
    stderr.lines().last().and_then(parse).ok_or_else(|| {
        Error::Verdict(format!(
            "bash's `time` printed {stderr:?} instead of three times"
        ))
    })
}

/// Runs `command` `runs` times, at least once, with its output thrown away, and returns the least of each time.
///
/// # Errors
/// When the command fails.
pub(crate) fn least(command: &Command, runs: usize) -> Result<Cost, Error> {
    let mut least = measure(command)?;
    for _ in 1..runs {
        least = least.min(measure(command)?);
    }
    Ok(least)
}

/// Reads `real user system`.
fn parse(line: &str) -> Option<Cost> {
    let times: Vec<f64> = line
        .split(' ')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    match times[..] {
        [wall, user, system] => Some(Cost {
            cpu: user + system,
            wall,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read() {
        let status = "VmPeak:\t  10 kB\nVmHWM:\t    1234 kB\n";
        assert_eq!(high_water(status), Some(1234 * 1024));
        assert_eq!(high_water("VmHWM:"), None);
    }

    #[test]
    fn times_are_read() {
        assert_eq!(
            parse("1.500 1.000 0.250"),
            Some(Cost {
                cpu: 1.25,
                wall: 1.5
            })
        );
        assert_eq!(parse("1.5 1.0"), None);
        assert_eq!(parse("warning: x y"), None);
    }

    #[test]
    fn sleeping_is_wall_time_only() {
        let cost = measure(Command::new("sleep").arg("0.2")).unwrap();
        assert!(cost.wall >= 0.2, "{cost:?}");
        assert!(cost.cpu < cost.wall, "{cost:?}");
    }

    #[test]
    fn failures_are_errors() {
        let error = measure(Command::new("sh").args(["-c", "echo why >&2; exit 1"]))
            .unwrap_err()
            .to_string();
        assert!(error.contains("why"), "{error}");
    }
}
