//! Index expressions, and the places of loads and stores.

use melior::ir::Type;
use smol_str::format_smolstr;
use spyre_construct::affine;
use spyre_dialects::inductor_attr::Layout;
use spyre_index_expr::tree;
use spyre_index_expr::{Atom, Expr, Var, simplify};
use spyre_inductor::names;
use spyre_inductor::schema::{self, Table, Text};
use spyre_mlir_rt::ir::{self, Op};

use super::super::import::own_layout;
use super::super::{index, table};
use super::body::Nest;
use super::{Export, Result, refuse};

impl Export {
    /// Returns the results of the map of an operation, with its operands from `first` on as indices.
    pub(super) fn map<'p>(
        &self,
        nest: &Nest<'p>,
        op: Op<'p>,
        first: usize,
    ) -> Result<'p, Vec<Expr>> {
        index::exprs(op, first, &mut |value| {
            let key = ir::value_key(value);
            let loop_var = nest.loops.get(&key).map(|number| Var::Loop(*number));
            loop_var
                .or_else(|| nest.indirect.get(&key).map(|number| Var::Indirect(*number)))
                .ok_or_else(|| refuse(op, "an index is neither a loop nor an indirect index"))
        })
    }

    /// Returns the name of an index expression.
    pub(super) fn index(&self, nest: &mut Nest<'_>, expr: Expr) -> Text {
        let position = nest.indices.iter().position(|other| *other == expr);
        if let Some(number) = position {
            return format_smolstr!("index{number}");
        }
        let name = format_smolstr!("index{}", nest.indices.len());
        let var = |var| self.var(var);
        let index = schema::Index {
            e: names::write(&expr, &var),
            class: class_of(&expr),
            text: tree::text(&expr, &var),
            at: Table::new(),
        };
        nest.indices.push(expr);
        nest.body.index.insert(name.clone(), index);
        name
    }

    /// Returns the name of the index of a load or a store. Its first operands are no indices.
    pub(super) fn access<'p>(
        &self,
        nest: &mut Nest<'p>,
        op: Op<'p>,
        (buffer, ty): (&str, Type<'p>),
        first: usize,
    ) -> Result<'p, Text> {
        let subscript = self.map(nest, op, first)?;
        let view = ir::attribute(op, table::VIEW).and_then(Layout::read);
        let layout = view.or_else(|| own_layout(ty));
        let layout = layout.expect("a buffer has a layout");
        let size = match view {
            Some(view) => self.exprs(op, view.size.expect("IN16: a view has sizes"))?,
            None => self.layout(op, ty)?.size.expect("a buffer has sizes"),
        };
        let overflow = |err| refuse(op, err);
        let strides = affine::size_exprs(layout.stride).map_err(overflow)?;
        let offset = affine::size_exprs(layout.offset).map_err(overflow)?;
        let mut place = offset[0].clone();
        for (at, stride) in subscript.iter().zip(&strides) {
            let step = at.mul(stride).map_err(overflow)?;
            place = place.add(&step).map_err(overflow)?;
        }
        let ranges = |var: Var| nest.range(var);
        let place = simplify(&place, &ranges).map_err(overflow)?;
        let name = self.index(nest, place);
        let write = |exprs: &[Expr]| exprs.iter().map(|expr| self.write(expr)).collect();
        let access = schema::Access {
            size,
            stride: write(&strides),
            offset: self.write(&offset[0]),
            subscript: write(&subscript),
        };
        let index = nest.body.index.get_mut(&name).expect("it was just named");
        index.at.insert(buffer, access);
        Ok(name)
    }
}

impl Nest<'_> {
    /// Returns the range of a variable, if it is known.
    fn range(&self, var: Var) -> Option<(i64, i64)> {
        let extent = match var {
            Var::Loop(number) => {
                let mut loops = self.body.vars.iter().chain(&self.body.rvars);
                &loops.nth(number as usize)?.1
            }
            Var::Indirect(number) => self.body.indirect.get(&format!("indirect{number}"))?,
            Var::Symbol(_) => return None,
        };
        match extent {
            schema::Expr::Number(extent) => Some((0, extent - 1)),
            _ => None,
        }
    }
}

/// Returns how simple an index expression is.
fn class_of(expr: &Expr) -> &'static str {
    let mut is_indirect = false;
    expr.visit(&mut |var| is_indirect |= matches!(var, Var::Indirect(_)));
    if is_indirect {
        return "indirect";
    }
    match (is_affine(expr, false), is_affine(expr, true)) {
        (true, _) => "affine",
        (_, true) => "semi_affine",
        _ => "other",
    }
}

/// Returns whether loops occur only linearly, or with `divisions` in a quotient with a loop-invariant
/// divisor.
fn is_affine(expr: &Expr, divisions: bool) -> bool {
    if !has_loop(expr) {
        return !has_bound(expr);
    }
    expr.terms().all(|(atoms, _)| {
        let mut variable = atoms.iter().filter(|atom| match atom {
            Atom::Var(var) => matches!(var, Var::Loop(_)),
            atom => atom.operands().iter().any(has_loop),
        });
        match (variable.next(), variable.next()) {
            (None, _) | (Some(Atom::Var(_)), None) => true,
            (Some(Atom::Max(_) | Atom::Min(_) | Atom::Abs(_)), _) | (_, Some(_)) => false,
            (Some(atom), None) => {
                let (base, by) = atom.operands().split_first().expect("it has operands");
                divisions && !by.iter().any(has_loop) && is_affine(base, divisions)
            }
        }
    })
}

fn has_loop(expr: &Expr) -> bool {
    let mut has = false;
    expr.visit(&mut |var| has |= matches!(var, Var::Loop(_)));
    has
}

/// Returns whether an expression has the largest or the smallest of others.
fn has_bound(expr: &Expr) -> bool {
    let mut atoms = expr.terms().flat_map(|(atoms, _)| atoms);
    atoms.any(|atom| {
        matches!(atom, Atom::Max(_) | Atom::Min(_)) || atom.operands().iter().any(has_bound)
    })
}
