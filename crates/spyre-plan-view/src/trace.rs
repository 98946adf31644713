//! The timeline of a plan, for a viewer of traces.
//!
//! The executions of an operation are equally long, and follow one another in the order of the loops; an iteration begins with the
//! time of the loop itself. That is the time that a plan models. Rows are as in a trace of `spyre-run`: cores, here a row for each class of them, and loops, a row for each depth. Device
//! memory has a row with the bytes of each execution, and each class of cores a counter of the bytes that values take in the
//! scratchpad. A loop with too many iterations has its first ones, and one slice for the rest.

mod chrome;

use std::collections::BTreeSet;
use std::ops::Range;

use spyre_layout_view::Svg;

use crate::facts::{Function, Loop, Operation, Plan, Role, Space, Value};
use chrome::{Args, Event, Row, Time};

/// The most executions in the trace of a function.
const EXECUTIONS: u128 = 20_000;
/// The most executions of a function in the link of a page, which readers load with the page.
const LINKED: u128 = 200;

/// Returns the timeline of a plan as JSON in the Chrome trace event format, an event on each line. Times are in microseconds.
#[must_use]
pub fn trace(plan: &Plan) -> String {
    shortened(plan, EXECUTIONS)
}

/// Returns the timeline with at most `executions` of each function, where loops of one iteration do not have more.
pub(crate) fn shortened(plan: &Plan, executions: u128) -> String {
    let functions = plan.functions.iter().enumerate();
    let events = functions.flat_map(|(number, function)| {
        let mut timeline = Timeline::new(function, number, executions);
        timeline.names();
        timeline.steps(0..function.operations.len(), 0);
        timeline.end();
        timeline.events
    });
    chrome::array(events)
}

/// Writes a link that downloads the timeline: the page has it in the link, so that it needs no scripts and no server.
pub(crate) fn link(html: &mut Svg, plan: &Plan) {
    let events = shortened(plan, LINKED);
    let encoded = [("%", "%25"), ("#", "%23"), ("\"", "%22"), ("\n", "%0A")];
    let encoded = encoded.iter();
    let data = encoded.fold(events, |text, (character, code)| {
        text.replace(character, code)
    });
    let source = format!("data:application/json,{data}");
    html.open("p", &[("class", &"trace")]);
    html.text(
        "a",
        &[("download", &"plan.trace.json"), ("href", &source)],
        "Perfetto trace",
    );
    let rest = match is_shortened(plan, LINKED) {
        true => "of the first iterations of each loop in modelled time, for ui.perfetto.dev",
        false => "of the modelled time, for ui.perfetto.dev",
    };
    html.text("span", &[], rest);
    html.close();
}

/// Returns whether the timeline of a plan with `executions` leaves out iterations of a loop.
pub(crate) fn is_shortened(plan: &Plan, executions: u128) -> bool {
    let mut functions = plan.functions.iter();
    functions.any(|function| {
        let most = shown_iterations(function, executions);
        function.loops.iter().any(|nest| nest.iterations > most)
    })
}

/// Cores that hold parts of the same values, and execute the same operations.
struct Class {
    cores: Range<u32>,
    /// The bytes that values take on each core, by step.
    taken: Vec<u64>,
    /// The last value of the counter.
    counted: u64,
}

/// The events of a function, up to a time.
struct Timeline<'f> {
    function: &'f Function,
    /// The number of the function in the plan.
    number: usize,
    classes: Vec<Class>,
    /// The most iterations that are shown of a loop.
    most: u64,
    /// The time of an iteration without its operations, in picoseconds.
    control: u128,
    /// The iterations of the loops around, outermost first.
    iteration: Vec<u64>,
    now: Time,
    events: Vec<Event<'f>>,
}

impl<'f> Timeline<'f> {
    fn new(function: &'f Function, number: usize, executions: u128) -> Self {
        Self {
            function,
            number,
            classes: classes(function),
            most: shown_iterations(function, executions),
            control: control_time(function),
            iteration: Vec::new(),
            now: Time::default(),
            events: Vec::new(),
        }
    }

    /// Names the rows.
    fn names(&mut self) {
        let name = &self.function.name;
        let mut names = vec![
            (self.row(Row::Cores, 0), true, format!("@{name}: cores")),
            (self.row(Row::Loops, 0), true, format!("@{name}: loops")),
            (
                self.row(Row::Memory, 0),
                true,
                format!("@{name}: device memory"),
            ),
            (self.row(Row::Memory, 0), false, "HBM".to_owned()),
        ];
        for class in &self.classes {
            let row = self.row(Row::Cores, u64::from(class.cores.start));
            names.push((row, false, class.name()));
        }
        let depths: BTreeSet<usize> = self.function.loops.iter().map(|nest| nest.depth).collect();
        for depth in depths {
            let row = self.row(Row::Loops, depth as u64);
            names.push((row, false, format!("depth {}", depth + 1)));
        }
        let events = names.into_iter();
        let events = events.map(|(row, is_group, name)| Event::name(row, is_group, name));
        self.events.extend(events);
    }

