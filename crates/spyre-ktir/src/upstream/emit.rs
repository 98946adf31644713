//! Builds the function of a plan.

use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, FloatAttribute, IntegerAttribute, StringAttribute, TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{FunctionType, IntegerType, RankedTensorType};
use melior::ir::{Attribute, Block, Location, Region, RegionLike, Type, TypeLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::spyreop_type::element_of;
use spyre_ktir_kernel::{GRID, POOL_ARGUMENT, POOL_BYTES};
use spyre_mlir_rt::ir::{self, At, Blk, Op, OpBuilder, OpParts, Val};
use spyre_ods::{Arithmetic as _, arith, func, math, spyreop, tensor};
use spyre_ops::Combiner;

use super::axes::Index;
use super::nest::Surface;
use super::plan::{Access, Buffer, Plan, Stage, Step};
use super::recipes::Recipe;
use super::structured;
use crate::division::Digit;
use crate::ktdp::{self, MemoryView};
use crate::texts::Texts;

/// Builds the function before the kernel.
pub(crate) fn function<'p>(context: &'p Context, kernel: Op<'p>, plan: &Plan<'p>) {
    let has_pool = plan.pool_bytes > 0;
    let index = Type::index(context);
    let arguments = vec![index; plan.arguments + usize::from(has_pool)];
    let blocks: Vec<_> = arguments
        .iter()
        .map(|ty| (*ty, kernel.location()))
        .collect();
    let region = Region::new();
    region.append_block(Block::new(&blocks));
    let ty = TypeAttribute::new(FunctionType::new(context, &arguments, &[]).into());
    let name = ir::attribute(kernel, "sym_name").and_then(attr::string);
    let name = name.expect("a function has a name");
    let parts = func::func(StringAttribute::new(context, &name).into(), ty.into());
    let function = OpBuilder::before(context, kernel).insert(parts.region(region), &[]);
    let i64 = IntegerType::new(context, 64).into();
    let number = |value: i64| -> Attribute<'p> { IntegerAttribute::new(i64, value).into() };
    let grid = ArrayAttribute::new(context, &[number(plan.cores.into())]);
    ir::set_discardable_attribute(function, GRID, grid.into());
    if has_pool {
        let bytes = number(plan.pool_bytes.cast_signed());
        ir::set_discardable_attribute(function, POOL_BYTES, bytes);
        ir::set_discardable_attribute(function, POOL_ARGUMENT, number(0));
    }
    let block = ir::body(function).expect("the function was built with a block");
    let values: Vec<_> = ir::arguments(block).collect();
    let (pool, arguments) = values.split_at(usize::from(has_pool));
    let zero = ir::build_index_constant(At::End(block), kernel.location(), 0);
    let mut emitter = Emitter {
        context,
        location: kernel.location(),
        block,
        anchor: ir::defining_op(zero).expect("a constant is a result"),
        constants: FxHashMap::from_iter([(0, zero)]),
        pool: pool.first().copied(),
        arguments: arguments.to_vec(),
        bases: FxHashMap::default(),
        digits: FxHashMap::default(),
        iterations: Vec::new(),
        texts: Texts::new(context),
    };
    emitter.prepare_digits(plan);
    emitter.prepare_pool(&plan.steps);
    emitter.steps(&plan.steps);
    emitter.build().insert(func::return_(&[]), &[]);
}

/// A function under construction.
struct Emitter<'p> {
    context: &'p Context,
    location: Location<'p>,
    block: Blk<'p>,
    /// The first operation, before which constants are built.
    anchor: Op<'p>,
    constants: FxHashMap<u64, Val<'p>>,
    pool: Option<Val<'p>>,
    arguments: Vec<Val<'p>>,
    /// The addresses of values in the pool, by their offsets.
    bases: FxHashMap<u64, Val<'p>>,
    /// The digits of the number of the core, by divisor and count.
    digits: FxHashMap<(u32, u32), Val<'p>>,
    iterations: Vec<Val<'p>>,
    /// The attributes of texts.
    texts: Texts<'p>,
}

