//! The coordinates of a structured operation's tensors, as linear forms of its loops.

use melior::ir::Attribute;
use spyre_mlir_rt::affine::{self, LinearForm};
use spyre_mlir_rt::ir;

/// A loop of a structured operation, counted from the outermost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(pub usize);

/// One coordinate of a tensor: a sum of loop indices with factors, and an offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coordinate {
    /// The loops, each once and with a factor other than 0, outermost first.
    pub terms: Vec<(LoopId, i64)>,
    /// The coordinate where all loops are at 0, in elements.
    pub offset: i64,
}

impl Coordinate {
    /// Returns the same coordinate at every iteration.
    pub fn constant(offset: i64) -> Self {
        Self {
            terms: Vec::new(),
            offset,
        }
    }

    /// Returns the coordinate that is the index of a loop.
    pub fn index(id: LoopId) -> Self {
        Self {
            terms: vec![(id, 1)],
            offset: 0,
        }
    }

    /// Returns the loop of a coordinate that is the index of one loop; `None` for others.
    pub fn as_index(&self) -> Option<LoopId> {
        match *self.terms {
            [(id, 1)] if self.offset == 0 => Some(id),
            _ => None,
        }
    }

    /// Returns the coordinate at `index` of the loop, without the loop's term.
    pub fn fixed(&self, id: LoopId, index: i64) -> Self {
        let factor = self.terms.iter().find(|(term, _)| *term == id);
        let factor = factor.map_or(0, |(_, factor)| *factor);
        let terms = self.terms.iter().copied().filter(|(term, _)| *term != id);
        Self {
            terms: terms.collect(),
            offset: self.offset + factor * index,
        }
    }

    /// Returns the coordinate with the terms of some loops alone; the other loops are at 0.
    pub fn moved_by(&self, moves: impl Fn(LoopId) -> bool) -> Self {
        let terms = self.terms.iter().copied().filter(|(id, _)| moves(*id));
        Self {
            terms: terms.collect(),
            offset: self.offset,
        }
    }

    /// Returns the coordinate with other numbers for the loops.
    pub fn renumbered(&self, number: impl Fn(LoopId) -> LoopId) -> Self {
        let terms = self.terms.iter();
        let mut terms: Vec<_> = terms.map(|(id, factor)| (number(*id), *factor)).collect();
        terms.sort_unstable();
        Self {
            terms,
            offset: self.offset,
        }
    }
}

impl LinearForm for Coordinate {
    fn add(&self, other: &Self) -> Option<Self> {
        let mut terms = self.terms.clone();
        for (id, factor) in &other.terms {
            match terms.iter_mut().find(|(term, _)| term == id) {
                Some((_, sum)) => *sum = sum.checked_add(*factor)?,
                None => terms.push((*id, *factor)),
            }
        }
        terms.retain(|(_, factor)| *factor != 0);
        terms.sort_unstable();
        Some(Self {
            terms,
            offset: self.offset.checked_add(other.offset)?,
        })
    }

    fn scale(&self, factor: i64) -> Option<Self> {
        let terms = self.terms.iter();
        let terms = terms.map(|(id, coefficient)| Some((*id, coefficient.checked_mul(factor)?)));
        let mut terms: Vec<_> = terms.collect::<Option<_>>()?;
        terms.retain(|(_, factor)| *factor != 0);
        Some(Self {
            terms,
            offset: self.offset.checked_mul(factor)?,
        })
    }

    fn as_constant(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.offset)
    }
}

/// Returns the coordinates that an indexing map gives; `None` where one is not linear, or there are symbols.
pub fn read(map: Attribute<'_>) -> Option<Vec<Coordinate>> {
    read_each(map)?.into_iter().collect()
}

/// Returns each coordinate that an indexing map gives, `None` for one that is not linear; `None` where there are symbols.
fn read_each(map: Attribute<'_>) -> Option<Vec<Option<Coordinate>>> {
    let map = ir::affine_map_value(map)?;
    if map.symbol_count() > 0 {
        return None;
    }
    let loops: Vec<_> = (0..map.dim_count())
        .map(|dim| Coordinate::index(LoopId(dim)))
        .collect();
    let results = (0..map.result_count()).map(|at| {
        let expr = map.result(at).expect("the number is below the count");
        affine::evaluate(expr, &loops, loops.len(), &Coordinate::constant)
    });
    Some(results.collect())
}

#[cfg(test)]
mod tests {
    use super::{Coordinate, LoopId};
    use spyre_mlir_rt::affine::LinearForm;

    #[test]
    fn a_window_at_a_fixed_position_is_a_slice() {
        // 2 * d0 + 3 * d1 + 1
        let row = Coordinate::index(LoopId(0)).scale(2).expect("small");
        let tap = Coordinate::index(LoopId(1)).scale(3).expect("small");
        let window = row.add(&tap).expect("small");
        let window = window.add(&Coordinate::constant(1)).expect("small");
        assert_eq!(window.terms, [(LoopId(0), 2), (LoopId(1), 3)]);
        let fixed = window.fixed(LoopId(1), 2);
        assert_eq!(
            (fixed.terms.as_slice(), fixed.offset),
            ([(LoopId(0), 2)].as_slice(), 7)
        );
    }

    #[test]
    fn terms_that_cancel_are_gone() {
        let index = Coordinate::index(LoopId(3));
        let opposite = index.scale(-1).expect("small");
        assert_eq!(index.add(&opposite), Some(Coordinate::constant(0)));
    }

    #[test]
    fn overflow_is_no_coordinate() {
        let far = Coordinate::constant(i64::MAX);
        assert_eq!(far.add(&Coordinate::constant(1)), None);
        assert_eq!(far.scale(2), None);
    }
}
