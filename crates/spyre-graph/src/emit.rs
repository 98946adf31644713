//! The module of a graph.

use melior::Context;
use melior::ir::attribute::{
    DenseElementsAttribute, DenseI64ArrayAttribute, FloatAttribute, IntegerAttribute,
    StringAttribute, TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType};
use melior::ir::{Attribute, Block, BlockLike, Location, Module, Region, RegionLike, Type};
use spyre_analysis::names::placeholder;
use spyre_dialects::attr;
use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::hint::{TileHint, tile_hint_attribute};
use spyre_dialects::names::DIMS;
use spyre_mlir_rt::diagnostic;
use spyre_mlir_rt::ir::{self, Val};
use spyre_ods::{OpBuilder, func, spyre};

use crate::error::GraphError;
use crate::graph::{Definition, Graph};
use crate::tensor::{Element, TensorType, element_type};

/// The dialects of a graph's operations.
const DIALECTS: [&str; 2] = ["func", "spyre"];

/// An element of a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    Float(f64),
    Integer(i64),
}

impl Number {
    /// Returns a number as an element of a type, rounded if it is a float; `None` for one that is no integer of the
    /// type, and for a finite one that is beyond the largest float of the type after rounding. An infinity is an
    /// element of a type that has infinities.
    pub(crate) fn of(value: f64, element: Element) -> Option<Self> {
        let power = |exponent: i32| 2.0_f64.powi(exponent);
        let range = match element {
            Element::Bool => 0.0..2.0,
            Element::I8 => -power(7)..power(7),
            Element::I32 => -power(31)..power(31),
            Element::I64 => -power(63)..power(63),
            _ => {
                let limit = Self::beyond(element)?;
                let is_element = match element {
                    // It has no infinity. Its largest element is even, so the number at the limit rounds to it.
                    Element::F8E4M3 => value.is_nan() || value.abs() <= limit,
                    _ => !value.is_finite() || value.abs() < limit,
                };
                return is_element.then_some(Self::Float(value));
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "an integer in the range")]
        let integer = || value as i64;
        let is_integer = value.trunc() == value && range.contains(&value);
        is_integer.then(|| Self::Integer(integer()))
    }

    /// Returns the number halfway from the largest float of a type to the next one with as many bits of fraction;
    /// `None` for a type that is no float of a graph.
    fn beyond(element: Element) -> Option<f64> {
        let power = |exponent: i32| 2.0_f64.powi(exponent);
        match element {
            Element::F16 => Some(65_520.0),
            Element::Bf16 => Some(power(128) - power(119)),
            Element::F32 => Some(power(128) - power(103)),
            Element::F8E4M3 => Some(464.0),
            Element::F8E5M2 => Some(61_440.0),
            _ => None,
        }
    }
}

/// Builds the attributes of operations.
#[derive(Clone, Copy)]
pub(crate) struct Attributes<'p> {
    context: &'p Context,
}

impl<'p> Attributes<'p> {
    /// Returns dimensions as an attribute.
    pub(crate) fn dims(self, dims: &[usize]) -> Attribute<'p> {
        let dims: Vec<i64> = dims.iter().map(|dim| dim.cast_signed() as i64).collect();
        DenseI64ArrayAttribute::new(self.context, &dims).into()
    }

    /// Returns a float of 64 bits.
    pub(crate) fn f64(self, value: f64) -> Attribute<'p> {
        FloatAttribute::new(self.context, Type::float64(self.context), value).into()
    }

    /// Returns a mark.
    pub(crate) fn unit(self) -> Attribute<'p> {
        Attribute::unit(self.context)
    }

    /// Returns an integer of 64 bits.
    pub(crate) fn i64(self, value: usize) -> Attribute<'p> {
        let ty = IntegerType::new(self.context, 64).into();
        IntegerAttribute::new(ty, value.cast_signed() as i64).into()
    }

    /// Returns the elements of a tensor that are all one number.
    pub(crate) fn splat(self, ty: &TensorType, value: Number) -> Attribute<'p> {
        let element = element_type(self.context, ty.element);
        let value: Attribute<'p> = match value {
            Number::Float(value) => FloatAttribute::new(self.context, element, value).into(),
            Number::Integer(value) => IntegerAttribute::new(element, value).into(),
        };
        let values = DenseElementsAttribute::new(ty.to_mlir(self.context), &[value]);
        values.expect("a number fills a tensor").into()
    }
}

