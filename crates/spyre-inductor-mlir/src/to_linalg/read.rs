//! Where loop nests read, in the tensors of the function.

use melior::ir::operation::OperationLike;
use melior::ir::{AffineExpr, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::build::{element_of, element_type};
use spyre_construct::loops::{Linear, Loops};
use spyre_construct::structured::{self, Mapped, map, map_of};
use spyre_dialects::inductor_attr::Layout;
use spyre_index_expr::access::{self, Memory};
use spyre_index_expr::ranges::Ranges;
use spyre_index_expr::{Expr, Var, simplify};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};
use spyre_ods::{arith, inductor, tensor};

use super::super::import::own_layout;
use super::super::index;
use super::super::types::width;
use super::body::{Body, Plan};
use super::emit::Emit;
use super::kernel::var;
use super::{Graph, error, memory_of, result};

/// An element of a buffer.
pub(super) struct Element<'p> {
    /// The value of the buffer.
    pub(super) buffer: Val<'p>,
    /// The element type of the load: the buffer's, or the one of a view that reinterprets its bits.
    pub(super) ty: Type<'p>,
    /// The coordinates in the tensor of the buffer.
    pub(super) at: Vec<Expr>,
    /// The number among the elements of that tensor, where the load is through a view of the whole memory.
    number: Option<Expr>,
}

/// The numbers of indirect indices, by their values.
#[derive(Default)]
pub(super) struct Indirect<'p> {
    numbers: FxHashMap<ir::ValueKey, u32>,
    /// The values, by number, and the extents that they are below.
    pub(super) values: Vec<(Val<'p>, Expr)>,
}

impl<'p> Indirect<'p> {
    fn var(&mut self, value: Val<'p>, below: Expr) -> Var {
        let next = u32::try_from(self.values.len()).expect("indices are counted");
        let number = *self.numbers.entry(ir::value_key(value)).or_insert(next);
        if number == next {
            self.values.push((value, below));
        }
        Var::Indirect(number)
    }

    /// Returns the exclusive upper bound of an index, if it is one.
    pub(super) fn below(&self, value: Val<'p>) -> Option<&Expr> {
        let number = self.numbers.get(&ir::value_key(value))?;
        Some(&self.values[*number as usize].1)
    }

    /// Returns the least and the largest value of an index.
    pub(super) fn range(&self, var: Var) -> Option<(Expr, Expr)> {
        let Var::Indirect(number) = var else {
            return None;
        };
        let (_, below) = self.values.get(number as usize)?;
        Some((0.into(), below.sub(&1.into()).ok()?))
    }
}

