//! The names of a dimension, and their counterparts after merging, splitting and slicing. This module does not use the
//! IR.

/// A name, interned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub(super) u32);

/// The extent of a dynamic dimension. No static extent is 0.
pub const DYNAMIC: u64 = 0;

/// One of the dimensions that were merged into a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Factor {
    /// The name; `None` for the placeholder `_untracked_<extent>`.
    pub name: Option<Name>,
    /// The extent in elements, or [`DYNAMIC`].
    pub extent: u64,
}

/// The factors of a dimension, outermost first; at least one.
pub type Factors = Vec<Factor>;

/// The names of a dimension, as alternatives: several where operands of different names meet, and none for an unnamed
/// dimension.
pub type DimName = Vec<Factors>;

/// The reason why the names of a dimension are lost in a reshape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotSplit {
    /// A named dimension would be split in two.
    Splits(Name),
    /// No prefix of the factors has extents that multiply to this extent.
    NoPrefix(u64),
}

/// Splits the names of a dimension: each of the `extents` gets the shortest prefix of the remaining factors with
/// extents that multiply to it; an extent of 1 gets none (middle-end specification, section 3.2).
///
/// # Errors
/// A name would be split, or there is no such prefix.
pub(super) fn split(factors: &[Factor], extents: &[u64]) -> Result<Vec<Factors>, NotSplit> {
    let mut rest = factors.to_vec();
    rest.reverse();
    extents
        .iter()
        .map(|extent| match extent {
            1 => Ok(Vec::new()),
            extent => prefix(&mut rest, *extent),
        })
        .collect()
}

/// Pops the shortest prefix with the product `extent` from a reversed list.
fn prefix(rest: &mut Vec<Factor>, extent: u64) -> Result<Factors, NotSplit> {
    let mut taken = Vec::new();
    let mut product: u64 = 1;
    while product != extent {
        let factor = rest.pop().ok_or(NotSplit::NoPrefix(extent))?;
        let next = product
            .checked_mul(factor.extent)
            .filter(|next| *next != DYNAMIC)
            .ok_or(NotSplit::NoPrefix(extent))?;
        if next <= extent {
            taken.push(factor);
            product = next;
            continue;
        }
        // The factor exceeds the extent. A placeholder is split if the parts are whole; a factor with a name is not.
        let needed = extent / product;
        let fits = extent.is_multiple_of(product) && factor.extent.is_multiple_of(needed);
        match factor.name {
            None if fits => {
                taken.push(Factor {
                    name: None,
                    extent: needed,
                });
                rest.push(Factor {
                    name: None,
                    extent: factor.extent / needed,
                });
                product = extent;
            }
            Some(name) if fits => return Err(NotSplit::Splits(name)),
            _ => return Err(NotSplit::NoPrefix(extent)),
        }
    }
    Ok(taken)
}

/// Returns the names of the dimension that results when `dims`, given with their extents, are merged.
pub(super) fn merge(dims: &[(&DimName, u64)]) -> DimName {
    let long: Vec<_> = dims.iter().filter(|(_, extent)| *extent != 1).collect();
    match long.as_slice() {
        [] => {
            return dims
                .iter()
                .find(|(dim, _)| !dim.is_empty())
                .map(|(dim, _)| (*dim).clone())
                .unwrap_or_default();
        }
        [(dim, _)] => return (*dim).clone(),
        _ => {}
    }
    if long.iter().any(|(_, extent)| *extent == DYNAMIC) {
        return Vec::new();
    }
    // There are as many alternatives as the dimension with the most has; the others repeat their last one.
    let ways = long.iter().map(|(dim, _)| dim.len()).max().unwrap_or(0);
    (0..ways)
        .map(|way| {
            long.iter()
                .flat_map(|(dim, extent)| match dim.get(way).or(dim.last()) {
                    Some(factors) => factors.clone(),
                    None => vec![Factor {
                        name: None,
                        extent: *extent,
                    }],
                })
                .collect()
        })
        .collect()
}

