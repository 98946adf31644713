//! Where loop nests read, in the tensors of the function.

use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_construct::build::{Build, element_of, element_type};
use spyre_construct::loops::{Linear, Loops};
use spyre_construct::structured::{self, Mapped, map, map_of};
use spyre_dialects::inductor_attr::Layout;
use spyre_inductor::access::{self, Memory, Range};
use spyre_inductor::expr::{Expr, Var};
use spyre_inductor::simplify::simplify;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, Val};

use super::super::index;
use super::super::types::width;
use super::body::{Body, Plan};
use super::emit::Emit;
use super::kernel::var;
use super::{Graph, error, extents, result};

/// An element of a buffer.
pub(super) struct Element<'p> {
    /// The value of the buffer.
    pub(super) buffer: Val<'p>,
    /// The type that its bits are read as: that of the buffer, or of a view of it by another type.
    pub(super) ty: Type<'p>,
    /// Its coordinates in the tensor of the buffer.
    pub(super) at: Vec<Expr>,
    /// Its number among the elements of that tensor, where the load is through a view of the whole memory.
    number: Option<Expr>,
}

/// The numbers of indirect indices, by their values.
#[derive(Default)]
pub(super) struct Indirect<'p> {
    numbers: FxHashMap<ir::ValueKey, u32>,
    /// The values, by number, and the extents that they are below.
    pub(super) values: Vec<(Val<'p>, i64)>,
}

impl<'p> Indirect<'p> {
    fn var(&mut self, value: Val<'p>, below: i64) -> Var {
        let next = u32::try_from(self.values.len()).expect("indices are counted");
        let number = *self.numbers.entry(ir::value_key(value)).or_insert(next);
        if number == next {
            self.values.push((value, below));
        }
        Var::Indirect(number)
    }

    /// Returns the exclusive upper bound of an index.
    pub(super) fn below(&self, value: Val<'p>) -> i64 {
        let number = self.numbers.get(&ir::value_key(value)).copied();
        number.map_or(i64::MAX, |number| self.values[number as usize].1)
    }

    /// Returns the range of a variable.
    pub(super) fn range(&self, var: Var) -> Option<Range> {
        match var {
            Var::Indirect(number) => Some((0, self.values.get(number as usize)?.1 - 1)),
            _ => None,
        }
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
                let below = below
                    .ok_or_else(|| error(op, "an index is computed by no inductor.indirect"))?;
                Ok(indirect.var(value, self.numbers(of, below)?[0]))
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
        range: &impl Fn(Var) -> Option<Range>,
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
        view.map(|view| self.memory_of(op, &view, &buffer.size))
            .transpose()
    }

