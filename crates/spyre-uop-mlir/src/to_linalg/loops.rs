//! Loops: `end` and reductions over ranges as `scf.for`, which carries the buffers that are written and the sums so far.

use melior::ir::Type;
use spyre_mlir_rt::ir::{self, At, ForOp, Op, Val};
use spyre_ods::{OpBuilder, tensor};
use spyre_uop::dtype::DType;
use spyre_uop::element as bits;
use spyre_uop::graph::Node;
use spyre_uop::ids::NodeId;
use spyre_uop::op::{self, Combine, Elementwise};

use super::memory::Key;
use super::view::View;
use super::{Frame, Lowering, Outcome, Root, Value, element, extents, number};

impl<'p> Lowering<'_, 'p> {
    /// Executes the nodes that an `end` closes, in each iteration.
    pub(super) fn end(
        &mut self,
        frame: &mut Frame<'p>,
        id: NodeId,
        node: &Node,
    ) -> Outcome<'p, ()> {
        self.looped(frame, id, &node.sources[1..], None, &mut |_, _, _| Ok(None))?;
        Ok(())
    }

    /// Combines the values of all iterations.
    pub(super) fn reduce_over(
        &mut self,
        frame: &mut Frame<'p>,
        id: NodeId,
        node: &Node,
        (combine, axes): (Combine, &[usize]),
    ) -> Outcome<'p, Value<'p>> {
        let ty = node.tensor();
        let first = number(
            ty.dtype,
            bits::identity(combine, ty.dtype),
            &extents(&ty.shape),
        );
        let source = node.sources[0];
        let mut add = |lowering: &mut Self, frame: &Frame<'p>, accumulator: Option<Value<'p>>| {
            let value = match axes {
                [] => frame.values[&source][0].clone(),
                axes => lowering.reduce(frame, source, combine, axes)?,
            };
            let accumulator = accumulator.expect("the loop carries it");
            let op = match combine {
                Combine::Add => Elementwise::Add,
                Combine::Max => Elementwise::Max,
                Combine::Mul => Elementwise::Mul,
            };
            lowering.elementwise(op, &[accumulator, value]).map(Some)
        };
        let result = self.looped(frame, id, &node.sources[1..], Some(first), &mut add)?;
        Ok(result.expect("the loop carries it"))
    }

    /// Builds loops, the last range the fastest. Iterations execute the nodes that `id` closes, then `then`, which gets
    /// the iteration argument and returns its next value.
    fn looped(
        &mut self,
        frame: &mut Frame<'p>,
        id: NodeId,
        ranges: &[NodeId],
        carried: Option<Value<'p>>,
        then: Then<'_, 'p, Self>,
    ) -> Outcome<'p, Option<Value<'p>>> {
        let Some((range, inner)) = ranges.split_first() else {
            let plan = self.order.of_iteration(&self.program.graph, id);
            self.execute(frame, &plan)?;
            let next = then(self, frame, carried)?;
            for id in plan {
                frame.values.remove(&id); // The values of an iteration are invalid outside of it.
            }
            return Ok(next);
        };
        let op::Op::Range { bound, .. } = self.program.graph.node(*range).op else {
            unreachable!("loops are over ranges")
        };
        if frame.values.contains_key(range) {
            return Err(self.error(format!("the loop over {range} is inside of itself")));
        }
        // All written buffers are iteration arguments. Upstream's canonicalization removes the ones that the loop does
        // not write.
        let keys: Vec<Key> = self.written.clone();
        let mut inits = Vec::new();
        for key in &keys {
            let value = self.memory.now[key].clone();
            inits.push(self.realized(&value)?);
        }
        if let Some(value) = &carried {
            inits.push(self.realized(value)?);
        }
        let bound = i64::try_from(bound).expect("an attribute of MLIR has held it");
        let at = At::Before(self.end);
        let [lower, upper, step] =
            [0, bound, 1].map(|value| ir::build_index_constant(at, self.here, value));
        let for_op = ir::build_for(at, self.here, lower, upper, step, &inits);
        let outer = self.enter(for_op);
        let state = |lowering: &mut Self, of: &dyn Fn(usize) -> Val<'p>| -> Option<Value<'p>> {
            for (number, key) in keys.iter().enumerate() {
                let now = whole(of(number), &lowering.memory.now[key]);
                lowering.memory.now.insert(*key, now);
            }
            carried.as_ref().map(|value| whole(of(keys.len()), value))
        };
        let inside = state(self, &|number| for_op.carried(number));
        let iteration = self.iteration(for_op);
        frame
            .values
            .insert(*range, std::rc::Rc::new(vec![iteration]));
        let next = self.looped(frame, id, inner, inside, then)?;
        frame.values.remove(range);
        let mut yielded = Vec::new();
        for key in &keys {
            let value = self.memory.now[key].clone();
            yielded.push(self.realized(&value)?);
        }
        if let Some(value) = &next {
            yielded.push(self.realized(value)?);
        }
        ir::erase(std::mem::replace(&mut self.end, outer));
        ir::build_yield(for_op.body, self.here, &yielded);
        Ok(state(self, &|number| for_op.result(number)))
    }

    /// Sets the insertion point to a mark in the body of a loop. Returns the previous one.
    fn enter(&mut self, for_op: ForOp<'p>) -> Op<'p> {
        // The placeholder has no uses, and is erased when the loop ends.
        let ty = super::tensor(&[], Type::index(self.context));
        let build = OpBuilder::at_end(self.context, for_op.body, self.here);
        let mark = build.insert(tensor::empty(&[]), &[ty]);
        std::mem::replace(&mut self.end, mark)
    }

    /// Returns the number of the iteration.
    fn iteration(&self, for_op: ForOp<'p>) -> Value<'p> {
        let at = At::Before(self.end);
        let ty = element::plain(self.context, DType::Index);
        let number = ir::build_index_cast(at, self.here, for_op.induction_variable(), ty);
        let build = self.builder();
        let tensor = build.emit(
            tensor::from_elements(&[number]),
            build.tensor::<i64>(&[], ty),
        );
        Value {
            root: Root::Tensor(tensor),
            dtype: DType::Index,
            view: View::whole(&[]),
        }
    }
}

/// A function that builds the end of an iteration: it gets the iteration argument, and returns its next value.
type Then<'a, 'p, L> =
    &'a mut dyn FnMut(&mut L, &Frame<'p>, Option<Value<'p>>) -> Outcome<'p, Option<Value<'p>>>;

/// Returns a tensor that has the place of a value.
fn whole<'p>(tensor: Val<'p>, like: &Value<'p>) -> Value<'p> {
    Value {
        root: Root::Tensor(tensor),
        dtype: like.dtype,
        view: View::whole(&like.view.shape),
    }
}
