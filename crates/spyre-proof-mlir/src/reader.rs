//! A function of device operations as a program.
//!
//! The blocks of the function are read in order, so each value is known where it is used. Tensors of the function are
//! values of the program, one to one. An operation that is not modelled is [`Def::Opaque`], and claims about what reads
//! it are undecided; where even the order of execution depends on one, the function has no program.

use melior::ir::block::BlockLike;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::RankedTensorType;
use melior::ir::{Location, ShapedTypeLike, Type, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::device_op::{DeviceOp, EmptyOp};
use spyre_dialects::dynamic::dim_size;
use spyre_dialects::names::{CONSTANT, PLACE};
use spyre_layout::{DeviceFormat, Layout};
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind, Val, ValueKey};
use spyre_ods::{arith, spyre, tensor};
use spyre_proof::expr::Expr;
use spyre_proof::program::{
    Carried, Def, Extent, Item, Loop, LoopId, Param, Place, Program, Site, Value, ValueId,
};

use crate::constants::{self, Constant};
use crate::extents::{self, static_extents};
use crate::index::Indices;
use crate::views::View;

/// The operations that a program was read from, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Sites<'p> {
    ops: Vec<Op<'p>>,
}

impl<'p> Sites<'p> {
    pub(crate) fn add(&mut self, op: Op<'p>) -> Site {
        let site = Site::new(self.ops.len());
        self.ops.push(op);
        site
    }

    /// Returns the operation of a site.
    ///
    /// # Panics
    /// The site is of another table.
    #[must_use]
    pub(crate) fn op(&self, site: Site) -> Op<'p> {
        self.ops[site.index()]
    }

    /// Returns the location of a site. Panics as [`Sites::op`].
    #[must_use]
    pub(crate) fn location(&self, site: Site) -> Location<'p> {
        self.op(site).location()
    }
}

/// The reason why a function has no program.
#[derive(Debug, Clone)]
pub(crate) struct Unmodelled<'p> {
    /// The operation that is not modelled.
    pub op: Op<'p>,
    /// What is not modelled.
    pub message: String,
}

/// Returns the program of a function, with its operations by their sites. The function is site 0.
///
/// # Errors
/// The function has no body of one block, or a loop whose number of iterations is not known, or a region of another
/// operation with device operations in it, or a tensor whose dynamic extent has no name.
pub(crate) fn program<'p>(function: Op<'p>) -> Result<(Program, Sites<'p>), Unmodelled<'p>> {
    program_with_params(function, extents::params(function))
}

/// Returns the program of a function, as [`program`] does, with other dynamic extents than those that it declares.
pub(crate) fn program_with_params<'p>(
    function: Op<'p>,
    params: Vec<Param>,
) -> Result<(Program, Sites<'p>), Unmodelled<'p>> {
    let body = ir::function_body(function).ok_or_else(|| Unmodelled {
        op: function,
        message: "the function has no body of one block".to_owned(),
    })?;
    let mut reader = Reader {
        program: Program {
            params,
            ..Program::default()
        },
        sites: Sites::default(),
        values: FxHashMap::default(),
        indices: Indices::default(),
        loops: Vec::new(),
        function,
    };
    reader.arguments(body)?;
    reader.program.body = reader.block(body)?;
    let end = body.terminator().expect("a function returns");
    let results = end.operands().filter(|value| is_tensor(*value));
    let results: Vec<_> = results.map(|value| reader.value(value)).collect();
    let Reader {
        mut program, sites, ..
    } = reader;
    program.results = results;
    extents::restrict_filled(&mut program);
    Ok((program, sites))
}

/// A function that is being read.
pub(crate) struct Reader<'p> {
    pub(crate) program: Program,
    pub(crate) sites: Sites<'p>,
    values: FxHashMap<ValueKey, ValueId>,
    indices: Indices,
    /// The loops around the current operation, outermost first.
    pub(crate) loops: Vec<LoopId>,
    function: Op<'p>,
}

