//! Builds a file from the functions of a program.

use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_uop::graph::Broken;
use spyre_uop::ids::Id;
use spyre_uop::schema::{self, File};
use spyre_uop::{file, op};

use super::{function, program};

/// Builds the file of the one program of a module: the function that is not private. Its `result` is the node that the
/// function returns; a tuple of several. Records next to an imported program are not in the module, and not in the
/// file.
///
/// # Errors
/// There is no such function, or several, or an operation is not of the dialect.
pub fn export(module: Op<'_>) -> Result<File, Diagnostic<'_>> {
    let functions = program::functions(module);
    let mut public = functions.iter().filter(|(_, function)| {
        let visibility = ir::attribute(**function, "sym_visibility");
        visibility.and_then(attr::string).as_deref() != Some("private")
    });
    let (Some((name, function)), None) = (public.next(), public.next()) else {
        let message = "a module with one function that is not private is a program";
        return Err(Diagnostic::error(module.location(), message));
    };
    let mut program = program::read(*function, &functions)?;
    let wrong = |broken: Broken| Diagnostic::error(function.location(), broken.to_string());
    let result = match program.results.as_slice() {
        [] => None,
        [one] => Some(*one),
        several => {
            let tuple = program.graph.add(op::Op::Tuple, several.iter().copied());
            Some(tuple.map_err(wrong)?)
        }
    };
    let text = |name: &str| ir::attribute(*function, name).and_then(attr::string);
    let devices = ir::attribute(*function, function::DEVICES);
    let devices = devices.map(|names| {
        let names = attr::elements(names).into_iter();
        names.filter_map(attr::string).map(Into::into).collect()
    });
    Ok(File {
        format: schema::FORMAT.into(),
        name: text(function::NAME).unwrap_or_else(|| name.clone()).into(),
        category: text(function::CATEGORY).unwrap_or_default().into(),
        description: text(function::DESCRIPTION).unwrap_or_default(),
        oracle: None,
        devices,
        nodes: file::export(&program.graph),
        inputs: None,
        outputs: None,
        result: result.map(|node| node.position() as u64),
        simplified_mm: None,
        simplified_text: None,
        rangeify: None,
    })
}
