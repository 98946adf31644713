//! Loop nests as structured operations.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_construct::build::{element_of, element_type};
use spyre_construct::loops::{Digit, Loops};
use spyre_construct::structured::{self, Mapped, map};
use spyre_dialects::attr;
use spyre_index_expr::{Expr, Overflow, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ods::{arith, inductor, math};

use super::super::functions::Class;
use super::super::functions::class;
use super::super::program::accessed_from;
use super::super::types::{self, width};
use super::body::{Body, Plan, Read};
use super::emit::{Binary, Emit, number};
use super::kernel::Factor;
use super::part::{Part, window};
use super::read::Indirect;
use super::{Graph, error, result};

/// A loop nest that is ready to be built.
pub(super) struct Nest<'p> {
    pub(super) of: Op<'p>,
    pub(super) block: Blk<'p>,
    pub(super) plan: Plan<'p>,
    /// The tensors that the body reads.
    ins: Vec<Mapped<'p>>,
    /// Where it stores, in the coordinates of its result.
    pub(super) at: Vec<Expr>,
    /// The digits along the dimensions of the stored tensor, outermost first: all digits for a scatter.
    pub(super) order: Vec<usize>,
    /// The part of the result that it stores.
    pub(super) part: Part,
    /// The types of the values that are stored.
    pub(super) stored: Vec<Type<'p>>,
}

