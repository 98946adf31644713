//! A row of the table of models, and the outputs that it is read from.

use std::fmt;
use std::time::Duration;

use spyre_checkout::project::Profile;

/// The costs of one program, and whether the card has the results of the CPU.
#[derive(Debug)]
pub(crate) struct Row {
    /// The program.
    pub name: String,
    /// The time from the text of the program to the checked files of the bundle. `None` if it was refused.
    pub compile: Option<Duration>,
    /// The counts of the simulated card. `None` if the bundle did not run to its end.
    pub traffic: Option<Traffic>,
    /// Whether results agree.
    pub check: Check,
}

/// The counts of the simulated card.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Traffic {
    /// Number of executions of operations.
    pub executions: u64,
    /// Bytes of device memory that were read and written; bytes that several cores read at once count once.
    pub distinct: u64,
    /// Modelled time of all executions, in microseconds.
    pub microseconds: f64,
    /// Largest number of bytes that were in a scratchpad at a time.
    pub peak: u64,
}

/// The outcome of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Check {
    /// The card and the CPU agree.
    Same,
    /// There is no bundle, for this reason.
    Refused(String),
    /// The card reports a fault or has other results.
    Differs(String),
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => f.write_str("equal"),
            Self::Refused(reason) => write!(f, "refused: {reason}"),
            Self::Differs(what) => write!(f, "differs: {what}"),
        }
    }
}

impl Traffic {
    /// Reads the output of `spyre-run --stats` for a bundle. `None` if it lacks the executions, the bytes or the time.
    pub(crate) fn parse(stats: &str) -> Option<Self> {
        let line = |start: &str| stats.lines().find_map(|line| line.strip_prefix(start));
        let number = |text: &str| text.split_whitespace().next()?.parse::<u64>().ok();
        let bytes = line("HBM distinct: ")?;
        let time = line("modelled time: ")?.strip_suffix(" us")?;
        Some(Self {
            executions: number(line("executions: ")?)?,
            distinct: number(bytes)?.checked_add(number(bytes.split_once(", ")?.1)?)?,
            microseconds: time.parse().ok()?,
            // A bundle without tensors in scratchpads has no such line.
            peak: match line("LX peak: ") {
                Some(peak) => number(peak)?,
                None => 0,
            },
        })
    }
}

/// Returns how far elements may be apart, in units in the last place. `gelufwd` has another `erf` on the card than on
/// the CPU. Operations after it make the difference larger where elements are near 0.
pub(crate) fn tolerance(program: &str) -> &'static str {
    if program.contains("spyre.gelufwd") {
        "64"
    } else {
        "0"
    }
}

/// Returns the message of the first error, without the place.
pub(crate) fn first_error(stderr: &str) -> String {
    let message = stderr.lines().find_map(|line| line.split_once("error: "));
    message.map_or_else(
        || "no error message, or the time was up".into(),
        |(_, text)| cell(text),
    )
}

/// Returns the first fault or result that differs.
pub(crate) fn first_difference(report: &str) -> String {
    let told = |line: &&str| {
        line.contains("error: ") || (line.contains("elements differ") && !line.contains(": 0 of "))
    };
    match report.lines().find(told) {
        Some(line) => cell(line),
        None => "no message, or the time was up".into(),
    }
}

/// Returns the text in a form that may stand in a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns the table in Markdown, and above it the build that the times are of.
pub(crate) fn table(profile: Profile, rows: &[Row]) -> String {
    let mut text = String::from(match profile {
        Profile::Release => "Times are those of the release build.\n\n",
        Profile::Debug => "Times are those of the development build.\n\n",
    });
    text.push_str(
        "| program | compile, s | executions | HBM, distinct bytes | modelled time, us | LX peak, bytes | against the CPU |\n\
         |---|---:|---:|---:|---:|---:|---|\n",
    );
    for row in rows {
        let compile = row.compile.map(|time| format!("{:.2}", time.as_secs_f64()));
        let counts = row.traffic.map(|traffic| {
            [
                grouped(traffic.executions),
                grouped(traffic.distinct),
                format!("{:.1}", traffic.microseconds),
                grouped(traffic.peak),
            ]
        });
        let mut cells = vec![
            format!("[{0}](../examples/models/{0}.mlir)", row.name),
            compile.unwrap_or_else(|| "-".into()),
        ];
        match counts {
            Some(counts) => cells.extend(counts),
            None => cells.extend(["-"; 4].map(str::to_owned)),
        }
        cells.push(row.check.to_string());
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// Returns a number with a comma before every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATS: &str = "compile @f: 1.2s\n\
        simulate: 589.858ms\n\
        executions: 23 in 4 iterations of loops\n\
        HBM: 26087424 bytes read, 983040 bytes written\n\
        HBM distinct: 2608742 bytes read, 983040 bytes written, what cores share once\n\
        modelled time: 119.792 us\n\
        LX: 2359296 bytes read, 1835008 bytes written, all cores together\n";

    #[test]
    fn statistics_are_read() {
        let traffic = Traffic {
            executions: 23,
            distinct: 2_608_742 + 983_040,
            microseconds: 119.792,
            peak: 0,
        };
        assert_eq!(Traffic::parse(STATS), Some(traffic));
        let with_peak =
            format!("{STATS}LX peak: 20480 bytes on core 31; 32 cores have tensors in LX\n");
        let peak = 20_480;
        assert_eq!(
            Traffic::parse(&with_peak),
            Some(Traffic { peak, ..traffic })
        );
        assert_eq!(Traffic::parse("compile @f: 1.2s\n"), None);
    }

    #[test]
    fn reasons_are_short() {
        let stderr = "a.mlir:3:1: remark: b\na.mlir:4:9: error: c: d | e\n  %x\n";
        assert_eq!(first_error(stderr), "c: d \\| e");
        let report =
            "result 0: 0 of 8 elements differ\nresult 1: 3 of 8 elements differ; first at [0]\n";
        assert_eq!(
            first_difference(report),
            "result 1: 3 of 8 elements differ; first at [0]"
        );
    }

    #[test]
    fn rows_of_the_table() {
        let refused = Row {
            name: "a".into(),
            compile: None,
            traffic: None,
            check: Check::Refused("why".into()),
        };
        let same = Row {
            name: "b".into(),
            compile: Some(Duration::from_millis(1234)),
            traffic: Traffic::parse(STATS),
            check: Check::Same,
        };
        let text = table(Profile::Debug, &[refused, same]);
        assert!(text.starts_with("Times are those of the development build.\n\n| program |"));
        let rows: Vec<&str> = text.lines().skip(4).collect();
        assert_eq!(
            rows,
            [
                "| [a](../examples/models/a.mlir) | - | - | - | - | - | refused: why |",
                "| [b](../examples/models/b.mlir) | 1.23 | 23 | 3,591,782 | 119.8 | 0 | equal |",
            ]
        );
    }
}
