//! Shapes of tensors, as expressions of sizes.
//!
//! A dimension of a tensor is a number or an open size. A dimension of a buffer may be merged, with a product of these as its extent:
//! then the tensor of the buffer has a dimension for each factor, in the order in which loops write them, and accesses are to these.

use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Type, ValueLike};
use spyre_analysis::dynamic::extents::Extent;
use spyre_construct::build::{Build, element_of};
use spyre_construct::loops::Loops;
use spyre_construct::reshape;
use spyre_construct::structured::{self, Mapped};
use spyre_index_expr::ranges::{Bounds, Ranges};
use spyre_index_expr::{Atom, Expr, Var};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, Val};
use spyre_ods::{OpParts, arith, tensor};

use super::super::functions::Class;
use super::super::functions::class;
use super::emit::{Emit, number};
use super::read::Indirect;
use super::{Graph, error, sizes};

impl<'p> Graph<'p> {
    /// Returns the extents of a tensor: numbers and open sizes.
    pub(super) fn shape(&self, tensor: Val<'p>) -> Vec<Expr> {
        let shape = self.extents.shape(tensor);
        let shape = shape.expect("every tensor is entered").into_iter();
        shape
            .map(|extent| match extent {
                Extent::Static(number) => Expr::constant(number),
                Extent::Dynamic(id) => {
                    let mut ids = self.ids.iter();
                    let number = ids.position(|other| *other == Some(id));
                    let number = number.expect("a dynamic extent is one of the graph's sizes");
                    Expr::var(Var::Symbol(u32::try_from(number).expect("symbols are few")))
                }
            })
            .collect()
    }

    /// Returns the extents of the buffer that a tensor is of: of merged dimensions, the products.
    pub(super) fn extents(&self, tensor: Val<'p>) -> Vec<Expr> {
        let shape = self.shape(tensor);
        let Some(counts) = self.merged(tensor) else {
            return shape;
        };
        let mut dims = shape.iter();
        let extents = counts.into_iter().map(|count| {
            let extent = Expr::product(dims.by_ref().take(count));
            extent.expect("it is an extent of a buffer")
        });
        extents.collect()
    }

    /// Returns the number of dimensions of a buffer's tensor for each dimension of the buffer; `None` if all are 1.
    pub(super) fn merged(&self, tensor: Val<'p>) -> Option<Vec<usize>> {
        self.merged.borrow().get(&ir::value_key(tensor)).cloned()
    }

    /// Returns a tensor that has the dimensions of its buffer, as operations on whole tensors do.
    pub(super) fn not_merged(
        &self,
        op: Op<'p>,
        tensor: Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let Some(counts) = self.merged(tensor) else {
            return Ok(tensor);
        };
        let dim = counts.iter().position(|count| *count > 1).unwrap_or(0);
        let what = format!("the extent of dimension {dim}");
        Err(self.computed_extent(op, &what, &self.extents(tensor)[dim]))
    }

    /// Reshapes a tensor to the dimensions that another tensor has for the same buffer.
    pub(super) fn merge_as(&self, tensor: Val<'p>, other: Val<'p>) {
        if let Some(counts) = self.merged(other) {
            let mut merged = self.merged.borrow_mut();
            merged.insert(ir::value_key(tensor), counts);
        }
    }

    /// Returns the extent that a dimension of a tensor has; `None` if it is neither a number nor an open size.
    pub(super) fn extent(&self, extent: &Expr) -> Option<Extent> {
        match (extent.as_constant(), extent.as_var()) {
            (Some(number), _) => Some(Extent::Static(number)),
            (_, Some(Var::Symbol(number))) => self.ids.get(number as usize)?.map(Extent::Dynamic),
            _ => None,
        }
    }

    /// Returns extents as a tensor has them; `None` if one is neither a number nor an open size.
    pub(super) fn plain_shape(&self, shape: &[Expr]) -> Option<Vec<Extent>> {
        shape.iter().map(|extent| self.extent(extent)).collect()
    }

    fn expect_plain(&self, shape: &[Expr]) -> Vec<Extent> {
        let shape = self.plain_shape(shape);
        shape.expect("a tensor has numbers and open sizes as its extents")
    }

