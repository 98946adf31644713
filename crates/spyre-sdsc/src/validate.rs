//! The rules a specification tree must satisfy (SDSC bundle specification, section 6).
//!
//! Rules that the types of [`crate::model`] already enforce (a tensor has exactly one place, a kernel argument has
//! an index, flags are booleans) are checked when JSON is read. Validation runs before anything is generated.

pub mod contract;
mod unlisted;

pub use unlisted::{Status, UNLISTED, Unlisted};

use std::fmt;

use spyre_ops::{OpClass, OpFunc, Unexplained};
use thiserror::Error;

use crate::expr::{Expr, ExprKind, Symbol};
use crate::model::{DimBounds, Direction, LoopBound, LoopSpec, Node, OpSpec, TensorArg};
use crate::windows::{FieldError, OutputRanges, WindowOp, WindowParams};

/// A broken rule: which operation, which field, which rule.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("[before_bundle_generation] OpSpec validation failed for op='{op}': {field} {rule}")]
pub struct ValidationError {
    /// The operation's name, or the loop's heading.
    pub op: String,
    /// The field, such as `args[1].device_size`.
    pub field: String,
    /// The rule, with the value found.
    pub rule: String,
}

/// Something unusual that does not stop generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// An operation name that neither the backend's table nor [`UNLISTED`] has; planned like an elementwise operation or
    /// a reduction.
    UnknownOp {
        /// The name.
        op: String,
    },
    /// An operation of the backend's table with a result that no document defines; planned in the same way.
    Unexplained {
        /// The row, with the missing definition.
        row: &'static Unexplained,
    },
}

impl Warning {
    /// Returns the operation's name.
    #[must_use]
    pub fn op(&self) -> &str {
        match self {
            Self::UnknownOp { op } => op,
            Self::Unexplained { row } => row.name,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOp { op } => {
                write!(
                    formatter,
                    "'{op}' is not an OpFunc that the backend is known to have"
                )
            }
            Self::Unexplained {
                row: Unexplained { name, missing },
            } => write!(
                formatter,
                "the backend has '{name}', but no document defines {missing}: its file is written, and nothing here runs it"
            ),
        }
    }
}

/// Checks every node of the tree, in order (SDSC bundle specification, section 6).
///
/// # Errors
/// The first broken rule.
pub fn validate(nodes: &[Node]) -> Result<Vec<Warning>, Box<ValidationError>> {
    let mut warnings = Vec::new();
    validate_nodes(nodes, &mut warnings)?;
    Ok(warnings)
}

fn validate_nodes(nodes: &[Node], warnings: &mut Vec<Warning>) -> Result<(), Box<ValidationError>> {
    for node in nodes {
        match node {
            Node::Op(op) => Checker { op }.check(warnings)?,
            Node::Loop(spec) => {
                validate_loop(spec)?;
                validate_nodes(&spec.body, warnings)?;
            }
            Node::Unimplemented { .. } => {}
        }
    }
    Ok(())
}

/// The rules of one loop (SDSC bundle specification, section 6).
fn validate_loop(spec: &LoopSpec) -> Result<(), Box<ValidationError>> {
    let fail = |field: &str, rule: String| {
        Err(Box::new(ValidationError {
            op: format!("LoopSpec(count={})", spec.count),
            field: field.into(),
            rule,
        }))
    };
    if spec.body.is_empty() {
        return fail(
            "body",
            "must contain at least one operation, got an empty body".into(),
        );
    }
    if let Some(symbol) = spec
        .count_symbol_bounds
        .keys()
        .find(|s| !is_identifier(s.as_str()))
    {
        return fail(
            "count_symbol_bounds",
            format!("must name identifiers, got `{symbol}`"),
        );
    }
    let mut bounds = spec.count_symbol_bounds.iter();
    if let Some((symbol, bounds)) = bounds.find(|(_, bounds)| !are_possible(**bounds)) {
        return fail("count_symbol_bounds", impossible(symbol, *bounds));
    }
    match spec.bound() {
        Ok(LoopBound::Static(count)) if count <= 0 => {
            fail("count", format!("must be positive, got {count}"))
        }
        _ => Ok(()),
    }
}

struct Checker<'a> {
    op: &'a OpSpec,
}

