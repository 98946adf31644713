//! External kernels that convert to structured operations.

mod attention;
mod complex;
mod convolution;
mod encoder;
mod fourier;
mod grouped;
mod order;
mod resize;
mod scatter;
mod so_far;

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};
use spyre_construct::build::{element_of, element_type};
use spyre_construct::loops::Loops;
use spyre_construct::structured::Mapped;
use spyre_dialects::attr;
use spyre_index_expr::{Expr, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::arith;

use super::super::functions::Class;
use super::super::functions::class;
use super::super::op as attribute;
use super::super::types::{self, width};
use super::emit::{Binary, Emit, number};
use super::{Graph, error, result};

/// An operand of a contraction: a buffer, and its coordinates at the loops.
pub(super) type Factor<'p> = (Val<'p>, Vec<Expr>);

/// The class of a kernel that draws the seeds of random numbers.
const SEEDS: &str = "RandomSeeds";

/// Returns the constructors of products and sums of numbers of a type.
fn mul_add(ty: Type<'_>) -> (Binary, Binary) {
    match class(ty) {
        Class::Float => (arith::mulf, arith::addf),
        _ => (arith::muli, arith::addi),
    }
}

/// Returns the index of a loop.
pub(super) fn var(number: usize) -> Expr {
    Expr::var(Var::Loop(u32::try_from(number).expect("loops are few")))
}

/// Returns the coordinates of a tensor with the extents `size` at loops over `shape`, by PyTorch's rule of broadcasting: it
/// repeats along leading dimensions that it lacks, and along dimensions of one element. `None` if its extents do not fit.
pub(super) fn broadcast(size: &[Expr], shape: &[Expr]) -> Option<Vec<Expr>> {
    let before = shape.len().checked_sub(size.len())?;
    let dims = size.iter().zip(&shape[before..]).enumerate();
    dims.map(|(dim, (count, extent))| match *count == 1 {
        true => Some(Expr::constant(0)),
        false => (count == extent).then(|| var(before + dim)),
    })
    .collect()
}

/// Returns the reason why a kernel is not converted, if there is a specific one.
fn refusal(name: &str, class: &str) -> Option<&'static str> {
    match (name, class) {
        (_, "WhileLoop" | "Conditional" | "Switch" | "InvokeSubgraph") => Some(
            "the graphs that an operation of control flow runs are not in the file: a loop of Python over the compiled function runs \
             them, or torch.compile unrolls a loop whose number of steps is known",
        ),
        ("randperm" | "bernoulli" | "multinomial" | "exponential" | "normal_functional", _) => {
            Some(
                "random numbers of a kernel of PyTorch are not those of seeds that the graph has: draw them outside of the compiled \
             function, and make them an input",
            )
        }
        _ => None,
    }
}

/// Checks that buffers have no floats of 8 bits: tensors have their bytes.
fn without_bytes<'p>(
    op: Op<'p>,
    buffers: impl Iterator<Item = Val<'p>>,
) -> Result<(), Diagnostic<'p>> {
    let tensors = buffers.filter(|buffer| ir::is_ranked_tensor(buffer.r#type()));
    let mut elements = tensors.map(|buffer| element_type(buffer.r#type()));
    match elements.find(|element| types::float8(*element).is_some()) {
        Some(element) => Err(error(
            op,
            format!("the kernel is not converted for elements of {element}"),
        )),
        None => Ok(()),
    }
}

/// Checks that buffers have no unsigned integers: tensors of signless integers cannot represent them.
pub(super) fn signed<'p>(
    op: Op<'p>,
    mut buffers: impl Iterator<Item = Val<'p>>,
) -> Result<(), Diagnostic<'p>> {
    let is_unsigned = |buffer: Val<'p>| {
        let ty = buffer.r#type();
        ir::is_ranked_tensor(ty) && ir::is_unsigned(element_type(ty))
    };
    match buffers.any(is_unsigned) {
        true => Err(error(op, "the kernel is not converted for elements of u8")),
        false => Ok(()),
    }
}

