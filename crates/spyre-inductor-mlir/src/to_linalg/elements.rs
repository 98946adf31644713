//! Loop nests that run element by element: scatters, with possibly equal indices, and scans, where
//! an element depends on the previous one.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Location, RegionLike, Type, ValueLike};
use spyre_construct::build::{element_of, element_type};
use spyre_dialects::attr;
use spyre_index_expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Blk, ForOp, Op, Val};
use spyre_ods::{OpParts, arith, inductor, tensor};

use super::super::functions::Class;
use super::super::functions::class;
use super::super::program::for_each_load;
use super::super::types;
use super::body::Body;
use super::emit::{Binary, Emit};
use super::kernel::{signed, var};
use super::nest::Nest;
use super::{Graph, error, result};

/// Loops over the elements of a shape, one inside of the other, that carry tensors.
pub(super) struct Elements<'p> {
    loops: Vec<ForOp<'p>>,
    location: Location<'p>,
    /// Builds at the end of the innermost loop.
    pub(super) emit: Emit<'p>,
    /// The index of each loop.
    pub(super) places: Vec<Val<'p>>,
    /// The loop-carried tensors.
    pub(super) so_far: Vec<Val<'p>>,
}

impl<'p> Elements<'p> {
    /// Ends the loops, with the new tensors, and returns the last ones.
    pub(super) fn end(self, tensors: &[Val<'p>]) -> Vec<Val<'p>> {
        let mut values = tensors.to_vec();
        for built in self.loops.iter().rev() {
            ir::build_yield(built.body, self.location, &values);
            values = (0..values.len())
                .map(|number| built.result(number))
                .collect();
        }
        values
    }

    /// Builds the element of a tensor at some indices.
    pub(super) fn element(&self, tensor: Val<'p>, at: &[Val<'p>]) -> Val<'p> {
        element(self.emit, tensor, at)
    }

    /// Builds a tensor with another element at some indices.
    pub(super) fn with(&self, tensor: Val<'p>, at: &[Val<'p>], element: Val<'p>) -> Val<'p> {
        with(self.emit, tensor, at, element)
    }
}

fn element<'p>(emit: Emit<'p>, tensor: Val<'p>, at: &[Val<'p>]) -> Val<'p> {
    emit.op(tensor::extract(tensor, at), element_of(tensor))
}