    /// Returns a row of the function: the number of its group, and its number there.
    fn row(&self, row: Row, number: u64) -> (usize, u64) {
        (self.number * Row::COUNT + row as usize, number)
    }

    /// Writes the executions of some steps, the loops at a depth among them.
    fn steps(&mut self, steps: Range<usize>, depth: usize) {
        let mut step = steps.start;
        while step < steps.end {
            let mut loops = self.function.loops.iter();
            let nest =
                loops.find(|nest| nest.depth == depth && nest.from == step && nest.to > step);
            match nest {
                Some(nest) => {
                    self.nest(nest);
                    step = nest.to;
                }
                None => {
                    self.execution(step);
                    step += 1;
                }
            }
        }
    }

    /// Writes a loop, and its iterations in it.
    fn nest(&mut self, nest: &'f Loop) {
        let row = self.row(Row::Loops, nest.depth as u64);
        let name = format!("loop of {} ({})", nest.iterations, nest.location);
        let whole = self.begin(row, name, Args::None);
        let shown = nest.iterations.min(self.most);
        for iteration in 0..shown {
            self.iteration.push(iteration);
            let indices = Args::Iteration {
                iteration: self.iteration.clone(),
            };
            let name = format!("{iteration} ({})", nest.location);
            let part = self.begin(row, name, indices);
            self.now += self.control;
            self.steps(nest.from..nest.to, nest.depth + 1);
            self.finish(part);
            self.iteration.pop();
        }
        let left = nest.iterations - shown;
        if left > 0 {
            let name = format!("{shown} to {} ({})", nest.iterations - 1, nest.location);
            let rest = self.begin(row, name, Args::None);
            self.now += self.iteration_time(nest) * u128::from(left);
            self.finish(rest);
        }
        self.finish(whole);
    }

    /// Returns the time of an iteration of a loop, in picoseconds.
    fn iteration_time(&self, nest: &Loop) -> u128 {
        let outer = iterations(self.function, nest);
        let operations = &self.function.operations[nest.from..nest.to];
        // The loop has an iteration, so no loop around it has none.
        let times = operations
            .iter()
            .map(|operation| u128::from(operation.picoseconds) / outer);
        let loops = self.function.loops.iter();
        let inner = loops.filter(|inner| {
            inner.depth > nest.depth && nest.from <= inner.from && inner.to <= nest.to
        });
        let inner: u128 = inner
            .map(|inner| iterations(self.function, inner) / outer)
            .sum();
        times.sum::<u128>() + self.control * (1 + inner)
    }

    /// Writes an execution: a slice on each class of cores with a part of it, and its transfers.
    fn execution(&mut self, step: usize) {
        let operation = &self.function.operations[step];
        let duration = execution_time(operation);
        let [read, written] = [Role::Read, Role::Write].map(|role| memory_traffic(operation, role));
        let cores: u32 = operation.split.iter().product();
        for class in 0..self.classes.len() {
            self.count(class, step);
            let start = self.classes[class].cores.start;
            if start < cores {
                let args = Args::Execution {
                    step,
                    location: &operation.location,
                    iteration: self.iteration.clone(),
                    hbm_read: read,
                    hbm_written: written,
                };
                let row = self.row(Row::Cores, u64::from(start));
                let span = (self.now, self.now + duration);
                self.events
                    .push(Event::slice(row, &operation.name, span, args));
            }
        }
        let end = self.now + duration;
        let (reading, writing) = self.transfer_times(read, written, duration);
        let spans = [
            ("from HBM", read, (self.now, self.now + reading)),
            ("to HBM", written, (Time(end.0 - writing), end)),
        ];
        for (name, bytes, span) in spans.into_iter().filter(|(_, bytes, _)| *bytes > 0) {
            let row = self.row(Row::Memory, 0);
            let args = Args::Bytes { bytes };
            self.events.push(Event::slice(row, name, span, args));
        }
        self.now = end;
    }

    /// Returns the times of the reads and the writes of an execution, in picoseconds: each byte at the rate of the compulsory bytes,
    /// and both together within the execution. The model has no place for them in the execution: reads begin it and writes end
    /// it.
    fn transfer_times(&self, read: u128, written: u128, duration: u128) -> (u128, u128) {
        let totals = &self.function.totals;
        let time = |bytes: u128| {
            let whole = bytes * u128::from(totals.memory_picoseconds);
            whole / totals.compulsory_bytes.max(1)
        };
        let (reading, writing) = (time(read), time(written));
        match reading + writing > duration {
            false => (reading, writing),
            true => {
                let reading = duration * reading / (reading + writing);
                (reading, duration - reading)
            }
        }
    }

    /// Writes the counter of a class before a step, where it changes.
    fn count(&mut self, class: usize, step: usize) {
        let taken = self.classes[class].taken[step];
        self.set_counter(class, taken);
    }

    fn set_counter(&mut self, class: usize, bytes: u64) {
        let row = self.row(Row::Cores, 0);
        let class = &mut self.classes[class];
        if class.counted != bytes {
            class.counted = bytes;
            let name = format!("LX of {}", class.name());
            self.events.push(Event::counter(row, name, self.now, bytes));
        }
    }

