//! Sums that pick one element.
//!
//! A program reads at an index by a product with a mask that is 1 where a position is the index, summed over the
//! positions. The sum is the element at the index, and 0 where there is none. It is converted to that, also where the
//! masked elements are NaN or infinite and the product would be NaN.

use spyre_index_expr::Expr;
use spyre_uop::dtype::DType;
use spyre_uop::ids::NodeId;
use spyre_uop::op::{Elementwise, Op};

use super::fold::{is_constant_along, moves_along, position};
use super::view::{self, View};
use super::{Frame, Lowering, Outcome, Root, Value};

/// A mask that is true where a position along an axis is an index.
struct OneHot<'p> {
    /// The index, minus the offset that is added to the position.
    index: Value<'p>,
    offset: i64,
}

impl<'p> Lowering<'_, 'p> {
    /// Returns the sum of a node along an axis, if it picks one element.
    pub(super) fn gather(
        &mut self,
        frame: &Frame<'p>,
        source: NodeId,
        axis: usize,
    ) -> Outcome<'p, Option<Value<'p>>> {
        let graph = &self.program.graph;
        let node = graph.node(source);
        let value = |id: NodeId| frame.values[&id][0].clone();
        let pick = match node.op {
            Op::Elementwise(Elementwise::Mul) => {
                let [a, b] = [node.sources[0], node.sources[1]];
                let masked =
                    |mask: NodeId, of: NodeId| Some((self.one_hot(frame, mask, axis)?, value(of)));
                masked(a, b).or_else(|| masked(b, a))
            }
            Op::Elementwise(Elementwise::Where) => {
                let otherwise = value(node.sources[2]);
                let is_zero = matches!(otherwise.root, Root::Number(0));
                let mask = self.one_hot(frame, node.sources[0], axis);
                mask.filter(|_| is_zero)
                    .map(|mask| (mask, value(node.sources[1])))
            }
            _ => None,
        };
        let Some((mask, picked)) = pick else {
            return Ok(None);
        };
        let extent = picked.view.shape[axis];
        let mut shape = picked.view.shape.clone();
        shape[axis] = 1;
        let coordinates: Vec<Expr> = (0..shape.len()).map(view::coordinate).collect();
        let index = Value {
            view: self.fits(mask.index.view.read(&shape, &coordinates))?,
            ..mask.index
        };
        let index = self.shifted(index, mask.offset)?;
        let position = |expr: Expr| Value {
            root: Root::Position,
            dtype: DType::Index,
            view: View::of(&shape, vec![expr]),
        };
        if let (Root::Tensor(tensor), Some(moving)) = (&picked.root, moving(&picked.view, axis)) {
            // The tensor is read where it is, without the axes along which it only repeats.
            let at = picked.view.at.iter().enumerate();
            let at = at.map(|(number, expr)| match number == moving {
                true => index.clone(),
                false => position(expr.clone()),
            });
            let at: Vec<Value<'p>> = at.collect();
            let extents = spyre_construct::build::shape_of(*tensor);
            let whole = Value {
                view: View::whole(&extents.expect("tensors have known extents here")),
                ..picked
            };
            return self
                .picked(&whole, &at, &shape, Some((moving, extent)))
                .map(Some);
        }
        let at = (0..shape.len()).map(|number| match number == axis {
            true => index.clone(),
            false => position(view::coordinate(number)),
        });
        let at: Vec<Value<'p>> = at.collect();
        self.picked(&picked, &at, &shape, Some((axis, extent)))
            .map(Some)
    }

    /// Returns an index minus a number, in 64 bits.
    fn shifted(&mut self, index: Value<'p>, offset: i64) -> Outcome<'p, Value<'p>> {
        if offset == 0 {
            return Ok(index);
        }
        let shape = index.view.shape.clone();
        let wide = self.cast(&index, DType::Index)?;
        let bits = spyre_uop::element::wrapped(DType::Index, -i128::from(offset));
        let by = super::number(DType::Index, bits, &shape);
        self.elementwise(Elementwise::Add, &[wide, by])
    }

    /// Recognises a one-hot mask along an axis: the comparison of the position with an index that does not depend on
    /// the axis. The mask may be cast to numbers.
    fn one_hot(&self, frame: &Frame<'p>, id: NodeId, axis: usize) -> Option<OneHot<'p>> {
        let graph = &self.program.graph;
        let node = graph.node(id);
        let source = |number: usize| node.sources[number];
        match &node.op {
            Op::Cast(_) => self.one_hot(frame, source(0), axis),
            Op::Elementwise(Elementwise::CmpEq) => self.same(frame, source(0), source(1), axis),
            Op::Elementwise(Elementwise::Not) => {
                let inner = graph.node(source(0));
                let differ = inner.op == Op::Elementwise(Elementwise::CmpNe);
                differ.then(|| self.same(frame, inner.sources[0], inner.sources[1], axis))?
            }
            // The negation of an inequality.
            Op::Elementwise(Elementwise::CmpNe) => {
                let inner = graph.node(source(0));
                let differ = inner.op == Op::Elementwise(Elementwise::CmpNe);
                let truth = &frame.values[&source(1)][0];
                let is_true = truth.dtype == DType::Bool && matches!(truth.root, Root::Number(1));
                let is_not = differ && is_true && truth.view.valid.is_empty();
                is_not.then(|| self.same(frame, inner.sources[0], inner.sources[1], axis))?
            }
            _ => None,
        }
    }

    /// Reads a comparison of a position along an axis with an index.
    fn same(&self, frame: &Frame<'p>, a: NodeId, b: NodeId, axis: usize) -> Option<OneHot<'p>> {
        let value = |id: NodeId| frame.values.get(&id).map(|values| &values[0]);
        let pair = |moving: &Value<'p>, index: &Value<'p>| {
            let offset = moves_along(&position(moving)?, axis)?;
            let fits = index.dtype.is_integer() && is_constant_along(&index.view, axis);
            fits.then(|| OneHot {
                index: index.clone(),
                offset,
            })
        };
        let (a, b) = (value(a)?, value(b)?);
        pair(a, b).or_else(|| pair(b, a))
    }
}

/// Returns the dimension of a tensor along which a view moves with an axis; `None` if the axis moves several
/// dimensions.
fn moving(view: &View, axis: usize) -> Option<usize> {
    let mut along = (0..view.at.len()).filter(|number| view.at[*number].has_loop(axis));
    let (number, None) = (along.next()?, along.next()) else {
        return None;
    };
    let is_plain = view.valid.is_empty() && view.at[number] == view::coordinate(axis);
    is_plain.then_some(number)
}
