//! Recipes, from which programs are built. A recipe is a list of small numbers. Every number has a meaning, and smaller
//! numbers give simpler programs.
//!
//! Every recipe is a program. So removing parts of a recipe and reducing its numbers shrinks the program.

use proptest::collection::vec;
use proptest::prelude::*;

/// The choices that determine a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// The number that chooses the element type.
    pub element: u8,
    /// The numbers that choose the extents of the named dimensions.
    pub extents: Vec<u8>,
    /// The operations, in order.
    pub operations: Vec<Step>,
    /// The groups of operations to tile together.
    pub groups: Vec<Group>,
    /// The number that selects the number of cores.
    pub cores: u8,
    /// The number that chooses the size of the scratchpad.
    pub scratchpad: u8,
    /// The number that chooses the values of the inputs.
    pub values: u8,
}

/// The choices that determine an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The number that chooses the operation.
    pub operation: u8,
    /// The number that chooses its variant.
    pub variant: u8,
    /// The numbers that choose its operands.
    pub operands: [u8; 2],
    /// The number that chooses the dimensions of the operation, and the shape of a new input.
    pub shape: u8,
    /// The number that chooses the dimension on the sticks of a new input; 0 is the last one.
    pub layout: u8,
    /// Whether the program returns the result of the operation, even if another operation uses it.
    pub returned: bool,
}

/// The choices that determine a group of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Number of operations before it.
    pub skip: u8,
    /// Number of operations in it, less one.
    pub more: u8,
    /// The scopes, outermost first: the numbers that choose the dimension and its tiles.
    pub scopes: Vec<(u8, u8)>,
}

/// The largest size of recipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Largest number of operations.
    pub operations: usize,
    /// Largest number of named dimensions, at most 8.
    pub dims: usize,
}

impl Default for Size {
    fn default() -> Self {
        Self {
            operations: 6,
            dims: 4,
        }
    }
}

/// Returns a strategy for all recipes of a size.
pub fn recipes(size: Size) -> impl Strategy<Value = Recipe> {
    let step = (
        0..45_u8,
        any::<u8>(),
        any::<[u8; 2]>(),
        any::<u8>(),
        0..8_u8,
        proptest::bool::weighted(0.15),
    );
    let step = step.prop_map(
        |(operation, variant, operands, shape, layout, returned)| Step {
            operation,
            variant,
            operands,
            shape,
            layout,
            returned,
        },
    );
    let scopes = vec((any::<u8>(), any::<u8>()), 1..=3);
    let group =
        (0..2_u8, 0..8_u8, scopes).prop_map(|(skip, more, scopes)| Group { skip, more, scopes });
    (
        any::<u8>(),
        vec(any::<u8>(), 1..=size.dims.clamp(1, 8)),
        vec(step, 1..=size.operations),
        vec(group, 1..=3),
        any::<u8>(),
        any::<u8>(),
        any::<u8>(),
    )
        .prop_map(
            |(element, extents, operations, groups, cores, scratchpad, values)| Recipe {
                element,
                extents,
                operations,
                groups,
                cores,
                scratchpad,
                values,
            },
        )
}