impl<'p> Emitter<'p> {
    fn build(&self) -> OpBuilder<'p> {
        OpBuilder::at_end(self.context, self.block, self.location)
    }

    fn index(&mut self, value: u64) -> Val<'p> {
        let (anchor, location) = (self.anchor, self.location);
        *self.constants.entry(value).or_insert_with(|| {
            ir::build_index_constant(At::Before(anchor), location, value.cast_signed())
        })
    }

    fn prepare_digits(&mut self, plan: &Plan<'p>) {
        if plan.digits.is_empty() {
            return;
        }
        let core = ktdp::tile_id(self.build());
        for &Digit { divisor, count } in &plan.digits {
            let mut value = core;
            if divisor > 1 {
                let divisor = self.index(divisor.into());
                value = self.build().same(arith::divui(value, divisor));
            }
            if divisor * count != plan.cores {
                let count = self.index(count.into());
                value = self.build().same(arith::remui(value, count));
            }
            self.digits.insert((divisor, count), value);
        }
    }

    /// Builds the addresses of values in the pool, for all stages.
    fn prepare_pool(&mut self, steps: &[Step<'p>]) {
        for step in steps {
            let stage = match step {
                Step::Stage(stage) => stage,
                Step::Loop { body, .. } => {
                    self.prepare_pool(body);
                    continue;
                }
            };
            for access in stage.operands.iter().chain([&stage.result]) {
                let Buffer::Pool(offset) = access.buffer else {
                    continue;
                };
                if !self.bases.contains_key(&offset) {
                    let pool = self.pool.expect("a pool for the values in it");
                    let bytes = self.index(offset);
                    let base = self.build().add(pool, bytes);
                    self.bases.insert(offset, base);
                }
            }
        }
    }

    fn steps(&mut self, steps: &[Step<'p>]) {
        for step in steps {
            match step {
                Step::Stage(stage) => self.stage(stage),
                Step::Loop {
                    location,
                    trip,
                    body,
                } => self.counted(*location, *trip, body),
            }
        }
    }

    fn counted(&mut self, location: Location<'p>, trip: u64, body: &[Step<'p>]) {
        let bounds = [0, trip, 1].map(|bound| self.index(bound));
        let at = At::End(self.block);
        let built = ir::build_for(at, location, bounds[0], bounds[1], bounds[2], &[]);
        let around = std::mem::replace(&mut self.block, built.body);
        self.iterations.push(built.induction_variable());
        self.steps(body);
        self.iterations.pop();
        ir::build_yield(built.body, location, &[]);
        self.block = around;
    }

    fn stage(&mut self, stage: &Stage<'p>) {
        self.location = stage.device.location();
        // A stage has one view of each buffer.
        let mut views: Vec<(&Access<'p>, Val<'p>)> = Vec::new();
        let mut inputs = Vec::with_capacity(stage.operands.len());
        for access in &stage.operands {
            let tile = self.tile(access, &mut views);
            let ty = RankedTensorType::new(&access.counts, access.element, None);
            inputs.push(ktdp::load(self.build(), tile, ty.into()));
        }
        let result = &stage.result;
        let ty = RankedTensorType::new(&result.counts, result.element, None);
        let init = self.build().op(tensor::empty(&[]), ty.into());
        let value = compute(self.build(), stage, &inputs, init);
        let tile = self.tile(result, &mut views);
        ktdp::store(self.build(), value, tile);
    }

    /// Builds the access tile of an access, and the view if the stage has none.
    fn tile<'a>(
        &mut self,
        access: &'a Access<'p>,
        views: &mut Vec<(&'a Access<'p>, Val<'p>)>,
    ) -> Val<'p> {
        let same = views.iter().find(|(other, _)| other.has_view_of(access));
        let view = match same {
            Some((_, view)) => *view,
            None => {
                let base = match access.buffer {
                    Buffer::Argument(number) => self.arguments[number as usize],
                    Buffer::Pool(offset) => self.bases[&offset],
                };
                let [sizes, strides] =
                    [&access.sizes, &access.strides].map(|numbers| ktdp::constants(numbers));
                let view = MemoryView {
                    sizes: &sizes,
                    strides: &strides,
                };
                let view =
                    ktdp::memory_view((self.build(), &self.texts), base, &view, access.element);
                views.push((access, view));
                view
            }
        };
        let indices = access.indices.iter().map(|index| self.sum(index));
        let indices: Vec<_> = indices.collect();
        ktdp::access_tile((self.build(), &self.texts), view, &indices, &access.counts)
    }

    fn sum(&mut self, index: &Index) -> Val<'p> {
        let mut terms: Vec<(Val<'p>, u64)> = Vec::new();
        if let Some((digit, factor)) = index.digit {
            terms.push((self.digits[&(digit.divisor, digit.count)], factor));
        }
        terms.extend(
            self.iterations
                .iter()
                .copied()
                .zip(index.loops.iter().copied()),
        );
        let mut total: Option<Val<'p>> = None;
        for (value, factor) in terms.into_iter().filter(|(_, factor)| *factor != 0) {
            let product = match factor {
                1 => value,
                _ => {
                    let factor = self.index(factor);
                    self.build().mul(value, factor)
                }
            };
            total = Some(match total {
                Some(total) => self.build().add(total, product),
                None => product,
            });
        }
        match total {
            Some(total) if index.constant == 0 => total,
            Some(total) => {
                let constant = self.index(index.constant);
                self.build().add(total, constant)
            }
            None => self.index(index.constant),
        }
    }
}