fn with<'p>(emit: Emit<'p>, tensor: Val<'p>, at: &[Val<'p>], element: Val<'p>) -> Val<'p> {
    emit.op(tensor::insert(element, tensor, at), tensor.r#type())
}

impl<'p> Graph<'p> {
    /// Builds loops over the elements of a shape. A shape without dimensions has one element.
    pub(super) fn elements(&self, op: Op<'p>, shape: &[Expr], tensors: &[Val<'p>]) -> Elements<'p> {
        let location = op.location();
        let constant = |value: i64| ir::build_index_constant(At::Before(self.end), location, value);
        let (zero, one) = (constant(0), constant(1));
        let line = [1.into()];
        let extents = if shape.is_empty() { &line } else { shape };
        let ends = extents.iter().map(|extent| self.index(op, extent));
        let ends: Vec<Val<'p>> = ends.collect();
        let mut at = At::Before(self.end);
        let mut so_far = tensors.to_vec();
        let mut loops: Vec<ForOp<'p>> = Vec::new();
        for end in ends {
            let built = ir::build_for(at, location, zero, end, one, &so_far);
            for (number, tensor) in so_far.iter_mut().enumerate() {
                let init = *tensor;
                *tensor = built.carried(number);
                self.extents.enter_as(*tensor, init);
                self.extents.enter_as(built.result(number), init);
            }
            at = At::End(built.body);
            loops.push(built);
        }
        let block = loops.last().expect("there is a loop").body;
        let places = loops.iter().map(|built| built.induction_variable());
        Elements {
            places: places.take(shape.len()).collect(),
            loops,
            location,
            emit: Emit {
                context: self.context,
                block,
                location,
            },
            so_far,
        }
    }

    /// Converts a scatter: its values and their places are tensors, which go into the buffer one by one, in the order of the loops.
    pub(super) fn scatter(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let mode = ir::attribute(op, "mode").and_then(attr::string);
        let nest = self.plan(op, "")?;
        let ty = element_type(result(op).r#type());
        let add: Option<Binary> = match (mode.as_deref(), class(ty)) {
            (None, _) => None,
            (Some(mode), _) if types::float8(ty).is_some() => {
                let message = format!("a scatter of {ty} in the mode '{mode}' is not converted");
                return Err(error(op, message));
            }
            (Some("atomic_add"), Class::Float) => Some(arith::addf),
            (Some("atomic_add"), Class::Integer) => Some(arith::addi),
            (Some(mode), _) => {
                let message = format!("a scatter of {ty} in the mode '{mode}' is not converted");
                return Err(error(op, message));
            }
        };
        self.put(&nest, add)
    }

    /// Stores the values of a nest to the buffer that it writes, at their indices, one by one.
    /// `add` is the operation that combines a value with the stored element; without it, the last
    /// value stays.
    pub(super) fn put(
        &mut self,
        nest: &Nest<'p>,
        add: Option<Binary>,
    ) -> Result<(), Diagnostic<'p>> {
        let op = nest.of;
        let into = self.whole(op, 0)?;
        let (ty, of) = (element_of(into), element_type(result(op).r#type()));
        let position: Type<'p> = IntegerType::new(self.context, 64).into();
        let mut results = vec![(ty, None)];
        results.extend(vec![(position, None); nest.at.len()]);
        let built = self.structured(nest, &[], &results, &|body, values, _| {
            let emit = body.emit;
            let mut outputs = vec![self.stored(emit, values[0], of)];
            outputs.extend(nest.at.iter().map(|at| {
                let index = body.index(at);
                emit.op(arith::index_cast(index), position)
            }));
            outputs
        })?;
        let elements = self.elements(op, &self.shape(built[0]), &[into]);
        let emit = elements.emit;
        let target: Vec<Val<'p>> = built[1..]
            .iter()
            .map(|tensor| {
                let place = elements.element(*tensor, &elements.places);
                emit.op(arith::index_cast(place), Type::index(self.context))
            })
            .collect();
        let mut value = elements.element(built[0], &elements.places);
        let so_far = elements.so_far[0];
        if let Some(add) = add {
            let old = elements.element(so_far, &target);
            let (old, more) = (self.register(emit, old), self.register(emit, value));
            value = emit.converted(emit.same(add(old, more)), ty, false);
        }
        let tensor = elements.with(so_far, &target, value);
        let tensors = elements.end(&[tensor]);
        self.values.insert(ir::value_key(result(op)), tensors[0]);
        Ok(())
    }

    /// Builds a number in the type in which it is computed.
    fn register(&self, emit: Emit<'p>, value: Val<'p>) -> Val<'p> {
        emit.converted(value, self.computed(value.r#type()), false)
    }

    /// Converts a scan: each element is combined with the result before it.
    pub(super) fn scan(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let (nest, tensors, dim) = self.along(op, "scan_ranges")?;
        let Some(dim) = dim else {
            return self.finish_output(op, &tensors);
        };
        let shape = self.extents(tensors[0]);
        let combine = op.region(1).ok().and_then(|region| region.first_block());
        let combine = combine.expect("a scan has a combination");
        if is_sum(combine) {
            let sums = self.sums(op, (tensors[0], dim), nest.stored[0])?;
            return self.finish_output(op, &[sums]);
        }
        let mut firsts = shape.clone();
        firsts[dim] = 1.into();
        let inits = tensors.iter();
        let inits = inits.map(|tensor| self.empty(op, &shape, element_of(*tensor)));
        let inits: Vec<Val<'p>> = inits.collect();
        let outer = self.elements(op, &firsts, &inits);
        let emit = outer.emit;
        let mut carried: Vec<Val<'p>> = tensors
            .iter()
            .map(|tensor| outer.element(*tensor, &outer.places))
            .collect();
        let count = carried.len();
        for number in 0..count {
            let first = outer.with(outer.so_far[number], &outer.places, carried[number]);
            carried.push(first);
        }
        let apply = |parts: OpParts<'p>| emit.same(parts);
        let end = self.of_sizes(&shape[dim], &|number| emit.index(number), &apply);
        let bounds = [emit.index(1), end];
        let (at, location) = (At::End(emit.block), op.location());
        let along = ir::build_for(at, location, bounds[0], bounds[1], bounds[0], &carried);
        let emit = Emit {
            block: along.body,
            ..emit
        };
        let mut places = outer.places.clone();
        places[dim] = along.induction_variable();
        let mut body = Body::new(self, &nest.plan, emit);
        for (number, tensor) in tensors.iter().enumerate() {
            let next = element(emit, *tensor, &places);
            for (argument, value) in [(number, along.carried(number)), (count + number, next)] {
                let argument = combine.argument(argument);
                let argument = argument
                    .expect("it has two arguments for each value")
                    .into();
                body.values.insert(ir::value_key(argument), value);
            }
        }
        let mut values = body.block(combine)?;
        for number in 0..count {
            values.push(with(
                emit,
                along.carried(count + number),
                &places,
                values[number],
            ));
        }
        ir::build_yield(along.body, location, &values);
        let results: Vec<Val<'p>> = (count..2 * count)
            .map(|number| along.result(number))
            .collect();
        let results = outer.end(&results);
        self.finish_output(op, &results)
    }

    /// Converts a sort of the elements along a dimension.
    pub(super) fn sort_nest(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let (_, tensors, dim) = self.along(op, "sort_ranges")?;
        let Some(dim) = dim else {
            return self.finish_output(op, &tensors);
        };
        let mut sources = Vec::new();
        for_each_load(ir::body(op).expect("a nest has a block"), &mut |load| {
            sources.push(ir::operand(load, 0).expect("a load has a source"));
        });
        signed(op, sources.into_iter())?;
        let descending = op.attribute("descending").is_ok();
        let results = self.in_order(op, &tensors, dim, descending);
        self.finish_output(op, &results)
    }

    /// Builds the values that a scan or sort stores, as tensors of the shape of its result, and returns its dimension;
    /// `None` if the dimension has extent 1.
    fn along(
        &self,
        op: Op<'p>,
        ranges: &str,
    ) -> Result<(Nest<'p>, Vec<Val<'p>>, Option<usize>), Diagnostic<'p>> {
        let extents = ir::attribute(op, ranges).and_then(ir::affine_map_value);
        let extents = self.numbers(op, extents.expect("it has the extents of its last loops"))?;
        let nest = self.plan(op, "")?;
        let dim = match extents.iter().filter(|extent| **extent != 1).count() {
            0 => None,
            1 => {
                let last = nest.plan.loops.count() - 1;
                let mut dims = (0..nest.at.len()).filter(|dim| nest.at[*dim].has_loop(last));
                let dim = dims.next().filter(|dim| nest.at[*dim] == var(last));
                if dim.is_none() || dims.next().is_some() {
                    let message = "it does not run along one dimension of its result";
                    return Err(error(op, message));
                }
                dim
            }
            _ => {
                return Err(error(
                    op,
                    format!(
                        "it must run along one loop of more than one iteration, got extents {extents:?}"
                    ),
                ));
            }
        };
        let results: Vec<_> = nest.stored.iter().map(|ty| (*ty, None)).collect();
        let built = self.structured(&nest, &[], &results, &|_, values, _| values.to_vec())?;
        let shaped = built.into_iter().map(|tensor| {
            let tensor = self.shaped_as(op, tensor)?;
            self.not_merged(op, tensor)
        });
        let shaped = shaped.collect::<Result<_, _>>()?;
        Ok((nest, shaped, dim))
    }

    /// Makes one of several tensors the result of an operation.
    fn finish_output(&mut self, op: Op<'p>, tensors: &[Val<'p>]) -> Result<(), Diagnostic<'p>> {
        let output = ir::attribute(op, "output").and_then(attr::integer);
        let tensor = output.and_then(|output| tensors.get(usize::try_from(output).ok()?));
        let tensor = *tensor.expect("the output is one of the values");
        let tensor = self.stored_all(op, tensor, element_type(result(op).r#type()));
        self.values.insert(ir::value_key(result(op)), tensor);
        Ok(())
    }
}

/// Returns whether a block of two arguments gives their sum.
fn is_sum(block: Blk<'_>) -> bool {
    let mut ops = ir::operations(block);
    let is_add = ops.next().is_some_and(|op| {
        let has = |place, number| {
            let argument = block.argument(number).ok();
            argument.is_some() && argument.map(Into::into) == ir::operand(op, place)
        };
        matches!(ir::name(op), arith::ADDF | arith::ADDI) && has(0, 0) && has(1, 1)
    });
    is_add && ops.next().is_some_and(|op| ir::name(op) == inductor::YIELD)
}
