//! What ran when, for a viewer.

use std::io;

use serde::Serialize;
use spyre_layout::Bytes;

/// What one core did in one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The operation function.
    pub function: String,
    /// Its file.
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

/// Events in the order of their clocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    pub(crate) events: Vec<TraceEvent>,
}

/// An event of the Chrome trace format: complete (`X`), one unit long.
#[derive(Serialize)]
struct ChromeEvent<'e> {
    name: &'e str,
    ph: &'static str,
    ts: u64,
    dur: u64,
    pid: u32,
    tid: u16,
    args: Args<'e>,
}

#[derive(Serialize)]
struct Args<'e> {
    file: &'e str,
    iteration: &'e [i64],
    hbm_read: u64,
    hbm_written: u64,
    lx_read: u64,
    lx_written: u64,
}

impl Trace {
    /// The events.
    #[must_use]
    pub fn events(&self) -> &[TraceEvent] {
        &self.events
    }

    /// Writes the events as a JSON array in the Chrome trace format: a row per core, a unit of time per execution.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_chrome(&self, writer: impl io::Write) -> io::Result<()> {
        let events = self.events.iter().map(|event| ChromeEvent {
            name: &event.function,
            ph: "X",
            ts: event.clock,
            dur: 1,
            pid: 0,
            tid: event.core,
            args: Args {
                file: &event.file,
                iteration: &event.iteration,
                hbm_read: event.hbm_read.get(),
                hbm_written: event.hbm_written.get(),
                lx_read: event.lx_read.get(),
                lx_written: event.lx_written.get(),
            },
        });
        serde_json::to_writer(writer, &events.collect::<Vec<_>>()).map_err(io::Error::from)
    }
}
