//! The order of executions and iterations, for a viewer.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

use serde::{Serialize, Serializer as _};
use spyre_bundle_files::Place;
use spyre_layout::Bytes;

/// The part of one core in one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The operation function.
    pub function: String,
    /// The file.
    pub file: String,
    /// The core.
    pub core: u16,
    /// The induction variables of the loops around it, outermost first.
    pub iteration: Vec<i64>,
    /// The number of the execution: the order, and not a time.
    pub clock: u64,
    /// Bytes read from device memory.
    pub hbm_read: Bytes,
    /// Bytes written to device memory.
    pub hbm_written: Bytes,
    /// Bytes read from the scratchpad.
    pub lx_read: Bytes,
    /// Bytes written to the scratchpad.
    pub lx_written: Bytes,
}

/// An iteration of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterationEvent {
    /// The place of the loop in `bundle.mlir`.
    pub place: Place,
    /// The induction variables of the loops around the event and of its iteration, outermost first.
    pub iteration: Vec<i64>,
    /// The number of the first execution in it.
    pub start: u64,
    /// The number of the first execution after it.
    pub end: u64,
}

/// Events in the order of their clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    pub(crate) events: Vec<TraceEvent>,
    pub(crate) iterations: Vec<IterationEvent>,
}

/// Units of the viewer's clock for an execution: a quarter for its reads, and one for its writes.
const UNIT: u64 = 4;

/// Rows of the viewer, in groups that it calls processes.
const CORES: u32 = 0;
const LOOPS: u32 = 1;

/// An event of the Chrome trace format.
#[derive(Serialize)]
struct ChromeEvent<'e> {
    name: Cow<'e, str>,
    /// `X`: with a start and a duration. `M`: the name of a row.
    ph: &'static str,
    ts: u64,
    dur: u64,
    pid: u32,
    tid: u64,
    args: Args<'e>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Args<'e> {
    Execution {
        file: &'e str,
        iteration: &'e [i64],
        hbm_read: u64,
        hbm_written: u64,
        lx_read: u64,
        lx_written: u64,
    },
    Transfer {
        bytes: u64,
    },
    Iteration {
        iteration: &'e [i64],
    },
    Name {
        name: String,
    },
}

impl Trace {
    /// Returns the events of the cores.
    #[must_use]
    pub fn events(&self) -> &[TraceEvent] {
        &self.events
    }

    /// The iterations of loops, in the order of their ends.
    #[must_use]
    pub fn iterations(&self) -> &[IterationEvent] {
        &self.iterations
    }

    /// Writes the events as a JSON array in the Chrome trace format: a row for each core, with executions and the
    /// traffic of each, and a row for each depth of loops, with iterations. All executions have the same length, since
    /// the clock only gives their order.
    ///
    /// # Errors
    /// Errors of the writer.
    pub fn write_chrome(&self, writer: impl io::Write) -> io::Result<()> {
        let mut serializer = serde_json::Serializer::new(writer);
        let cores: BTreeSet<u64> = self.events.iter().map(|event| event.core.into()).collect();
        let depths: BTreeSet<u64> = self.iterations.iter().map(IterationEvent::depth).collect();
        let names = [("process_name", CORES, 0, "cores".to_owned())]
            .into_iter()
            .chain([("process_name", LOOPS, 0, "loops".to_owned())])
            .chain(
                cores
                    .into_iter()
                    .map(|core| ("thread_name", CORES, core, format!("core {core}"))),
            )
            .chain(
                depths
                    .into_iter()
                    .map(|depth| ("thread_name", LOOPS, depth, format!("depth {depth}"))),
            )
            .map(|(what, pid, tid, name)| ChromeEvent {
                name: what.into(),
                ph: "M",
                ts: 0,
                dur: 0,
                pid,
                tid,
                args: Args::Name { name },
            });
        let iterations = self.iterations.iter().map(IterationEvent::chrome);
        let events = self.events.iter().flat_map(TraceEvent::chrome);
        serializer
            .collect_seq(names.chain(iterations).chain(events))
            .map_err(io::Error::from)
    }
}

impl IterationEvent {
    /// Loops around the iteration, its loop included.
    fn depth(&self) -> u64 {
        self.iteration.len() as u64
    }

    fn chrome(&self) -> ChromeEvent<'_> {
        let value = self
            .iteration
            .last()
            .expect("a loop has an induction variable");
        ChromeEvent {
            name: format!("{value} (bundle.mlir:{})", self.place).into(),
            ph: "X",
            ts: self.start * UNIT,
            dur: (self.end - self.start) * UNIT,
            pid: LOOPS,
            tid: self.depth(),
            args: Args::Iteration {
                iteration: &self.iteration,
            },
        }
    }
}

impl TraceEvent {
    /// The execution, and in it the transfers.
    fn chrome(&self) -> impl Iterator<Item = ChromeEvent<'_>> {
        let event = |name: &'static str, at: u64, bytes: u64| {
            (bytes > 0).then(|| ChromeEvent {
                name: name.into(),
                ph: "X",
                ts: self.clock * UNIT + at,
                dur: 1,
                pid: CORES,
                tid: self.core.into(),
                args: Args::Transfer { bytes },
            })
        };
        let execution = ChromeEvent {
            name: self.function.as_str().into(),
            ph: "X",
            ts: self.clock * UNIT,
            dur: UNIT,
            pid: CORES,
            tid: self.core.into(),
            args: Args::Execution {
                file: &self.file,
                iteration: &self.iteration,
                hbm_read: self.hbm_read.get(),
                hbm_written: self.hbm_written.get(),
                lx_read: self.lx_read.get(),
                lx_written: self.lx_written.get(),
            },
        };
        let from = event("from HBM", 0, self.hbm_read.get());
        let to = event("to HBM", UNIT - 1, self.hbm_written.get());
        std::iter::once(execution).chain(from).chain(to)
    }
}
