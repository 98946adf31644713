//! Prefix sums, sorted elements, and the largest ones.
//!
//! An element's place in the order is the number of elements before it. So a sort counts, and then picks for each place the element
//! that has it: no program with a choice of where it writes.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{AffineExpr, Type, ValueLike};
use spyre_construct::build::{element_of, element_type};
use spyre_construct::structured::{self, Mapped, map, map_of};
use spyre_dialects::attr;
use spyre_index_expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::arith;

use super::super::super::functions::Class;
use super::super::super::functions::class;
use super::super::emit::{Binary, Emit, Is, number};
use super::super::{Graph, error, result};

/// The body of a structured operation over the dimensions of a tensor and one more loop. It builds a value from the elements at
/// both and the result so far.
pub(super) type Pair<'a, 'p> = &'a dyn Fn(Emit<'p>, &[Val<'p>]) -> Val<'p>;

impl<'p> Graph<'p> {
    /// Returns a dimension that an argument names, which may be counted from the end.
    pub(super) fn dim(
        &self,
        op: Op<'p>,
        place: usize,
        rank: usize,
    ) -> Result<usize, Diagnostic<'p>> {
        let position = self.integer(op, "dim", place).unwrap_or(-1);
        let rank = i64::try_from(rank).expect("dimensions are few");
        let dim = if position < 0 {
            position + rank
        } else {
            position
        };
        match usize::try_from(dim) {
            Ok(dim) if dim < usize::try_from(rank).unwrap_or(0) => Ok(dim),
            _ => Err(error(
                op,
                format!("a tensor of rank {rank} has no dimension {position}"),
            )),
        }
    }

    /// Builds a reduction over pairs of positions along a dimension. Each tensor is read at the outer
    /// position, or at the inner one, which is reduced. The body is given the elements, the
    /// accumulator, the outer position and the inner one.
    pub(super) fn pairs(
        &self,
        op: Op<'p>,
        (tensors, dim, count): (&[(Val<'p>, bool)], usize, &Expr),
        (ty, first): (Type<'p>, f64),
        of: Pair<'_, 'p>,
    ) -> Val<'p> {
        let context = self.context;
        let mut shape = self.shape(tensors[0].0);
        let rank = shape.len();
        shape[dim] = count.clone();
        let all: Vec<usize> = (0..rank).collect();
        let mut inner = all.clone();
        inner[dim] = rank;
        let maps = [map(context, rank + 1, &all), map(context, rank + 1, &inner)];
        let ins: Vec<Mapped<'p>> = tensors
            .iter()
            .map(|(tensor, is_inner)| (*tensor, maps[usize::from(*is_inner)]))
            .collect();
        let init = self.filled(op, number(context, first, ty), ty, &shape);
        let (built, block) = self.generic(op, (&ins, &[(init, maps[0])]), (rank, 1));
        let emit = Emit {
            context,
            block,
            location: op.location(),
        };
        let mut values: Vec<Val<'p>> = (0..=ins.len())
            .map(|number| structured::argument(block, number))
            .collect();
        values.extend([dim, rank].map(|digit| emit.loop_index(digit)));
        let value = of(emit, &values);
        structured::end(block, op.location(), &[value]);
        result(built)
    }

    /// Builds the prefix sums along a dimension: each is the sum of a window, as long as the
    /// dimension, that ends at its element. Zeros are padded before the first element.
    pub(in super::super) fn sums(
        &self,
        op: Op<'p>,
        (tensor, dim): (Val<'p>, usize),
        ty: Type<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let context = self.context;
        let shape = self.shape(tensor);
        let rank = shape.len();
        let mut low = vec![0; rank];
        low[dim] = (self.fixed(op, &shape[dim])? - 1).max(0);
        let padded = self.padded(op, tensor, (&low, &vec![0; rank]));
        let all: Vec<usize> = (0..rank).collect();
        let places: Vec<_> = all
            .iter()
            .map(|position| match AffineExpr::dim(context, *position) {
                end if *position == dim => end + AffineExpr::dim(context, rank),
                place => place,
            })
            .collect();
        // The window has its extent from a tensor that the body does not read.
        let line = self.empty(op, &shape[dim..=dim], Type::float32(context));
        let ins = [
            (padded, map_of(context, rank + 1, &places)),
            (line, map(context, rank + 1, &[rank])),
        ];
        let init = self.filled(op, number(context, 0.0, ty), ty, &shape);
        let out = (init, map(context, rank + 1, &all));
        let (built, block) = self.generic(op, (&ins, &[out]), (rank, 1));
        let emit = Emit {
            context,
            block,
            location: op.location(),
        };
        let element = emit.converted(structured::argument(block, 0), ty, false);
        let add: Binary = match class(ty) {
            Class::Float => arith::addf,
            _ => arith::addi,
        };
        let sum = emit.same(add(structured::argument(block, 2), element));
        structured::end(block, op.location(), &[sum]);
        Ok(result(built))
    }

    /// Converts prefix sums.
    pub(super) fn cumsum(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let tensor = self.terms(op)?;
        let dim = self.dim(op, 1, self.extents(tensor).len())?;
        let sums = self.sums(op, (tensor, dim), self.computed(element_of(tensor)))?;
        self.finish_each(op, vec![sums])
    }

    /// Returns the operand of a prefix reduction, in the type of the result, as PyTorch converts it
    /// first. So the sum of integers is `i64` unless the program has another type, and floats are
    /// truncated before they are added as integers.
    pub(super) fn terms(&self, op: Op<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let tensor = self.whole(op, 0)?;
        let operand = ir::operand(op, 0).expect("it has been read");
        let unsigned = ir::is_unsigned(element_type(operand.r#type()));
        let Some(ty) = element_of_first_result(op) else {
            return Ok(tensor);
        };
        Ok(self.cast_of(op, (tensor, unsigned), self.signless(ty)))
    }

    /// Builds the place of each element in the order along a dimension, the first of equal ones first. NaN is larger than all numbers.
    fn places(&self, op: Op<'p>, tensor: Val<'p>, dim: usize, descending: bool) -> Val<'p> {
        let i64: Type<'p> = IntegerType::new(self.context, 64).into();
        let count = &self.extents(tensor)[dim];
        let both = [(tensor, false), (tensor, true)];
        self.pairs(op, (&both, dim, count), (i64, 0.0), &|emit, values| {
            let [element, other, so_far, place, other_place] = values else {
                unreachable!("two tensors are read")
            };
            let (small, large) = if descending {
                (element, other)
            } else {
                (other, element)
            };
            let mut is_before = emit.is(Is::Less, *small, *large);
            let mut is_equal = emit.is(Is::Equal, *element, *other);
            if class(element.r#type()) == Class::Float {
                let nan = [emit.is_nan(*small), emit.is_nan(*large)];
                let is_number = emit.not(nan[0]);
                let is_below = emit.same(arith::andi(is_number, nan[1]));
                is_before = emit.same(arith::ori(is_before, is_below));
                let are_nan = emit.same(arith::andi(nan[0], nan[1]));
                is_equal = emit.same(arith::ori(is_equal, are_nan));
            }
            let is_earlier = emit.is(Is::Less, *other_place, *place);
            let is_first = emit.same(arith::andi(is_equal, is_earlier));
            let is_before = emit.same(arith::ori(is_before, is_first));
            let one = emit.converted(is_before, i64, false);
            emit.same(arith::addi(*so_far, one))
        })
    }

    /// Builds a tensor of the `count` elements that come first in the order of `places`.
    fn at_places(
        &self,
        op: Op<'p>,
        (places, tensor): (Val<'p>, Val<'p>),
        (dim, count): (usize, &Expr),
    ) -> Val<'p> {
        let both = [(places, true), (tensor, true)];
        let first = (element_of(tensor), 0.0);
        self.pairs(op, (&both, dim, count), first, &|emit, values| {
            let [place, element, so_far, at, _] = values else {
                unreachable!("two tensors are read")
            };
            emit.select(is_here(emit, *place, *at), *element, *so_far)
        })
    }

    /// Builds tensors in the order of the elements of the first one.
    pub(in super::super) fn in_order(
        &self,
        op: Op<'p>,
        tensors: &[Val<'p>],
        dim: usize,
        descending: bool,
    ) -> Vec<Val<'p>> {
        let places = self.places(op, tensors[0], dim, descending);
        let count = &self.extents(tensors[0])[dim];
        let tensors = tensors.iter();
        tensors
            .map(|tensor| self.at_places(op, (places, *tensor), (dim, count)))
            .collect()
    }

    /// Builds the first elements of the order, and where they were.
    fn ordered(
        &mut self,
        op: Op<'p>,
        tensor: Val<'p>,
        (dim, count, descending): (usize, &Expr, bool),
    ) -> Result<(), Diagnostic<'p>> {
        let i64: Type<'p> = IntegerType::new(self.context, 64).into();
        let places = self.places(op, tensor, dim, descending);
        let elements = self.at_places(op, (places, tensor), (dim, count));
        let tensors = [(places, true)];
        let from = self.pairs(op, (&tensors, dim, count), (i64, 0.0), &|emit, values| {
            let [place, so_far, at, index] = values else {
                unreachable!("one tensor is read")
            };
            let index = emit.op(arith::index_cast(*index), i64);
            emit.select(is_here(emit, *place, *at), index, *so_far)
        });
        self.finish_each(op, vec![elements, from])
    }

    /// Makes tensors the results of a kernel: one, or a tuple.
    pub(super) fn finish_each(
        &mut self,
        op: Op<'p>,
        tensors: Vec<Val<'p>>,
    ) -> Result<(), Diagnostic<'p>> {
        if let &[tensor] = tensors.as_slice() {
            return self.finish(op, tensor);
        }
        self.finish_all(op, tensors);
        Ok(())
    }

    /// Converts a sort. That of equal elements is stable.
    pub(super) fn sort(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let tensor = self.whole(op, 0)?;
        let shape = self.extents(tensor);
        let dim = self.dim(op, 2, shape.len())?;
        let descending = self.flag(op, "descending", 3).unwrap_or(false);
        self.ordered(op, tensor, (dim, &shape[dim], descending))
    }

    /// Converts the largest or smallest elements, in order.
    pub(super) fn topk(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let tensor = self.whole(op, 0)?;
        let shape = self.extents(tensor);
        let dim = self.dim(op, 2, shape.len())?;
        let count = self
            .integer(op, "k", 1)
            .map(Expr::constant)
            .filter(|count| {
                self.bounds.is_nonnegative(count) && self.bounds.is_at_most(count, &shape[dim])
            });
        let count = count.ok_or_else(|| {
            error(
                op,
                format!(
                    "the number of elements is missing, or not at most {:?}",
                    shape[dim]
                ),
            )
        })?;
        let largest = self.flag(op, "largest", 3).unwrap_or(true);
        self.ordered(op, tensor, (dim, &count, largest))
    }

    /// Returns an argument that is a truth value.
    pub(super) fn flag(&self, op: Op<'p>, name: &str, place: usize) -> Option<bool> {
        let flag = self.argument(op, name, place)?;
        match flag.to_string().as_str() {
            "true" => Some(true),
            "false" => Some(false),
            _ => attr::integer(flag).map(|number| number != 0),
        }
    }
}

/// Builds whether a place is an index.
fn is_here<'p>(emit: Emit<'p>, place: Val<'p>, at: Val<'p>) -> Val<'p> {
    emit.is(
        Is::Equal,
        place,
        emit.op(arith::index_cast(at), place.r#type()),
    )
}

/// Returns the element type of the first result of a kernel. A kernel with a tuple has no tensor
/// type: the operation that extracts the element has it. `None` if there is no such operation.
fn element_of_first_result(op: Op<'_>) -> Option<Type<'_>> {
    let results = result(op);
    if ir::is_ranked_tensor(results.r#type()) {
        return Some(element_type(results.r#type()));
    }
    let user = ir::uses(results).into_iter().next()?;
    Some(element_type(result(user.owner).r#type()))
}