impl Checker<'_> {
    fn require(
        &self,
        holds: bool,
        field: &str,
        rule: impl FnOnce() -> String,
    ) -> Result<(), Box<ValidationError>> {
        if holds {
            return Ok(());
        }
        Err(Box::new(ValidationError {
            op: self.op.op.clone(),
            field: field.into(),
            rule: rule(),
        }))
    }

    /// The rules of one operation, in order (SDSC bundle specification, section 6).
    fn check(&self, warnings: &mut Vec<Warning>) -> Result<(), Box<ValidationError>> {
        let op = self.op;
        if op.args.is_empty() || op.iteration_space.is_empty() {
            return Ok(());
        }
        self.require(!op.op.is_empty(), "op", || {
            "must be a non-empty string".into()
        })?;
        let class = OpClass::by_name(&op.op);
        if let Some(row) = Unexplained::by_name(&op.op) {
            warnings.push(Warning::Unexplained { row });
        } else if class.is_none() && Unlisted::by_name(&op.op).is_none() {
            warnings.push(Warning::UnknownOp { op: op.op.clone() });
        }
        self.check_space()?;
        for (symbol, bounds) in op.symbolic_dim_bounds.iter() {
            self.require(are_possible(*bounds), "symbolic_dim_bounds", || {
                impossible(symbol, *bounds)
            })?;
        }
        for (position, arg) in op.args.iter().enumerate() {
            self.check_tensor(position, arg)?;
        }
        self.require(
            class.is_none() || op.outputs().next().is_some(),
            "args",
            || "must contain at least one output TensorArg".into(),
        )?;
        for (position, arg) in op.args.iter().enumerate() {
            self.check_coordinates(position, arg)?;
        }
        self.check_levels()?;
        self.check_arity(class)
    }

    /// Divisions are positive integers (SDSC bundle specification, section 6); symbols are distinct, extents not
    /// negative.
    fn check_space(&self) -> Result<(), Box<ValidationError>> {
        for (position, dim) in self.op.iteration_space.iter().enumerate() {
            let field = format!("iteration_space[{}]", dim.symbol);
            self.require(dim.slices >= 1, &field, || {
                format!(
                    "work_division must be a positive integer, got {}",
                    dim.slices
                )
            })?;
            let earlier = self.op.iteration_space.iter().take(position);
            self.require(
                earlier.clone().all(|other| other.symbol != dim.symbol),
                &field,
                || "is listed twice".into(),
            )?;
            self.require(
                dim.extent.as_int().is_none_or(|extent| extent >= 0),
                &field,
                || format!("range must not be negative, got {}", dim.extent),
            )?;
        }
        Ok(())
    }

    /// Sizes and coordinates go together (SDSC bundle specification, section 6).
    fn check_tensor(&self, position: usize, arg: &TensorArg) -> Result<(), Box<ValidationError>> {
        let rank = arg.device_size.len();
        self.require(rank > 0, &format!("args[{position}].device_size"), || {
            "must not be empty".into()
        })?;
        let field = format!("args[{position}].device_coordinates");
        self.require(arg.device_coordinates.len() == rank, &field, || {
            format!(
                "must have one entry per device dimension, got {} for {rank}",
                arg.device_coordinates.len()
            )
        })
    }

    /// Coordinates use symbols of the space, but for placeholders of gathers (SDSC bundle specification, section 6).
    fn check_coordinates(
        &self,
        position: usize,
        arg: &TensorArg,
    ) -> Result<(), Box<ValidationError>> {
        let field = format!("args[{position}].device_coordinates");
        for coordinate in arg
            .device_coordinates
            .iter()
            .filter(|c| !c.has_indirect_access())
        {
            for symbol in coordinate.symbols() {
                let is_defined = is_indirect(symbol.as_str())
                    || self
                        .op
                        .iteration_space
                        .iter()
                        .any(|dim| dim.symbol == *symbol);
                self.require(is_defined, &field, || {
                    format!("must use iteration symbols only, got {symbol} in `{coordinate}`")
                })?;
            }
        }
        Ok(())
    }

    /// Checks that every level symbol is the symbol of a loop around the operation (SDSC bundle specification, section
    /// 6).
    fn check_levels(&self) -> Result<(), Box<ValidationError>> {
        for (position, level) in self.op.tiled_levels.iter().enumerate() {
            for symbol in level {
                let name = symbol.as_str();
                let is_defined = self
                    .op
                    .iteration_space
                    .iter()
                    .any(|dim| dim.symbol == *symbol)
                    || self
                        .op
                        .args
                        .iter()
                        .filter_map(|arg| arg.advance.as_ref())
                        .any(|a| a.mentions(name))
                    || self.op.tiled_symbol_trip_counts.get(name).is_some();
                self.require(is_defined, &format!("tiled_levels[{position}]"), || {
                    format!(
                        "must name symbols of the iteration space, of an advance or with a trip count, got {symbol}"
                    )
                })?;
            }
        }
        Ok(())
    }

    /// Numbers of operands, and the reduction flag (SDSC bundle specification, section 6).
    fn check_arity(&self, class: Option<OpClass>) -> Result<(), Box<ValidationError>> {
        let op = self.op;
        let (inputs, reduction) = (op.inputs().count(), op.is_reduction);
        match class {
            Some(OpClass::Matmul) => {
                self.require(inputs >= 2, "args", || {
                    format!("must hold at least 2 inputs, got {inputs}")
                })?;
                self.require(reduction, "is_reduction", || {
                    "must be true for matrix multiplications".into()
                })?;
            }
            Some(OpClass::Reduction) => {
                self.require(reduction, "is_reduction", || {
                    "must be true for reductions".into()
                })?;
            }
            Some(OpClass::Pool | OpClass::Conv) => self.check_windows()?,
            Some(OpClass::Pointwise | OpClass::Cast) => {
                self.require(!reduction, "is_reduction", || {
                    "must be false for pointwise operations".into()
                })?;
            }
            _ => {}
        }
        // The list of section 6 is that of the elementwise operations with two and three operands.
        let needed = OpFunc::of(&op.op).map_or(0, |row| match (row.class, row.operands) {
            (OpClass::Pointwise, needed @ 2..=3) => needed,
            _ => 0,
        });
        self.require(inputs >= needed, "args", || {
            format!("must hold at least {needed} inputs, got {inputs}")
        })
    }
}

