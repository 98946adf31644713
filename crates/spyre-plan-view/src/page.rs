//! A page that shows planned functions.
//!
//! It is one HTML file without scripts, which follows the light or dark scheme of the browser. It has the program as a graph at each
//! level. Of each function it has the loops over the steps, the operations over the modelled time, the scratchpad of each class of
//! cores over the steps, the values that are not in the scratchpad with the reasons, and each operation with its traffic, tile,
//! division, types and places. Cores are of one class where they hold parts of the same values. At the end are the layouts of tensors,
//! and at the start is a link to the timeline of the plan.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use spyre_layout_view::Svg;

use crate::facts::{
    Function, Level, Operation, Plan, Role, Space, TensorLayout, TensorTraffic, Value, ValueId,
};
use crate::graph::{NODES, draw};
use crate::trace;
use crate::units::{bytes, described, space, time, times};

/// The width of a step, in pixels, and the width of all steps if there are many.
const STEP: f64 = 26.0;
const WIDEST: f64 = 1600.0;
/// The heights of a row of loops and of the scratchpad, and the room for labels at the left.
const ROW: f64 = 18.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 110.0;
/// The widest bar of the table of operations.
const BAR: f64 = 160.0;
/// The most rows of a table; the number of further rows is printed.
const ROWS: usize = 2000;

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1b1b1f;--paper:#fff;--line:#e4e4e8;--node:#eef1f8;--source:#e6f2e6;--inner:#fbf3dc;--loop:#dfe6f5;--edge:#5b74ad;--outline:#333;--alarm:#b00020}
@media(prefers-color-scheme:dark){:root{--ink:#e6e6ea;--paper:#18181c;--line:#3a3a42;--node:#2a3142;--source:#25382a;--inner:#3a3424;--loop:#2b3550;--edge:#8fa6d8;--outline:#d8d8de;--alarm:#ff7a88}}
body{font:14px/1.45 system-ui,sans-serif;margin:2em;max-width:1800px;color:var(--ink);background:var(--paper)}
h1{font-size:1.4em}h2{font-size:1.2em;border-top:1px solid var(--line);padding-top:.8em}h3{font-size:1em}
table{border-collapse:collapse;margin:.6em 0}td,th{padding:.15em .7em;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
td.number,th.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
summary{cursor:pointer}:focus-visible{outline:2px solid var(--edge)}details td,details th{font-size:.92em}:target{outline:2px solid var(--edge)}
.chart{overflow:auto;max-height:700px}svg text{font:11px system-ui,sans-serif;fill:var(--ink)}pre{white-space:pre-wrap}
img{background:#fff}
.node{fill:var(--node);stroke:var(--edge)}.node.source{fill:var(--source)}.node.inner{fill:var(--inner)}.edge{fill:none;stroke:var(--edge);stroke-width:.8}
.loop{fill:var(--loop);stroke:#5b74ad}.value{stroke:var(--outline);stroke-width:.7;fill-opacity:.82}.value:hover{fill-opacity:1;stroke-width:2}
.axis{stroke:#888;stroke-width:.7}.capacity{stroke:var(--alarm);stroke-dasharray:4 3}.in-place{stroke:var(--alarm);stroke-width:1.6;fill:none}
.bar{fill:#7a96d0}.broadcast{fill:#d9b45b}";

/// Colours that are distinguishable in any order, also with red-green blindness.
const COLOURS: [&str; 8] = [
    "#88ccee", "#ddcc77", "#44aa99", "#cc6677", "#999933", "#aa88cc", "#bbbbbb", "#ee8866",
];

/// Returns a page that shows planned functions.
#[must_use]
pub fn page(plan: &Plan) -> String {
    let mut html = Svg::default();
    html.open("html", &[("lang", &"en")]);
    html.open("head", &[]);
    html.empty("meta", &[("charset", &"utf-8")]);
    html.text("title", &[], "Plan");
    html.text("style", &[], STYLE);
    html.close();
    html.open("body", &[]);
    html.text("h1", &[], "Plan");
    html.open("main", &[]);
    trace::link(&mut html, plan);
    for level in &plan.levels {
        level_section(&mut html, level);
    }
    for function in &plan.functions {
        Section { function }.write(&mut html);
    }
    layouts(&mut html, &plan.layouts);
    "<!DOCTYPE html>\n".to_owned() + &html.finish()
}

/// Returns the name of the place of a planned operation in the page.
fn anchor(function: &str, step: usize) -> String {
    format!("{function}-{step}")
}

/// Writes the graphs of a level, which are shown on a click.
fn level_section(html: &mut Svg, level: &Level) {
    for graph in &level.graphs {
        let nodes = graph.nodes.len();
        html.open("details", &[("class", &"level")]);
        let title = format!("@{} as {}: {nodes} nodes", graph.function, level.name);
        html.text("summary", &[], &title);
        let mut content = Svg::default();
        let (width, height) = draw(&mut content, graph, |step| anchor(&graph.function, step));
        chart(html, "graph", &title, (width, height), content);
        if let Some(more) = nodes.checked_sub(NODES).filter(|more| *more > 0) {
            html.text("p", &[], &format!("{more} more are in the JSON."));
        }
        html.close();
    }
}

/// Writes a drawing with a name for readers of the screen.
fn chart(html: &mut Svg, class: &str, name: &str, (width, height): (f64, f64), content: Svg) {
    html.open("div", &[("class", &"chart"), ("tabindex", &0)]);
    html.open(
        "svg",
        &[
            ("class", &class),
            ("role", &"group"),
            ("aria-label", &name),
            ("width", &width),
            ("height", &height),
            ("viewBox", &format_args!("0 0 {width} {height}")),
        ],
    );
    html.append(content);
    html.close();
    html.close();
}

/// Writes the layouts of tensors, which are shown on a click.
fn layouts(html: &mut Svg, layouts: &[TensorLayout]) {
    if layouts.is_empty() {
        return;
    }
    html.text("h2", &[], "Layouts");
    for layout in layouts {
        html.open("details", &[("class", &"layout")]);
        html.text("summary", &[], &layout.ty);
        if let Some(picture) = &layout.picture {
            // An image has its names for itself; two drawings in one page would share them.
            let source = picture.replace('%', "%25").replace('#', "%23");
            let source = format!("data:image/svg+xml,{source}");
            let name = format!("the layout of {}", layout.ty);
            html.open("div", &[("class", &"chart"), ("tabindex", &0)]);
            html.empty("img", &[("alt", &name), ("src", &source)]);
            html.close();
        }
        html.text("pre", &[], &layout.words);
        html.close();
    }
}

/// The part of the page about one function.
struct Section<'a> {
    function: &'a Function,
}

impl Section<'_> {
    fn write(&self, html: &mut Svg) {
        html.open("section", &[("id", &self.function.name)]);
        html.text("h2", &[], &format!("@{}", self.function.name));
        self.totals(html);
        html.text("h3", &[], "Loops");
        self.chart(html, ("loops", "Loops over the steps"), |svg| {
            self.loops(svg)
        });
        html.text("h3", &[], "Time");
        let mut content = Svg::default();
        let height = self.timeline(&mut content);
        let width = self.x(self.steps()).max(LEFT + 600.0) + 20.0;
        let name = "Operations over the modelled time";
        chart(html, "timeline", name, (width, height), content);
        for class in self.classes() {
            let title = match class.clone().count() {
                1 => format!("Scratchpad of core {}", class.start),
                _ => format!("Scratchpad of cores {} to {}", class.start, class.end - 1),
            };
            html.text("h3", &[], &title);
            let name = ("scratchpad", title.as_str());
            self.chart(html, name, |svg| self.scratchpad(svg, class.start));
        }
        self.spilled(html);
        self.operations(html);
        html.close();
    }

    fn totals(&self, html: &mut Svg) {
        let totals = &self.function.totals;
        let bound = totals.compute_picoseconds.max(totals.memory_picoseconds);
        let rows = [
            (
                "moved, a broadcast counted once",
                format!(
                    "{} ({} the compulsory {})",
                    bytes(totals.distinct_bytes),
                    times(totals.distinct_bytes, totals.compulsory_bytes),
                    bytes(totals.compulsory_bytes)
                ),
            ),
            (
                "moved, every core's reads counted",
                format!(
                    "{} ({})",
                    bytes(totals.all_bytes),
                    times(totals.all_bytes, totals.compulsory_bytes)
                ),
            ),
            (
                "modelled time",
                format!(
                    "{} ({} the bound of {})",
                    time(totals.picoseconds),
                    times(totals.picoseconds.into(), bound.into()),
                    time(bound)
                ),
            ),
            ("executed operations", totals.executions.to_string()),
        ];
        html.open("table", &[("class", &"totals")]);
        for (name, value) in rows {
            html.open("tr", &[]);
            html.text("th", &[], name);
            html.text("td", &[], &value);
            html.close();
        }
        html.close();
    }

    fn steps(&self) -> usize {
        self.function.operations.len()
    }

    /// Returns the horizontal position of the start of a step.
    #[expect(
        clippy::cast_precision_loss,
        reason = "steps are few, and pixels coarse"
    )]
    fn x(&self, step: usize) -> f64 {
        let steps = self.steps().max(1) as f64;
        LEFT + step as f64 * STEP.min(WIDEST / steps)
    }

    /// Writes a drawing over the steps. `draw` returns its height.
    fn chart(
        &self,
        html: &mut Svg,
        (class, name): (&str, &str),
        draw: impl FnOnce(&mut Svg) -> f64,
    ) {
        let mut content = Svg::default();
        let height = draw(&mut content);
        let width = self.x(self.steps()) + 20.0;
        chart(html, class, name, (width, height), content);
    }

    /// Draws the operations over the modelled time, each as long as all of its executions take.
    #[expect(clippy::cast_precision_loss, reason = "pixels are coarse")]
    fn timeline(&self, svg: &mut Svg) -> f64 {
        let all = &self.function.operations;
        let total: u64 = all.iter().map(|operation| operation.picoseconds).sum();
        let width = self.x(self.steps()).max(LEFT + 600.0) - LEFT;
        let x = |time: u64| LEFT + time as f64 / total.max(1) as f64 * width;
        let mut start = 0;
        for (step, operation) in all.iter().enumerate() {
            let end = start + operation.picoseconds;
            svg.open(
                "a",
                &[(
                    "href",
                    &format_args!("#{}", anchor(&self.function.name, step)),
                )],
            );
            let title = format!(
                "{step}: {}, {}",
                described(operation),
                time(operation.picoseconds)
            );
            svg.text("title", &[], &title);
            svg.empty(
                "rect",
                &[
                    ("class", &"time"),
                    ("fill", &COLOURS[step % COLOURS.len()]),
                    ("x", &x(start)),
                    ("y", &2),
                    ("width", &(x(end) - x(start)).max(0.5)),
                    ("height", &ROW),
                ],
            );
            svg.close();
            start = end;
        }
        svg.text("text", &[("x", &2), ("y", &15)], &time(total));
        ROW + 6.0
    }

    /// Draws the loops, and the operations as ticks below them.
    #[expect(clippy::cast_precision_loss, reason = "loops are nested a few deep")]
    fn loops(&self, svg: &mut Svg) -> f64 {
        let deepest = self.function.loops.iter().map(|nest| nest.depth + 1).max();
        let height = deepest.unwrap_or(0) as f64 * ROW;
        for nest in &self.function.loops {
            let (left, right) = (self.x(nest.from), self.x(nest.to));
            let top = nest.depth as f64 * ROW + 1.0;
            svg.open("g", &[]);
            let title = format!("{} iterations, {}", nest.iterations, nest.location);
            svg.text("title", &[], &title);
            svg.empty(
                "rect",
                &[
                    ("class", &"loop"),
                    ("x", &left),
                    ("y", &top),
                    ("width", &(right - left).max(1.0)),
                    ("height", &(ROW - 2.0)),
                ],
            );
            let label = format!("{}x", nest.iterations);
            svg.text(
                "text",
                &[("x", &(left + 3.0)), ("y", &(top + 12.0))],
                &label,
            );
            svg.close();
        }
        for (step, operation) in self.function.operations.iter().enumerate() {
            let x = self.x(step);
            svg.open("g", &[]);
            svg.text("title", &[], &format!("{step}: {}", described(operation)));
            svg.empty(
                "rect",
                &[
                    ("class", &"bar"),
                    ("x", &x),
                    ("y", &(height + 2.0)),
                    ("width", &((self.x(step + 1) - x) * 0.8).max(0.5)),
                    ("height", &8),
                ],
            );
            svg.close();
        }
        svg.text("text", &[("x", &2), ("y", &(height + 10.0))], "steps");
        height + 14.0
    }

    /// Returns the classes of cores: ranges of cores that hold parts of the same values.
    fn classes(&self) -> Vec<std::ops::Range<u32>> {
        let mut ends: BTreeSet<u32> = self.in_lx().map(|(_, value)| value.cores).collect();
        ends.insert(self.function.target.cores);
        let mut start = 0;
        let mut classes = Vec::new();
        for end in ends {
            classes.push(start..end);
            start = end;
        }
        classes.retain(|class| self.in_lx().any(|(_, value)| value.cores > class.start));
        classes
    }

    fn in_lx(&self) -> impl Iterator<Item = (usize, &Value)> {
        let values = self.function.values.iter().enumerate();
        values.filter(|(_, value)| value.space == Space::Lx)
    }

    /// Draws the addresses of a core's scratchpad over the steps.
    #[expect(clippy::cast_precision_loss, reason = "pixels are coarse")]
    fn scratchpad(&self, svg: &mut Svg, core: u32) -> f64 {
        let capacity = self.function.target.lx_bytes.get().max(1) as f64;
        let y = |address: u64| HEIGHT + 14.0 - address as f64 / capacity * HEIGHT;
        for quarter in 0..=4_u64 {
            let address = self.function.target.lx_bytes.get() / 4 * quarter;
            let class = if quarter == 4 { "capacity" } else { "axis" };
            svg.empty(
                "line",
                &[
                    ("class", &class),
                    ("x1", &LEFT),
                    ("x2", &self.x(self.steps())),
                    ("y1", &y(address)),
                    ("y2", &y(address)),
                ],
            );
            let label = bytes(address.into());
            let at = ("y", &(y(address) + 4.0) as &dyn std::fmt::Display);
            svg.text("text", &[("x", &2), at], &label);
        }
        for (number, value) in self.in_lx().filter(|(_, value)| value.cores > core) {
            let (left, right) = (self.x(value.from), self.x(value.to));
            let end = value.address.get() + value.bytes.get();
            svg.open("g", &[]);
            let title = format!(
                "value {number}: {} at {}, bytes {} to {} of LX, steps {} to {}",
                value.made_by,
                value.location,
                value.address.get(),
                end,
                value.from,
                value.to
            );
            svg.text("title", &[], &title);
            svg.empty(
                "rect",
                &[
                    ("class", &"value"),
                    ("fill", &COLOURS[number % COLOURS.len()]),
                    ("x", &left),
                    ("y", &y(end)),
                    ("width", &(right - left).max(1.0)),
                    ("height", &(y(value.address.get()) - y(end)).max(1.0)),
                ],
            );
            svg.close();
            if let Some(old) = value.in_place_of {
                let old = &self.function.values[old.0];
                let middle = y(old.address.get() + old.bytes.get() / 2);
                let path = format!(
                    "M {} {middle} l 8 -4 m -8 4 l 8 4 M {0} {middle} h 12",
                    left - 2.0
                );
                svg.empty("path", &[("class", &"in-place"), ("d", &path)]);
            }
        }
        HEIGHT + 24.0
    }

    /// Writes the values that are not in the scratchpad, the ones with most traffic first.
    fn spilled(&self, html: &mut Svg) {
        let mut values: Vec<&Value> = self.function.values.iter().collect();
        values.retain(|value| value.space != Space::Lx);
        values.sort_by_key(|value| std::cmp::Reverse(value.distinct_bytes));
        html.text("h3", &[], "Values in device memory");
        if values.is_empty() {
            html.text("p", &[], "None.");
            return;
        }
        html.open("table", &[("class", &"spilled")]);
        head(html, &["made by", "at", "moves", "why"]);
        for value in values.iter().take(ROWS) {
            html.open("tr", &[]);
            html.text("td", &[], &value.made_by);
            html.text("td", &[], &value.location);
            html.text("td", &[("class", &"number")], &bytes(value.distinct_bytes));
            html.text("td", &[], value.reason.as_deref().unwrap_or_default());
            html.close();
        }
        html.close();
        left_out(html, values.len());
    }

    /// Writes the name of an operation, and its tile, division, types and places, which are shown on a click.
    fn described_cell(&self, html: &mut Svg, step: usize, operation: &Operation) {
        html.open("td", &[]);
        html.open("details", &[]);
        html.text("summary", &[], &operation.name);
        html.open("div", &[("id", &anchor(&self.function.name, step))]);
        let loops = self.function.loops.iter();
        let around = loops.filter(|nest| nest.from <= step && step < nest.to);
        let counts: Vec<String> = around.map(|nest| nest.iterations.to_string()).collect();
        let tile = match counts.is_empty() {
            true => "in no loop".to_owned(),
            false => format!("a tile in loops of {}", counts.join(" by ")),
        };
        let space = format!("iteration space {:?}, {tile}", operation.iteration_space);
        html.text("p", &[], &space);
        html.text("p", &[], &format!("cores {:?}", operation.split));
        html.open("table", &[]);
        head(
            html,
            &[
                "",
                "type and layout",
                "place",
                "bytes",
                "cores that read each",
            ],
        );
        for tensor in &operation.tensors {
            html.open("tr", &[]);
            let role = match tensor.role {
                Role::Read => "reads",
                Role::Write => "writes",
            };
            html.text("td", &[], role);
            html.text("td", &[], &tensor.ty);
            html.text("td", &[], &self.place(tensor));
            html.text(
                "td",
                &[("class", &"number")],
                &bytes(tensor.bytes.get().into()),
            );
            html.text("td", &[("class", &"number")], &tensor.fan_out.to_string());
            html.close();
        }
        html.close();
        html.close();
        html.close();
        html.close();
    }

    /// Returns the place of a tensor: its memory, and the bytes of a buffer there.
    fn place(&self, tensor: &TensorTraffic) -> String {
        let space = space(tensor.space);
        match tensor.value {
            None => space.to_owned(),
            Some(ValueId(number)) => {
                let value = &self.function.values[number];
                let end = value.address.get() + value.bytes.get();
                format!(
                    "{space}, value {number}: bytes {} to {end}",
                    value.address.get()
                )
            }
        }
    }

    /// Writes the traffic and the cost of each operation.
    #[expect(clippy::cast_precision_loss, reason = "pixels are coarse")]
    fn operations(&self, html: &mut Svg) {
        html.text("h3", &[], "Operations");
        let all = &self.function.operations;
        let most = all.iter().map(|operation| operation.distinct_bytes).max();
        let most = most.unwrap_or(0).max(1) as f64;
        html.open("table", &[("class", &"operations")]);
        head(
            html,
            &[
                "step",
                "operation",
                "at",
                "runs",
                "cores",
                "moves",
                "",
                "time",
                "reads, and writes",
            ],
        );
        for (step, operation) in all.iter().enumerate().take(ROWS) {
            html.open("tr", &[]);
            html.text("td", &[("class", &"number")], &step.to_string());
            self.described_cell(html, step, operation);
            html.text("td", &[], &operation.location);
            html.text(
                "td",
                &[("class", &"number")],
                &operation.executions.to_string(),
            );
            html.text("td", &[], &format!("{:?}", operation.split));
            html.text(
                "td",
                &[("class", &"number")],
                &bytes(operation.distinct_bytes),
            );
            html.open("td", &[]);
            html.open("svg", &[("width", &BAR), ("height", &12)]);
            let width = operation.distinct_bytes as f64 / most * BAR;
            let is_broadcast = operation.all_bytes > operation.distinct_bytes;
            let class = if is_broadcast { "broadcast" } else { "bar" };
            html.empty(
                "rect",
                &[("class", &class), ("width", &width), ("height", &12)],
            );
            html.close();
            html.close();
            html.text("td", &[("class", &"number")], &time(operation.picoseconds));
            html.text("td", &[], &tensors(operation));
            html.close();
        }
        html.close();
        left_out(html, all.len());
    }
}

/// Writes the head of a table.
fn head(html: &mut Svg, names: &[&str]) {
    html.open("tr", &[]);
    for name in names {
        html.text("th", &[], name);
    }
    html.close();
}

/// Writes the number of rows that a table leaves out.
fn left_out(html: &mut Svg, rows: usize) {
    if let Some(more) = rows.checked_sub(ROWS).filter(|more| *more > 0) {
        html.text("p", &[], &format!("{more} more are in the JSON."));
    }
}

/// Returns the text about the places of an operation's tensors, and about the cores that read the same bytes.
fn tensors(operation: &Operation) -> String {
    let mut text = String::new();
    for tensor in &operation.tensors {
        let separator = match (text.is_empty(), tensor.role) {
            (true, _) => "",
            (false, Role::Read) => ", ",
            (false, Role::Write) => "; ",
        };
        let space = space(tensor.space);
        text.push_str(separator);
        text.push_str(space);
        if tensor.fan_out > 1 && tensor.space != Space::Lx {
            // Writing to a string does not fail.
            let _ = write!(text, " to {} cores", tensor.fan_out);
        }
    }
    text
}