    /// Returns the error of an extent that no dimension of a tensor has.
    pub(super) fn computed_extent(&self, op: Op<'p>, what: &str, extent: &Expr) -> Diagnostic<'p> {
        error(op, sizes::computed(what, extent, &self.declared))
    }

    /// Returns the number that an extent is.
    pub(super) fn fixed(&self, op: Op<'p>, extent: &Expr) -> Result<i64, Diagnostic<'p>> {
        let number = extent.as_constant();
        number.ok_or_else(|| self.computed_extent(op, "an extent that has to be a number", extent))
    }

    /// Returns the numbers that extents are.
    pub(super) fn all_fixed(&self, op: Op<'p>, shape: &[Expr]) -> Result<Vec<i64>, Diagnostic<'p>> {
        shape.iter().map(|extent| self.fixed(op, extent)).collect()
    }

    /// Cuts loops over products of sizes, so that a tensor may have a dimension for each digit.
    pub(super) fn cut_products(&self, op: Op<'p>, loops: &mut Loops) -> Result<(), Diagnostic<'p>> {
        if self.ids.iter().all(Option::is_none) {
            return Ok(());
        }
        loops.cut_products();
        let digits = loops.digits().into_iter();
        let mut computed = digits.filter(|digit| self.extent(&digit.extent).is_none());
        match computed.next() {
            Some(digit) => Err(self.computed_extent(op, "the extent of a loop", &digit.extent)),
            None => Ok(()),
        }
    }

    /// Cuts the loops over the dimensions of a buffer into loops over the dimensions of its tensor.
    pub(super) fn cut_as(&self, loops: &mut Loops, tensor: Val<'p>) {
        let shape = self.shape(tensor);
        let mut dims = shape.as_slice();
        for (number, count) in self.merged(tensor).into_iter().flatten().enumerate() {
            let (group, others) = dims.split_at(count);
            loops.cut_into(number, group);
            dims = others;
        }
    }

    /// Returns the ranges of loops and of indices that were read.
    pub(super) fn bounds<'a>(
        &'a self,
        loops: &'a Loops,
        indirect: Option<&'a Indirect<'p>>,
    ) -> Bounds<'a, impl Fn(Var) -> Option<(Expr, Expr)> + 'a> {
        Bounds {
            sizes: &self.bounds,
            of: move |var| loops.range(var).or_else(|| indirect?.range(var)),
        }
    }

    /// Returns the type of a tensor.
    pub(super) fn shaped(&self, shape: &[Expr], element: Type<'p>) -> Type<'p> {
        let shape = self.expect_plain(shape);
        Build::new(self.context, self.end).tensor(&shape, element)
    }

    /// Builds a tensor without elements yet.
    pub(super) fn empty(&self, op: Op<'p>, shape: &[Expr], element: Type<'p>) -> Val<'p> {
        let sizes = shape.iter().filter(|extent| extent.as_constant().is_none());
        let sizes: Vec<Val<'p>> = sizes.map(|size| self.index(op, size)).collect();
        let ty = self.shaped(shape, element);
        self.emit(op, tensor::empty(&sizes), ty)
    }

    /// Builds a number, or an expression of open sizes, as an index.
    pub(super) fn index(&self, op: Op<'p>, expr: &Expr) -> Val<'p> {
        let index = Type::index(self.context);
        let at = ir::At::Before(self.end);
        let constant = |number| ir::build_index_constant(at, op.location(), number);
        let apply = |parts: OpParts<'p>| self.emit(op, parts, index);
        self.of_sizes(expr, &constant, &apply)
    }

    /// Builds an expression of open sizes from operations on indices.
    pub(super) fn of_sizes(
        &self,
        expr: &Expr,
        constant: &dyn Fn(i64) -> Val<'p>,
        apply: &dyn Fn(OpParts<'p>) -> Val<'p>,
    ) -> Val<'p> {
        let of = |expr: &Expr| self.of_sizes(expr, constant, apply);
        let remainder = |base: Val<'p>, modulus: &Expr| {
            let modulus = of(modulus);
            let quotient = apply(arith::floordivsi(base, modulus));
            let whole = apply(arith::muli(quotient, modulus));
            apply(arith::subi(base, whole))
        };
        let atom = |atom: &Atom| match atom {
            Atom::Var(Var::Symbol(number)) => {
                self.sizes[*number as usize].expect("the size is open")
            }
            Atom::Var(_) => unreachable!("the expression is one of sizes"),
            Atom::Quotient(operands) => {
                let [base, by] = &**operands;
                apply(arith::floordivsi(of(base), of(by)))
            }
            Atom::Digit(operands) => {
                let [base, by, modulus] = &**operands;
                remainder(apply(arith::floordivsi(of(base), of(by))), modulus)
            }
            Atom::Remainder(operands) => remainder(of(&operands[0]), &operands[1]),
            Atom::Max(operands) | Atom::Min(operands) => {
                let parts = match atom {
                    Atom::Max(_) => arith::maxsi,
                    _ => arith::minsi,
                };
                let values = operands.iter().map(of);
                let best = values.reduce(|a, b| apply(parts(a, b)));
                best.expect("the largest is of several")
            }
            Atom::Abs(operand) => {
                let value = of(&operand[0]);
                let negative = apply(arith::subi(constant(0), value));
                apply(arith::maxsi(value, negative))
            }
        };
        let terms = expr.terms().map(|(atoms, factor)| {
            let factor = (factor != 1).then(|| constant(factor));
            let factors = factor.into_iter().chain(atoms.iter().map(atom));
            let product = factors.reduce(|a, b| apply(arith::muli(a, b)));
            product.expect("a term has an atom")
        });
        let offset =
            (expr.offset() != 0 || expr.as_constant().is_some()).then(|| constant(expr.offset()));
        let sum = terms.chain(offset).reduce(|a, b| apply(arith::addi(a, b)));
        sum.expect("there is a term")
    }

    /// Builds an extent as a number of a type, in the body of a structured operation.
    pub(super) fn count(&self, emit: Emit<'p>, extent: &Expr, ty: Type<'p>) -> Val<'p> {
        if let Some(number) = extent.as_constant() {
            #[expect(clippy::cast_precision_loss, reason = "extents are fewer than 2^53")]
            return emit.number(number as f64, ty);
        }
        let apply = |parts: OpParts<'p>| emit.same(parts);
        let index = self.of_sizes(extent, &|number| emit.index(number), &apply);
        let integer = emit.op(arith::index_cast(index), emit.i64());
        emit.converted(integer, ty, false)
    }

    /// Builds a structured operation before the end of the function, with loops that are not reduced before loops that are.
    pub(super) fn generic(
        &self,
        op: Op<'p>,
        (ins, outs): (&[Mapped<'p>], &[Mapped<'p>]),
        (parallel, reduced): (usize, usize),
    ) -> (Op<'p>, Blk<'p>) {
        let iterators = structured::loops(self.context, parallel, reduced);
        let at = (self.end, op.location());
        let (built, block) = structured::generic(self.context, at, (ins, outs), &iterators);
        self.extents.enter(built);
        (built, block)
    }

    /// Reshapes a tensor; `shape` has the same number of elements. A reshape usually collapses dimensions and expands
    /// them again. Where it would collapse open sizes, no dimension can represent their product, so that one operation
    /// reshapes directly.
    pub(super) fn reshape(&self, op: Op<'p>, tensor: Val<'p>, shape: &[Expr]) -> Val<'p> {
        let plain = self.expect_plain(shape);
        let build = self.build(op);
        if let Ok(reshaped) = build.reshape(tensor, &plain) {
            return reshaped;
        }
        let reshaped = reshape::build(self.context, self.end, tensor, &build.slice_sizes(&plain));
        let built = ir::defining_op(reshaped);
        self.extents.enter(built.expect("it was built"));
        reshaped
    }

    /// Builds the elements of a tensor in the shape of a buffer. Merged dimensions of that have the dimensions of the tensor.
    pub(super) fn reshape_as(
        &self,
        op: Op<'p>,
        tensor: Val<'p>,
        extents: &[Expr],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        if self.plain_shape(extents).is_some() {
            return Ok(self.reshape(op, tensor, extents));
        }
        let shape = self.shape(tensor);
        let mut dims = shape.iter();
        let (mut counts, mut all) = (Vec::new(), Vec::new());
        for (dim, extent) in extents.iter().enumerate() {
            let (mut product, mut group) = (Expr::constant(1), Vec::<Expr>::new());
            while product != *extent {
                let next = dims.next().ok_or_else(|| {
                    self.computed_extent(op, &format!("the extent of dimension {dim}"), extent)
                })?;
                product = product.mul(next).map_err(|err| error(op, err))?;
                match (group.last_mut(), next.as_constant()) {
                    (Some(last), Some(number)) if last.as_constant().is_some() => {
                        *last = last.scale(number).map_err(|err| error(op, err))?;
                    }
                    _ => group.push(next.clone()),
                }
            }
            if self.extent(extent).is_some() {
                group = vec![extent.clone()];
            }
            counts.push(group.len());
            all.extend(group);
        }
        let reshaped = self.reshape(op, tensor, &all);
        let mut merged = self.merged.borrow_mut();
        merged.insert(ir::value_key(reshaped), counts);
        Ok(reshaped)
    }

    /// Returns the coordinates in the tensor of a buffer for coordinates in the buffer.
    pub(super) fn apart(
        &self,
        op: Op<'p>,
        tensor: Val<'p>,
        (at, ranges): (Vec<Expr>, &impl Ranges),
    ) -> Result<Vec<Expr>, Diagnostic<'p>> {
        let Some(counts) = self.merged(tensor) else {
            return Ok(at);
        };
        let shape = self.shape(tensor);
        let mut coordinates = Vec::new();
        let mut first = 0;
        for (at, count) in at.into_iter().zip(counts) {
            let dims = first..first + count;
            for dim in dims.clone() {
                let weight = Expr::product(&shape[dim + 1..dims.end]);
                let weight = weight.map_err(|err| error(op, err))?;
                let base = at.clone();
                coordinates.push(match dim == first {
                    true => base.quotient(weight),
                    false => base.digit(weight, shape[dim].clone()),
                });
            }
            first = dims.end;
        }
        self.simple(op, &coordinates, ranges)
    }

