//! The table of operations has the operations of the dialect, with their classes and their attributes.
//!
//! The definitions are read from the text of `Uop.td`; MLIR registers what they generate.

use std::collections::BTreeSet;

use melior::Context;
use melior::dialect::DialectRegistry;
use spyre_cpp as _;
use spyre_uop::op::Domain;
use spyre_uop::table::{Class, Field, Row, TABLE};

/// The definitions of the dialect.
const DEFINITIONS: &str = include_str!("../../../dialects/uop/Uop.td");

/// An operation of `Uop.td`.
#[derive(Debug)]
struct Definition {
    /// The name of the class without `Uop_` and `Op`; empty of the class of all operations.
    base: &'static str,
    mnemonic: &'static str,
    /// The parameters after the mnemonic.
    parameters: &'static str,
    /// The names of the attributes.
    attributes: BTreeSet<&'static str>,
}

/// Returns the operations of `Uop.td`.
fn definitions() -> Vec<Definition> {
    let definitions = DEFINITIONS.split("\ndef ").skip(1);
    let definition = |text: &'static str| {
        let text = text.split("\n}").next()?;
        let (base, rest) = text.split_once("Op<\"")?;
        let (mnemonic, rest) = rest.split_once('"')?;
        Some(Definition {
            base: base.rsplit("Uop_").next()?,
            mnemonic,
            parameters: rest.split(" {").next()?,
            attributes: attributes(rest),
        })
    };
    definitions.filter_map(definition).collect()
}

/// Returns the names of the arguments of a definition that are attributes.
fn attributes(definition: &'static str) -> BTreeSet<&'static str> {
    let Some((_, arguments)) = definition.split_once("let arguments = (ins ") else {
        return BTreeSet::new(); // Its class has the arguments, which are operands.
    };
    let (arguments, _) = arguments.split_once(");").expect("the list has an end");
    let types = arguments.split(":$");
    let names = arguments.split(":$").skip(1);
    let is_attribute = |ty: &str| ty.trim_end_matches(['>', ']']).ends_with("Attr");
    types
        .zip(names)
        .filter(|(ty, _)| is_attribute(ty))
        .filter_map(|(_, name)| name.split(',').next())
        .collect()
}

/// Returns the elements of the tensors of an elementwise operation.
fn domain(definition: &Definition) -> Domain {
    let all = [
        ("Uop_Tensor", Domain::All),
        ("Uop_NumberTensor", Domain::Numbers),
        ("Uop_FloatTensor", Domain::Floats),
        ("Uop_IntegerTensor", Domain::Integers),
        ("Uop_BitsTensor", Domain::Bits),
        ("Uop_BoolTensor", Domain::Bool),
        ("Uop_U64Tensor", Domain::U64),
    ];
    let of = |name: &str| definition.parameters.contains(name);
    let row = all.into_iter().find(|(name, _)| of(name));
    row.unwrap_or_else(|| panic!("{definition:?}")).1
}

/// Returns the class and the number of operands that the class of a definition determines.
fn class(definition: &Definition) -> Option<(Class, usize)> {
    match definition.base {
        "Movement" => Some((Class::Movement, 1)),
        "Marker" => Some((Class::Marker, 1)),
        "Unary" => Some((Class::Elementwise(domain(definition)), 1)),
        "Binary" => Some((Class::Elementwise(domain(definition)), 2)),
        "Compare" => Some((Class::Comparison, 2)),
        "Collect" => Some((Class::Order, usize::MAX)),
        _ => None,
    }
}

#[test]
fn the_operations_of_the_table_are_registered() {
    let registry = DialectRegistry::new();
    spyre_dialects::register_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.load_all_available_dialects();
    for name in TABLE.iter().filter_map(|row| row.operation) {
        assert!(context.is_registered_operation(name), "{name}");
    }
}

#[test]
fn the_table_and_the_definitions_have_the_same_operations() {
    let definitions = definitions();
    let defined = definitions.iter();
    let defined: BTreeSet<String> = defined
        .map(|definition| format!("uop.{}", definition.mnemonic))
        .collect();
    let rows = TABLE.iter().filter_map(|row| row.operation);
    assert_eq!(defined, rows.map(str::to_owned).collect());
}

#[test]
fn the_table_and_the_definitions_have_the_same_classes_and_attributes() {
    for definition in definitions() {
        let name = format!("uop.{}", definition.mnemonic);
        let row = Row::of_operation(&name).unwrap_or_else(|| panic!("{name} has no row"));
        match class(&definition) {
            Some(expected) => assert_eq!((row.class, row.sources.1), expected, "{name}"),
            None => assert!(
                !matches!(
                    row.class,
                    Class::Movement | Class::Marker | Class::Comparison
                ),
                "{name}"
            ),
        }
        let fields = row.fields.iter();
        let mut attributes: BTreeSet<&str> = fields.filter_map(|field| field.attribute()).collect();
        if row.fields.contains(&Field::Bounds) {
            attributes.extend(["min", "max"]);
        }
        assert_eq!(attributes, definition.attributes, "{name}");
    }
}
