//! What a program is made from: small numbers, all of which have a meaning, and the smaller the simpler.
//!
//! Every recipe is a program, so that shrinking a recipe number by number and leaving out parts shrinks the program.

use proptest::collection::vec;
use proptest::prelude::*;

/// What a program is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recipe {
    /// Which element type.
    pub element: u8,
    /// Which extent each named dimension has.
    pub extents: Vec<u8>,
    /// The operations, in order.
    pub operations: Vec<Step>,
    /// The groups of operations to tile together.
    pub groups: Vec<Group>,
    /// How many cores.
    pub cores: u8,
    /// How large the scratchpad.
    pub scratchpad: u8,
    /// Which values the inputs have.
    pub values: u8,
}

/// What an operation is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Which operation.
    pub operation: u8,
    /// Which variant of it.
    pub variant: u8,
    /// Which values it uses.
    pub operands: [u8; 2],
    /// Which dimensions it is about, and what shape a new input has.
    pub shape: u8,
    /// Which dimension a new input has on its sticks, if not the last one.
    pub layout: u8,
    /// Whether the program returns its result, even if something else uses it.
    pub returned: bool,
}

/// What a group is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Operations in front of it.
    pub skip: u8,
    /// Operations in it, less one.
    pub more: u8,
    /// Its scopes, outermost first: which dimension, and in how many tiles.
    pub scopes: Vec<(u8, u8)>,
}

/// How large recipes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Most operations.
    pub operations: usize,
    /// Most named dimensions, of at most 8.
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

/// All recipes of a size.
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
