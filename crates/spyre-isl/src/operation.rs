//! The operations of isl on relations.

/// What isl is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operation {
    /// [`Relation::identity`](crate::Relation::identity).
    Identity,
    /// [`Relation::universe`](crate::Relation::universe).
    Universe,
    /// [`Relation::empty`](crate::Relation::empty).
    Empty,
    /// [`Relation::lt`](crate::Relation::lt).
    Before,
    /// [`Relation::le`](crate::Relation::le).
    NotAfter,
    /// [`Relation::union`](crate::Relation::union).
    Union,
    /// [`Relation::intersect`](crate::Relation::intersect).
    Intersection,
    /// [`Relation::subtract`](crate::Relation::subtract).
    Difference,
    /// [`Relation::coalesce`](crate::Relation::coalesce).
    Coalescence,
    /// [`Relation::then`](crate::Relation::then).
    Composition,
    /// [`Relation::flat_product`](crate::Relation::flat_product).
    Product,
    /// [`Relation::reverse`](crate::Relation::reverse).
    Reversal,
    /// [`Relation::domain`](crate::Relation::domain).
    Domain,
    /// [`Relation::range`](crate::Relation::range).
    Range,
    /// [`Relation::restrict_domain`](crate::Relation::restrict_domain).
    RestrictedDomain,
    /// [`Relation::restrict_range`](crate::Relation::restrict_range).
    RestrictedRange,
    /// [`Relation::subtract_domain`](crate::Relation::subtract_domain).
    SubtractedDomain,
    /// [`Relation::subtract_range`](crate::Relation::subtract_range).
    SubtractedRange,
    /// [`Relation::restrict_params`](crate::Relation::restrict_params).
    RestrictedParams,
    /// [`Relation::lexmin`](crate::Relation::lexmin).
    Least,
    /// [`Relation::lexmax`](crate::Relation::lexmax).
    Greatest,
    /// [`Relation::fix_in`](crate::Relation::fix_in), [`Relation::fix_out`](crate::Relation::fix_out) and [`Relation::fix_param`](crate::Relation::fix_param): kind, position, value.
    Fixed,
    /// Projections: kind, first, count.
    Projection,
    /// Insertions of dimensions: kind, first, count.
    Insertion,
    /// Dimensions that become those of another kind: kind, first, count.
    Moved,
    /// [`Relation::is_empty`](crate::Relation::is_empty).
    IsEmpty,
    /// [`Relation::is_equal`](crate::Relation::is_equal).
    IsEqual,
    /// [`Relation::is_subset`](crate::Relation::is_subset).
    IsSubset,
    /// [`Relation::is_disjoint`](crate::Relation::is_disjoint).
    IsDisjoint,
    /// [`Relation::is_single_valued`](crate::Relation::is_single_valued).
    IsSingleValued,
    /// [`Relation::is_injective`](crate::Relation::is_injective).
    IsInjective,
    /// [`Relation::sample`](crate::Relation::sample).
    Sample,
}