impl<'p> Graph<'p> {
    /// Converts a kernel from outside.
    pub(super) fn kernel(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let string = |name: &str| ir::attribute(op, name).and_then(attr::string);
        let overload = string("overload").or_else(|| string(attribute::KERNEL));
        let overload = overload.unwrap_or_default();
        let name = overload
            .trim_start_matches("torch.ops.")
            .trim_start_matches("aten.");
        let name = name.split('.').next().unwrap_or(name);
        // The sums of products are the same bits, parts are copied, and prefix sums are extended by the type of
        // their operand.
        let is_same = matches!(
            name,
            "mm" | "bmm" | "addmm" | "baddbmm" | "cat" | "cumsum" | "cumprod"
        );
        if !is_same {
            signed(op, op.operands())?;
        }
        let is_moved = name == "cat" || string("class_name").as_deref() == Some(attribute::EMPTY);
        if !is_moved {
            without_bytes(op, op.operands().chain(ir::results(op)))?;
        }
        if complex::is_kernel(op, name) {
            return self.complex_kernel(op, name);
        }
        match name {
            "mm" | "bmm" => {
                let product = self.product(op, 0)?;
                self.finish(op, product)
            }
            "addmm" | "baddbmm" => self.addmm(op),
            "convolution" => self.convolution(op),
            "convolution_backward" => self.convolution_backward(op),
            "_grouped_mm" => self.grouped_product(op),
            "_upsample_bilinear2d_aa" => self.resize(op, resize::Filter::Linear),
            "_upsample_bicubic2d_aa" => self.resize(op, resize::Filter::Cubic),
            "cat" => self.cat(op),
            _ if string("class_name").as_deref() == Some(SEEDS) => self.seeds(op),
            _ if string("class_name").as_deref() == Some(attribute::EMPTY) => {
                self.uninitialized(op)
            }
            "cumsum" => self.cumsum(op),
            "cumprod" => self.cumprod(op),
            "logcumsumexp" => self.logcumsumexp(op),
            "cummax" => self.extremes(op, so_far::Extreme::Largest),
            "cummin" => self.extremes(op, so_far::Extreme::Smallest),
            "searchsorted" => self.places_in(op, [1, 0]),
            "bucketize" => self.places_in(op, [0, 1]),
            "sort" => self.sort(op),
            "topk" => self.topk(op),
            "scatter_reduce_" => self.scatter_reduce(op),
            "_scaled_dot_product_flash_attention_for_cpu" => self.attention(op),
            "_scaled_dot_product_flash_attention_for_cpu_backward" => self.attention_backward(op),
            "_transformer_encoder_layer_fwd" => self.encoder(op),
            _ => {
                let class = string("class_name").unwrap_or_default();
                let message = format!("the kernel '{overload}' ({class}) is not converted");
                Err(match refusal(name, &class) {
                    Some(reason) => error(op, format!("{message}: {reason}")),
                    None => error(op, message),
                })
            }
        }
    }

