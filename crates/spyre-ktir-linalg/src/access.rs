//! Loads and stores.
//!
//! A tile that is a box is compared with its view as a whole, by its first and its last coordinates, and a load of it is
//! a `linalg.generic`. Other tiles are accessed element by element, each compared on its own: gathers and scatters, and
//! sets that are no boxes, of which the points outside are neither read nor written.

use melior::ir::attribute::{ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute};
use melior::ir::r#type::{IntegerType, RankedTensorType};
use melior::ir::{Attribute, Block, Region, RegionLike, ShapedTypeLike, Type, ValueLike};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op, OpBuilder, Val};
use spyre_ods::{Arithmetic, Relation, arith, linalg, scf, tensor};

use crate::error;
use crate::fault::{Bounds, Claim};
use crate::number::Number;
use crate::rewrite::Rewrite;
use crate::tiles::{Subscript, Tile, apply};
use crate::views::View;

/// Returns the type of a flat tensor of elements.
pub(crate) fn flat_type(elements: u64, element: Type<'_>) -> Type<'_> {
    RankedTensorType::new(&[elements], element, None).into()
}

/// Builds loops over all positions of a shape, which carry a tensor.
fn loops<'p>(
    build: OpBuilder<'p>,
    shape: &[u64],
    carried: Val<'p>,
    position: &mut Vec<Number<'p>>,
    body: &mut dyn FnMut(OpBuilder<'p>, &[Number<'p>], Val<'p>) -> Val<'p>,
) -> Val<'p> {
    let Some((extent, rest)) = shape.split_first() else {
        return body(build, position, carried);
    };
    if *extent == 1 {
        position.push(Number::Constant(0));
        let carried = loops(build, rest, carried, position, body);
        position.pop();
        return carried;
    }
    let extent = extent.cast_signed();
    let bounds = [0, extent, 1].map(|number| build.index(number));
    let [first, end, step] = bounds;
    let for_ = ir::build_for(build.at, build.location, first, end, step, &[carried]);
    let inside = OpBuilder::at_end(build.context, for_.body, build.location);
    position.push(Number::Value(for_.induction_variable()));
    let value = loops(inside, rest, for_.carried(0), position, body);
    position.pop();
    ir::build_yield(for_.body, build.location, &[value]);
    for_.result(0)
}

/// Builds the place of a position in the flat tensor of a shape.
fn place<'p>(build: OpBuilder<'p>, shape: &[u64], position: &[Number<'p>]) -> Val<'p> {
    let mut sum = Number::Constant(0);
    for (extent, at) in shape.iter().zip(position) {
        let scaled = sum.times(build, Number::Constant(extent.cast_signed()));
        sum = scaled.plus(build, *at);
    }
    sum.value(build)
}

fn reassociation<'p>(build: OpBuilder<'p>, rank: usize) -> Attribute<'p> {
    let i64 = IntegerType::new(build.context, 64).into();
    let dims = (0..rank).map(|dim| {
        let dim = i64::try_from(dim).expect("ranks are small");
        IntegerAttribute::new(i64, dim).into()
    });
    let group = ArrayAttribute::new(build.context, &dims.collect::<Vec<_>>());
    ArrayAttribute::new(build.context, &[group.into()]).into()
}

/// Builds the elements of a tensor in one dimension.
fn flat<'p>(build: OpBuilder<'p>, value: Val<'p>, shape: &[u64], element: Type<'p>) -> Val<'p> {
    let ty = flat_type(shape.iter().product(), element);
    match shape.len() {
        0 => {
            let scalar = build.op(tensor::extract(value, &[]), element);
            build.op(tensor::from_elements(&[scalar]), ty)
        }
        1 => value,
        rank => build.op(
            tensor::collapse_shape(value, reassociation(build, rank)),
            ty,
        ),
    }
}

/// Builds the elements of a flat tensor in a shape.
fn shaped<'p>(build: OpBuilder<'p>, value: Val<'p>, shape: &[u64], element: Type<'p>) -> Val<'p> {
    let ty = RankedTensorType::new(shape, element, None).into();
    match shape.len() {
        0 => {
            let zero = build.index(0);
            let scalar = build.op(tensor::extract(value, &[zero]), element);
            build.op(tensor::from_elements(&[scalar]), ty)
        }
        1 => value,
        rank => {
            let extents: Vec<i64> = shape.iter().map(|extent| extent.cast_signed()).collect();
            let extents = DenseI64ArrayAttribute::new(build.context, &extents);
            let groups = reassociation(build, rank);
            build.op(tensor::expand_shape(value, &[], groups, extents.into()), ty)
        }
    }
}

/// An access of a tile.
struct Access<'a, 'p> {
    op: Op<'p>,
    claim: Claim,
    tile: &'a Tile<'p>,
    view: &'a View<'p>,
}