/// Returns the names of a part of a dimension that has `extent` elements. A single name stays. Merged names stay if the part is
/// whole elements of the outermost.
pub(super) fn resize(dim: &DimName, extent: u64) -> DimName {
    dim.iter()
        .filter_map(|factors| {
            let mut factors = factors.clone();
            let (outer, inner) = factors.split_first_mut()?;
            let inner: u64 = inner.iter().map(|factor| factor.extent).product();
            if inner == DYNAMIC || !extent.is_multiple_of(inner) {
                return None;
            }
            outer.extent = extent / inner;
            Some(factors)
        })
        .collect()
}

/// Adds the names by which an operand calls a dimension. A name replaces a placeholder.
pub(super) fn unify(names: &mut DimName, more: &DimName) {
    for factors in more {
        if factors.iter().all(|factor| factor.name.is_none()) || names.contains(factors) {
            continue;
        }
        match names.iter_mut().find(|candidate| agree(candidate, factors)) {
            Some(match_) => {
                for (target, factor) in match_.iter_mut().zip(factors) {
                    target.name = target.name.or(factor.name);
                }
            }
            None => names.push(factors.clone()),
        }
    }
}

/// Removes a name that several iteration dimensions have: from dimensions that are a part of the named one, and from
/// dimensions that have another name too. So the dimensions of a product have distinct names where one operand names
/// the columns as the other names the rows. `extents` are the extents of the dimensions.
pub(super) fn tell_apart(space: &mut [DimName], extents: &[i64]) {
    leave_parts(space, extents);
    for dim in 0..space.len() {
        if space[dim].len() < 2 {
            continue;
        }
        let others = space.iter().zip(extents).enumerate();
        let others = others.filter(|(other, (_, extent))| *other != dim && **extent != 1);
        let taken: Vec<Factors> = others
            .flat_map(|(_, (names, _))| names.iter().cloned())
            .collect();
        let rest: DimName = space[dim]
            .iter()
            .filter(|factors| !taken.contains(factors))
            .cloned()
            .collect();
        if !rest.is_empty() {
            space[dim] = rest;
        }
    }
}

/// Removes a name from dimensions that are a part of it if another dimension has the whole: no loop cuts both.
fn leave_parts(space: &mut [DimName], extents: &[i64]) {
    let single = |factors: &Factors| match **factors {
        [factor] if factor.name.is_some() => Some(factor),
        _ => None,
    };
    let long = space
        .iter()
        .zip(extents)
        .filter(|(_, extent)| **extent != 1);
    let all: Vec<Factor> = long
        .flat_map(|(names, _)| names.iter().filter_map(single))
        .collect();
    // A dynamic extent is longer than any other.
    let length = |factor: Factor| match factor.extent {
        DYNAMIC => u64::MAX,
        extent => extent,
    };
    let is_part_of =
        |part: Factor, other: &Factor| other.name == part.name && length(*other) > length(part);
    for names in space.iter_mut() {
        names.retain(|factors| {
            let part = single(factors);
            !part.is_some_and(|part| all.iter().any(|other| is_part_of(part, other)))
        });
    }
}