/// The type of a tensor, as values have it.
pub(crate) struct Tensor {
    shape: Vec<Extent>,
    element: String,
    width: i64,
    layout: Option<Layout>,
}

impl Tensor {
    /// Returns a value of the type, without a place.
    pub(crate) fn value(self, def: Def, loops: Vec<LoopId>, site: Site) -> Value {
        Value {
            def,
            loops,
            shape: self.shape,
            element: self.element,
            width: self.width,
            layout: self.layout,
            place: None,
            site,
        }
    }
}

impl<'p> Reader<'p> {
    /// Returns the value of a tensor.
    pub(crate) fn value(&self, value: Val<'p>) -> ValueId {
        let id = self.values.get(&ir::value_key(value)).copied();
        id.expect("a tensor is defined before its uses")
    }

    /// Adds a value.
    pub(crate) fn add(&mut self, of: Val<'p>, value: Value) -> ValueId {
        let id = ValueId::new(self.program.values.len());
        self.program.values.push(value);
        self.values.insert(ir::value_key(of), id);
        id
    }

    /// Returns the name of the element type of a tensor; empty for another value.
    pub(crate) fn tensor_element(&self, value: Val<'p>) -> String {
        let id = self.values.get(&ir::value_key(value));
        id.map_or_else(
            || ranked(value.r#type()).map_or_else(String::new, |ty| ty.element().to_string()),
            |id| self.program.value(*id).element.clone(),
        )
    }

    /// Reads a type. `dynamic` returns the extents of dimensions that are dynamic in the type.
    pub(crate) fn tensor(
        &self,
        op: Op<'p>,
        ty: Type<'p>,
        dynamic: impl Fn(usize) -> Option<Extent>,
    ) -> Result<Tensor, Unmodelled<'p>> {
        let unmodelled = |message: String| Unmodelled { op, message };
        let ranked =
            ranked(ty).ok_or_else(|| unmodelled(format!("{ty} is not a ranked tensor")))?;
        let extents = static_extents(ranked).into_iter().enumerate();
        let extent = |(dim, extent): (usize, Option<i64>)| {
            let extent = extent.map(Extent::Fixed).or_else(|| dynamic(dim));
            extent.ok_or_else(|| {
                unmodelled(format!(
                    "dimension {dim} of {ty} has a dynamic extent without a name that 'spyre.dim_sizes' declares"
                ))
            })
        };
        let shape = extents.map(extent).collect::<Result<_, _>>()?;
        let element = ranked.element();
        let layout = match ranked.encoding() {
            None => None,
            Some(encoding) => Some(attr::layout(encoding).ok_or_else(|| {
                unmodelled(format!("{ty} has an encoding that is no #spyre.layout"))
            })?),
        };
        let format = layout.as_ref().and_then(Layout::format_override);
        let format = format.or_else(|| attr::device_format(element));
        Ok(Tensor {
            shape,
            element: element.to_string(),
            width: format.map_or(0, bytes),
            layout,
        })
    }

