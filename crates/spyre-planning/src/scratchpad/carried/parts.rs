//! Tiles of a tensor that is filled in part: uninitialised elements are not copied.

use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::{Location, Type, ValueLike};
use spyre_analysis::names::shape;
use spyre_analysis::tensor::TensorTypes;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Offset, Op, OpKind, Val, Window};
use spyre_ods::spyre;

use super::super::boxes::fill;
use super::super::buffers::from_empty;
use super::super::draft::Draft;
use super::super::error;

/// A tile that is built from parts.
pub(super) struct Tile<'p> {
    /// The type, and the location of the window that it replaces.
    ty: Type<'p>,
    location: Location<'p>,
    parts: Vec<Part<'p>>,
}

impl<'p> Tile<'p> {
    /// Plans the operations that build the tile before an operation. Returns them in order.
    pub(super) fn build(
        &self,
        draft: &mut Draft<'p>,
        before: Op<'p>,
    ) -> Result<Vec<Op<'p>>, Diagnostic<'p>> {
        let (at, location) = (draft.at_new_ops(), self.location);
        let empty = OperationBuilder::new(spyre::EMPTY, location)
            .add_results(&[self.ty])
            .build()
            .map_err(|err| error(before, err))?;
        let empty = ir::insert(at, empty).expect("the block of new operations exists");
        let mut ops = vec![empty];
        let mut into = draft.insert_built(empty, before)?;
        for part in &self.parts {
            let read = ir::build_extract_slice(at, location, part.ty, part.value, &part.read);
            let read_op = ir::defining_op(read).expect("an operation has built it");
            draft.insert_built(read_op, before)?;
            into = ir::build_insert_slice(at, location, read, into, &part.written);
            let insert = ir::defining_op(into).expect("an operation has built it");
            draft.insert_built(insert, before)?;
            ops.extend([read_op, insert]);
        }
        Ok(ops)
    }
}

/// A part of a tensor, and its intersection with a tile.
struct Part<'p> {
    value: Val<'p>,
    /// The type of the intersection.
    ty: Type<'p>,
    /// The window of the part that is in the tile.
    read: Window<'p>,
    /// The window of the tile that this is.
    written: Window<'p>,
}

/// Returns a tile of a tensor that is filled in part as tiles of its parts; `None` for any other value, and where a
/// tile cuts a part that does not have all of the dimension.
pub(super) fn tile_of_parts<'p>(
    draft: &Draft<'p>,
    types: &TensorTypes<'p>,
    value: Val<'p>,
) -> Result<Option<Tile<'p>>, Diagnostic<'p>> {
    let slice = ir::defining_op(value).filter(|op| ir::kind(*op) == OpKind::ExtractSlice);
    let Some((slice, tile)) = slice.and_then(|slice| Some((slice, draft.window(slice)?))) else {
        return Ok(None);
    };
    let source = draft.operand(slice, 0)?;
    let Some(chain) = from_empty(draft, source)?.filter(|chain| !fill(draft, chain)) else {
        return Ok(None);
    };
    let (Some(whole), Some(tile_shape)) = (shape(source.r#type()), shape(value.r#type())) else {
        return Ok(None);
    };
    let extent = |dim: usize| whole[dim].cast_signed();
    let is_all = |window: &Window<'p>, dim: usize| {
        window.offsets[dim] == Offset::Static(0) && window.sizes[dim] == extent(dim)
    };
    let mut parts = Vec::new();
    for insert in &chain[1..] {
        let (part, Some(place)) = (draft.operand(*insert, 0)?, draft.window(*insert)) else {
            return Ok(None);
        };
        let rank = shape(part.r#type()).map(|shape| shape.len());
        if rank != Some(whole.len()) || tile_shape.len() != whole.len() {
            return Ok(None); // A window lacks dimensions of one element.
        }
        let (mut read, mut written) = (place.clone(), place.clone());
        for dim in 0..whole.len() {
            if is_all(&tile, dim) {
                read.offsets[dim] = Offset::Static(0);
            } else if is_all(&place, dim) {
                read.offsets[dim] = tile.offsets[dim];
                read.sizes[dim] = tile.sizes[dim];
                written.sizes[dim] = tile.sizes[dim];
            } else {
                return Ok(None);
            }
        }
        let ty = types
            .get(part.r#type())
            .map_err(|err| error(*insert, err))?;
        let extents: Vec<u64> = read.sizes.iter().map(|size| size.unsigned_abs()).collect();
        let ty = types
            .tile(&ty, &extents)
            .map_err(|err| error(*insert, err))?;
        parts.push(Part {
            value: part,
            ty,
            read,
            written,
        });
    }
    Ok(Some(Tile {
        ty: value.r#type(),
        location: slice.location(),
        parts,
    }))
}