/// A function that combines two values of a reduction: it builds the new accumulators from the stored values and the
/// accumulators so far.
type Combine<'a, 'p> = &'a dyn Fn(&mut Body<'_, 'p>, &[Val<'p>], &[Val<'p>]) -> Vec<Val<'p>>;

impl<'p> Graph<'p> {
    /// Converts a pointwise loop nest or a reduction.
    pub(super) fn nest(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let nest = self.plan(op, "reduction_ranges")?;
        let kind = ir::attribute(op, "kind").and_then(attr::string);
        let tensor = match kind {
            None => match &nest.part {
                Part::Whole => self.pointwise(&nest)?,
                Part::Window(window) => {
                    let tensor = self.window(&nest, window)?;
                    self.values.insert(ir::value_key(result(op)), tensor);
                    return Ok(());
                }
                Part::Places => return self.put(&nest, None),
            },
            Some(kind) => {
                let number = ir::attribute(op, "output").and_then(attr::integer);
                let reduced = self.reduction(&nest, &kind, number.unwrap_or(0))?;
                let of = element_type(result(op).r#type());
                self.stored_all(op, reduced, of)
            }
        };
        let tensor = self.shaped_as(op, tensor)?;
        self.values.insert(ir::value_key(result(op)), tensor);
        Ok(())
    }

    /// Returns a tensor of digits in the shape of the result of an operation.
    pub(super) fn shaped_as(&self, op: Op<'p>, tensor: Val<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let shape = self.memory(op, result(op).r#type())?.size;
        self.reshape_as(op, tensor, &shape)
    }

    /// Reads a loop nest. `behind` is the attribute with the extents of its last loops.
    pub(super) fn plan(&self, op: Op<'p>, behind: &str) -> Result<Nest<'p>, Diagnostic<'p>> {
        let block = ir::body(op).expect("a nest has a block");
        let numbers = |name: &str| match ir::attribute(op, name).and_then(ir::affine_map_value) {
            Some(map) => self.numbers(op, map),
            None => Ok(Vec::new()),
        };
        let last = numbers(behind)?;
        let mut all = match op.attribute("loops") {
            Ok(_) => numbers("loops")?,
            Err(_) => {
                let mut ranges = numbers("ranges")?;
                ranges.extend_from_slice(&last);
                ranges
            }
        };
        if op.attribute("loops").is_err() {
            self.drop_units(op, &mut all);
        }
        if all.len() != block.argument_count() {
            let message = format!(
                "the body has {} loops, but the nest has extents {all:?}",
                block.argument_count()
            );
            return Err(error(op, message));
        }
        let end = block.terminator().expect("a nest ends with a store");
        let mut indirect = Indirect::default();
        let at = self.exprs(end, accessed_from(end), &mut indirect)?;
        // A reduction does not store at the loops that it reduces.
        let reduced = last.iter().filter(|extent| **extent != 1).count();
        let parallel = match op.attribute("kind") {
            Ok(_) if op.attribute("loops").is_ok() => parallel(&at, all.len()),
            Ok(_) => all.len() - reduced,
            Err(_) => all.len(),
        };
        let mut plan = Plan {
            loops: Loops::new(all, parallel, &self.bounds),
            indirect,
            reads: FxHashMap::default(),
            indices: FxHashMap::default(),
        };
        let memory = self.memory(op, result(op).r#type())?;
        let is_scatter = ir::name(op) == inductor::SCATTER;
        let at = {
            let bounds = self.bounds(&plan.loops, Some(&plan.indirect));
            self.place(end, &memory, at, &bounds)?
        };
        // A nest that writes into a buffer may write a part of it.
        let is_into = ir::name(op) == inductor::POINTWISE && op.operand_count() > 0;
        if !plan.loops.admit(&at) && !is_scatter && !is_into {
            return Err(error(
                op,
                "where it stores is no sum of digits of its loops",
            ));
        }
        let mut loads = Vec::new();
        self.loads(block, false, &mut plan, &mut loads)?;
        self.cut_products(op, &mut plan.loops)?;
        let mut ins: Vec<Mapped<'p>> = Vec::new();
        for (load, element, outside) in loads {
            let read = match self.mapped(load, &plan.loops, &element, outside)? {
                Some(mapped) => {
                    let position = ins.iter().position(|other| *other == mapped);
                    let number = position.unwrap_or(ins.len());
                    if position.is_none() {
                        ins.push(mapped);
                    }
                    Read::Argument(number)
                }
                None => Read::Picked(self.source(load, &element)?, element, outside),
            };
            plan.reads.insert(ir::op_key(load), read);
        }
        let all = || ((0..plan.loops.digits().len()).collect(), Part::Places);
        let (order, part) = match is_scatter {
            true => all(),
            false => match self.order(op, &plan.loops, &at) {
                Ok(order) => (order, Part::Whole),
                Err(err) if !is_into => return Err(err),
                Err(_) => match window(&plan.loops, &at) {
                    Some((order, window)) => (order, Part::Window(window)),
                    None => all(),
                },
            },
        };
        let values = end.operands().take(accessed_from(end));
        Ok(Nest {
            of: op,
            block,
            plan,
            ins,
            at,
            order,
            part,
            stored: values.map(|value| value.r#type()).collect(),
        })
    }

    /// Returns the digits along the dimensions of a store at the given coordinates, outermost first.
    fn order(&self, op: Op<'p>, loops: &Loops, at: &[Expr]) -> Result<Vec<usize>, Diagnostic<'p>> {
        let size = self.memory(op, result(op).r#type())?.size;
        let digits = loops.digits();
        let mut order = Vec::new();
        for (dim, (at, extent)) in at.iter().zip(size).enumerate() {
            let part = loops.linear(at).and_then(|at| at.mixed(&digits, &extent));
            order.extend(part.ok_or_else(|| {
                let message = format!(
                    "it does not store every element of dimension {dim}, which has extent {extent:?}"
                );
                error(op, message)
            })?);
        }
        if order.len() != loops.parallel() {
            let is_left = |digit: usize| digit < loops.parallel() && !order.contains(&digit);
            let mut numbers = 0..loops.count();
            let repeated = numbers.find(|number| loops.digits_of(*number).any(is_left));
            let message = match repeated {
                Some(number) => {
                    format!("it stores elements several times, in the iterations of loop {number}")
                }
                None => {
                    "it does not store every element, because several dimensions are along one loop"
                        .to_owned()
                }
            };
            return Err(error(op, message));
        }
        Ok(order)
    }

    /// Leaves out loops of one iteration, which bodies do not have.
    fn drop_units(&self, op: Op<'p>, extents: &mut Vec<Expr>) {
        let count = ir::body(op).map_or(0, |block| block.argument_count());
        if extents.len() > count {
            extents.retain(|extent| *extent != 1);
        }
    }

    /// Finds the elements that the loads of a block read, and cuts the loops for them.
    fn loads(
        &self,
        block: Blk<'p>,
        outside: bool,
        plan: &mut Plan<'p>,
        loads: &mut Vec<(Op<'p>, super::read::Element<'p>, bool)>,
    ) -> Result<(), Diagnostic<'p>> {
        for op in ir::operations(block) {
            match ir::name(op) {
                inductor::LOAD => {
                    let element = self.loaded(op, &plan.loops, &mut plan.indirect)?;
                    plan.loops.admit(&element.at);
                    loads.push((op, element, outside));
                }
                inductor::INDEX_EXPR => {
                    let exprs = self.exprs(op, 0, &mut plan.indirect)?;
                    plan.loops.admit(&exprs);
                    let [expr] = <[Expr; 1]>::try_from(exprs).expect("an index has one result");
                    plan.indices.insert(ir::op_key(op), expr);
                }
                inductor::MASKED => {
                    let inner = ir::body(op).expect("it has a block");
                    self.loads(inner, true, plan, loads)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Builds a loop nest with independent elements. Its result has a dimension for each digit.
    pub(super) fn pointwise(&self, nest: &Nest<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        let op = nest.of;
        let of = element_type(result(op).r#type());
        let element = self.signless(of);
        let built = self.structured(nest, &[], &[(element, None)], &|body, values, _| {
            vec![self.stored(body.emit, values[0], of)]
        })?;
        Ok(built[0])
    }

    /// Builds a reduction, in the type in which it is computed.
    fn reduction(
        &self,
        nest: &Nest<'p>,
        kind: &str,
        output: i64,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let op = nest.of;
        let ty = nest.stored[0];
        match (kind, nest.stored.len(), output) {
            ("argmax" | "argmin", 1 | 2, 0) => self.search(nest, kind == "argmax"),
            ("welford_reduce", 1, _) => {
                let sum = self.sum(nest, &|_, values, _| values[0])?;
                let count = iterations(nest).map_err(|err| error(op, err))?;
                let mean = self.over(op, sum, &count);
                match output {
                    0 => Ok(mean),
                    1 => self.sum_with(nest, mean, &|body, values, mean| {
                        let rest = body.emit.same(arith::subf(values[0], mean));
                        body.emit.same(arith::mulf(rest, rest))
                    }),
                    _ => Ok(self.filled_with(op, &count, ty, &self.shape(mean))),
                }
            }
            ("welford_combine", 3, _) => {
                let weight = self.sum(nest, &|_, values, _| values[2])?;
                let sum = self.sum(nest, &|body, values, _| {
                    body.emit.same(arith::mulf(values[0], values[2]))
                })?;
                let mean = self.quotient(op, sum, weight);
                match output {
                    0 => Ok(mean),
                    1 => self.sum_with(nest, mean, &|body, values, mean| {
                        let emit = body.emit;
                        let rest = emit.same(arith::subf(values[0], mean));
                        let square = emit.same(arith::mulf(rest, rest));
                        let weighted = emit.same(arith::mulf(square, values[2]));
                        emit.same(arith::addf(weighted, values[1]))
                    }),
                    _ => Ok(weight),
                }
            }
            ("online_softmax_reduce", 1, _) => {
                let largest = self.folded(nest, "max", &|_, values| values[0])?;
                if output == 0 {
                    return Ok(largest);
                }
                self.sum_with(nest, largest, &|body, values, largest| {
                    let rest = body.emit.same(arith::subf(values[0], largest));
                    body.emit.same(math::exp(rest))
                })
            }
            ("dot", 2, 0) => self.sum(nest, &|body, values, _| {
                body.emit.same(arith::mulf(values[0], values[1]))
            }),
            ("dot", 1, 0) => self.folded(nest, "sum", &|_, values| values[0]),
            ("any", 1, 0) => self.folded(nest, kind, &|body, values| body.emit.truth(values[0])),
            (_, 1, 0) => self.folded(nest, kind, &|_, values| values[0]),
            (_, count, _) => Err(error(
                op,
                format!("result {output} of '{kind}' of {count} values is not converted"),
            )),
        }
    }

    /// Builds the reduction of a function of the stored values by one operation.
    fn folded(
        &self,
        nest: &Nest<'p>,
        kind: &str,
        of: &dyn Fn(&mut Body<'_, 'p>, &[Val<'p>]) -> Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let ty = match kind {
            "any" => IntegerType::new(self.context, 1).into(),
            _ => nest.stored[0],
        };
        let bits = width(ty);
        let least = match bits {
            1 => 0.0,
            bits => -(2.0_f64.powi(i32::try_from(bits).expect("bits are few") - 1)),
        };
        let numbers = match class(ty) {
            Class::Integer if is_unsigned(nest.of) => Class::Unsigned,
            other => other,
        };
        let (parts, first): (Binary, f64) = match (kind, numbers) {
            ("sum", Class::Float) => (arith::addf, 0.0),
            ("max", Class::Unsigned) => (arith::maxui, 0.0),
            // All bits.
            ("min", Class::Unsigned) => (arith::minui, -1.0),
            ("sum", Class::Integer | Class::Unsigned) => (arith::addi, 0.0),
            ("prod", Class::Float) => (arith::mulf, 1.0),
            ("prod", Class::Integer | Class::Unsigned) => (arith::muli, 1.0),
            ("max", Class::Float) => (arith::maximumf, f64::NEG_INFINITY),
            ("max", Class::Integer) => (arith::maxsi, least),
            ("min", Class::Float) => (arith::minimumf, f64::INFINITY),
            ("min", Class::Integer) => (arith::minsi, -(least + 1.0)),
            ("any" | "max" | "sum", Class::Truth) => (arith::ori, 0.0),
            ("min" | "prod", Class::Truth) => (arith::andi, 1.0),
            ("xor_sum", Class::Integer | Class::Unsigned | Class::Truth) => (arith::xori, 0.0),
            _ => {
                let message = format!("a reduction '{kind}' of {ty} is not converted");
                return Err(error(nest.of, message));
            }
        };
        let first = number(self.context, first, ty);
        let built = self.structured(nest, &[], &[(ty, Some(first))], &|body, values, so_far| {
            let value = of(body, values);
            vec![body.emit.same(parts(so_far[0], value))]
        })?;
        Ok(built[0])
    }

    /// Builds the sum of a function of the stored values.
    fn sum(
        &self,
        nest: &Nest<'p>,
        of: &dyn Fn(&mut Body<'_, 'p>, &[Val<'p>], ()) -> Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        self.folded(nest, "sum", &|body, values| of(body, values, ()))
    }

    /// Builds the sum of a function of the stored values and of an element of a tensor with the dimensions of the
    /// result.
    fn sum_with(
        &self,
        nest: &Nest<'p>,
        with: Val<'p>,
        of: &dyn Fn(&mut Body<'_, 'p>, &[Val<'p>], Val<'p>) -> Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let ty = nest.stored[0];
        let zero = number(self.context, 0.0, ty);
        let number = nest.ins.len();
        let built = self.structured(
            nest,
            &[with],
            &[(ty, Some(zero))],
            &|body, values, so_far| {
                let with = structured::argument(body.emit.block, number);
                let value = of(body, values, with);
                vec![body.emit.same(arith::addf(so_far[0], value))]
            },
        )?;
        Ok(built[0])
    }

    /// Builds a structured operation for a loop nest. `with` are tensors with the dimensions of the results, which
    /// the body reads as well. A result has a type, and an initial value if it is reduced.
    pub(super) fn structured(
        &self,
        nest: &Nest<'p>,
        with: &[Val<'p>],
        results: &[(Type<'p>, Option<Attribute<'p>>)],
        combine: Combine<'_, 'p>,
    ) -> Result<Vec<Val<'p>>, Diagnostic<'p>> {
        let (op, context) = (nest.of, self.context);
        let digits = nest.plan.loops.digits();
        let order = nest.order.iter();
        let shape: Vec<Expr> = order.map(|digit| digits[*digit].extent.clone()).collect();
        let out = map(context, digits.len(), &nest.order);
        let mut ins = nest.ins.clone();
        ins.extend(with.iter().map(|value| (*value, out)));
        ins.extend(self.unread(op, &digits, &nest.order, &ins));
        let outs: Vec<Mapped<'p>> = results
            .iter()
            .map(|(ty, first)| match first {
                Some(first) => (self.filled(op, *first, *ty, &shape), out),
                None => (self.empty(op, &shape, *ty), out),
            })
            .collect();
        let parallel = nest.plan.loops.parallel();
        let reduced = digits.len() - parallel;
        let (built, block) = self.generic(op, (&ins, &outs), (parallel, reduced));
        self.tile(
            op,
            (built, &nest.order),
            &|dim| match nest.at.get(dim)?.as_var()? {
                Var::Loop(number) => nest.plan.loops.digit_of(number as usize),
                _ => None,
            },
        );
        let emit = Emit {
            context,
            block,
            location: op.location(),
        };
        let mut body = Body::new(self, &nest.plan, emit);
        let values = body.block(nest.block)?;
        let so_far: Vec<Val<'p>> = (ins.len()..ins.len() + outs.len())
            .map(|number| structured::argument(block, number))
            .collect();
        let outputs = combine(&mut body, &values, &so_far);
        structured::end(block, op.location(), &outputs);
        Ok(ir::results(self.with_sizes_read(built)).collect())
    }

    /// Returns a tensor that the body does not read, with a dimension for each digit that is neither in `order`, the
    /// digits of the result, nor along a dimension of an input: every loop has its extent from a dimension of an
    /// operand.
    pub(super) fn unread(
        &self,
        op: Op<'p>,
        digits: &[Digit],
        order: &[usize],
        ins: &[Mapped<'p>],
    ) -> Option<Mapped<'p>> {
        let is_known = |digit: &usize| {
            order.contains(digit) || ins.iter().any(|(_, map)| is_plain(*map, *digit))
        };
        let missing: Vec<usize> = (0..digits.len()).filter(|digit| !is_known(digit)).collect();
        if missing.is_empty() {
            return None;
        }
        let extents = missing.iter().map(|digit| digits[*digit].extent.clone());
        let extents: Vec<Expr> = extents.collect();
        let empty = self.empty(op, &extents, Type::float32(self.context));
        Some((empty, map(self.context, digits.len(), &missing)))
    }

    /// Builds a structured operation, element by element of tensors of one shape.
    pub(super) fn each(
        &self,
        op: Op<'p>,
        tensors: &[Val<'p>],
        ty: Type<'p>,
        of: &dyn Fn(Emit<'p>, &[Val<'p>]) -> Val<'p>,
    ) -> Val<'p> {
        let shape = self.shape(tensors[0]);
        let all: Vec<usize> = (0..shape.len()).collect();
        let map = map(self.context, shape.len(), &all);
        let ins: Vec<Mapped<'p>> = tensors.iter().map(|tensor| (*tensor, map)).collect();
        let built = self.elementwise(op, &shape, &ins, ty, of);
        self.merge_as(built, tensors[0]);
        built
    }

    /// Builds a structured operation with independent elements.
    fn elementwise(
        &self,
        op: Op<'p>,
        shape: &[Expr],
        ins: &[Mapped<'p>],
        ty: Type<'p>,
        of: &dyn Fn(Emit<'p>, &[Val<'p>]) -> Val<'p>,
    ) -> Val<'p> {
        let empty = self.empty(op, shape, ty);
        self.combined(op, ins, (empty, 0), &|emit, values, _| of(emit, values))
    }

    /// Builds a structured operation with a tensor as its initial value. Its first loops are along the dimensions of
    /// that tensor, and `reduced` loops follow. The function is given the elements, in their types, and the
    /// accumulator.
    pub(super) fn combined(
        &self,
        op: Op<'p>,
        ins: &[Mapped<'p>],
        (init, reduced): (Val<'p>, usize),
        of: &dyn Fn(Emit<'p>, &[Val<'p>], Val<'p>) -> Val<'p>,
    ) -> Val<'p> {
        let context = self.context;
        let rank = self.shape(init).len();
        let parallel: Vec<usize> = (0..rank).collect();
        let out = (init, map(context, rank + reduced, &parallel));
        let (built, block) = self.generic(op, (ins, &[out]), (rank, reduced));
        let emit = Emit {
            context,
            block,
            location: op.location(),
        };
        let values: Vec<Val<'p>> = (0..ins.len())
            .map(|number| structured::argument(block, number))
            .collect();
        let combined = of(emit, &values, structured::argument(block, ins.len()));
        structured::end(block, op.location(), &[combined]);
        result(self.with_sizes_read(built))
    }

    /// Builds a function of the elements of tensors of a shape, and of buffers at coordinates of loops over that
    /// shape.
    pub(super) fn pointwise_of(
        &self,
        op: Op<'p>,
        shape: &[Expr],
        (tensors, buffers): (&[Val<'p>], &[Factor<'p>]),
        ty: Type<'p>,
        of: &dyn Fn(Emit<'p>, &[Val<'p>]) -> Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let mut loops = Loops::new(shape.to_vec(), shape.len(), &self.bounds);
        for tensor in tensors {
            self.cut_as(&mut loops, *tensor);
        }
        let mut elements = Vec::new();
        for (buffer, at) in buffers {
            let element = self.element(op, *buffer, at.clone(), &self.bounds(&loops, None))?;
            loops.admit(&element.at);
            elements.push(element);
        }
        self.cut_products(op, &mut loops)?;
        let digits = loops.digits().into_iter();
        let digits: Vec<Expr> = digits.map(|digit| digit.extent).collect();
        let all: Vec<usize> = (0..digits.len()).collect();
        let map = map(self.context, digits.len(), &all);
        let mut ins: Vec<Mapped<'p>> = tensors
            .iter()
            .map(|tensor| (self.reshape(op, *tensor, &digits), map))
            .collect();
        for element in &elements {
            ins.push(match self.mapped(op, &loops, element, false)? {
                Some(mapped) => mapped,
                None => self.gathered(op, &loops, element)?,
            });
        }
        let tensor = self.elementwise(op, &digits, &ins, ty, of);
        self.reshape_as(op, tensor, shape)
    }

    /// Builds a tensor with another element type.
    pub(super) fn cast(&self, op: Op<'p>, tensor: Val<'p>, ty: Type<'p>) -> Val<'p> {
        self.cast_of(op, (tensor, false), ty)
    }

    /// Builds a cast of a tensor to another element type. `unsigned` is whether the integers of `tensor` have no sign.
    pub(super) fn cast_of(
        &self,
        op: Op<'p>,
        (tensor, unsigned): (Val<'p>, bool),
        ty: Type<'p>,
    ) -> Val<'p> {
        if element_of(tensor) == ty {
            return tensor;
        }
        self.each(op, &[tensor], ty, &|emit, values| {
            emit.converted(values[0], ty, unsigned)
        })
    }

    fn over(&self, op: Op<'p>, tensor: Val<'p>, by: &Expr) -> Val<'p> {
        self.each(op, &[tensor], element_of(tensor), &|emit, values| {
            let by = self.count(emit, by, values[0].r#type());
            emit.same(arith::divf(values[0], by))
        })
    }

    fn quotient(&self, op: Op<'p>, a: Val<'p>, b: Val<'p>) -> Val<'p> {
        self.each(op, &[a, b], element_of(a), &|emit, values| {
            emit.same(arith::divf(values[0], values[1]))
        })
    }
}

/// Returns the number of iterations that are reduced to each element.
fn iterations(nest: &Nest<'_>) -> Result<Expr, Overflow> {
    let digits = nest.plan.loops.digits();
    let reduced = digits[nest.plan.loops.parallel()..].iter();
    Expr::product(reduced.map(|digit| &digit.extent))
}

/// Returns the number of leading loops that a reduction stores at.
fn parallel(at: &[Expr], count: usize) -> usize {
    let mut last = 0;
    for expr in at {
        expr.visit(&mut |var| {
            if let spyre_index_expr::Var::Loop(number) = var {
                last = last.max(number as usize + 1);
            }
        });
    }
    last.min(count)
}

/// Returns whether a map has a digit alone as one of its results.
fn is_plain(map: Attribute<'_>, digit: usize) -> bool {
    let map = ir::affine_map_value(map).expect("it is a map");
    (0..map.result_count()).any(|number| {
        let result = map.result(number).expect("the number is below the count");
        result.is_dim() && result.dim_position() == digit
    })
}

/// Returns whether a reduction is over unsigned integers.
pub(super) fn is_unsigned(op: Op<'_>) -> bool {
    types::attribute_type(op, "source").is_some_and(ir::is_unsigned)
}
