//! Builds operations of `ktdp`, and their attributes and types.

use std::fmt::Write as _;

use melior::Context;
use melior::ir::attribute::DenseI64ArrayAttribute;
use melior::ir::{Attribute, Block, Region, RegionLike, Type};
use spyre_dialects::ktdp_attr::{MemorySpace, access_tile_type};
use spyre_mlir_rt::ir::{Op, OpBuilder, Val};
use spyre_ods::ktdp;

use crate::texts::Texts;

/// A size or a stride.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Size<'p> {
    /// A number.
    Static(u64),
    /// A value of type `index`.
    Value(Val<'p>),
}

/// A view of device memory.
pub(crate) struct MemoryView<'a, 'p> {
    /// The extents.
    pub sizes: &'a [Size<'p>],
    /// The distances of neighbours, in elements.
    pub strides: &'a [Size<'p>],
}

/// The number that stands for a size that is a value.
const DYNAMIC: i64 = i64::MIN;

/// Returns numbers as sizes or strides.
pub(crate) fn constants<'p>(numbers: &[u64]) -> Vec<Size<'p>> {
    numbers.iter().map(|number| Size::Static(*number)).collect()
}

/// Returns sizes as an attribute and the values among them.
fn split<'p>(context: &'p Context, sizes: &[Size<'p>]) -> (Attribute<'p>, Vec<Val<'p>>) {
    let mut values = Vec::new();
    let mut fixed = Vec::with_capacity(sizes.len());
    for size in sizes {
        fixed.push(match *size {
            Size::Static(number) => number.cast_signed(),
            Size::Value(value) => {
                values.push(value);
                DYNAMIC
            }
        });
    }
    (DenseI64ArrayAttribute::new(context, &fixed).into(), values)
}

/// Returns the set of all positions of a shape.
fn positions<'p>(texts: &Texts<'p>, shape: &[u64]) -> Attribute<'p> {
    positions_of(texts, &constants(shape))
}

/// Returns the set of all positions of sizes, with a symbol for each value.
fn positions_of<'p>(texts: &Texts<'p>, sizes: &[Size<'p>]) -> Attribute<'p> {
    let mut constraints = Vec::new();
    let mut symbols = Vec::new();
    for (dim, size) in sizes.iter().enumerate() {
        let last = match size {
            Size::Static(extent) => (extent - 1).to_string(),
            Size::Value(_) => {
                symbols.push(format!("s{}", symbols.len()));
                format!("s{} - 1", symbols.len() - 1)
            }
        };
        constraints.push(format!("d{dim} >= 0, -d{dim} + {last} >= 0"));
    }
    let symbols = match symbols.is_empty() {
        true => String::new(),
        false => format!("[{}]", symbols.join(", ")),
    };
    let text = format!(
        "affine_set<({}){symbols} : ({})>",
        dims(sizes.len()),
        constraints.join(", ")
    );
    texts.attribute(&text)
}

fn dims(rank: usize) -> String {
    let dims = (0..rank).map(|dim| format!("d{dim}"));
    dims.collect::<Vec<_>>().join(", ")
}

fn identity<'p>(texts: &Texts<'p>, rank: usize) -> Attribute<'p> {
    let dims = dims(rank);
    texts.attribute(&format!("affine_map<({dims}) -> ({dims})>"))
}

fn shape_text(sizes: &[Size<'_>]) -> String {
    let mut text = String::new();
    for size in sizes {
        match size {
            Size::Static(extent) => write!(text, "{extent}x"),
            Size::Value(_) => write!(text, "?x"),
        }
        .expect("writing to a String cannot fail");
    }
    text
}

/// Builds `ktdp.get_compute_tile_id`.
pub(crate) fn tile_id(build: OpBuilder<'_>) -> Val<'_> {
    build.op(ktdp::get_compute_tile_id(), Type::index(build.context))
}

/// Builds `ktdp.construct_memory_view` of elements from `base` on.
pub(crate) fn memory_view<'p>(
    (build, texts): (OpBuilder<'p>, &Texts<'p>),
    base: Val<'p>,
    view: &MemoryView<'_, 'p>,
    element: Type<'p>,
) -> Val<'p> {
    let context = build.context;
    let ty = texts.view(shape_text(view.sizes), element);
    let (sizes, of_sizes) = split(context, view.sizes);
    let (strides, of_strides) = split(context, view.strides);
    let space = MemorySpace::Global.attribute(context);
    let set = positions_of(texts, view.sizes);
    let parts =
        ktdp::construct_memory_view(base, &of_sizes, &of_strides, sizes, strides, space, set);
    build.op(parts, ty)
}

/// Builds `ktdp.construct_access_tile` of a shape, from `indices` on.
pub(crate) fn access_tile<'p>(
    (build, texts): (OpBuilder<'p>, &Texts<'p>),
    view: Val<'p>,
    indices: &[Val<'p>],
    shape: &[u64],
) -> Val<'p> {
    let context = build.context;
    let map = identity(texts, indices.len());
    let order = identity(texts, shape.len());
    let set = positions(texts, shape);
    let parts = ktdp::construct_access_tile(view, indices, &[], map, set, order);
    build.op(parts, access_tile_type(context, shape))
}

/// A subscript of an indirect access tile.
#[derive(Debug, Clone)]
pub(crate) enum Indirect {
    /// A variable.
    Direct(usize),
    /// The index at the position that variables give.
    Through(Vec<usize>),
}

/// Builds `ktdp.construct_indirect_access_tile` over variables of these extents.
pub(crate) fn indirect_tile<'p>(
    (build, texts): (OpBuilder<'p>, &Texts<'p>),
    view: Val<'p>,
    indices: Val<'p>,
    subscripts: &[Indirect],
    extents: &[u64],
) -> Val<'p> {
    let context = build.context;
    let variables = dims(extents.len());
    let list = |variables: &[usize]| {
        let names = variables.iter().map(|variable| format!("d{variable}"));
        names.collect::<Vec<_>>().join(", ")
    };
    let mut kinds = Vec::new();
    let mut maps = Vec::new();
    for subscript in subscripts {
        let (kind, results) = match subscript {
            Indirect::Direct(variable) => ("false", list(&[*variable])),
            Indirect::Through(variables) => ("true", list(variables)),
        };
        kinds.push(kind);
        maps.push(format!("affine_map<({variables}) -> ({results})>"));
    }
    let kinds = texts.attribute(&format!("[{}]", kinds.join(", ")));
    let maps = texts.attribute(&format!("[{}]", maps.join(", ")));
    let set = positions(texts, extents);
    let order = identity(texts, extents.len());
    let region = Region::new();
    region.append_block(Block::new(&vec![
        (Type::index(context), build.location);
        extents.len()
    ]));
    let parts =
        ktdp::construct_indirect_access_tile(view, &[indices], &[], &[], kinds, maps, set, order);
    build.op(parts.region(region), access_tile_type(context, extents))
}

/// Builds `ktdp.load`.
pub(crate) fn load<'p>(build: OpBuilder<'p>, tile: Val<'p>, ty: Type<'p>) -> Val<'p> {
    build.op(ktdp::load(tile), ty)
}

/// Builds `ktdp.store`.
pub(crate) fn store<'p>(build: OpBuilder<'p>, value: Val<'p>, tile: Val<'p>) -> Op<'p> {
    build.insert(ktdp::store(value, tile), &[])
}