/// Returns the module of a graph with its results, verified.
///
/// # Errors
/// The context has no dialects, or the verifier refuses the module.
pub(crate) fn module<'c>(graph: &Graph<'c>, results: &[usize]) -> Result<Module<'c>, GraphError> {
    let context = graph.context;
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
    let function = function(graph, results, at);
    module.body().append_operation(function);
    let (is_valid, reported) = diagnostic::collect(context, || module.as_operation().verify());
    if is_valid {
        return Ok(module);
    }
    // An operation has its name and number as its location, and the function none.
    let first = reported.first().map(|reported| reported.place.as_str());
    let operation = first.filter(|place| !place.is_empty());
    let operation = operation.map_or_else(|| format!("@{}", graph.name), str::to_owned);
    let messages = reported.into_iter().map(|reported| reported.message);
    Err(GraphError::Refused {
        operation,
        messages: messages.collect(),
    })
}

/// Builds the function, in no block.
fn function<'c>(
    graph: &Graph<'c>,
    results: &[usize],
    at: Location<'c>,
) -> melior::ir::operation::Operation<'c> {
    let context = graph.context;
    let inputs: Vec<_> = graph.inputs().collect();
    let arguments: Vec<(Type<'c>, Location<'c>)> = inputs
        .iter()
        .map(|(name, ty)| (ty.to_mlir(context), Location::name(context, name, at)))
        .collect();
    let input_types: Vec<Type<'c>> = arguments.iter().map(|(ty, _)| *ty).collect();
    let result_types = results.iter();
    let result_types: Vec<Type<'c>> = result_types
        .map(|node| graph.nodes[*node].ty.to_mlir(context))
        .collect();
    let ty = FunctionType::new(context, &input_types, &result_types);
    let name = StringAttribute::new(context, &graph.name).into();
    let parts = func::func(name, TypeAttribute::new(ty.into()).into());
    let dims = inputs.iter().map(|(_, ty)| *ty);
    let parts = parts.with_optional("arg_attrs", argument_attributes(context, dims));

    let region = Region::new();
    add_body(graph, results, &region, &arguments, at);
    parts.region(region).build(&[], at, context)
}

/// Adds the block of the function to its region.
fn add_body<'c>(
    graph: &Graph<'c>,
    results: &[usize],
    region: &Region<'c>,
    arguments: &[(Type<'c>, Location<'c>)],
    at: Location<'c>,
) {
    let context = graph.context;
    let body = region.append_block(Block::new(arguments));
    let build = OpBuilder::at_end(context, body, at);
    let mut inputs = 0..;
    let mut values: Vec<Val<'_>> = Vec::with_capacity(graph.nodes.len());
    for (number, node) in graph.nodes.iter().enumerate() {
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
                let at = Location::name(context, &graph.node_name(number), at);
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

    #[test]
    fn integers_are_exact_or_refused() {
        assert_eq!(Number::of(1.5, Element::F16), Some(Number::Float(1.5)));
        assert_eq!(Number::of(-3.0, Element::I8), Some(Number::Integer(-3)));
        assert_eq!(Number::of(1.0, Element::Bool), Some(Number::Integer(1)));
        assert_eq!(
            Number::of(-(2.0_f64.powi(63)), Element::I64),
            Some(Number::Integer(i64::MIN))
        );
        for (value, element) in [
            (2.0_f64.powi(63), Element::I64),
            (2.0_f64.powi(31), Element::I32),
            (1.5, Element::I32),
            (128.0, Element::I8),
            (2.0, Element::Bool),
            (f64::NAN, Element::I64),
        ] {
            assert_eq!(Number::of(value, element), None, "{value} {element}");
        }
    }

    #[test]
    fn floats_round_to_a_number_or_are_refused() {
        for (largest, beyond, element) in [
            (65_519.9, 65_520.0, Element::F16),
            (3.394e38, 3.397e38, Element::Bf16),
            (f64::from(f32::MAX), 3.402_823_6e38, Element::F32),
            (464.0, 464.5, Element::F8E4M3),
            (61_439.0, 61_440.0, Element::F8E5M2),
        ] {
            for (largest, beyond) in [(largest, beyond), (-largest, -beyond)] {
                let number = Number::of(largest, element);
                assert_eq!(number, Some(Number::Float(largest)), "{element}");
                assert_eq!(Number::of(beyond, element), None, "{element}");
            }
            assert!(Number::of(f64::NAN, element).is_some(), "{element}");
            let has_infinity = element != Element::F8E4M3;
            let infinity = Number::of(f64::INFINITY, element);
            assert_eq!(infinity.is_some(), has_infinity, "{element}");
        }
    }
}