    /// Ends the counters.
    fn end(&mut self) {
        for class in 0..self.classes.len() {
            self.set_counter(class, 0);
        }
    }

    /// Writes a slice with an open end, before the slices in it, and returns its number.
    fn begin(&mut self, row: (usize, u64), name: String, args: Args<'f>) -> usize {
        let span = (self.now, self.now);
        self.events.push(Event::slice(row, name, span, args));
        self.events.len() - 1
    }

    /// Ends a slice now.
    fn finish(&mut self, slice: usize) {
        self.events[slice].end(self.now);
    }
}

impl Class {
    fn name(&self) -> String {
        match self.cores.len() {
            1 => format!("core {}", self.cores.start),
            _ => format!("cores {} to {}", self.cores.start, self.cores.end - 1),
        }
    }
}

/// Returns the classes of cores: ranges that have parts of the same values, and of the same operations.
fn classes(function: &Function) -> Vec<Class> {
    let values = || {
        function
            .values
            .iter()
            .filter(|value| value.space == Space::Lx)
    };
    let operations = function.operations.iter();
    let mut ends: BTreeSet<u32> = operations
        .map(|operation| operation.split.iter().product())
        .collect();
    ends.extend(values().map(|value| value.cores));
    ends.insert(function.target.cores);
    ends.remove(&0);
    let mut start = 0;
    let mut classes = Vec::new();
    for end in ends {
        let here: Vec<&Value> = values().filter(|value| value.cores > start).collect();
        let steps = 0..function.operations.len();
        classes.push(Class {
            cores: start..end,
            taken: steps.map(|step| scratchpad_bytes(&here, step)).collect(),
            counted: 0,
        });
        start = end;
    }
    classes
}

/// Returns the bytes of a scratchpad that values take at a step. A value that is written over another takes the same bytes.
fn scratchpad_bytes(values: &[&Value], step: usize) -> u64 {
    let mut spans: Vec<(u64, u64)> = values
        .iter()
        .filter(|value| (value.from..value.to).contains(&step))
        .map(|value| (value.address.get(), value.address.get() + value.bytes.get()))
        .collect();
    spans.sort_unstable();
    let (mut bytes, mut end) = (0, 0);
    for (from, to) in spans {
        bytes += to.max(end) - from.max(end);
        end = end.max(to);
    }
    bytes
}

/// Returns the bytes of device memory that an execution reads or writes; bytes that several cores read count once.
fn memory_traffic(operation: &Operation, role: Role) -> u128 {
    let tensors = operation.tensors.iter();
    let in_memory = tensors.filter(|tensor| tensor.role == role && tensor.space != Space::Lx);
    in_memory.map(|tensor| u128::from(tensor.bytes.get())).sum()
}

/// Returns the time of an execution, in picoseconds.
fn execution_time(operation: &Operation) -> u128 {
    u128::from(operation.picoseconds) / u128::from(operation.executions.max(1))
}

/// Returns the time of an iteration of a loop without its operations, in picoseconds: the modelled time has the same one for each.
fn control_time(function: &Function) -> u128 {
    let times = function.operations.iter();
    let operations: u128 = times
        .map(|operation| u128::from(operation.picoseconds))
        .sum();
    let iterations = function.loops.iter().map(|nest| iterations(function, nest));
    let iterations = iterations.fold(0, u128::saturating_add);
    // A modelled time ends at the largest number of 64 bits, and a sum of 128 bits does not.
    let rest = u128::from(function.totals.picoseconds).saturating_sub(operations);
    rest.checked_div(iterations).unwrap_or_default()
}

/// Returns the iterations of a loop, loops around it multiplied out.
fn iterations(function: &Function, nest: &Loop) -> u128 {
    let loops = function.loops.iter();
    let around = loops.filter(|outer| {
        outer.depth <= nest.depth && outer.from <= nest.from && nest.to <= outer.to
    });
    product(around.map(|outer| u128::from(outer.iterations)))
}

/// Returns the loops around a step.
fn around(function: &Function, step: usize) -> impl Iterator<Item = &Loop> {
    let loops = function.loops.iter();
    loops.filter(move |nest| (nest.from..nest.to).contains(&step))
}

/// Returns the executions that are shown, with at most `most` iterations of each loop.
fn shown_executions(function: &Function, most: u64) -> u128 {
    let steps = 0..function.operations.len();
    let executions = steps.map(|step| {
        let iterations = around(function, step).map(|nest| u128::from(nest.iterations.min(most)));
        product(iterations)
    });
    executions.fold(0, u128::saturating_add)
}

/// Returns a product, or the largest number if it is larger: trip counts are numbers of the program.
fn product(factors: impl Iterator<Item = u128>) -> u128 {
    factors.fold(1, u128::saturating_mul)
}

/// Returns the most iterations of a loop that are shown, so that at most `executions` are; 1 if even one iteration has more.
fn shown_iterations(function: &Function, executions: u128) -> u64 {
    let iterations = function.loops.iter().map(|nest| nest.iterations);
    let mut most = iterations.max().unwrap_or(1).max(1);
    while most > 1 && shown_executions(function, most) > executions {
        most /= 2;
    }
    most
}

#[cfg(test)]
mod tests;
