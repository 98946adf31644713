//! `--uop-print-properties`: properties that follow from operations, in addition to their types.

use std::fmt::Write as _;

use melior::ir::operation::OperationLike;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, PassRun, RustPass};
use spyre_ods::builtin;
use spyre_uop::place::{self, Place};
use spyre_uop::range::{self, Interval};
use spyre_uop::schema::Device;

use super::positions::Reads;
use super::program;

/// `--uop-print-properties`
pub static UOP_PRINT_PROPERTIES: RustPass = RustPass {
    argument: "uop-print-properties",
    summary: "Remark where the values of tensor programs are, and between which numbers",
    description: include_str!("properties.md"),
    anchor: builtin::MODULE,
    options: &[],
    statistics: &[],
    dialects: Vec::new,
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let module = run.operation();
    let functions = program::functions(module);
    let block = ir::body(module).expect("a module has a block");
    for function in ir::operations(block).filter(|op| program::is_program(*op, &functions)) {
        let program = program::read(function, &functions)?;
        let places = place::places(&program.graph).map_err(|misplaced| {
            let location = program.location(misplaced.node);
            Diagnostic::error(location, misplaced.broken.to_string())
        })?;
        let ranges = range::ranges(&program.graph);
        let body = ir::function_body(function).expect("a program has a body");
        for op in ir::operations(body) {
            let node = ir::result(op, 0).and_then(|value| program.nodes.get(&ir::value_key(value)));
            let Some(node) = node else {
                continue; // The end of the function, and calls. Their results have properties where they are used.
            };
            let mut parts = parts(&places[*node], ranges[*node]);
            let reads = Reads::of(&program.graph, *node)
                .map_err(|err| Diagnostic::error(op.location(), err.to_string()))?;
            if let Some(reads) = reads {
                let count = reads.operations();
                let plural = if count == 1 { "" } else { "s" };
                parts.push(format!("read at positions of {count} operation{plural}"));
            }
            if !parts.is_empty() {
                Diagnostic::remark(op.location(), parts.join("; ")).emit();
            }
        }
    }
    run.preserve_analyses();
    Ok(())
}

/// Returns the known properties of a value as texts: its place, and the range of its elements.
fn parts(place: &Place, range: Option<Interval>) -> Vec<String> {
    let mut parts = Vec::new();
    match place.device.as_deref() {
        None => {}
        Some(Device::One(name)) => parts.push(format!("on {name}")),
        Some(Device::Many(names)) => parts.push(format!("on {}", names.join(", "))),
    }
    if let Some(axis) = place.axis {
        parts.push(format!("shared along axis {axis}"));
    }
    if let Some(space) = place.space {
        parts.push(format!("in {}", space.name()));
    }
    if let Some(range) = range {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = match (range.is_empty(), range.as_point()) {
            (true, _) => write!(text, "without a value"),
            (_, Some(value)) => write!(text, "{value}"),
            (_, None) => write!(text, "from {} to {}", range.low, range.high),
        };
        parts.push(text);
    }
    parts
}
