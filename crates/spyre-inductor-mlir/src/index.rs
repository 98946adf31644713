//! Indices: affine maps of loops, of indices that were read, and of results of `inductor.index_apply` on these, for
//! functions without an affine form.

use melior::Context;
use melior::ir::attribute::StringAttribute;
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{AffineExpr, AffineMap, Identifier, Location, Type};
use spyre_construct::affine::{self, AffineError, Parts};
use spyre_dialects::attr;
use spyre_index_expr::{Expr, Function, Overflow, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_ods::inductor;

use super::errors::error;

/// The operation for a function without an affine form.
pub(super) const APPLY: &str = inductor::INDEX_APPLY;

/// Returns the index expressions of an operation of a body, with its operands from `first` on as indices. `var` returns
/// the variable of an index that is no function of others.
///
/// # Errors
/// A number is too large, or the error of `var`.
pub(super) fn exprs<'p>(
    op: Op<'p>,
    first: usize,
    var: &mut dyn FnMut(Val<'p>) -> Result<Var, Diagnostic<'p>>,
) -> Result<Vec<Expr>, Diagnostic<'p>> {
    let of: Vec<Expr> = op
        .operands()
        .skip(first)
        .map(|index| of_value(index, var))
        .collect::<Result<_, _>>()?;
    let map = ir::attribute(op, "map").and_then(ir::affine_map_value);
    let map = map.expect("checked by the dialect");
    affine::exprs(map, &|dim| of[dim].clone()).map_err(|err| error(op, err))
}

fn of_value<'p>(
    index: Val<'p>,
    var: &mut dyn FnMut(Val<'p>) -> Result<Var, Diagnostic<'p>>,
) -> Result<Expr, Diagnostic<'p>> {
    let function = ir::defining_op(index).filter(|op| ir::name(*op) == APPLY);
    let Some(op) = function else {
        return Ok(Expr::var(var(index)?));
    };
    let operands = exprs(op, 0, var)?;
    let name = ir::attribute(op, "function").and_then(attr::string);
    let name = name.expect("checked by the dialect");
    applied(&name, &operands).map_err(|err| error(op, err))
}

/// Returns a function of expressions, by its name in the file.
fn applied(function: &str, operands: &[Expr]) -> Result<Expr, Overflow> {
    if function == "mul" {
        return Expr::product(operands);
    }
    let applied = Function::named(function).and_then(|function| function.apply(operands));
    Ok(applied.expect("IN29: the dialect has checked the function and its operands"))
}

/// Builds indices at a place.
pub(super) struct Indices<'a, 'p> {
    /// The context of the place.
    pub(super) context: &'p Context,
    /// The place where functions without an affine form are built.
    pub(super) at: At<'p>,
    /// The location of these functions.
    pub(super) location: Location<'p>,
    /// The loops, by their numbers. Each is a dimension of every map.
    pub(super) loops: &'a [Val<'p>],
    /// The indices that were read, by their numbers.
    pub(super) read: &'a dyn Fn(u32) -> Option<Val<'p>>,
}

impl<'p> Indices<'_, 'p> {
    /// Returns the map of some expressions, and its dimensions: the loops, the indices that were read and are used, and functions.
    ///
    /// # Errors
    /// A variable is not defined at the place.
    pub(super) fn build(
        &self,
        exprs: &[Expr],
    ) -> Result<(AffineMap<'p>, Vec<Val<'p>>), AffineError> {
        let mut used: Vec<u32> = Vec::new();
        for expr in exprs {
            expr.visit(&mut |var| {
                if let Var::Indirect(number) = var
                    && !used.contains(&number)
                {
                    used.push(number);
                }
            });
        }
        used.sort_unstable();
        let mut dims = self.loops.to_vec();
        for number in &used {
            let read = (self.read)(*number);
            dims.push(read.ok_or(AffineError::Undefined(Var::Indirect(*number)))?);
        }
        let mut parts = Dims {
            of: self,
            used,
            dims,
            applied: Vec::new(),
        };
        let results: Vec<AffineExpr<'p>> = exprs
            .iter()
            .map(|expr| affine::of_parts(self.context, expr, &mut parts))
            .collect::<Result<_, _>>()?;
        let symbols = affine::symbols(exprs);
        let map = AffineMap::new(self.context, parts.dims.len(), symbols, &results);
        Ok((map, parts.dims))
    }
}

/// The dimensions of a map that is being built.
struct Dims<'a, 'p> {
    of: &'a Indices<'a, 'p>,
    /// The indices that were read, after the loops.
    used: Vec<u32>,
    dims: Vec<Val<'p>>,
    /// The functions, with their dimensions.
    applied: Vec<(String, Vec<Expr>, usize)>,
}

impl<'p> Parts<'p> for Dims<'_, 'p> {
    fn var(&mut self, var: Var) -> Result<AffineExpr<'p>, AffineError> {
        let loops = self.of.loops.len();
        let dim = match var {
            Var::Loop(number) => Some(number as usize).filter(|number| *number < loops),
            Var::Indirect(number) => {
                let place = self.used.iter().position(|other| *other == number);
                place.map(|place| loops + place)
            }
            Var::Symbol(_) => unreachable!("a symbol is a symbol of the map"),
        };
        let dim = dim.ok_or(AffineError::Undefined(var))?;
        Ok(AffineExpr::dim(self.of.context, dim))
    }

    fn apply(&mut self, function: &str, operands: &[Expr]) -> Result<AffineExpr<'p>, AffineError> {
        let context = self.of.context;
        let mut entries = self.applied.iter();
        let entry = entries.find(|(name, arguments, _)| name == function && arguments == operands);
        if let Some((_, _, dim)) = entry {
            return Ok(AffineExpr::dim(context, *dim));
        }
        let (map, indices) = self.of.build(operands)?;
        let name = |name| Identifier::new(context, name);
        let built = OperationBuilder::new(APPLY, self.of.location)
            .add_operands(&indices)
            .add_results(&[Type::index(context)])
            .add_attributes(&[
                (
                    name("function"),
                    StringAttribute::new(context, function).into(),
                ),
                (name("map"), ir::affine_map_attribute(map)),
            ])
            .build()
            .expect("every part of the operation is given");
        let built = ir::insert(self.of.at, built).expect("the place is in a block");
        let dim = self.dims.len();
        self.dims
            .push(ir::result(built, 0).expect("the function has a result"));
        self.applied
            .push((function.to_owned(), operands.to_vec(), dim));
        Ok(AffineExpr::dim(context, dim))
    }
}
