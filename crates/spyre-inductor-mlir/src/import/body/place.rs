//! The places of loads and stores: maps of loops and of indices that were read, and views of buffers.

use melior::ir::Type;
use spyre_dialects::inductor_attr::{Layout, LayoutKind};
use spyre_index_expr::Var;
use spyre_inductor::{names, schema};
use spyre_mlir_rt::ir::{self, At, OpParts};

use super::super::super::index::Indices;
use super::super::super::table::{MAP, VIEW};
use super::super::layout::has_extents;
use super::super::{Import, Result, error, own_layout};
use super::Site;

impl<'p> Import<'p> {
    /// Returns an index expression by its name.
    fn expression<'a>(site: &Site<'_, 'a, 'p>, name: &str) -> Result<&'a schema::Index> {
        let index = site.nest.body.index.get(name);
        let message = || format!("there is no index '{name}'");
        index.map_or_else(|| error(site.path.field("index"), message()), Ok)
    }

    /// Adds the map of an index expression, and its indices.
    pub(super) fn index(
        &self,
        site: &Site<'_, '_, 'p>,
        name: &str,
        parts: &mut OpParts<'p>,
    ) -> Result<()> {
        let index = Self::expression(site, name)?;
        self.map(site, std::slice::from_ref(&index.e), parts)
    }

    /// Adds the map of some expressions, and the indices that it takes: loops, indirect ones, and functions of these.
    fn map(
        &self,
        site: &Site<'_, '_, 'p>,
        exprs: &[schema::Expr],
        parts: &mut OpParts<'p>,
    ) -> Result<()> {
        let (path, nest, state) = (site.path, site.nest, &*site.state);
        // An index that was read may have any name.
        let is_plain = state.indirect.is_empty();
        if is_plain && let Some(map) = nest.places.get(exprs) {
            parts.attributes.push((MAP, map));
            parts.operands.extend_from_slice(&nest.loops);
            return Ok(());
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
            at: At::End(site.block),
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
        parts.attributes.push((MAP, map));
        parts.operands.extend(indices);
        Ok(())
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

    /// Adds the indices and attributes of a load or a store of a buffer.
    pub(super) fn access(
        &self,
        site: &Site<'_, '_, 'p>,
        name: &str,
        (buffer, ty): (&str, Type<'p>),
        parts: &mut OpParts<'p>,
    ) -> Result<()> {
        let index = site.path.field("index");
        let Some(access) = Self::expression(site, name)?.at.get(buffer) else {
            let message = format!("'{name}' has no access to '{buffer}' in at");
            return error(index, message);
        };
        self.map(site, &access.subscript, parts)?;
        let at = index.field("at");
        let path = &at.field(buffer);
        let rank = access.subscript.len();
        if access.size.len() != rank || access.stride.len() != rank {
            return error(path, "size, stride and subscript must have the same length");
        }
        if self.has_layout(buffer, access) {
            return Ok(());
        }
        let Some(layout) = own_layout(ty) else {
            return error(path, format!("'{buffer}' is no tensor"));
        };
        let extents = self.size_map(path, &access.size)?;
        let view = Layout {
            kind: LayoutKind::Fixed,
            stride: self.size_map(path, &access.stride)?,
            size: Some(extents),
            offset: self.size_map(path, std::slice::from_ref(&access.offset))?,
            base_offset: self.size_map(path, &[schema::Expr::Number(0)])?,
        };
        if layout.stride == view.stride
            && layout.offset == view.offset
            && has_extents(ty, layout, extents)
        {
            return Ok(());
        }
        let Some(view) = view.attribute(self.context) else {
            return error(path, "the layout of this view breaks rule IN1 or IN2");
        };
        parts.attributes.push((VIEW, view));
        Ok(())
    }
}
