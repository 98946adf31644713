//! The module of a function.

use melior::Context;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Block, BlockLike, Location, Module, Region, RegionLike, Type};
use spyre_analysis::names::placeholder;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{TileHint, tile_hint_attribute};
use spyre_dialects::names::DIMS;
use spyre_mlir_rt::diagnostic;
use spyre_mlir_rt::ir::{self, Val};
use spyre_ods::{OpBuilder, func, spyre};

use crate::attributes::Attributes;
use crate::error::GraphError;
use crate::function::{Definition, Function};
use crate::tensor::TensorType;

/// The dialects of a graph's operations.
const DIALECTS: [&str; 2] = ["func", "spyre"];

/// Returns the module of a function with its results, verified.
///
/// # Errors
/// The context has no dialects, or the verifier refuses the module.
pub(crate) fn module<'c>(
    context: &'c Context,
    of: &Function,
    results: &[usize],
) -> Result<Module<'c>, GraphError> {
    // A parser loads the dialects that it meets; builders do not.
    for dialect in DIALECTS {
        context.get_or_load_dialect(dialect);
    }
    let operations = [func::FUNC, spyre::ADD];
    if !operations
        .iter()
        .all(|name| context.is_registered_operation(name))
    {
        return Err(GraphError::Context);
    }
    let at = Location::unknown(context);
    let module = Module::new(at);
    let function = function(context, of, results, at);
    module.body().append_operation(function);
    let (is_valid, reported) = diagnostic::collect(context, || module.as_operation().verify());
    if is_valid {
        return Ok(module);
    }
    // An operation has its name and number as its location, and the function none.
    let first = reported.first().map(|reported| reported.place.as_str());
    let operation = first.filter(|place| !place.is_empty());
    let operation = operation.map_or_else(|| format!("@{}", of.name), str::to_owned);
    let messages = reported.into_iter().map(|reported| reported.message);
    Err(GraphError::Refused {
        operation,
        messages: messages.collect(),
    })
}

/// Builds the function, in no block.
fn function<'c>(
    context: &'c Context,
    of: &Function,
    results: &[usize],
    at: Location<'c>,
) -> melior::ir::operation::Operation<'c> {
    let inputs: Vec<_> = of.inputs().collect();
    let arguments: Vec<(Type<'c>, Location<'c>)> = inputs
        .iter()
        .map(|(name, ty)| (ty.to_mlir(context), Location::name(context, name, at)))
        .collect();
    let input_types: Vec<Type<'c>> = arguments.iter().map(|(ty, _)| *ty).collect();
    let result_types = results.iter();
    let result_types: Vec<Type<'c>> = result_types
        .map(|node| of.nodes[*node].ty.to_mlir(context))
        .collect();
    let ty = FunctionType::new(context, &input_types, &result_types);
    let name = StringAttribute::new(context, &of.name).into();
    let parts = func::func(name, TypeAttribute::new(ty.into()).into());
    let dims = inputs.iter().map(|(_, ty)| *ty);
    let parts = parts.with_optional("arg_attrs", argument_attributes(context, dims));

    let region = Region::new();
    add_body(context, (of, results), &region, &arguments, at);
    parts.region(region).build(&[], at, context)
}

/// Adds the block of the function to its region.
fn add_body<'c>(
    context: &'c Context,
    (of, results): (&Function, &[usize]),
    region: &Region<'c>,
    arguments: &[(Type<'c>, Location<'c>)],
    at: Location<'c>,
) {
    let body = region.append_block(Block::new(arguments));
    let build = OpBuilder::at_end(context, body, at);
    let mut inputs = 0..;
    let mut values: Vec<Val<'_>> = Vec::with_capacity(of.nodes.len());
    for (number, node) in of.nodes.iter().enumerate() {
        let value = match &node.definition {
            Definition::Input { .. } => {
                let input = inputs.next().expect("the numbers have no end");
                let argument = body.argument(input);
                argument.expect("each input is an argument").into()
            }
            Definition::Operation {
                operands,
                build: parts,
                hints,
                ..
            } => {
                let operands: Vec<_> = operands.iter().map(|node| values[*node]).collect();
                let parts = parts(Attributes { context }, &operands);
                let at = Location::name(context, &of.node_name(number), at);
                let build = OpBuilder::at_end(context, body, at);
                let op = build.insert(parts, &[node.ty.to_mlir(context)]);
                // An operation without an OpFunc has no hints: `hints::check` has those of its users and operands.
                if let Some(device) = DeviceOp::cast(op).filter(|_| !hints.is_empty()) {
                    device.set_hints(hints_attribute(context, hints));
                }
                ir::result(op, 0).expect("it is built with a result")
            }
        };
        values.push(value);
    }
    let results: Vec<_> = results.iter().map(|node| values[*node]).collect();
    build.insert(func::return_(&results), &[]);
}

/// Returns the names of the dimensions of inputs, as attributes of a function; `None` if no dimension has a name.
fn argument_attributes<'c, 't>(
    context: &'c Context,
    inputs: impl Iterator<Item = &'t TensorType>,
) -> Option<Attribute<'c>> {
    let mut has_names = false;
    let entries = inputs.map(|ty| {
        if ty.names.iter().all(Option::is_none) {
            return attr::dictionary(context, &[]);
        }
        has_names = true;
        let names = ty.names.iter().zip(&ty.shape).map(|(name, extent)| {
            let unnamed = || placeholder(extent.cast_signed());
            let name = name.clone().unwrap_or_else(unnamed);
            StringAttribute::new(context, &name).into()
        });
        let names = attr::array(context, &names.collect::<Vec<_>>());
        attr::dictionary(context, &[(DIMS, names)])
    });
    let entries: Vec<Attribute<'c>> = entries.collect();
    has_names.then(|| attr::array(context, &entries))
}

/// Returns hints as an attribute.
fn hints_attribute<'c>(context: &'c Context, hints: &[TileHint]) -> Attribute<'c> {
    let hints = hints.iter().map(|hint| tile_hint_attribute(context, hint));
    attr::array(context, &hints.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;
    use crate::tensor::Element;

    #[test]
    fn a_message_of_the_verifier_has_the_operation() {
        let context = spyre_exec::context();
        let mut graph = Graph::new(&context, "f");
        let x = graph.input("x", &[4_u64], Element::F16);
        let ty = graph.ty(x).clone();
        // Without the checks of `Graph::clip`.
        let y = graph.add_operation(spyre::CLIP, [x], ty, |attributes, [x]| {
            spyre::clip(x, attributes.f64(2.0), attributes.f64(1.0))
        });
        let error = graph.finish(&[y]).expect_err("it is refused");
        let GraphError::Refused {
            operation,
            messages,
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!(operation, "spyre.clip #1");
        assert!(messages[0].contains("min"), "{error}");
    }
}