impl Checker<'_> {
    /// Pools and convolutions state their windows (SDSC bundle specification, section 4.11).
    fn check_windows(&self) -> Result<(), Box<ValidationError>> {
        let op = self.op;
        let Some(window_op) = WindowOp::of(&op.op) else {
            return Ok(());
        };
        self.require(op.is_reduction, "is_reduction", || {
            "must be true for pools and convolutions".into()
        })?;
        let (expected, inputs) = (window_op.inputs(), op.inputs().count());
        self.require(
            inputs == expected && op.outputs().count() == 1,
            "args",
            || {
                format!(
                    "must hold {expected} inputs and 1 output, got {inputs} and {}",
                    op.outputs().count()
                )
            },
        )?;
        let last_is_output = op.args.last().map(|arg| arg.direction) == Some(Direction::Output);
        self.require(last_is_output, "args", || "must end with the output".into())?;
        let located = |FieldError { field, rule }| {
            Box::new(ValidationError {
                op: op.op.clone(),
                field,
                rule,
            })
        };
        WindowParams::read(op).map_err(located)?;
        OutputRanges::read(op).map_err(located)?;
        Ok(())
    }
}

/// True if a runtime size can be as large as its bounds.
const fn are_possible(DimBounds { max, granularity }: DimBounds) -> bool {
    granularity > 0 && max > 0 && max.is_multiple_of(granularity)
}

fn impossible(symbol: &Symbol, DimBounds { max, granularity }: DimBounds) -> String {
    format!(
        "must have a positive granularity and a positive multiple of it as maximum, got {granularity} and {max} for \
         {symbol}"
    )
}