    /// Builds a tensor with zeros around it: `low` before it along each dimension, and `high` after it.
    pub(super) fn padded(
        &self,
        op: Op<'p>,
        tensor: Val<'p>,
        (low, high): (&[i64], &[i64]),
    ) -> Val<'p> {
        let element = element_of(tensor);
        let zero = number(self.context, 0.0, element);
        let zero = self.emit(op, arith::constant(zero), element);
        let at = (self.end, op.location());
        let padded = structured::pad(self.context, at, tensor, (low, high), zero);
        self.extents
            .enter(ir::defining_op(padded).expect("it was built"));
        padded
    }

    /// Builds a tensor with one value everywhere.
    pub(super) fn filled(
        &self,
        op: Op<'p>,
        value: Attribute<'p>,
        ty: Type<'p>,
        shape: &[Expr],
    ) -> Val<'p> {
        let number = self.emit(op, arith::constant(value), ty);
        self.filled_by(op, number, shape)
    }

    /// Builds a tensor with an extent everywhere, as a number of a type.
    pub(super) fn filled_with(
        &self,
        op: Op<'p>,
        extent: &Expr,
        ty: Type<'p>,
        shape: &[Expr],
    ) -> Val<'p> {
        if let Some(count) = extent.as_constant() {
            #[expect(clippy::cast_precision_loss, reason = "extents are fewer than 2^53")]
            return self.filled(op, number(self.context, count as f64, ty), ty, shape);
        }
        let i64: Type<'p> = IntegerType::new(self.context, 64).into();
        let index = self.index(op, extent);
        let integer = self.emit(op, arith::index_cast(index), i64);
        let number = match class(ty) {
            Class::Float => self.emit(op, arith::sitofp(integer), ty),
            _ => self.emit(op, arith::index_cast(index), ty),
        };
        self.filled_by(op, number, shape)
    }

    /// Builds a tensor with a number everywhere.
    pub(super) fn filled_by(&self, op: Op<'p>, number: Val<'p>, shape: &[Expr]) -> Val<'p> {
        let empty = self.empty(op, shape, number.r#type());
        let at = (self.end, op.location());
        let filled = structured::fill(self.context, at, number, empty);
        self.extents
            .enter(ir::defining_op(filled).expect("it was built"));
        filled
    }
}
