//! Access tiles: the points of their sets, and the subscripts of views at a point.

use melior::ir::{AffineExpr, AffineMap, Attribute, ValueLike};
use spyre_dialects::attr;
use spyre_dialects::ktdp_attr::access_tile_shape;
use spyre_mlir_rt::affine::{LinearForm, evaluate};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, IntegerSet, Op, OpBuilder, Val};
use spyre_ods::ktdp;

use crate::error;
use crate::number::Number;

/// A coordinate of a view, at a point.
#[derive(Debug, Clone)]
pub(crate) enum Subscript<'p> {
    /// A position plus the coordinate of the point of the same dimension.
    Shifted(Number<'p>),
    /// A map of captured values and the point.
    Mapped(AffineMap<'p>),
    /// An element of a view of indices, at maps of captured values and the point.
    Read {
        /// The view of indices.
        view: Val<'p>,
        /// The coordinates of that view.
        map: AffineMap<'p>,
    },
}

/// An access tile.
#[derive(Debug, Clone)]
pub(crate) struct Tile<'p> {
    /// The view.
    pub view: Val<'p>,
    /// The set of points.
    pub set: IntegerSet<'p>,
    /// The least point of each dimension, if the points are those of a box of the shape of the type.
    pub origin: Option<Vec<i64>>,
    /// The values of the symbols of the set.
    pub symbols: Vec<Val<'p>>,
    /// The values that maps of subscripts have before the point.
    pub captured: Vec<Val<'p>>,
    /// The coordinates of the view.
    pub subscripts: Vec<Subscript<'p>>,
    /// The dimension of the set for each dimension of the tile.
    pub order: Vec<usize>,
    /// The extents of the tile, in elements.
    pub shape: Vec<u64>,
}

/// A sum of products of dimensions and symbols with constants.
#[derive(Debug, Clone)]
struct Sum {
    factors: Vec<i64>,
    constant: i64,
}

impl LinearForm for Sum {
    fn add(&self, other: &Self) -> Option<Self> {
        let pairs = self.factors.iter().zip(&other.factors);
        Some(Self {
            factors: pairs
                .map(|(a, b)| a.checked_add(*b))
                .collect::<Option<_>>()?,
            constant: self.constant.checked_add(other.constant)?,
        })
    }

    fn scale(&self, factor: i64) -> Option<Self> {
        let factors = self.factors.iter().map(|it| it.checked_mul(factor));
        Some(Self {
            factors: factors.collect::<Option<_>>()?,
            constant: self.constant.checked_mul(factor)?,
        })
    }

    fn as_constant(&self) -> Option<i64> {
        self.factors
            .iter()
            .all(|it| *it == 0)
            .then_some(self.constant)
    }
}

/// Returns the least and the greatest value of each dimension of a set; `None` if it is no box of constants.
pub(crate) fn box_bounds(set: &IntegerSet<'_>) -> Option<Vec<(i64, i64)>> {
    let variables = set.dims + set.symbols;
    let unit = |at: usize| Sum {
        factors: (0..variables).map(|other| i64::from(other == at)).collect(),
        constant: 0,
    };
    let units: Vec<Sum> = (0..variables).map(unit).collect();
    let constant = |value| Sum {
        factors: vec![0; variables],
        constant: value,
    };
    let mut bounds: Vec<(Option<i64>, Option<i64>)> = vec![(None, None); set.dims];
    for (expr, is_zero) in &set.constraints {
        let sum = evaluate(*expr, &units, set.dims, &constant)?;
        let mut terms = sum
            .factors
            .iter()
            .enumerate()
            .filter(|(_, factor)| **factor != 0);
        let (dim, factor) = terms.next()?;
        if terms.next().is_some() || dim >= set.dims || factor.abs() != 1 {
            return None;
        }
        let (least, greatest) = &mut bounds[dim];
        let value = -sum.constant * factor;
        if *factor == 1 || *is_zero {
            *least = Some(least.map_or(value, |it| it.max(value)));
        }
        if *factor == -1 || *is_zero {
            *greatest = Some(greatest.map_or(value, |it| it.min(value)));
        }
    }
    bounds
        .into_iter()
        .map(|(least, greatest)| Some((least?, greatest?)))
        .collect()
}

fn map_value<'p>(attribute: Attribute<'p>) -> AffineMap<'p> {
    ir::affine_map_value(attribute).expect("the verifier has checked the kind of the attribute")
}