/// True for names that may become part of a value's name in the function.
fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// True for `indirect0`, `indirect1` ..., the placeholders of gathered dimensions.
fn is_indirect(symbol: &str) -> bool {
    symbol
        .strip_prefix("indirect")
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// True if the coordinate is the literal 0.
pub(crate) fn is_zero(coordinate: &Expr) -> bool {
    matches!(coordinate.kind(), ExprKind::Int(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceFormat;
    use crate::model::Allocation;

    fn tensor(index: u32) -> TensorArg {
        let coordinates = vec![
            Expr::symbol("c1").floor_div(64),
            Expr::symbol("c0"),
            Expr::symbol("c1").modulo(64),
        ];
        TensorArg::new(
            DeviceFormat::Sen169Fp16,
            vec![2, 64, 64],
            coordinates,
            Allocation::argument(index),
        )
    }

    fn add() -> OpSpec {
        OpSpec::pointwise("add")
            .with_dim("c0", Expr::int(64), 2)
            .with_dim("c1", Expr::int(128), 1)
            .with_input(tensor(0))
            .with_input(tensor(1))
            .with_output(tensor(2))
    }

    fn failure(nodes: &[Node]) -> String {
        validate(nodes)
            .map(|_| String::from("valid"))
            .unwrap_or_else(|error| error.to_string())
    }

    #[test]
    fn a_legal_op_passes() {
        assert_eq!(validate(&[add().into()]), Ok(vec![]));
        let loop_node = Node::from(LoopSpec::new(2, vec![add().into()]));
        assert_eq!(validate(&[loop_node]), Ok(vec![]));
    }

    #[test]
    fn unknown_names_are_only_warned_about() {
        let mut op = add();
        op.op = "frobnicate".into();
        assert_eq!(
            validate(&[op.into()]),
            Ok(vec![Warning::UnknownOp {
                op: "frobnicate".into()
            }])
        );
    }

    #[test]
    fn what_no_document_explains_is_named() {
        let mut op = add();
        op.op = "fnms".into();
        let warnings = validate(&[op.into()]).expect("a legal operation");
        let warnings: Vec<String> = warnings.iter().map(Warning::to_string).collect();
        assert_eq!(
            warnings,
            [
                "the backend has 'fnms', but no document defines which operands are multiplied, and which one is subtracted: \
                 its file is written, and nothing here runs it"
            ]
        );
    }

    type Break = fn(&mut OpSpec);

    #[test]
    fn each_rule_fails_by_name() {
        let cases: &[(Break, &str)] = &[
            (|op| op.op.clear(), "op must be a non-empty string"),
            (
                |op| op.iteration_space[0].slices = 0,
                "iteration_space[c0] work_division must be a positive integer, got 0",
            ),
            (
                |op| op.iteration_space[0].extent = Expr::int(-1),
                "iteration_space[c0] range must not be negative",
            ),
            (
                |op| op.iteration_space[1].symbol = "c0".into(),
                "iteration_space[c0] is listed twice",
            ),
            (
                |op| op.args[1].device_size.clear(),
                "args[1].device_size must not be empty",
            ),
            (
                |op| drop(op.args[1].device_coordinates.pop()),
                "args[1].device_coordinates must have one entry per device dimension, got 2 for 3",
            ),
            (
                |op| drop(op.args.pop()),
                "args must contain at least one output",
            ),
            (
                |op| op.args[0].device_coordinates[1] = Expr::symbol("zz"),
                "args[0].device_coordinates must use iteration symbols only, got zz",
            ),
            (
                |op| op.tiled_levels = vec![vec!["zz".into()]],
                "tiled_levels[0] must name symbols",
            ),
            (
                |op| drop(op.args.remove(0)),
                "args must hold at least 2 inputs, got 1",
            ),
            (
                |op| op.op = "where3".into(),
                "args must hold at least 3 inputs, got 2",
            ),
            (
                |op| op.is_reduction = true,
                "is_reduction must be false for pointwise operations",
            ),
            (
                |op| op.op = "sum".into(),
                "is_reduction must be true for reductions",
            ),
            (
                |op| op.op = "batchmatmul".into(),
                "is_reduction must be true for matrix multiplications",
            ),
        ];
        for (break_it, expected) in cases {
            let mut op = add();
            break_it(&mut op);
            let message = failure(&[op.into()]);
            assert!(
                message.contains(expected),
                "expected `{expected}` in `{message}`"
            );
        }
    }

    #[test]
    fn loops_need_a_body_and_a_positive_count() {
        assert!(
            failure(&[LoopSpec::new(2, vec![]).into()])
                .contains("body must contain at least one operation")
        );
        assert!(
            failure(&[LoopSpec::new(0, vec![add().into()]).into()])
                .contains("count must be positive, got 0")
        );
    }

    #[test]
    fn loop_sizes_are_identifiers() {
        let mut spec = LoopSpec::new(2, vec![add().into()]);
        let bounds = DimBounds {
            max: 8,
            granularity: 1,
        };
        spec.count_symbol_bounds
            .insert("s0: index) {".into(), bounds);
        let message = failure(&[spec.into()]);
        assert!(
            message.contains("must name identifiers, got `s0: index) {`"),
            "{message}"
        );
    }

    #[test]
    fn advances_and_trip_counts_make_level_symbols_known() {
        let mut op = add();
        op.tiled_levels = vec![vec!["t0".into()], vec!["t1".into()]];
        op.args[0].advance = Some(Expr::int(64) * Expr::symbol("t0"));
        op.tiled_symbol_trip_counts.insert("t1".into(), 4);
        assert_eq!(failure(&[op.into()]), "valid");
    }
}
