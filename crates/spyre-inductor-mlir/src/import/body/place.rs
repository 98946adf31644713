//! The places of loads and stores: maps of loops and of indices that were read, and views of buffers.

use melior::ir::{Attribute, Type};
use spyre_dialects::inductor_attr::{Layout, LayoutKind};
use spyre_inductor::expr::Var;
use spyre_inductor::{names, schema};
use spyre_mlir_rt::ir::{self, At};

use super::super::super::index::Indices;
use super::super::path::Path;
use super::super::{Import, ImportError, error, has_extents, own_layout};
use super::{Here, Operands};

/// Where a load or a store is.
pub(super) struct Place<'p> {
    pub(super) indices: Operands<'p>,
    pub(super) attributes: Vec<(&'static str, Attribute<'p>)>,
}

impl<'p> Import<'p> {
    /// Returns the map of an index expression, and its indices.
    pub(super) fn index<'a>(
        &self,
        path: &Path<'_>,
        at: Here<'_, 'a, 'p>,
        name: &str,
    ) -> Result<(Attribute<'p>, Operands<'p>), ImportError> {
        let Some(index) = at.0.body.index.get(name) else {
            return error(path.field("index"), format!("there is no index '{name}'"));
        };
        self.map(path, at, std::slice::from_ref(&index.e))
    }

    /// Returns the map of some expressions, and the indices that it takes: loops, indirect ones, and functions of these.
    fn map<'a>(
        &self,
        path: &Path<'_>,
        (nest, state, block): Here<'_, 'a, 'p>,
        exprs: &[schema::Expr],
    ) -> Result<(Attribute<'p>, Operands<'p>), ImportError> {
        // An index that was read may have any name.
        let is_plain = state.indirect.is_empty();
        if is_plain && let Some(map) = nest.places.get(exprs) {
            return Ok((map, Operands::from_slice(&nest.loops)));
        }
        let indirect: Vec<&str> = state.indirect.keys().copied().collect();
        let number = |place: Option<usize>| u32::try_from(place?).ok();
        let lookup = |name: &str| {
            number(nest.names.iter().position(|other| other == name))
                .map(Var::Loop)
                .or_else(|| {
                    number(indirect.iter().position(|other| *other == name)).map(Var::Indirect)
                })
                .or_else(|| self.symbol(name))
        };
        let mut parsed = Vec::new();
        for expr in exprs {
            parsed.push(names::read(expr, &lookup).or_else(|err| error(path.field("index"), err))?);
        }
        let read = |number: u32| {
            let name = indirect.get(number as usize)?;
            state.indirect.get(name).copied()
        };
        let indices = Indices {
            context: self.context,
            at: At::End(block),
            location: self.here,
            loops: &nest.loops,
            read: &read,
        };
        let (map, indices) = indices.build(&parsed).or_else(|err| error(path, err))?;
        let map = ir::affine_map_attribute(map);
        // Functions of indices are operations of this nest.
        if is_plain && indices.len() == nest.loops.len() {
            nest.places.insert(exprs.to_vec(), map);
        }
        Ok((map, indices.into()))
    }

    /// Returns whether an access is in the layout of its buffer, as the file has both: most are, and need no maps to be compared.
    fn has_layout(&self, buffer: &str, access: &schema::Access) -> bool {
        let layout = match (self.buffers.get(buffer), self.inputs.get(buffer)) {
            (Some(number), _) => Some(&self.head.buffers[*number].lowered),
            (None, Some(number)) => self.head.inputs[*number].layout.as_ref(),
            (None, None) => None,
        };
        layout.is_some_and(|layout| {
            layout.kind != schema::LayoutKind::Mutation
                && layout.size.as_ref() == Some(&access.size)
                && layout.stride.as_ref() == Some(&access.stride)
                && layout.offset.as_ref() == Some(&access.offset)
        })
    }

    /// Returns the indices and attributes of a load or a store of a buffer.
    pub(super) fn access<'a>(
        &mut self,
        path: &Path<'_>,
        at: Here<'_, 'a, 'p>,
        (name, buffer): (&str, &str),
        ty: Type<'p>,
    ) -> Result<Place<'p>, ImportError> {
        let Some(index) = at.0.body.index.get(name) else {
            return error(path.field("index"), format!("there is no index '{name}'"));
        };
        let Some(access) = index.at.get(buffer) else {
            return error(
                path.field("index"),
                format!("'{name}' has no access to '{buffer}' in at"),
            );
        };
        let (map, indices) = self.map(path, at, &access.subscript)?;
        let mut attributes = Vec::with_capacity(2);
        attributes.push(("map", map));
        let index = path.field("index");
        let at = index.field("at");
        let path = &at.field(buffer);
        if access.size.len() != access.subscript.len()
            || access.stride.len() != access.subscript.len()
        {
            return error(path, "size, stride and subscript are as long as each other");
        }
        if self.has_layout(buffer, access) {
            return Ok(Place {
                indices,
                attributes,
            });
        }
        let Some(layout) = own_layout(ty) else {
            return error(path, format!("'{buffer}' is no tensor"));
        };
        let size = self.sizes(path, &access.size)?;
        let stride = self.sizes(path, &access.stride)?;
        let offset = self.sizes(path, std::slice::from_ref(&access.offset))?;
        let is_own =
            layout.stride == stride && layout.offset == offset && has_extents(ty, layout, size);
        if !is_own {
            let view = Layout {
                kind: LayoutKind::Fixed,
                stride,
                size: Some(size),
                offset,
                base_offset: self.sizes(path, &[schema::Expr::Number(0)])?,
            };
            let Some(view) = view.attribute(self.context) else {
                return error(path, "this is no view");
            };
            attributes.push(("view", view));
        }
        Ok(Place {
            indices,
            attributes,
        })
    }
}