    fn arguments(&mut self, body: Blk<'p>) -> Result<(), Unmodelled<'p>> {
        let function = self.function;
        let site = self.sites.add(function);
        for (number, argument) in ir::arguments(body).enumerate() {
            if !is_tensor(argument) {
                continue; // An index is in no map, so what depends on it is not affine.
            }
            let of_name = |dim| {
                let params = &self.program.params;
                extents::param_of_argument(function, params, number, dim).map(Extent::Dynamic)
            };
            let mut tensor = self.tensor(function, argument.r#type(), of_name)?;
            for dim in 0..tensor.shape.len() {
                // After `--spyre-bound-dynamic-dims` a dynamic dimension has room for the largest extent.
                if let Some(Extent::Dynamic(param)) = of_name(dim)
                    && tensor.shape[dim]
                        == Extent::Fixed(self.program.params[param.index()].maximum)
                {
                    tensor.shape[dim] = Extent::Dynamic(param);
                }
            }
            let constant = ir::argument_attribute(function, number, CONSTANT);
            let def = match constant {
                Some(value) => self.constant(function, value, argument.r#type()),
                None => Def::Argument(u32::try_from(number).expect("fewer than 2^32 arguments")),
            };
            let attribute = ir::argument_attribute(function, number, PLACE);
            let value = Value {
                place: attribute.and_then(attr::place).map(place),
                ..tensor.value(def, Vec::new(), site)
            };
            self.add(argument, value);
        }
        Ok(())
    }

    /// Reads the operations of a block, and returns what is executed.
    fn block(&mut self, block: Blk<'p>) -> Result<Vec<Item>, Unmodelled<'p>> {
        let mut items = Vec::new();
        for op in ir::operations(block) {
            if let Some(device) = DeviceOp::cast(op) {
                items.push(self.device(device)?);
                continue;
            }
            match ir::kind(op) {
                OpKind::For => items.push(Item::Loop(self.repeat(op)?)),
                OpKind::Yield | OpKind::Return => {}
                _ => self.other(op)?,
            }
        }
        Ok(items)
    }

    /// Reads an operation that executes nothing on the device.
    fn other(&mut self, op: Op<'p>) -> Result<(), Unmodelled<'p>> {
        if let Some(inner) = device_operation_inside(op) {
            let message = format!(
                "'{}' is executed in a region of '{}', in an order that is not known",
                ir::name(inner),
                ir::name(op)
            );
            return Err(Unmodelled { op, message });
        }
        self.index(op);
        for result in ir::results(op).filter(|result| is_tensor(*result)) {
            let def = self.definition(op);
            let tensor = self.tensor(op, result.r#type(), |dim| self.extent(op, dim))?;
            let site = self.sites.add(op);
            let value = Value {
                place: EmptyOp::cast(op).and_then(EmptyOp::place).map(place),
                ..tensor.value(def, self.loops.clone(), site)
            };
            self.add(result, value);
        }
        Ok(())
    }

    /// Enters the result of an operation on indices.
    fn index(&mut self, op: Op<'p>) {
        let extent = match ir::kind(op) {
            OpKind::TensorDim => self.tensor_dim(op),
            _ => dim_size(op).and_then(|name| {
                let param = extents::param(self.function, &self.program.params, &name)?;
                Some(Extent::Dynamic(param))
            }),
        };
        match extent {
            Some(extent) => {
                let result = ir::result(op, 0).expect("the extent is a result");
                self.indices.set(result, self.program.extent(extent));
            }
            None => self.indices.operation(op),
        }
    }

    /// Returns the extent that a `tensor.dim` has.
    fn tensor_dim(&self, op: Op<'p>) -> Option<Extent> {
        let dim = usize::try_from(ir::constant_operand(op, 1)?).ok()?;
        let tensor = self.values.get(&ir::value_key(ir::operand(op, 0)?))?;
        self.program.value(*tensor).shape.get(dim).copied()
    }

    /// Returns how an operation defines its tensor.
    fn definition(&mut self, op: Op<'p>) -> Def {
        match ir::kind(op) {
            OpKind::ExtractSlice | OpKind::InsertSlice => return self.window(op),
            _ => {}
        }
        if let Some(view) = View::of(op) {
            return self.view(op, &view);
        }
        match ir::name(op) {
            spyre::EMPTY | tensor::EMPTY => Def::Empty,
            spyre::FILL | arith::CONSTANT => {
                let value = ir::attribute(op, "value").expect("a constant has a value");
                let result = ir::result(op, 0).expect("a constant has a result");
                self.constant(op, value, result.r#type())
            }
            name => Def::Opaque(name.to_owned()),
        }
    }

    /// Returns the definition of a view.
    fn view(&self, op: Op<'p>, view: &View) -> Def {
        let operand = ir::operand(op, 0).expect("a view has a source");
        let result = ir::result(op, 0).expect("a view has a result");
        let source = self.value(operand);
        // Positions are those of the types: with the largest extents, where they have been bounded.
        let types = |value: Val<'p>| ranked(value.r#type()).map_or_else(Vec::new, static_extents);
        let extents = types(operand).into_iter();
        let extents = extents.zip(&self.program.value(source).shape);
        let extents = extents.map(|(extent, other)| extent.map_or(*other, Extent::Fixed));
        let extents: Vec<Extent> = extents.collect();
        let shape = types(result).into_iter().enumerate();
        let shape =
            shape.map(|(dim, extent)| extent.map(Extent::Fixed).or_else(|| self.extent(op, dim)));
        let shape = shape.collect::<Option<Vec<_>>>();
        match shape.and_then(|shape| view.index(&extents, &shape)) {
            Some(index) => Def::View { source, index },
            None => Def::Opaque(format!("{} of a dynamic extent", ir::name(op))),
        }
    }

    /// Returns the definition of a constant tensor, and enters its elements.
    fn constant(&mut self, op: Op<'p>, value: melior::ir::Attribute<'p>, ty: Type<'p>) -> Def {
        let constant = ranked(ty).and_then(|ty| {
            let extents: Option<Vec<i64>> = static_extents(ty).into_iter().collect();
            constants::constant(value, ty.element(), &extents?)
        });
        let Some(Constant {
            name,
            regions,
            table,
        }) = constant
        else {
            return Def::Opaque(format!("a constant of {}", ir::name(op)));
        };
        if let Some(regions) = regions {
            self.program.constants.insert(name.clone(), regions);
        }
        if let Some(table) = table {
            self.program.tables.insert(name.clone(), table);
        }
        Def::Constant(name)
    }

    /// Returns the definition of a window, or of a tensor with one replaced.
    fn window(&self, op: Op<'p>) -> Def {
        let name = ir::name(op);
        let Some(window) = ir::window(op) else {
            return Def::Opaque(format!("{name} of a dynamic size or with a stride"));
        };
        let offsets = window
            .offsets
            .iter()
            .map(|offset| self.indices.of_offset(*offset));
        let Some(offsets) = offsets.collect::<Option<Vec<_>>>() else {
            return Def::Opaque(format!(
                "{name} at an offset that is no affine expression of induction variables"
            ));
        };
        let operand = |number| ir::operand(op, number).expect("a window has its operands");
        let source = self.value(operand(0));
        if ir::kind(op) == OpKind::InsertSlice {
            let dims = window_dims(&window.sizes, &self.program.value(source).shape);
            let into = self.value(operand(1));
            return Def::Insert {
                tile: source,
                into,
                offsets,
                dims,
            };
        }
        let result = ir::result(op, 0).expect("a window has a result");
        let extents = ranked(result.r#type()).map_or_else(Vec::new, static_extents);
        let extents: Vec<_> = extents.into_iter().flatten().map(Extent::Fixed).collect();
        let dims = window_dims(&window.sizes, &extents);
        Def::Slice {
            source,
            offsets,
            dims,
        }
    }

    /// Returns the extent of a dimension that is dynamic in the type of the result of an operation.
    fn extent(&self, op: Op<'p>, dim: usize) -> Option<Extent> {
        let shape = |number| {
            let value = self.values.get(&ir::value_key(ir::operand(op, number)?))?;
            Some(&self.program.value(*value).shape)
        };
        if ir::kind(op) == OpKind::InsertSlice {
            return shape(1)?.get(dim).copied();
        }
        let result = ranked(ir::result(op, 0)?.r#type())?;
        let extents = static_extents(result);
        if let Some(view) = View::of(op) {
            return view.extent(dim, shape(0)?, &extents);
        }
        if matches!(ir::name(op), spyre::EMPTY | tensor::EMPTY) {
            let before = extents.iter().take(dim).filter(|extent| extent.is_none());
            let size = self.indices.of(ir::operand(op, before.count())?)?;
            return extents::of_expr(&self.program, size);
        }
        None
    }

    /// Reads a loop.
    fn repeat(&mut self, op: Op<'p>) -> Result<LoopId, Unmodelled<'p>> {
        let body = ir::body(op).expect("a loop has a body");
        let (lower, upper, step) = self.bounds(op)?;
        let id = LoopId::new(self.program.loops.len());
        let site = self.sites.add(op);
        self.program.loops.push(Loop {
            parent: self.loops.last().copied(),
            lower,
            upper,
            step,
            carried: Vec::new(),
            body: Vec::new(),
            site,
        });
        let outside = self.loops.clone();
        self.loops.push(id);
        let counter = ir::arguments(body)
            .next()
            .expect("a body has an induction variable");
        self.indices.set(counter, self.program.induction(id));
        let tensors: Vec<Iterated<'p>> = iterated(op, body).collect();
        let mut carried = Vec::new();
        for (at, tensor) in tensors.iter().enumerate() {
            let init = self.value(tensor.init);
            let argument = self.like(tensor.argument, init, Def::Carried(id, at), site);
            carried.push((init, argument));
        }
        let items = self.block(body)?;
        self.loops = outside;
        for (at, (tensor, (init, argument))) in tensors.iter().zip(carried).enumerate() {
            let yielded = self.value(tensor.yielded);
            let result = self.like(tensor.result, init, Def::LoopResult(id, at), site);
            let carried = Carried {
                init,
                argument,
                yielded,
                result,
            };
            self.program.loops[id.index()].carried.push(carried);
        }
        self.program.loops[id.index()].body = items;
        Ok(id)
    }

    /// Adds a value of the type of another one, which a loop carries.
    fn like(&mut self, of: Val<'p>, other: ValueId, def: Def, site: Site) -> ValueId {
        let other = self.program.value(other);
        let layout = ranked(of.r#type()).and_then(|ty| attr::layout(ty.encoding()?));
        let value = Value {
            def,
            loops: self.loops.clone(),
            layout,
            place: None,
            site,
            ..other.clone()
        };
        self.add(of, value)
    }

    /// Returns the bounds and the step of a loop.
    fn bounds(&self, op: Op<'p>) -> Result<(i64, Extent, i64), Unmodelled<'p>> {
        let bound = |number| {
            let value = ir::operand(op, number).expect("a loop has bounds and a step");
            self.indices.of(value)
        };
        let unmodelled = |what: &str| Unmodelled {
            op,
            message: format!("the {what} of the loop is not known before the program runs"),
        };
        let number = |at, what| {
            let number = bound(at).and_then(Expr::as_constant);
            number.ok_or_else(|| unmodelled(what))
        };
        let (lower, step) = (number(0, "lower bound")?, number(2, "step")?);
        let upper = bound(1).and_then(|expr| extents::of_expr(&self.program, expr));
        let upper = upper.ok_or_else(|| unmodelled("upper bound"))?;
        if step <= 0 {
            return Err(Unmodelled {
                op,
                message: format!("the loop has a step of {step}"),
            });
        }
        Ok((lower, upper, step))
    }
}

/// A tensor that a loop carries.
struct Iterated<'p> {
    init: Val<'p>,
    argument: Val<'p>,
    yielded: Val<'p>,
    result: Val<'p>,
}

/// Returns the tensors that a loop carries.
fn iterated<'p>(op: Op<'p>, body: Blk<'p>) -> impl Iterator<Item = Iterated<'p>> {
    /// The operands of a loop before the initial values: bounds and step.
    const BOUNDS: usize = 3;
    let end = body.terminator().expect("a body ends");
    let arguments = ir::arguments(body).skip(1);
    let all = ir::results(op).zip(arguments).enumerate();
    let all = all.map(move |(at, (result, argument))| Iterated {
        init: ir::operand(op, BOUNDS + at).expect("each result has an initial value"),
        argument,
        yielded: ir::operand(end, at).expect("each result is yielded"),
        result,
    });
    all.filter(|tensor| is_tensor(tensor.result))
}

/// Returns the dimension of a tile for each dimension of its window; `None` where the tile has dropped one of size 1.
/// Which of several such dimensions is dropped makes no difference: each has one position.
fn window_dims(sizes: &[i64], tile: &[Extent]) -> Vec<Option<usize>> {
    let mut next = 0;
    let dims = sizes.iter().map(|size| {
        let is_kept = tile.get(next) == Some(&Extent::Fixed(*size));
        is_kept.then(|| {
            next += 1;
            next - 1
        })
    });
    dims.collect()
}

/// Returns the first operation of a function, or the function itself, with the place of an argument that the function
/// does not have. Arguments are numbered from 0, then results.
pub(crate) fn misplaced<'p>(function: Op<'p>) -> Option<Unmodelled<'p>> {
    let body = ir::function_body(function)?;
    let end = body.terminator()?;
    let count = body.argument_count() + end.operand_count();
    let fault = |op: Op<'p>, place: Option<attr::Place>| match place {
        Some(attr::Place::Arg(number)) if number as usize >= count => Some(Unmodelled {
            op,
            message: format!(
                "place arg {number}: the function has {} arguments and {} results, which are numbered from 0",
                body.argument_count(),
                end.operand_count()
            ),
        }),
        _ => None,
    };
    let of_argument = |number| ir::argument_attribute(function, number, PLACE);
    let arguments = (0..body.argument_count())
        .map(|number| fault(function, of_argument(number).and_then(attr::place)));
    arguments
        .flatten()
        .next()
        .or_else(|| misplaced_inside(function, &fault))
}

fn misplaced_inside<'p>(
    op: Op<'p>,
    fault: &impl Fn(Op<'p>, Option<attr::Place>) -> Option<Unmodelled<'p>>,
) -> Option<Unmodelled<'p>> {
    ir::blocks(op).flat_map(ir::operations).find_map(|inner| {
        let place = DeviceOp::cast(inner).and_then(DeviceOp::place);
        let place = place.or_else(|| EmptyOp::cast(inner).and_then(EmptyOp::place));
        fault(inner, place).or_else(|| misplaced_inside(inner, fault))
    })
}

/// Returns the first device operation in a region of an operation.
pub(crate) fn device_operation_inside(op: Op<'_>) -> Option<Op<'_>> {
    ir::blocks(op).flat_map(ir::operations).find_map(|inner| {
        DeviceOp::cast(inner)
            .map(DeviceOp::op)
            .or_else(|| device_operation_inside(inner))
    })
}

fn is_tensor(value: Val<'_>) -> bool {
    ir::is_ranked_tensor(value.r#type())
}

fn ranked(ty: Type<'_>) -> Option<RankedTensorType<'_>> {
    RankedTensorType::try_from(ty).ok()
}

fn bytes(format: DeviceFormat) -> i64 {
    let bytes = format.bytes_per_element().get();
    i64::try_from(bytes).expect("elements have few bytes")
}

/// Returns a place as programs have it.
pub(crate) fn place(place: attr::Place) -> Place {
    let byte = |bytes: spyre_layout::Bytes| {
        i64::try_from(bytes.get()).expect("the verifier of a place allows 63 bits")
    };
    match place {
        attr::Place::Arg(number) => Place::Argument(number),
        attr::Place::Pool(offset) => Place::Pool(byte(offset)),
        attr::Place::Lx(address) => Place::Scratchpad(byte(address)),
        attr::Place::Window => Place::Window,
    }
}