/// Builds the computation of a stage. Returns its tensor.
fn compute<'p>(
    build: OpBuilder<'p>,
    stage: &Stage<'p>,
    inputs: &[Val<'p>],
    init: Val<'p>,
) -> Val<'p> {
    let is_integer = stage.result.element.is_integer();
    let aligned = matches!(stage.surface, Surface::Aligned(_));
    // Integers have no named operation, except where the scheduler has no operation of its own.
    if let Recipe::Arithmetic(kind) = stage.recipe
        && aligned
        && (!is_integer || kind.intrinsic.is_none())
    {
        let name = if is_integer {
            kind.of_integers
        } else {
            kind.of_floats
        };
        let body = |inside: OpBuilder<'p>, of: &[Val<'p>]| {
            inside.same(OpParts::named(name, &of[..inputs.len()]))
        };
        return structured::named(build, kind.named, inputs, init, &body);
    }
    let body = |inside: OpBuilder<'p>, of: &[Val<'p>]| element(inside, stage, of);
    match &stage.surface {
        Surface::Aligned(rank) => {
            let nest = super::nest::identity(*rank, inputs.len());
            structured::generic(build, &nest, inputs, init, &body)
        }
        Surface::Generic(nest) => structured::generic(build, nest, inputs, init, &body),
        Surface::Reduce(dims) => structured::reduce(build, inputs[0], init, dims, &body),
    }
}

/// Builds one element of the result, from the elements of the operands and the one of the result, which is last.
fn element<'p>(inside: OpBuilder<'p>, stage: &Stage<'p>, of: &[Val<'p>]) -> Val<'p> {
    let (accumulated, operands) = of.split_last().expect("a result has an element");
    let f32 = |name: &str| -> Attribute<'p> {
        let number = ir::attribute(stage.device, name);
        let number = number
            .and_then(attr::number)
            .expect("the operation has the number");
        FloatAttribute::new(inside.context, Type::float32(inside.context), number).into()
    };
    match stage.recipe {
        Recipe::Arithmetic(kind) => {
            let name = match stage.result.element.is_integer() {
                true => kind.intrinsic.expect("the plan has no other integers"),
                false => kind.of_floats,
            };
            inside.same(OpParts::named(name, operands))
        }
        Recipe::Intrinsic(name) => inside.same(OpParts::named(name, operands)),
        Recipe::Softplus => {
            let parts = spyreop::softplus(operands[0], f32("beta"), f32("threshold"));
            inside.same(parts)
        }
        Recipe::Scale => {
            let ty = element_of(stage.operands[0].element).expect("the operand is a pair");
            let scale = inside.op(spyreop::layernormscale_fused(operands[0]), ty);
            let op = ir::defining_op(scale).expect("the scale is a result");
            ir::set_discardable_attribute(op, "eps", f32("eps"));
            scale
        }
        Recipe::Moments => {
            // The operation is the whole reduction, and does not read what is accumulated.
            inside.op(spyreop::exx2_fused(operands[0]), stage.result.element)
        }
        Recipe::Reduction(Combiner::Magnitude) => {
            // The scheduler looks for these three operations in this order.
            let [element, accumulated] =
                [operands[0], *accumulated].map(|value| inside.same(math::absf(value)));
            inside.same(arith::maxnumf(element, accumulated))
        }
        Recipe::Reduction(combiner) => {
            let (_, combine) = combiner.operations();
            inside.same(OpParts::named(combine, &[*accumulated, operands[0]]))
        }
    }
}
