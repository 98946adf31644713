//! Access tiles: sets of points, and the coordinates that they have in a view.

use melior::ir::{AffineMap, Attribute, ValueLike};
use rustc_hash::FxHashMap;
use spyre_dialects::attr;
use spyre_dialects::ktdp_attr::access_tile_shape;
use spyre_mlir_rt::ir::{self, IntegerSet, Op, Val};
use spyre_ods::ktdp;
use spyre_proof::claim::Reason;
use spyre_proof::expr::{Atom, Expr, Var};
use spyre_proof::sets::Constraint;

use crate::index::{Conditions, Indices, Piece, affine_value};
use crate::kernel::Case;

/// An access tile.
#[derive(Debug, Clone)]
pub(crate) struct Tile {
    /// The coordinates in the view.
    pub cases: Vec<Case>,
    /// The coordinates in each view of indices.
    pub indirect: Vec<Vec<Case>>,
    /// The extents of the set that the type states, by dimensions of the set; `None` for a dynamic one.
    pub extents: Vec<Option<i64>>,
}

/// The least and the greatest value of a variable that is compared with numbers only.
pub(crate) type Bounds = (Var, i64, i64);

/// Returns the variable of a dimension of a set.
pub(crate) fn point(dim: usize) -> Var {
    Var::Point(u32::try_from(dim).expect("fewer than 2^32 dimensions"))
}

/// Returns the conditions that points of a set fulfil.
///
/// # Errors
/// A constraint that is not affine.
pub(crate) fn set_conditions(
    set: &IntegerSet<'_>,
    points: &[Expr],
    symbols: &[Expr],
) -> Result<Conditions, Reason> {
    let constraints = set.constraints.iter().map(|(expr, is_zero)| {
        let value = affine_value(*expr, points, symbols)?;
        Ok(match is_zero {
            true => Constraint::Zero(value),
            false => Constraint::NonNegative(value),
        })
    });
    constraints.collect()
}

/// Returns the bounds of the points that are compared with numbers, above and below.
pub(crate) fn bounds(set: &[Constraint]) -> Vec<Bounds> {
    let mut bounds: FxHashMap<Var, (Option<i64>, Option<i64>)> = FxHashMap::default();
    for constraint in set {
        let Constraint::NonNegative(expr) = constraint else {
            continue; // an equality is no bound, and is given to the solver
        };
        let [(Atom::Var(var), factor)] = expr.terms() else {
            continue; // a condition on several variables is given to the solver
        };
        let (least, greatest) = bounds.entry(*var).or_default();
        match factor {
            1 => *least = Some(least.unwrap_or(i64::MIN).max(-expr.constant())),
            -1 => *greatest = Some(greatest.unwrap_or(i64::MAX).min(expr.constant())),
            _ => {}
        }
    }
    let bounds = bounds
        .into_iter()
        .filter_map(|(var, (least, greatest))| Some((var, least?, greatest?)));
    bounds
        .filter(|(_, least, greatest)| least <= greatest)
        .collect()
}

fn map_value<'p>(attribute: Attribute<'p>) -> AffineMap<'p> {
    ir::affine_map_value(attribute).expect("the verifier has checked the kind of the attribute")
}

fn results(map: AffineMap<'_>, operands: &[Expr]) -> Result<Vec<Expr>, Reason> {
    let results = (0..map.result_count()).map(|at| {
        let expr = map.result(at).expect("the number is below the count");
        affine_value(expr, operands, &[])
    });
    results.collect()
}

impl Tile {
    /// Reads a tile; `None` of any other operation.
    pub(crate) fn read(op: Op<'_>, indices: &mut Indices) -> Option<Result<Self, Reason>> {
        if let Some(tile) = ktdp::ConstructAccessTile::cast(op) {
            return Some(direct(tile, indices));
        }
        let tile = ktdp::ConstructIndirectAccessTile::cast(op)?;
        Some(indirect(tile, indices))
    }
}

fn direct(op: ktdp::ConstructAccessTile<'_>, indices: &mut Indices) -> Result<Tile, Reason> {
    let set = ir::integer_set_value(op.access_tile_set()).expect("KT16: a set");
    let map = map_value(op.base_map());
    let count = op.indices().len();
    let operands = indices.all(op.indices().chain(op.symbol_operands()))?;
    let points: Vec<Expr> = (0..set.dims).map(|dim| point(dim).into()).collect();
    let mut cases = Vec::new();
    for Piece { when, value } in operands {
        let (positions, symbols) = value.split_at(count);
        let first = results(map, positions)?;
        let coords = first.iter().zip(&points);
        cases.push(Case {
            when,
            coords: coords
                .map(|(first, point)| Some(first.plus(point)))
                .collect(),
            set: set_conditions(&set, &points, symbols)?,
        });
    }
    Ok(Tile {
        cases,
        indirect: Vec::new(),
        extents: extents(op.tile(), map_value(op.access_tile_order())),
    })
}

fn indirect(
    op: ktdp::ConstructIndirectAccessTile<'_>,
    indices: &mut Indices,
) -> Result<Tile, Reason> {
    let set = ir::integer_set_value(op.variables_space_set()).expect("KT19: a set");
    let count = op.captured_variables().len();
    let operands = indices.all(op.captured_variables().chain(op.symbol_operands()))?;
    let points: Vec<Expr> = (0..set.dims).map(|dim| point(dim).into()).collect();
    let kinds = attr::elements(op.per_dim_subscript_kinds());
    let is_indirect: Vec<bool> = kinds
        .iter()
        .map(|kind| kind.to_string() == "true")
        .collect();
    let maps = attr::elements(op.per_dim_subscript_maps());
    let maps: Vec<_> = maps.into_iter().map(map_value).collect();
    let views = is_indirect.iter().filter(|it| **it).count();
    let mut cases = Vec::new();
    let mut through = vec![Vec::new(); views];
    for Piece { when, value } in operands {
        let (captured, symbols) = value.split_at(count);
        let variables = [captured, &points].concat();
        let conditions = set_conditions(&set, &points, symbols)?;
        let case = |coords| Case {
            when: when.clone(),
            coords,
            set: conditions.clone(),
        };
        let mut coords = Vec::new();
        let mut views = through.iter_mut();
        for (map, is_indirect) in maps.iter().zip(&is_indirect) {
            let values = results(*map, &variables)?.into_iter().map(Some);
            if *is_indirect {
                let view = views.next().expect("a list for each indirect subscript");
                view.push(case(values.collect()));
                coords.push(None);
            } else {
                coords.extend(values);
            }
        }
        cases.push(case(coords));
    }
    Ok(Tile {
        cases,
        indirect: through,
        extents: extents(op.tile(), map_value(op.variables_space_order())),
    })
}

/// Returns the extents of the set of a tile's type. The order has the dimension of the set for each of the tile.
fn extents(tile: Val<'_>, order: AffineMap<'_>) -> Vec<Option<i64>> {
    let shape = access_tile_shape(tile.r#type()).expect("the result is a tile");
    let mut extents = vec![None; shape.len()];
    for (at, extent) in shape.into_iter().enumerate() {
        let dim = order
            .result(at)
            .expect("KT17: a permutation")
            .dim_position();
        extents[dim] = extent.and_then(|extent| i64::try_from(extent).ok());
    }
    extents
}

/// Returns the operation's name for its tile in messages.
pub(crate) fn set_name(op: Op<'_>) -> &'static str {
    match ktdp::ConstructAccessTile::cast(op) {
        Some(_) => "access_tile_set",
        None => "variables_space_set",
    }
}