impl<'p> Graph<'p> {
    /// Returns the expressions of an operation of a body, with operands from `first` on as indices, with numbers for
    /// symbols: a load, a store, or an index.
    pub(super) fn exprs(
        &self,
        op: Op<'p>,
        first: usize,
        indirect: &mut Indirect<'p>,
    ) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let exprs = index::exprs(op, first, &mut |value| match ir::source(value) {
            ir::Source::Argument(_, number) => {
                Ok(Var::Loop(u32::try_from(number).expect("loops are few")))
            }
            ir::Source::Result(of, _) => {
                let below = ir::attribute(of, "size").and_then(ir::affine_map_value);
                let below = below.ok_or_else(|| {
                    error(op, "an index is not the result of an inductor.indirect")
                })?;
                Ok(indirect.var(value, self.numbers(of, below)?.swap_remove(0)))
            }
        })?;
        exprs.iter().map(|expr| self.specialize(op, expr)).collect()
    }

    /// Returns the coordinates in a buffer of an element that a map gives, in the buffer or in another view of its
    /// memory.
    pub(super) fn place(
        &self,
        op: Op<'p>,
        buffer: &Memory,
        at: Vec<Expr>,
        range: &impl Ranges,
    ) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let at = match self.view(op, buffer)? {
            None => at,
            Some(view) => {
                access::coordinates(buffer, &view, &at, range).map_err(|err| error(op, err))?
            }
        };
        self.simple(op, &at, range)
    }

    /// Returns the view of a buffer's memory that an access is to; `None` if it is to the buffer itself.
    fn view(&self, op: Op<'p>, buffer: &Memory) -> Result<Option<Memory>, Diagnostic<'p>> {
        let view = ir::attribute(op, "view").and_then(Layout::read);
        view.map(|view| memory_of(op, &view, &buffer.size, &self.declared))
            .transpose()
    }

    pub(super) fn simple(
        &self,
        op: Op<'p>,
        exprs: &[Expr],
        range: &impl Ranges,
    ) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let simple = exprs.iter().map(|expr| simplify(expr, range));
        simple
            .collect::<Result<_, _>>()
            .map_err(|err| error(op, err))
    }

    /// Returns the element at coordinates of a buffer. The buffer may be a view of another buffer.
    pub(super) fn element(
        &self,
        op: Op<'p>,
        buffer: Val<'p>,
        at: Vec<Expr>,
        range: &impl Ranges,
    ) -> Result<Element<'p>, Diagnostic<'p>> {
        self.element_at(op, buffer, (at, None), range)
    }

    /// Returns the element that coordinates of a buffer are, of which the place in memory may be known.
    fn element_at(
        &self,
        op: Op<'p>,
        buffer: Val<'p>,
        (at, place): (Vec<Expr>, Option<Expr>),
        range: &impl Ranges,
    ) -> Result<Element<'p>, Diagnostic<'p>> {
        let (mut buffer, mut at, mut place) = (buffer, at, place);
        let ty = self.signless(element_type(buffer.r#type()));
        while let Some(view) = ir::defining_op(buffer)
            && ir::name(view) == inductor::VIEW
        {
            let source = ir::operand(view, 0).expect("a view has a source");
            let memory = self.memory(op, buffer.r#type())?;
            let of = self.memory(op, source.r#type())?;
            if place.is_none() {
                place = Some(memory.place(&at).map_err(|err| error(op, err))?);
            }
            let coordinates = access::coordinates(&of, &memory, &at, range);
            at = self.simple(op, &coordinates.map_err(|err| error(op, err))?, range)?;
            buffer = source;
        }
        let tensor = self.tensor(op, buffer)?;
        if place.is_none() && self.merged(tensor).is_some() && own_layout(buffer.r#type()).is_some()
        {
            let memory = self.memory(op, buffer.r#type())?;
            place = Some(memory.place(&at).map_err(|err| error(op, err))?);
        }
        let at = self.apart(op, tensor, (at, range))?;
        let source_type = self.signless(element_type(buffer.r#type()));
        if width(source_type) != width(ty) {
            let message =
                format!("it reads elements of {source_type} as {ty}, which has another width");
            return Err(error(op, message));
        }
        let number = match place {
            Some(place) => self.number_at(op, buffer, place, range)?,
            None => None,
        };
        Ok(Element {
            buffer,
            ty,
            at,
            number,
        })
    }

    /// Returns the tensor of an element. If the element is read as another type, the tensor is bitcast to this type.
    pub(super) fn source(
        &self,
        op: Op<'p>,
        element: &Element<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let tensor = self.tensor(op, element.buffer)?;
        if element_of(tensor) == element.ty {
            return Ok(tensor);
        }
        Ok(self.each(op, &[tensor], element.ty, &|emit, values| {
            emit.op(arith::bitcast(values[0]), element.ty)
        }))
    }

    /// Returns the number of the element at a place in memory; `None` if the elements of the buffer do not follow one another there.
    fn number_at(
        &self,
        op: Op<'p>,
        buffer: Val<'p>,
        place: Expr,
        range: &impl Ranges,
    ) -> Result<Option<Expr>, Diagnostic<'p>> {
        let memory = self.memory(op, buffer.r#type())?;
        if !memory.is_row_major() {
            return Ok(None);
        }
        let number = place.sub(&memory.offset);
        let number = number.and_then(|number| simplify(&number, range));
        number.map(Some).map_err(|err| error(op, err))
    }

    /// Returns the element that a load reads.
    pub(super) fn loaded(
        &self,
        op: Op<'p>,
        loops: &Loops,
        indirect: &mut Indirect<'p>,
    ) -> Result<Element<'p>, Diagnostic<'p>> {
        let buffer = ir::operand(op, 0).expect("a load has a buffer");
        let at = self.exprs(op, 1, indirect)?;
        let range = self.bounds(loops, Some(indirect));
        let memory = self.memory(op, buffer.r#type())?;
        let place = match self.view(op, &memory)? {
            Some(view) => Some(view.place(&at).map_err(|err| error(op, err))?),
            None => None,
        };
        let at = self.place(op, &memory, at, &range)?;
        self.element_at(op, buffer, (at, place), &range)
    }

    /// Returns the tensor that a structured operation reads for an element, and its map; `None` if its coordinates are
    /// no sums of digits, or no tensor has the elements that are read. `outside` is whether coordinates may be outside of the buffer,
    /// where the loaded value is not used.
    pub(super) fn mapped(
        &self,
        op: Op<'p>,
        loops: &Loops,
        element: &Element<'p>,
        outside: bool,
    ) -> Result<Option<Mapped<'p>>, Diagnostic<'p>> {
        let linear: Option<Vec<Linear>> = element.at.iter().map(|at| loops.linear(at)).collect();
        let mut tensor = self.source(op, element)?;
        let Some(mut linear) = linear else {
            return self.reshaped(op, loops, element, tensor);
        };
        let mut extents = self.shape(tensor);
        let (mut low, mut high) = (vec![0; extents.len()], vec![0; extents.len()]);
        let (mut starts, mut counts) = (Vec::new(), Vec::new());
        for (dim, (at, extent)) in linear.iter_mut().zip(&mut extents).enumerate() {
            let Some((first, last)) = loops.range_of(at) else {
                return Ok(None);
            };
            if !self.is_inside((&first, &last), extent) {
                if !outside {
                    let message = format!(
                        "reads {first:?} to {last:?} of dimension {dim}, which has extent {extent:?}"
                    );
                    return Err(error(op, message));
                }
                let ends = (first.as_constant(), last.as_constant());
                let ((Some(first), Some(last)), Some(number)) = (ends, extent.as_constant()) else {
                    return Ok(None);
                };
                (low[dim], high[dim]) = ((-first).max(0), (last + 1 - number).max(0));
                *extent = Expr::constant(low[dim] + number + high[dim]);
            }
            let overflow = |err| error(op, err);
            let Some(start) = first.as_constant() else {
                return Ok(None);
            };
            starts.push(start + low[dim]);
            let count = last.sub(&first).and_then(|rest| rest.add(&1.into()));
            counts.push(count.map_err(overflow)?);
            at.offset = at.offset.sub(&first).map_err(overflow)?;
        }
        let Some((shape, results)) = self.read_apart(loops, &linear, &counts) else {
            return Ok(None);
        };
        let Some(counts) = self.plain_shape(&counts) else {
            return Ok(None);
        };
        let build = self.build(op);
        let whole = self.plain_shape(&extents);
        let whole = whole.expect("a tensor has numbers and open sizes as its extents");
        if build.check_read(&whole, &starts, &counts).is_err() {
            return Ok(None);
        }
        if low.iter().chain(&high).any(|count| *count > 0) {
            tensor = self.padded(op, tensor, (&low, &high));
        }
        // Loops have the extents of the dimensions that they index.
        let slice = build.slice(tensor, &starts, &counts);
        let slice = slice.map_err(|err| error(op, err))?;
        let count = loops.digits().len();
        let slice = self.reshape(op, slice, &shape);
        Ok(Some((slice, map_of(self.context, count, &results))))
    }

    /// Returns the shape in which the elements of a tensor are read, and their coordinates; `None` if a coordinate is not affine.
    /// In a nest over open sizes, a dimension that is indexed by several digits is read as a dimension for each digit, since the
    /// device has no other form for it.
    fn read_apart(
        &self,
        loops: &Loops,
        linear: &[Linear],
        counts: &[Expr],
    ) -> Option<(Vec<Expr>, Vec<AffineExpr<'p>>)> {
        let digits = loops.digits();
        let is_open = digits
            .iter()
            .any(|digit| digit.extent.as_constant().is_none());
        let (mut shape, mut results) = (Vec::new(), Vec::new());
        for (at, count) in linear.iter().zip(counts) {
            let order = at.mixed(&digits, count);
            match order.filter(|order| is_open && order.len() > 1) {
                Some(order) => {
                    shape.extend(order.iter().map(|digit| digits[*digit].extent.clone()));
                    let order = order.iter();
                    results.extend(order.map(|digit| AffineExpr::dim(self.context, *digit)));
                }
                None => {
                    shape.push(count.clone());
                    results.push(at.affine(self.context)?);
                }
            }
        }
        Some((shape, results))
    }

    /// Returns whether a range of a dimension is proved to be within its extent.
    fn is_inside(&self, (first, last): (&Expr, &Expr), extent: &Expr) -> bool {
        self.bounds.is_nonnegative(first) && self.bounds.is_less(last, extent)
    }

    /// Returns the tensor that a structured operation reads for an element with a sum of digits as its number, and its
    /// map: the elements that are read, in the shape of the digits, or in one line where they are read several times
    /// or not all.
    fn reshaped(
        &self,
        op: Op<'p>,
        loops: &Loops,
        element: &Element<'p>,
        tensor: Val<'p>,
    ) -> Result<Option<Mapped<'p>>, Diagnostic<'p>> {
        let number = element.number.as_ref();
        let Some(mut number) = number.and_then(|number| loops.linear(number)) else {
            return Ok(None);
        };
        let (digits, all) = (loops.digits(), Expr::product(&self.shape(tensor)));
        let all = all.map_err(|err| error(op, err))?;
        let shape_of = |order: &[usize]| -> Vec<Expr> {
            let order = order.iter();
            order.map(|digit| digits[*digit].extent.clone()).collect()
        };
        let context = self.context;
        let Some(count) = all.as_constant() else {
            // No tensor has the shape of the line, but all elements together have the shape of the digits.
            let order = number.mixed(&digits, &all);
            return Ok(order.map(|order| {
                let shaped = self.reshape(op, tensor, &shape_of(&order));
                (shaped, map(context, digits.len(), &order))
            }));
        };
        let numbers = |(first, last): (Expr, Expr)| first.as_constant().zip(last.as_constant());
        let Some((first, last)) = loops.range_of(&number).and_then(numbers) else {
            return Ok(None);
        };
        if first < 0 || last >= count {
            return Ok(None);
        }
        let build = self.build(op);
        let line = self.reshape(op, tensor, &[all]);
        let count = last + 1 - first;
        let line = build.slice(line, &[first], &[Extent::Static(count)]);
        let line = line.map_err(|err| error(op, err))?;
        number.offset = number
            .offset
            .sub(&first.into())
            .map_err(|err| error(op, err))?;
        if let Some(order) = number.mixed(&digits, &count.into()) {
            let shaped = self.reshape(op, line, &shape_of(&order));
            return Ok(Some((shaped, map(context, digits.len(), &order))));
        }
        let place = number.affine(context);
        Ok(place.map(|place| (line, map_of(context, digits.len(), &[place]))))
    }

    /// Returns an operand as a separate tensor.
    pub(super) fn whole(&self, op: Op<'p>, number: usize) -> Result<Val<'p>, Diagnostic<'p>> {
        let value = ir::operand(op, number);
        let value = value.ok_or_else(|| error(op, format!("there is no operand {number}")))?;
        let of = ir::defining_op(value);
        let tensor = match of.is_some_and(|of| ir::name(of) == inductor::VIEW) {
            false => self.tensor(op, value)?,
            true => {
                let shape = self.memory(op, value.r#type())?.size;
                let at = (0..shape.len()).map(var).collect();
                let ty = self.signless(element_type(value.r#type()));
                let read = (value, at);
                self.pointwise_of(op, &shape, (&[], &[read]), ty, &|_, values| values[0])?
            }
        };
        self.not_merged(of.unwrap_or(op), tensor)
    }

    /// Returns a tensor of an element at all loops, and its map: each is picked out of the tensor of its buffer. So it is where no
    /// slices and reshapes of that have it, as of a diagonal.
    pub(super) fn gathered(
        &self,
        op: Op<'p>,
        loops: &Loops,
        element: &Element<'p>,
    ) -> Result<Mapped<'p>, Diagnostic<'p>> {
        let context = self.context;
        let tensor = self.source(op, element)?;
        self.check_inside(op, loops, element, tensor)?;
        let digits = loops.digits().into_iter();
        let shape: Vec<Expr> = digits.map(|digit| digit.extent).collect();
        let all: Vec<usize> = (0..shape.len()).collect();
        let all = map(context, shape.len(), &all);
        let empty = self.empty(op, &shape, element.ty);
        let (built, block) = self.generic(op, (&[], &[(empty, all)]), (shape.len(), 0));
        let plan = Plan {
            loops: loops.clone(),
            indirect: Indirect::default(),
            reads: FxHashMap::default(),
            indices: FxHashMap::default(),
        };
        let emit = Emit {
            context,
            block,
            location: op.location(),
        };
        let mut body = Body::new(self, &plan, emit);
        let indices = element.at.iter().map(|at| body.index(at));
        let indices: Vec<Val<'p>> = indices.collect();
        let picked = tensor::extract(tensor, &indices);
        let picked = body.emit.op(picked, element.ty);
        structured::end(block, op.location(), &[picked]);
        Ok((result(built), all))
    }

    /// Checks that an element with sums of digits as its coordinates is inside of its tensor.
    fn check_inside(
        &self,
        op: Op<'p>,
        loops: &Loops,
        element: &Element<'p>,
        tensor: Val<'p>,
    ) -> Result<(), Diagnostic<'p>> {
        for (dim, (at, extent)) in element.at.iter().zip(self.shape(tensor)).enumerate() {
            let range = loops.linear(at).and_then(|at| loops.range_of(&at));
            if let Some((first, last)) =
                range.filter(|(first, last)| !self.is_inside((first, last), &extent))
            {
                let message = format!(
                    "reads {first:?} to {last:?} of dimension {dim}, which has extent {extent:?}"
                );
                return Err(error(op, message));
            }
        }
        Ok(())
    }
}