    /// Maps the result of an operation to a tensor. Up to PyTorch 2.13, a fallback kernel has a tuple as its result:
    /// the operation that extracts the element has its type.
    fn finish(&mut self, op: Op<'p>, tensor: Val<'p>) -> Result<(), Diagnostic<'p>> {
        if !ir::is_ranked_tensor(result(op).r#type()) {
            self.finish_all(op, vec![tensor]);
            return Ok(());
        }
        let ty = self.signless(element_type(result(op).r#type()));
        let tensor = self.cast(op, tensor, ty);
        let shape = self.memory(op, result(op).r#type())?.size;
        let extents = self.extents(tensor);
        if extents != shape {
            let message = format!(
                "the kernel computes extents {extents:?}, but the type of its result has {shape:?}"
            );
            return Err(error(op, message));
        }
        self.values.insert(ir::value_key(result(op)), tensor);
        Ok(())
    }

    /// Makes tensors the results of a kernel with several.
    fn finish_all(&mut self, op: Op<'p>, tensors: Vec<Val<'p>>) {
        let tensors = tensors.into_iter().map(Some).collect();
        self.tuples.insert(ir::value_key(result(op)), tensors);
    }

    /// Takes one result of a kernel with several.
    pub(super) fn multi_output(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let source = ir::operand(op, 0).expect("it has the results");
        let indices = op.attribute("indices").map(attr::elements);
        let number = match indices.unwrap_or_default().as_slice() {
            [] => Some(0),
            [index] => attr::elements(*index)
                .get(1)
                .copied()
                .and_then(attr::integer),
            _ => None,
        };
        let tensors = self.tuples.get(&ir::value_key(source));
        let tensor = tensors.and_then(|tensors| *tensors.get(usize::try_from(number?).ok()?)?);
        let tensor =
            tensor.ok_or_else(|| error(op, "the kernel is not converted with this result"))?;
        without_bytes(op, ir::results(op))?;
        self.finish(op, tensor)
    }

    /// Returns an argument of a kernel: by name, or by its place among all.
    fn argument(&self, op: Op<'p>, name: &str, place: usize) -> Option<Attribute<'p>> {
        let find = |of: Attribute<'p>| {
            let mut entries = attr::entries(of).into_iter();
            entries.find(|(key, _)| key == name).map(|(_, value)| value)
        };
        if let Ok(kwargs) = op.attribute(attribute::KWARGS)
            && let Some(value) = find(kwargs)
        {
            return Some(value);
        }
        let call = ir::attribute(op, attribute::CALL)?;
        let mut entries = attr::entries(call).into_iter();
        let (_, args) = entries.find(|(key, _)| key == "args")?;
        attr::elements(args).get(place).copied()
    }

    /// Returns an argument that is a number.
    fn integer(&self, op: Op<'p>, name: &str, place: usize) -> Option<i64> {
        self.argument(op, name, place).and_then(attr::integer)
    }

    /// Returns the extents of an operand.
    pub(super) fn size(&self, op: Op<'p>, number: usize) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let value = ir::operand(op, number);
        let value = value.ok_or_else(|| error(op, format!("there is no operand {number}")))?;
        Ok(self.memory(op, value.r#type())?.size)
    }

    /// Builds the product of two operands, the first of which has the number `first`. They are matrices, or batches of
    /// matrices with the batch in the first dimension.
    fn product(&self, op: Op<'p>, first: usize) -> Result<Val<'p>, Diagnostic<'p>> {
        let operand = |number: usize| ir::operand(op, number).expect("its extents are known");
        let sizes = [self.size(op, first)?, self.size(op, first + 1)?];
        self.product_of(op, [first, first + 1].map(operand), sizes)
    }

    /// Builds the product of two buffers or tensors with these extents, as [`product`](Self::product) does.
    pub(super) fn product_of(
        &self,
        op: Op<'p>,
        factors: [Val<'p>; 2],
        [a, b]: [Vec<Expr>; 2],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let rank = a.len();
        if b.len() != rank
            || !(2..=3).contains(&rank)
            || a[rank - 1] != b[rank - 2]
            || a[..rank - 2] != b[..rank - 2]
        {
            return Err(error(
                op,
                format!("operands of extents {a:?} and {b:?} have no matrix product"),
            ));
        }
        let mut loops = a[..rank - 1].to_vec();
        loops.extend([b[rank - 1].clone(), a[rank - 1].clone()]);
        let batch: Vec<Expr> = (0..rank - 2).map(var).collect();
        let (row, column, inner) = (var(rank - 2), var(rank - 1), var(rank));
        let of = |last: [Expr; 2]| batch.iter().cloned().chain(last).collect();
        let a = (factors[0], of([row, inner.clone()]));
        let b = (factors[1], of([inner, column]));
        self.contraction(op, (&loops.iter().collect::<Vec<_>>(), rank), [a, b])
    }

    /// Builds the sum of products of two operands. The first loops are over the result's dimensions, the others are
    /// summed.
    pub(super) fn contraction(
        &self,
        op: Op<'p>,
        (extents, parallel): (&[&Expr], usize),
        factors: [Factor<'p>; 2],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let extents: Vec<Expr> = extents.iter().copied().cloned().collect();
        let mut loops = Loops::new(extents.clone(), parallel, &self.bounds);
        let mut elements = Vec::new();
        for (buffer, at) in factors {
            let element = self.element(op, buffer, at, &self.bounds(&loops, None))?;
            loops.admit(&element.at);
            elements.push(element);
        }
        self.cut_products(op, &mut loops)?;
        // Without iterations there are no terms, and extents of empty tensors do not determine the loops.
        if extents.iter().any(|extent| *extent == 0) {
            let ty = self.computed(elements[0].ty);
            let zero = number(self.context, 0.0, ty);
            return Ok(self.filled(op, zero, ty, &extents[..parallel]));
        }
        let mut ins: Vec<Mapped<'p>> = Vec::new();
        for element in &elements {
            let mapped = match self.mapped(op, &loops, element, true)? {
                Some(mapped) => mapped,
                None => self.gathered(op, &loops, element)?,
            };
            ins.push(mapped);
        }
        let ty = self.computed(element_of(ins[0].0));
        let digits = loops.digits();
        let count = loops.parallel();
        let order: Vec<usize> = (0..count).collect();
        ins.extend(self.unread(op, &digits, &order, &ins));
        let shape = digits[..count].iter();
        let shape: Vec<Expr> = shape.map(|digit| digit.extent.clone()).collect();
        let (mul, _) = mul_add(ty);
        let sum = self.summed(
            op,
            &ins,
            (&shape, digits.len() - count),
            ty,
            &|emit, values| {
                let [a, b] = [0, 1].map(|number| emit.converted(values[number], ty, false));
                emit.same(mul(a, b))
            },
        );
        let built = ir::defining_op(sum).expect("a sum is the result of an operation");
        self.tile(op, (built, &order), &|dim| {
            loops.digit_of(dim).filter(|_| dim < parallel)
        });
        self.reshape_as(op, sum, &extents[..parallel])
    }

    /// Builds the sums of a function of elements of tensors. The first loops are over the result, with the extents
    /// `shape`; `reduced` loops follow, with extents from the tensors. The function is given the elements, in their
    /// types before conversion.
    fn summed(
        &self,
        op: Op<'p>,
        ins: &[Mapped<'p>],
        (shape, reduced): (&[Expr], usize),
        ty: Type<'p>,
        of: &dyn Fn(Emit<'p>, &[Val<'p>]) -> Val<'p>,
    ) -> Val<'p> {
        let zero = self.filled(op, number(self.context, 0.0, ty), ty, shape);
        let (_, add) = mul_add(ty);
        self.combined(op, ins, (zero, reduced), &|emit, values, so_far| {
            emit.same(add(so_far, of(emit, values)))
        })
    }

    /// Returns the type in which an element type is computed.
    pub(super) fn computed(&self, ty: Type<'p>) -> Type<'p> {
        match class(ty) {
            Class::Float if width(ty) < 32 => Type::float32(self.context),
            _ => ty,
        }
    }

    /// Converts `beta * bias + alpha * (a @ b)`.
    fn addmm(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let product = self.product(op, 1)?;
        let shape = self.extents(product);
        let factor = |name: &str| self.argument(op, name, usize::MAX).and_then(attr::number);
        let (alpha, beta) = (
            factor("alpha").unwrap_or(1.0),
            factor("beta").unwrap_or(1.0),
        );
        let scaled = |emit: Emit<'p>, value: Val<'p>, by: f64| {
            if by == 1.0 {
                return value;
            }
            let (mul, _) = mul_add(value.r#type());
            emit.same(mul(value, emit.number(by, value.r#type())))
        };
        // PyTorch does not look at a bias without weight: a NaN in it is no NaN of the result.
        if beta == 0.0 {
            let ty = element_of(product);
            let tensor = match alpha == 1.0 {
                true => product,
                false => self.each(op, &[product], ty, &|emit, values| {
                    scaled(emit, values[0], alpha)
                }),
            };
            return self.finish(op, tensor);
        }
        let bias = self.size(op, 0)?;
        let at = broadcast(&bias, &shape);
        let at = at.ok_or_else(|| {
            error(
                op,
                format!("a bias of extents {bias:?} cannot be broadcast to {shape:?}"),
            )
        })?;
        let bias = (ir::operand(op, 0).expect("its extents are known"), at);
        let sum = self.with(op, product, bias, &|emit, product, bias| {
            let (_, add) = mul_add(product.r#type());
            emit.same(add(scaled(emit, bias, beta), scaled(emit, product, alpha)))
        })?;
        self.finish(op, sum)
    }

    /// Converts the tensors of a kernel, one after the other along a dimension. Tensors of one dimension without elements have no part.
    fn cat(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let shape = self.memory(op, result(op).r#type())?.size;
        let number = self.integer(op, "dim", 1).unwrap_or(0);
        // The last dimension of complex numbers has their parts.
        let is_complex = ir::complex_part(element_type(result(op).r#type())).is_some();
        let rank = shape.len() - usize::from(is_complex);
        let rank = i64::try_from(rank).expect("dimensions are few");
        let dim = if number < 0 { number + rank } else { number };
        let dim = usize::try_from(dim)
            .ok()
            .filter(|_| dim < rank)
            .ok_or_else(|| {
                let message = format!(
                    "a tensor of rank {rank} has no dimension {number} to put parts together"
                );
                error(op, message)
            })?;
        let of = element_type(result(op).r#type());
        let element = self.signless(of);
        // Only bytes of one format are concatenated.
        let mut parts = op.operands().map(|part| element_type(part.r#type()));
        if parts.any(|part| part != of) {
            without_bytes(op, op.operands().chain(ir::results(op)))?;
        }
        let is_unsigned = |part: Val<'p>| ir::is_unsigned(element_type(part.r#type()));
        self.plain(op, result(op).r#type())?;
        let mut tensor = self.empty(op, &shape, element);
        let end = self.fixed(op, &shape[dim])?;
        let mut offsets = vec![0; shape.len()];
        for number in 0..op.operand_count() {
            let size = self.size(op, number)?;
            if size.len() == 1 && size[0] == 0 && shape.len() != 1 {
                continue;
            }
            let fits = size.len() == shape.len()
                && size
                    .iter()
                    .enumerate()
                    .all(|(at, extent)| at == dim || *extent == shape[at])
                && offsets[dim] + self.fixed(op, &size[dim])? <= end;
            if !fits {
                let message = format!(
                    "a part of extents {size:?} does not fit at position {} of the result, of extents {shape:?}",
                    offsets[dim]
                );
                return Err(error(op, message));
            }
            let part = self.whole(op, number)?;
            let unsigned = is_unsigned(ir::operand(op, number).expect("it has extents"));
            let part = self.cast_of(op, (part, unsigned), element);
            let inserted = self.build(op).insert(part, tensor, &offsets);
            tensor = inserted.map_err(|err| error(op, err))?;
            offsets[dim] += self.fixed(op, &size[dim])?;
        }
        if offsets[dim] != end {
            let message = format!(
                "the parts have {} elements along the dimension, but the result has extents {shape:?}",
                offsets[dim]
            );
            return Err(error(op, message));
        }
        self.values.insert(ir::value_key(result(op)), tensor);
        Ok(())
    }

    /// Appends seeds of random numbers to the arguments: PyTorch draws new ones in each run.
    fn seeds(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let ty = self.plain(op, result(op).r#type())?;
        self.all_fixed(op, &self.memory(op, result(op).r#type())?.size)?;
        let argument = self.block.add_argument(ty, op.location());
        self.values.insert(ir::value_key(result(op)), argument);
        Ok(())
    }

    /// Converts an uninitialized buffer.
    fn uninitialized(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        self.plain(op, result(op).r#type())?;
        let shape = self.memory(op, result(op).r#type())?.size;
        let element = self.signless(element_type(result(op).r#type()));
        let empty = self.empty(op, &shape, element);
        self.values.insert(ir::value_key(result(op)), empty);
        Ok(())
    }

    /// Builds a function of the elements of a tensor and of a buffer, in loops over the tensor's dimensions.
    fn with(
        &self,
        op: Op<'p>,
        tensor: Val<'p>,
        buffer: Factor<'p>,
        of: &dyn Fn(Emit<'p>, Val<'p>, Val<'p>) -> Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let ty = element_of(tensor);
        self.pointwise_of(
            op,
            &self.extents(tensor),
            (&[tensor], &[buffer]),
            ty,
            &|emit, values| of(emit, values[0], emit.converted(values[1], ty, false)),
        )
    }
}
