//! Events of the Chrome trace event format.

use std::borrow::Cow;
use std::ops::{Add, AddAssign};

use serde::Serialize;

/// A time since the start of the function, in picoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Time(pub(super) u128);

impl Time {
    /// Returns whole nanoseconds.
    const fn nanoseconds(self) -> u128 {
        self.0 / 1000
    }
}

impl Add<u128> for Time {
    type Output = Self;

    fn add(self, picoseconds: u128) -> Self {
        Self(self.0 + picoseconds)
    }
}

impl AddAssign<u128> for Time {
    fn add_assign(&mut self, picoseconds: u128) {
        self.0 += picoseconds;
    }
}

/// The groups of rows of a function, which the viewer calls processes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row {
    Cores,
    Loops,
    Memory,
}

impl Row {
    /// The number of groups of a function.
    pub(super) const COUNT: usize = 3;
}

/// An event: a slice (`X`), a counter (`C`), or the name of a row (`M`).
#[derive(Debug, Serialize)]
pub(super) struct Event<'e> {
    name: Cow<'e, str>,
    ph: &'static str,
    /// Microseconds.
    ts: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<f64>,
    pid: usize,
    tid: u64,
    #[serde(skip_serializing_if = "Args::is_none")]
    args: Args<'e>,
    #[serde(skip)]
    start: Time,
}

/// The facts of an event.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Args<'e> {
    None,
    Execution {
        step: usize,
        location: &'e str,
        iteration: Vec<u64>,
        hbm_read: u128,
        hbm_written: u128,
    },
    Bytes {
        bytes: u128,
    },
    Iteration {
        iteration: Vec<u64>,
    },
    Name {
        name: String,
    },
}

impl Args<'_> {
    const fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

impl<'e> Event<'e> {
    /// Returns the name of a row, or of its group.
    pub(super) fn name((pid, tid): (usize, u64), is_group: bool, name: String) -> Self {
        Self {
            name: (if is_group {
                "process_name"
            } else {
                "thread_name"
            })
            .into(),
            ph: "M",
            ts: 0.0,
            dur: None,
            pid,
            tid,
            args: Args::Name { name },
            start: Time::default(),
        }
    }

    /// Returns a slice of a row.
    pub(super) fn slice(
        (pid, tid): (usize, u64),
        name: impl Into<Cow<'e, str>>,
        (start, end): (Time, Time),
        args: Args<'e>,
    ) -> Self {
        let mut slice = Self {
            name: name.into(),
            ph: "X",
            ts: microseconds(start.nanoseconds()),
            dur: None,
            pid,
            tid,
            args,
            start,
        };
        slice.end(end);
        slice
    }

    /// Returns a change of a counter of bytes.
    pub(super) fn counter((pid, tid): (usize, u64), name: String, at: Time, bytes: u64) -> Self {
        Self {
            name: name.into(),
            ph: "C",
            ts: microseconds(at.nanoseconds()),
            dur: None,
            pid,
            tid,
            args: Args::Bytes {
                bytes: bytes.into(),
            },
            start: at,
        }
    }

    /// Ends a slice.
    pub(super) fn end(&mut self, end: Time) {
        // The viewer has whole nanoseconds. A duration that is rounded by itself would end after the slice around it.
        let duration = end.nanoseconds() - self.start.nanoseconds();
        self.dur = Some(microseconds(duration));
    }
}

/// Returns nanoseconds in microseconds.
#[expect(clippy::cast_precision_loss, reason = "2^53 nanoseconds are 104 days")]
fn microseconds(nanoseconds: u128) -> f64 {
    nanoseconds as f64 / 1000.0
}

/// Returns events as a JSON array, an event on each line.
pub(super) fn array<'e>(events: impl Iterator<Item = Event<'e>>) -> String {
    let lines: Vec<String> = events
        .map(|event| serde_json::to_string(&event).expect("numbers and strings are JSON"))
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}