    fn simple(
        &self,
        op: Op<'p>,
        exprs: &[Expr],
        range: &impl Fn(Var) -> Option<Range>,
    ) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let simple = exprs.iter().map(|expr| simplify(expr, range));
        simple
            .collect::<Result<_, _>>()
            .map_err(|err| error(op, err))
    }

    /// Returns the element that coordinates of a buffer are, where the buffer may be a view of another one.
    pub(super) fn element(
        &self,
        op: Op<'p>,
        buffer: Val<'p>,
        at: Vec<Expr>,
        range: &impl Fn(Var) -> Option<Range>,
    ) -> Result<Element<'p>, Diagnostic<'p>> {
        self.element_at(op, buffer, (at, None), range)
    }

    /// Returns the element that coordinates of a buffer are, of which the place in memory may be known.
    fn element_at(
        &self,
        op: Op<'p>,
        buffer: Val<'p>,
        (at, place): (Vec<Expr>, Option<Expr>),
        range: &impl Fn(Var) -> Option<Range>,
    ) -> Result<Element<'p>, Diagnostic<'p>> {
        let (mut buffer, mut at, mut place) = (buffer, at, place);
        let ty = self.signless(element_type(buffer.r#type()));
        while let Some(view) = ir::defining_op(buffer)
            && ir::name(view) == "inductor.view"
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

    /// Returns the tensor that an element is in, with its bits as the type that it is read as.
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
            emit.op("arith.bitcast", values, element.ty)
        }))
    }

    /// Returns the number of the element at a place in memory; `None` if the elements of the buffer do not follow one another there.
    fn number_at(
        &self,
        op: Op<'p>,
        buffer: Val<'p>,
        place: Expr,
        range: &impl Fn(Var) -> Option<Range>,
    ) -> Result<Option<Expr>, Diagnostic<'p>> {
        let memory = self.memory(op, buffer.r#type())?;
        if !memory.is_row_major() {
            return Ok(None);
        }
        let number = place.add(&Expr::constant(-memory.offset));
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
        let range = |var| loops.range(var).or_else(|| indirect.range(var));
        let memory = self.memory(op, buffer.r#type())?;
        let place = match self.view(op, &memory)? {
            Some(view) => Some(view.place(&at).map_err(|err| error(op, err))?),
            None => None,
        };
        let at = self.place(op, &memory, at, &range)?;
        self.element_at(op, buffer, (at, place), &range)
    }

    /// Returns the tensor that a structured operation reads for an element, and its map; `None` if its coordinates are
    /// no sums of digits. `outside` is whether coordinates may be outside of the buffer, where the loaded value is not
    /// used.
    pub(super) fn mapped(
        &self,
        op: Op<'p>,
        loops: &Loops,
        element: &Element<'p>,
        outside: bool,
    ) -> Result<Option<(Val<'p>, Attribute<'p>)>, Diagnostic<'p>> {
        let linear: Option<Vec<Linear>> = element.at.iter().map(|at| loops.linear(at)).collect();
        let mut tensor = self.source(op, element)?;
        let Some(mut linear) = linear else {
            return self.reshaped(loops, element, self.build(op), tensor);
        };
        let digits = loops.digits();
        let (mut low, mut shape) = (Vec::new(), Vec::new());
        let (mut starts, mut counts) = (Vec::new(), Vec::new());
        for (dim, (at, extent)) in linear.iter_mut().zip(extents(tensor)).enumerate() {
            let (first, last) = at.range(&digits);
            if !outside && (first < 0 || last >= extent) {
                let message = format!(
                    "reads {first} to {last} of dimension {dim}, which has extent {extent}"
                );
                return Err(error(op, message));
            }
            let before = (-first).max(0);
            low.push(before);
            shape.push(before + extent.max(last + 1));
            starts.push(first + before);
            counts.push(last + 1 - first);
            at.offset -= first;
        }
        if shape != extents(tensor) {
            tensor = self.padded(op, tensor, &low, &shape);
        }
        // Loops have the extents of the dimensions that they index.
        tensor = self.build(op).slice_fixed(tensor, &starts, &counts);
        let results: Vec<_> = linear.iter().map(|at| at.affine(self.context)).collect();
        Ok(Some((tensor, map_of(self.context, digits.len(), &results))))
    }

    /// Returns the tensor that a structured operation reads for an element with a sum of digits as its number, and its
    /// map: the elements that are read, in the shape of the digits, or in one line where they are read several times
    /// or not all.
    fn reshaped(
        &self,
        loops: &Loops,
        element: &Element<'p>,
        build: Build<'p>,
        tensor: Val<'p>,
    ) -> Result<Option<(Val<'p>, Attribute<'p>)>, Diagnostic<'p>> {
        let number = element.number.as_ref();
        let Some(mut number) = number.and_then(|number| loops.linear(number)) else {
            return Ok(None);
        };
        let (digits, all) = (loops.digits(), extents(tensor).iter().product::<i64>());
        let (first, last) = number.range(&digits);
        if first < 0 || last >= all {
            return Ok(None);
        }
        let count = last + 1 - first;
        let line = build.slice_fixed(build.reshape_fixed(tensor, &[all]), &[first], &[count]);
        number.offset -= first;
        let context = self.context;
        Ok(Some(match number.mixed(&digits, count) {
            Some(order) => {
                let shape: Vec<i64> = order.iter().map(|digit| digits[*digit].extent).collect();
                let shaped = build.reshape_fixed(line, &shape);
                (shaped, map(context, digits.len(), &order))
            }
            None => {
                let place = number.affine(context);
                (line, map_of(context, digits.len(), &[place]))
            }
        }))
    }

    /// Returns an operand as a separate tensor.
    pub(super) fn whole(&self, op: Op<'p>, number: usize) -> Result<Val<'p>, Diagnostic<'p>> {
        let value = ir::operand(op, number);
        let value = value.ok_or_else(|| error(op, format!("there is no operand {number}")))?;
        let is_view = ir::defining_op(value).is_some_and(|of| ir::name(of) == "inductor.view");
        if !is_view {
            return self.tensor(op, value);
        }
        let shape = self.memory(op, value.r#type())?.size;
        let at = (0..shape.len()).map(var).collect();
        let ty = self.signless(element_type(value.r#type()));
        let read = (value, at);
        self.pointwise_of(op, &shape, (&[], &[read]), ty, &|_, values| values[0])
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
        let digits = loops.digits();
        let shape: Vec<i64> = digits.iter().map(|digit| digit.extent).collect();
        let all: Vec<usize> = (0..shape.len()).collect();
        let all = map(context, shape.len(), &all);
        let ty = self.shaped(&shape, element.ty);
        let empty = result(self.insert(op, "tensor.empty", &[], &[ty], &[]));
        let iterators = structured::loops(context, shape.len(), 0);
        let at = (self.end, op.location());
        let (built, block) = structured::generic(context, at, (&[], &[(empty, all)]), &iterators);
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
        let mut operands = vec![tensor];
        operands.extend(element.at.iter().map(|at| body.index(at)));
        let picked = body.emit.op("tensor.extract", &operands, element.ty);
        structured::end(block, op.location(), &[picked]);
        Ok((result(built), all))
    }
}
