//! Copies of bodies at other loops.

use melior::Context;
use melior::ir::block::BlockLike;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Attribute, Block, Identifier, Region, RegionLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_index_expr::{Expr, Overflow, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, Op, Val};
use spyre_ods::inductor;

use super::errors::error;
use super::index::{self, Indices};

/// Returns the arguments of a block.
pub(super) fn arguments(body: Blk<'_>) -> Vec<Val<'_>> {
    let all = (0..body.argument_count()).map(|number| body.argument(number));
    all.map(|argument| argument.expect("the number is below the count").into())
        .collect()
}

/// The operations of an expression on their way into the body of another nest.
pub(super) struct Copy<'p> {
    context: &'p Context,
    /// The loops of the other nest.
    loops: Vec<Val<'p>>,
    /// Indices that the other nest has read, by the numbers that they have here.
    indices: Vec<Val<'p>>,
    /// The loops of the expression, as functions of the loops of the other nest.
    at: Vec<Expr>,
    /// Values of the other nest by the keys of the values of the expression.
    values: FxHashMap<ir::ValueKey, Val<'p>>,
}

impl<'p> Copy<'p> {
    /// Returns a copy into a nest of some loops. `at` has the loops of the expression as functions of these; it may
    /// be set later.
    pub(super) fn new(context: &'p Context, loops: Vec<Val<'p>>, at: Vec<Expr>) -> Self {
        Self {
            context,
            loops,
            indices: Vec::new(),
            at,
            values: FxHashMap::default(),
        }
    }

    /// Sets the loops of the expression as functions of the loops of the other nest.
    pub(super) fn set_loops(&mut self, at: Vec<Expr>) {
        self.at = at;
    }

    /// Copies the operations of a block, but for its store.
    ///
    /// # Errors
    /// An index is too large.
    pub(super) fn block(&mut self, block: Blk<'p>, at: At<'p>) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            let copy = match ir::name(op) {
                inductor::STORE => break,
                inductor::MASKED => self.masked(op, at)?,
                inductor::LOAD => self.access(op, 1, at)?,
                inductor::INDEX_EXPR | inductor::CHECK_BOUNDS => self.access(op, 0, at)?,
                // An index expression is built with the operations that read it.
                index::APPLY => continue,
                _ => {
                    let clone = ir::build_clone(at, op);
                    for (number, operand) in op.operands().enumerate() {
                        ir::set_operand(clone, number, self.value(operand));
                    }
                    clone
                }
            };
            for (old, new) in ir::results(op).zip(ir::results(copy)) {
                self.values.insert(ir::value_key(old), new);
            }
        }
        Ok(())
    }

    /// Returns the value of the other nest for a value of the expression: itself where it is a buffer.
    pub(super) fn value(&self, value: Val<'p>) -> Val<'p> {
        let copy = self.values.get(&ir::value_key(value));
        copy.copied().unwrap_or(value)
    }

    fn masked(&mut self, op: Op<'p>, at: At<'p>) -> Result<Op<'p>, Diagnostic<'p>> {
        let region = Region::new();
        region.append_block(Block::new(&[]));
        let mask = ir::operand(op, 0).expect("a masked block has a mask");
        let attributes: Vec<_> = op.attributes().collect();
        let types: Vec<Type<'p>> = ir::results(op).map(|value| value.r#type()).collect();
        let built = OperationBuilder::new(inductor::MASKED, op.location())
            .add_operands(&[self.value(mask)])
            .add_results(&types)
            .add_attributes(&attributes)
            .add_regions([region])
            .build()
            .expect("every part of the operation is given");
        let built = ir::insert(at, built).expect("the place is in a block");
        let inner = ir::body(built).expect("it has a block");
        self.block(ir::body(op).expect("it has a block"), At::End(inner))?;
        Ok(built)
    }

    /// Copies an operation with a map, with other indices after its first operands.
    fn access(&mut self, op: Op<'p>, first: usize, at: At<'p>) -> Result<Op<'p>, Diagnostic<'p>> {
        let exprs = index::exprs(op, first, &mut |value| {
            Ok(match ir::source(value) {
                // A loop of the expression, until it is replaced.
                ir::Source::Argument(_, number) => {
                    Var::Loop(u32::try_from(number).expect("loops are few"))
                }
                ir::Source::Result(..) => self.var(self.value(value)),
            })
        })?;
        let new = |var| match var {
            Var::Loop(number) => self.at.get(number as usize).cloned(),
            _ => None,
        };
        let exprs: Result<Vec<Expr>, Overflow> =
            exprs.iter().map(|expr| expr.substitute(&new)).collect();
        let exprs = exprs.map_err(|err| error(op, err))?;
        let indices = Indices {
            context: self.context,
            at,
            location: op.location(),
            loops: &self.loops,
            read: &|number| self.indices.get(number as usize).copied(),
        };
        let (map, indices) = indices.build(&exprs).map_err(|err| error(op, err))?;
        let mut operands: Vec<Val<'p>> = op.operands().take(first).collect();
        operands.extend(indices);
        let is_map = |name: &Identifier<'p>| {
            name.as_string_ref()
                .as_str()
                .is_ok_and(|name| name == "map")
        };
        let attributes: Vec<(Identifier<'p>, Attribute<'p>)> = op
            .attributes()
            .map(|(name, value)| match is_map(&name) {
                true => (name, ir::affine_map_attribute(map)),
                false => (name, value),
            })
            .collect();
        let types: Vec<Type<'p>> = ir::results(op).map(|value| value.r#type()).collect();
        let built = OperationBuilder::new(ir::name(op), op.location())
            .add_operands(&operands)
            .add_results(&types)
            .add_attributes(&attributes)
            .build()
            .expect("every part of the operation is given");
        Ok(ir::insert(at, built).expect("the place is in a block"))
    }

    /// Returns the variable of an index of the other nest.
    pub(super) fn var(&mut self, index: Val<'p>) -> Var {
        if let ir::Source::Argument(_, number) = ir::source(index) {
            return Var::Loop(u32::try_from(number).expect("loops are few"));
        }
        let key = ir::value_key(index);
        let indices = self.indices.iter();
        let position = indices
            .map(|other| ir::value_key(*other))
            .position(|other| other == key);
        let number = position.unwrap_or_else(|| {
            self.indices.push(index);
            self.indices.len() - 1
        });
        Var::Indirect(u32::try_from(number).expect("indices are few"))
    }
}