/// Returns whether two lists differ only where one of them has a placeholder.
fn agree(a: &Factors, b: &Factors) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            a.extent == b.extent && (a.name == b.name || a.name.is_none() || b.name.is_none())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Name = Name(0);
    const B: Name = Name(1);

    fn named(name: Name, extent: u64) -> Factor {
        Factor {
            name: Some(name),
            extent,
        }
    }

    fn untracked(extent: u64) -> Factor {
        Factor { name: None, extent }
    }

    #[test]
    fn a_split_takes_the_shortest_prefix() {
        let (a, b) = (named(A, 8), named(B, 64));
        assert_eq!(split(&[a, b], &[8, 64]), Ok(vec![vec![a], vec![b]]));
        assert_eq!(split(&[a, b], &[512]), Ok(vec![vec![a, b]]));
        assert_eq!(
            split(&[a, b], &[1, 8, 1, 64]),
            Ok(vec![vec![], vec![a], vec![], vec![b]])
        );
    }

    #[test]
    fn only_placeholders_are_split() {
        assert_eq!(split(&[named(A, 32)], &[4, 8]), Err(NotSplit::Splits(A)));
        assert_eq!(
            split(&[untracked(32), named(A, 2)], &[4, 16]),
            Ok(vec![vec![untracked(4)], vec![untracked(8), named(A, 2)]])
        );
        assert_eq!(
            split(&[named(A, 6), named(B, 4)], &[8, 3]),
            Err(NotSplit::NoPrefix(8))
        );
        assert_eq!(split(&[named(A, 6)], &[6, 2]), Err(NotSplit::NoPrefix(2)));
    }

    #[test]
    fn merging_keeps_the_order_and_drops_extents_of_1() {
        let (a, b) = (vec![vec![named(A, 8)]], vec![vec![named(B, 1)]]);
        let none = Vec::new();
        assert_eq!(merge(&[(&a, 8), (&b, 1)]), a);
        assert_eq!(
            merge(&[(&a, 8), (&none, 4)]),
            [vec![named(A, 8), untracked(4)]]
        );
        assert_eq!(merge(&[(&none, 8), (&none, 4)]), none);
        assert_eq!(merge(&[(&none, 1), (&b, 1)]), b);
        assert_eq!(merge(&[(&a, 8), (&none, DYNAMIC)]), none);
    }

    #[test]
    fn every_way_to_call_a_dimension_goes_through_a_merge() {
        let both = vec![vec![named(A, 8)], vec![named(B, 8)]];
        let c = vec![vec![named(Name(2), 4)]];
        assert_eq!(
            merge(&[(&both, 8), (&c, 4)]),
            [
                vec![named(A, 8), named(Name(2), 4)],
                vec![named(B, 8), named(Name(2), 4)]
            ]
        );
    }

    #[test]
    fn a_part_is_whole_elements_of_the_outermost_factor() {
        let dim = vec![vec![named(A, 8), named(B, 64)]];
        assert_eq!(resize(&dim, 128), [vec![named(A, 2), named(B, 64)]]);
        assert!(resize(&dim, 96).is_empty());
        assert_eq!(resize(&vec![vec![named(A, 8)]], 3), [vec![named(A, 3)]]);
    }

    #[test]
    fn a_name_is_left_to_the_dimension_that_has_no_other_one() {
        let (a, b) = (vec![named(A, 8)], vec![named(B, 8)]);
        let both = vec![a.clone(), b.clone()];
        let mut space = [vec![a.clone()], both.clone()];
        tell_apart(&mut space, &[8, 8]);
        assert_eq!(space, [vec![a.clone()], vec![b.clone()]]);
        // An extent of 1 counts as no dimension, and equal dimensions keep the name.
        let mut space = [vec![a.clone()], both.clone()];
        tell_apart(&mut space, &[1, 8]);
        assert_eq!(space, [vec![a], both.clone()]);
        let mut space = [both.clone(), both.clone()];
        tell_apart(&mut space, &[8, 8]);
        assert_eq!(space, [both.clone(), both]);
    }

    #[test]
    fn a_part_leaves_its_name_to_what_is_whole() {
        let whole = vec![vec![named(A, 8)]];
        let mut space = [
            vec![vec![named(A, 4)]],
            whole.clone(),
            vec![vec![named(B, 4)]],
        ];
        tell_apart(&mut space, &[4, 8, 4]);
        assert_eq!(space, [vec![], whole, vec![vec![named(B, 4)]]]);
        let open = vec![vec![named(A, DYNAMIC)]];
        let mut space = [open.clone(), vec![vec![named(A, 64)]]];
        tell_apart(&mut space, &[-1, 64]);
        assert_eq!(space, [open, vec![]]);
        // A dimension that is the only one with the name keeps it.
        let mut space = [vec![vec![named(A, 4)]], vec![vec![named(B, 8)]]];
        let before = space.clone();
        tell_apart(&mut space, &[4, 8]);
        assert_eq!(space, before);
    }

    #[test]
    fn names_beat_placeholders() {
        let mut dim = vec![vec![named(A, 4), untracked(8)]];
        unify(&mut dim, &vec![vec![untracked(32)]]);
        unify(&mut dim, &vec![vec![untracked(4), named(B, 8)]]);
        assert_eq!(dim, [vec![named(A, 4), named(B, 8)]]);
        unify(&mut dim, &vec![vec![named(Name(2), 32)]]);
        assert_eq!(dim.len(), 2);
    }
}
