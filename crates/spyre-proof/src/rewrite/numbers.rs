//! Numbers of constants: where tensors of constants differ, and where an operation reads another number.
//!
//! Constants are compared by name, so elements of two tensors are different elements even if they are equal numbers. A
//! witness is therefore a point at which an operand is a number that no operation of the program before has there.

use spyre_isl::{Point, Relation};

use super::witness::singleton;
use super::{Fault, Simulation, laws};
use crate::claim::Reason;
use crate::contents::{Pieces, Source};
use crate::program::{Program, StatementId, Table};

/// The most elements of a tensor that are looked up as equal to a number. All of them are taken for equal if there are
/// more: then fewer points are witnesses.
const MOST: usize = 64;

/// Returns the numbers of a tensor of constants, and its element type.
fn table<'p>(program: &'p Program, source: &'p Source) -> Option<(&'p Table, &'p str)> {
    let Source::Constant(name) = source else {
        return None;
    };
    let (name, element) = name.rsplit_once(' ')?;
    Some((program.tables.get(name)?, element))
}

impl Table {
    /// Returns the position of an element among the numbers.
    fn position(&self, element: &[i64]) -> Option<usize> {
        let mut position = 0;
        for (at, extent) in element.iter().zip(&self.extents) {
            position = position * extent + at;
        }
        usize::try_from(position).ok()
    }

    /// Returns the element at a position among the numbers.
    fn element(&self, position: usize) -> Vec<i64> {
        let mut rest = i64::try_from(position).expect("an extent is below 2^63");
        let mut element = self.extents.clone();
        for (at, extent) in element.iter_mut().zip(&self.extents).rev() {
            *at = rest % extent;
            rest /= extent;
        }
        element
    }

    /// Returns a number; `None` for none that is compared.
    fn number(&self, position: usize, element: &str) -> Option<f64> {
        let bits = self.bits.get(position)?;
        let number = laws::number(&format!("{bits:#x} {element}"))?;
        (!number.is_nan()).then_some(number)
    }
}

/// Returns the number of an element; `None` if it is no constant, or its number is not known.
pub(super) fn number(program: &Program, source: &Source, at: &[i64]) -> Option<f64> {
    if let Source::Number(bits) = source {
        return laws::number(bits).filter(|number| !number.is_nan());
    }
    let (table, element) = table(program, source)?;
    table.number(table.position(at)?, element)
}

/// Returns the number of an element as text: `the number 2 of f16`.
pub(super) fn text(program: &Program, source: &Source, at: &[i64]) -> Option<String> {
    let (Source::Number(name) | Source::Constant(name)) = source else {
        return None;
    };
    let (_, element) = name.rsplit_once(' ')?;
    let number = number(program, source, at)?;
    Some(format!("the number {number} of {element}"))
}

impl Simulation<'_> {
    /// Returns the number of an element of one of the programs.
    pub(super) fn number(&self, source: &Source, at: &[i64]) -> Option<f64> {
        let before = number(self.before.program(), source, at);
        before.or_else(|| number(self.after.program(), source, at))
    }

    /// Returns the points of an operation of the program before that read an element, or an equal number; `None` for
    /// none.
    pub(super) fn reading_number(
        &self,
        readers: &[(Source, Relation)],
        (source, at): &(Source, Vec<i64>),
        point: &Point,
    ) -> Result<Option<Relation>, Reason> {
        let read = self.number(source, at);
        super::sum(readers.iter().filter_map(|(other, back)| {
            let elements = match (read, other) {
                (Some(read), Source::Number(_)) if self.number(other, &[]) == Some(read) => {
                    vec![Vec::new()]
                }
                (Some(read), Source::Constant(_)) => match self.elements_of(other, read) {
                    Some(elements) => elements,
                    None => return Some(back.range().map_err(Reason::from)),
                },
                _ if other == source => vec![at.clone()],
                _ => return None,
            };
            let points = || {
                let sets = elements
                    .iter()
                    .map(|at| singleton(&self.context, &point.params, at));
                let Some(set) = super::sum(sets)? else {
                    return Ok(None);
                };
                Ok(Some(back.restrict_domain(&set)?.range()?))
            };
            points().transpose()
        }))
    }

    /// Returns the positions at which a tensor of constants of the program before has the value `number`. `None` if its
    /// values are not available, or more than [`MOST`] positions have the value.
    fn elements_of(&self, source: &Source, number: f64) -> Option<Vec<Vec<i64>>> {
        let (table, element) = table(self.before.program(), source)?;
        let mut elements = Vec::new();
        for at in 0..table.bits.len() {
            match table.number(at, element) {
                Some(other) if other == number => elements.push(table.element(at)),
                Some(_) => {}
                None => return None,
            }
        }
        (elements.len() <= MOST).then_some(elements)
    }

    /// Returns the points of a fault that read a number which is another one in the tensor of constants in its place in
    /// the program before; all points of the fault if there are none.
    pub(super) fn reading_other_numbers(
        &self,
        fault: &Fault,
        reads: &[Pieces],
        points: &Relation,
    ) -> Result<Relation, Reason> {
        let others = self.sources_of(fault.statement);
        for (source, relation) in reads.iter().flat_map(Pieces::iter) {
            let mut elements = others
                .iter()
                .filter_map(|other| self.changed(source, other));
            let Some(elements) = elements.next() else {
                continue;
            };
            let params = vec![1; self.after.program().params.len()];
            let sets = elements
                .iter()
                .map(|at| singleton(&self.context, &params, at));
            let Some(set) = super::sum(sets)? else {
                continue;
            };
            let changed = relation.restrict_range(&set)?.domain()?.intersect(points)?;
            if !changed.is_empty()? {
                return Ok(changed);
            }
        }
        Ok(points.clone())
    }

    /// Returns whether an operation reads a tensor of constants in which a number is another one than in a tensor that
    /// the program before reads.
    pub(super) fn has_changed(&self, id: StatementId) -> Result<bool, Reason> {
        let reads = self.after_reads(id)?;
        let mut sources = reads.iter().flat_map(Pieces::sources);
        let before = self.sources_of(id);
        Ok(sources.any(|source| {
            let mut before = before.iter();
            before.any(|other| self.changed(source, other).is_some())
        }))
    }

    /// Returns what operations of the program before with the key of an operation read.
    fn sources_of(&self, id: StatementId) -> Vec<&Source> {
        let key = &self.after.program().statement(id).key;
        let before = self.before.program();
        let same = self.table.iter();
        let same = same.filter(|of| before.statement(of.statement).key == *key);
        let readers = same.flat_map(|of| of.readers.iter().flatten());
        readers.map(|(source, _)| source).collect()
    }

    /// Returns the first elements that are other numbers than in a tensor of constants of the program before, of the
    /// same type and with at least as many equal numbers.
    fn changed(&self, source: &Source, before: &Source) -> Option<Vec<Vec<i64>>> {
        if source == before {
            return None;
        }
        let (after, element) = table(self.after.program(), source)?;
        let (before, other) = table(self.before.program(), before)?;
        if element != other || after.extents != before.extents {
            return None;
        }
        let is_other = |at: &usize| {
            let numbers = (after.number(*at, element), before.number(*at, element));
            matches!(numbers, (Some(after), Some(before)) if after != before)
        };
        let others: Vec<usize> = (0..after.bits.len()).filter(is_other).collect();
        let is_changed = !others.is_empty() && 2 * others.len() <= after.bits.len();
        let elements = others.iter().take(MOST).map(|at| after.element(*at));
        is_changed.then(|| elements.collect())
    }
}