/// Builds the value of an affine expression of dimensions and symbols.
pub(crate) fn apply<'p>(
    build: OpBuilder<'p>,
    expr: AffineExpr<'p>,
    (dims, symbols): (&[Number<'p>], &[Number<'p>]),
) -> Number<'p> {
    if expr.is_constant() {
        return Number::Constant(expr.constant_value());
    }
    if expr.is_dim() {
        return dims[expr.dim_position()];
    }
    let values = dims.iter().chain(symbols).map(|number| number.value(build));
    let values: Vec<_> = values.collect();
    let map = AffineMap::new(build.context, dims.len(), symbols.len(), &[expr]);
    Number::Value(ir::build_affine_apply(
        build.at,
        build.location,
        map,
        &values,
    ))
}

impl<'p> Tile<'p> {
    /// Reads a tile; `None` of any other operation.
    pub(crate) fn read(build: OpBuilder<'p>, op: Op<'p>) -> Option<Result<Self, Diagnostic<'p>>> {
        if let Some(tile) = ktdp::ConstructAccessTile::cast(op) {
            return Some(direct(build, tile));
        }
        ktdp::ConstructIndirectAccessTile::cast(op).map(indirect)
    }

    /// Builds the point of a position in the tile.
    pub(crate) fn point(&self, build: OpBuilder<'p>, position: &[Number<'p>]) -> Vec<Number<'p>> {
        let mut point = vec![Number::Constant(0); self.order.len()];
        for (at, dim) in position.iter().zip(&self.order) {
            let origin = self.origin.as_ref().map_or(0, |origin| origin[*dim]);
            point[*dim] = at.plus(build, Number::Constant(origin));
        }
        point
    }
}

fn direct<'p>(
    build: OpBuilder<'p>,
    op: ktdp::ConstructAccessTile<'p>,
) -> Result<Tile<'p>, Diagnostic<'p>> {
    let map = map_value(op.base_map());
    let indices: Vec<_> = op.indices().map(Number::of).collect();
    let (dims, symbols) = indices.split_at(map.dim_count());
    let firsts = (0..map.result_count()).map(|at| {
        let expr = map.result(at).expect("the number is below the count");
        Subscript::Shifted(apply(build, expr, (dims, symbols)))
    });
    let firsts = firsts.collect();
    tile(
        (op.op(), op.tile(), op.base()),
        (op.access_tile_set(), op.access_tile_order()),
        op.symbol_operands().collect(),
        (Vec::new(), firsts),
    )
}

fn indirect(op: ktdp::ConstructIndirectAccessTile<'_>) -> Result<Tile<'_>, Diagnostic<'_>> {
    let kinds = attr::elements(op.per_dim_subscript_kinds());
    let maps = attr::elements(op.per_dim_subscript_maps());
    let mut views = op.indirect_memrefs();
    let subscripts = kinds.into_iter().zip(maps).map(|(kind, map)| {
        let map = map_value(map);
        match kind.to_string() == "true" {
            true => Subscript::Read {
                view: views
                    .next()
                    .expect("KT21: a view for each indirect subscript"),
                map,
            },
            false => Subscript::Mapped(map),
        }
    });
    let subscripts = subscripts.collect();
    tile(
        (op.op(), op.tile(), op.base()),
        (op.variables_space_set(), op.variables_space_order()),
        op.symbol_operands().collect(),
        (op.captured_variables().collect(), subscripts),
    )
}

fn tile<'p>(
    (op, tile, view): (Op<'p>, Val<'p>, Val<'p>),
    (set, order): (Attribute<'p>, Attribute<'p>),
    symbols: Vec<Val<'p>>,
    (captured, subscripts): (Vec<Val<'p>>, Vec<Subscript<'p>>),
) -> Result<Tile<'p>, Diagnostic<'p>> {
    let set = ir::integer_set_value(set).expect("KT16: a set");
    let order = map_value(order);
    let order = (0..order.result_count()).map(|at| {
        let expr = order.result(at).expect("the number is below the count");
        expr.dim_position()
    });
    let order: Vec<usize> = order.collect();
    let shape = access_tile_shape(tile.r#type()).expect("the result is a tile");
    let shape = shape.into_iter().collect::<Option<Vec<u64>>>();
    let shape =
        shape.ok_or_else(|| error(op, "a tile of dynamic extents does not run on the CPU"))?;
    let bounds = box_bounds(&set);
    let is_whole = |bounds: &Vec<(i64, i64)>| {
        let mut pairs = order.iter().zip(&shape);
        pairs.all(|(dim, extent)| {
            let (least, greatest) = bounds[*dim];
            u64::try_from(greatest - least + 1) == Ok(*extent)
        })
    };
    let origin = bounds.filter(is_whole);
    let origin = origin.map(|bounds| bounds.into_iter().map(|(least, _)| least).collect());
    Ok(Tile {
        view,
        set,
        origin,
        symbols,
        captured,
        subscripts,
        order,
        shape,
    })
}