impl<'p> Rewrite<'_, 'p> {
    /// Builds a load.
    ///
    /// # Errors
    /// A tensor of another shape than its tile.
    pub(crate) fn load(
        &mut self,
        build: OpBuilder<'p>,
        op: Op<'p>,
        (tile, result): (&Tile<'p>, Val<'p>),
        state: &[Val<'p>],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let element = self.check_type(op, tile, result)?;
        let view = self.view(tile.view).clone();
        let buffer = state[view.buffer];
        let access = Access {
            op,
            claim: Claim::Load,
            tile,
            view: &view,
        };
        if let Some(base) = self.box_base(build, &access) {
            return Ok(load_box(
                build,
                (tile, &view),
                base,
                (buffer, result.r#type(), element),
            ));
        }
        let count = tile.shape.iter().product();
        let none = build.op(
            tensor::splat(undefined(build, element), &[]),
            flat_type(count, element),
        );
        let mut position = Vec::new();
        let loaded = loops(
            build,
            &tile.shape,
            none,
            &mut position,
            &mut |build, position, carried| {
                self.element(
                    build,
                    (&access, position, state),
                    carried,
                    &mut |build, offset| {
                        let scalar = build.op(tensor::extract(buffer, &[offset]), element);
                        let place = place(build, &tile.shape, position);
                        build.op(tensor::insert(scalar, carried, &[place]), carried.r#type())
                    },
                )
            },
        );
        Ok(shaped(build, loaded, &tile.shape, element))
    }

    /// Builds a store. Returns the buffer after it.
    ///
    /// # Errors
    /// A tensor of another shape than its tile.
    pub(crate) fn store(
        &mut self,
        build: OpBuilder<'p>,
        op: Op<'p>,
        (tile, value): (&Tile<'p>, Val<'p>),
        state: &[Val<'p>],
    ) -> Result<(usize, Val<'p>), Diagnostic<'p>> {
        let element = self.check_type(op, tile, value)?;
        let view = self.view(tile.view).clone();
        let buffer = state[view.buffer];
        let access = Access {
            op,
            claim: Claim::Store,
            tile,
            view: &view,
        };
        let base = self.box_base(build, &access);
        let value = flat(build, value, &tile.shape, element);
        let mut position = Vec::new();
        let stored = loops(
            build,
            &tile.shape,
            buffer,
            &mut position,
            &mut |build, position, carried| {
                let mut insert = |build: OpBuilder<'p>, offset| {
                    let place = place(build, &tile.shape, position);
                    let scalar = build.op(tensor::extract(value, &[place]), element);
                    build.op(tensor::insert(scalar, carried, &[offset]), carried.r#type())
                };
                match base {
                    Some(base) => {
                        let offset = box_offset(build, (tile, &view), base, position);
                        insert(build, offset)
                    }
                    None => self.element(build, (&access, position, state), carried, &mut insert),
                }
            },
        );
        Ok((view.buffer, stored))
    }

    /// Checks the type of a tensor that is loaded or stored. Returns the type of its elements.
    fn check_type(
        &self,
        op: Op<'p>,
        tile: &Tile<'p>,
        value: Val<'p>,
    ) -> Result<Type<'p>, Diagnostic<'p>> {
        let buffer = &self.program.buffers[self.view(tile.view).buffer];
        let ty = RankedTensorType::try_from(value.r#type()).map_err(|_| {
            let ty = value.r#type();
            error(
                op,
                format!("a value of type {ty} is loaded or stored; expected a ranked tensor"),
            )
        })?;
        let expected: Type<'p> = RankedTensorType::new(&tile.shape, buffer.element, None).into();
        match Type::from(ty) == expected {
            true => Ok(ty.element()),
            false => Err(error(
                op,
                format!("a tile of {expected} is accessed as {ty}"),
            )),
        }
    }

    /// Compares a tile that is a box with its view. Returns the offset of its first element; `None` for another tile.
    fn box_base(&mut self, build: OpBuilder<'p>, access: &Access<'_, 'p>) -> Option<Number<'p>> {
        let Access {
            op,
            claim,
            tile,
            view,
        } = *access;
        let origin = tile.origin.as_ref()?;
        let mut extents = vec![0; tile.order.len()];
        for (dim, extent) in tile.order.iter().zip(&tile.shape) {
            extents[*dim] = extent.cast_signed();
        }
        let mut firsts = Vec::new();
        for subscript in &tile.subscripts {
            let Subscript::Shifted(first) = subscript else {
                return None;
            };
            firsts.push(*first);
        }
        // Without elements nothing is accessed.
        if extents.contains(&0) {
            return Some(Number::Constant(0));
        }
        let (mut low, mut high) = (view.base, view.base);
        for (dim, first) in firsts.iter_mut().enumerate() {
            *first = first.plus(build, Number::Constant(origin[dim]));
            let span = Number::Constant(extents[dim] - 1);
            let last = first.plus(build, span);
            self.check(
                build,
                op,
                &Bounds {
                    claim,
                    dim,
                    values: (*first, last),
                    allowed: view.bounds[dim],
                },
            );
            let stride = view.strides[dim];
            let (a, b) = (first.times(build, stride), last.times(build, stride));
            let is_ascending = self.ranges.number(stride).is_some_and(|it| it.0 >= 0);
            let (a, b) = match is_ascending || extents[dim] == 1 {
                true => (a, b),
                false => {
                    let (a, b) = (a.value(build), b.value(build));
                    (
                        Number::Value(build.min(a, b)),
                        Number::Value(build.max(a, b)),
                    )
                }
            };
            (low, high) = (low.plus(build, a), high.plus(build, b));
        }
        self.check_offset(build, op, view, (low, high));
        Some(view.offset(build, &firsts))
    }

    /// Compares offsets with the buffer of a view.
    fn check_offset(
        &mut self,
        build: OpBuilder<'p>,
        op: Op<'p>,
        view: &View<'p>,
        values: (Number<'p>, Number<'p>),
    ) {
        let buffer = &self.program.buffers[view.buffer];
        let last = buffer.elements.cast_signed() - 1;
        let bounds = Bounds {
            claim: Claim::Element,
            dim: buffer.number,
            values,
            allowed: (Number::Constant(0), Number::Constant(last)),
        };
        self.check(build, op, &bounds);
    }

    /// Builds the access of one element, if its point is in the set of the tile. Returns the carried tensor after it.
    fn element(
        &mut self,
        build: OpBuilder<'p>,
        (access, position, state): (&Access<'_, 'p>, &[Number<'p>], &[Val<'p>]),
        carried: Val<'p>,
        body: &mut dyn FnMut(OpBuilder<'p>, Val<'p>) -> Val<'p>,
    ) -> Val<'p> {
        let tile = access.tile;
        let point = tile.point(build, position);
        let Some(condition) = in_set(build, tile, &point) else {
            let offset = self.element_offset(build, access, &point, state);
            return body(build, offset);
        };
        let regions = [(), ()].map(|()| {
            let region = Region::new();
            region.append_block(Block::new(&[]));
            region
        });
        let [then, otherwise] = regions;
        let parts = scf::if_(condition).region(then).region(otherwise);
        let branch = build.insert(parts, &[carried.r#type()]);
        let blocks: Vec<_> = ir::blocks(branch).collect();
        let inside = OpBuilder::at_end(build.context, blocks[0], build.location);
        let offset = self.element_offset(inside, access, &point, state);
        let value = body(inside, offset);
        ir::build_yield(blocks[0], build.location, &[value]);
        ir::build_yield(blocks[1], build.location, &[carried]);
        ir::result(branch, 0).expect("it was built with a result")
    }

    /// Builds the offset of the element at a point, and compares its coordinates.
    fn element_offset(
        &mut self,
        build: OpBuilder<'p>,
        access: &Access<'_, 'p>,
        point: &[Number<'p>],
        state: &[Val<'p>],
    ) -> Val<'p> {
        let Access {
            op,
            claim,
            tile,
            view,
        } = *access;
        let captured = tile.captured.iter().map(|value| Number::of(*value));
        let dims: Vec<_> = captured.chain(point.iter().copied()).collect();
        let mut coordinates = Vec::new();
        for (dim, subscript) in tile.subscripts.iter().enumerate() {
            let (coordinate, claim) = match subscript {
                Subscript::Shifted(first) => (first.plus(build, point[dim]), claim),
                Subscript::Mapped(map) => {
                    let expr = map.result(0).expect("KT23: one expression");
                    (apply(build, expr, (&dims, &[])), claim)
                }
                Subscript::Read { view, map } => {
                    let exprs = (0..map.result_count()).map(|at| {
                        let expr = map.result(at).expect("the number is below the count");
                        apply(build, expr, (&dims, &[]))
                    });
                    let at: Vec<_> = exprs.collect();
                    (
                        self.read_index(build, op, *view, (&at, state)),
                        Claim::Index,
                    )
                }
            };
            self.check(
                build,
                op,
                &Bounds {
                    claim,
                    dim,
                    values: (coordinate, coordinate),
                    allowed: view.bounds[dim],
                },
            );
            coordinates.push(coordinate);
        }
        let offset = view.offset(build, &coordinates);
        self.check_offset(build, op, view, (offset, offset));
        offset.value(build)
    }

    /// Builds the read of an index.
    fn read_index(
        &mut self,
        build: OpBuilder<'p>,
        op: Op<'p>,
        view: Val<'p>,
        (coordinates, state): (&[Number<'p>], &[Val<'p>]),
    ) -> Number<'p> {
        let view = self.view(view).clone();
        for (dim, coordinate) in coordinates.iter().enumerate() {
            self.check(
                build,
                op,
                &Bounds {
                    claim: Claim::Indices,
                    dim,
                    values: (*coordinate, *coordinate),
                    allowed: view.bounds[dim],
                },
            );
        }
        let offset = view.offset(build, coordinates);
        self.check_offset(build, op, &view, (offset, offset));
        let element = self.program.buffers[view.buffer].element;
        let parts = tensor::extract(state[view.buffer], &[offset.value(build)]);
        let index = build.op(parts, element);
        Number::Value(build.op(arith::index_cast(index), Type::index(build.context)))
    }

    fn check(&mut self, build: OpBuilder<'p>, op: Op<'p>, bounds: &Bounds<'p>) {
        self.faults.check(build, op, &self.ranges, bounds);
    }
}

/// Builds a number that no computation should read: NaN, or bytes 0xA5.
pub(crate) fn undefined<'p>(build: OpBuilder<'p>, element: Type<'p>) -> Val<'p> {
    match IntegerType::try_from(element) {
        Ok(integer) => {
            let bytes = u64::from_ne_bytes([0xA5; 8]).cast_signed();
            let shift = 64 - integer.width().clamp(1, 64);
            build.integer(bytes << shift >> shift, element)
        }
        Err(_) => build.float(f64::NAN, element),
    }
}

/// Builds whether a point is in the set of a tile; `None` if all are.
fn in_set<'p>(build: OpBuilder<'p>, tile: &Tile<'p>, point: &[Number<'p>]) -> Option<Val<'p>> {
    if tile.origin.is_some() {
        return None;
    }
    let symbols: Vec<_> = tile
        .symbols
        .iter()
        .map(|value| Number::of(*value))
        .collect();
    let conditions = tile.set.constraints.iter().map(|(expr, is_zero)| {
        let value = apply(build, *expr, (point, &symbols)).value(build);
        let relation = match is_zero {
            true => Relation::Equal,
            false => Relation::GreaterEqual,
        };
        build.compare(relation, value, build.index(0))
    });
    conditions.reduce(|a, b| build.same(arith::andi(a, b)))
}

/// Builds the offset of a position in a tile that is a box.
fn box_offset<'p>(
    build: OpBuilder<'p>,
    (tile, view): (&Tile<'p>, &View<'p>),
    base: Number<'p>,
    position: &[Number<'p>],
) -> Val<'p> {
    let terms = position.iter().zip(&tile.order);
    let offset = terms.fold(base, |sum, (at, dim)| {
        sum.plus(build, at.times(build, view.strides[*dim]))
    });
    offset.value(build)
}

/// Builds the load of a tile that is a box.
fn load_box<'p>(
    build: OpBuilder<'p>,
    (tile, view): (&Tile<'p>, &View<'p>),
    base: Number<'p>,
    (buffer, ty, element): (Val<'p>, Type<'p>, Type<'p>),
) -> Val<'p> {
    let rank = tile.shape.len();
    let context = build.context;
    let attribute = |text: &str| {
        Attribute::parse(context, text).unwrap_or_else(|| panic!("'{text}' is an attribute"))
    };
    let dims = (0..rank).map(|dim| format!("d{dim}")).collect::<Vec<_>>();
    let dims = dims.join(", ");
    let map = attribute(&format!("affine_map<({dims}) -> ({dims})>"));
    let maps = ArrayAttribute::new(context, &[map]);
    let parallel = attribute("#linalg.iterator_type<parallel>");
    let kinds = ArrayAttribute::new(context, &vec![parallel; rank]);
    let init = build.op(tensor::empty(&[]), ty);
    let region = Region::new();
    region.append_block(Block::new(&[(element, build.location)]));
    let parts = linalg::generic(&[], &[init], maps.into(), kinds.into()).region(region);
    let loaded = build.op(parts, ty);
    let block = ir::defining_op(loaded).and_then(ir::body);
    let block = block.expect("it was built with a body");
    let inside = OpBuilder::at_end(context, block, build.location);
    let position = (0..rank).map(|dim| {
        let i64 = IntegerType::new(context, 64).into();
        let dim = IntegerAttribute::new(i64, i64::try_from(dim).expect("ranks are small"));
        Number::Value(inside.op(linalg::index(dim.into()), Type::index(context)))
    });
    let position: Vec<_> = position.collect();
    let offset = box_offset(inside, (tile, view), base, &position);
    let scalar = inside.op(tensor::extract(buffer, &[offset]), element);
    inside.insert(linalg::yield_(&[scalar]), &[]);
    loaded
}
