//! The limits of the flavour: one table of the programs that are converted, with their form, and of those that are
//! refused, with a label.
//!
//! The labels name the reasons for which the reference's emitter refuses a program, or for which the scheduler stops. A
//! label never changes its meaning: tests, pages and users look for it. `docs/Ktir.md` has the table.

use std::fmt;

/// The label of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Label {
    /// A product of matrices, or a convolution.
    Matmul,
    /// Rows that indices choose.
    Gather,
    /// An operation without a recipe.
    Operation,
    /// An extent that is a value.
    SymbolicExtent,
    /// A number of iterations that is a value.
    SymbolicTrip,
    /// Tensors of several element types in one operation.
    MixedFormats,
    /// An element type that the operation does not have.
    ElementType,
    /// Elements in another order inside of their sticks.
    Staggered,
    /// A result over one of its operands.
    InPlace,
    /// Operations that cores share differently.
    MixedDivision,
    /// A reduced dimension that cores share.
    DividedReduction,
    /// A value in scratchpads that a loop carries.
    LoopCarried,
    /// A value in scratchpads.
    Lx,
    /// A value that one core writes and another one reads.
    Exchange,
    /// A reduction along sticks of which the last one is not full.
    PartialStick,
    /// A window that is no part of one view.
    Window,
    /// An operand in another order than the result.
    Layout,
    /// A smaller operand of an operation that has no form for it.
    Broadcast,
}

impl Label {
    /// All labels, in the order of the table.
    #[cfg(test)]
    const ALL: [Self; 18] = [
        Self::Matmul,
        Self::Gather,
        Self::Operation,
        Self::SymbolicExtent,
        Self::SymbolicTrip,
        Self::MixedFormats,
        Self::ElementType,
        Self::Staggered,
        Self::InPlace,
        Self::MixedDivision,
        Self::DividedReduction,
        Self::LoopCarried,
        Self::Lx,
        Self::Exchange,
        Self::PartialStick,
        Self::Window,
        Self::Layout,
        Self::Broadcast,
    ];

    /// Returns the row of the table.
    pub(crate) fn refusal(self) -> &'static Refusal {
        let row = REFUSALS.iter().find(|row| row.label == self);
        row.expect("each label has a row")
    }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.refusal().name)
    }
}

/// A program that is refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The label.
    label: Label,
    /// Its text.
    name: &'static str,
    /// The programs.
    #[cfg_attr(not(test), expect(dead_code, reason = "the page has them"))]
    programs: &'static str,
    /// The change with which the program is converted.
    pub way_out: &'static str,
}

/// What plans a program without scratchpads.
const WITHOUT_LX: &str = "plan with `--spyre-pipeline=bundle=false lx=false`";

const fn refusal(
    label: Label,
    name: &'static str,
    programs: &'static str,
    way_out: &'static str,
) -> Refusal {
    Refusal {
        label,
        name,
        programs,
        way_out,
    }
}

/// The programs that are refused, by label.
static REFUSALS: [Refusal; 18] = [
    refusal(
        Label::Matmul,
        "matmul",
        "products of matrices and convolutions",
        "`flavour=portable` has products of matrices",
    ),
    refusal(
        Label::Gather,
        "gather",
        "rows that indices choose",
        "`flavour=portable` has gathers",
    ),
    refusal(
        Label::Operation,
        "operation",
        "an operation without a recipe: `mean`, `copy`, `restickify`, comparisons, ...",
        "`flavour=portable` has more operations; a mean is a sum times a number",
    ),
    refusal(
        Label::SymbolicExtent,
        "symbolic-extent",
        "dynamic extents",
        "`--spyre-specialize-dynamic-dims` chooses them before",
    ),
    refusal(
        Label::SymbolicTrip,
        "symbolic-trip",
        "loops that do not count from 0 to a constant in constant steps",
        "`--spyre-specialize-dynamic-dims` chooses the extents before",
    ),
    refusal(
        Label::MixedFormats,
        "mixed-formats",
        "tensors of several element types in one operation",
        "compute in one element type, or take `flavour=portable`",
    ),
    refusal(
        Label::ElementType,
        "element-type",
        "an element type that the operation does not have",
        "compute in f16 or f32",
    ),
    refusal(
        Label::Staggered,
        "staggered",
        "sticks of which the elements are in another order",
        "convert the elements in another program",
    ),
    refusal(
        Label::InPlace,
        "in-place",
        "a result in the memory of one of its operands",
        "give the result a place of its own",
    ),
    refusal(
        Label::MixedDivision,
        "mixed-division",
        "operations that cores share differently",
        "`--spyre-work-division` with one division, or one core",
    ),
    refusal(
        Label::DividedReduction,
        "divided-reduction",
        "a reduced dimension that cores share",
        "divide a dimension that the result has",
    ),
    refusal(
        Label::LoopCarried,
        "loop-carried",
        "a value in scratchpads that a loop carries",
        WITHOUT_LX,
    ),
    refusal(
        Label::Lx,
        "lx",
        "a value in scratchpads: no tensor crosses a stage",
        WITHOUT_LX,
    ),
    refusal(
        Label::Exchange,
        "exchange",
        "a value that one core writes and another one reads or writes: a kernel is one launch",
        "plan on one core, or divide the operations alike",
    ),
    refusal(
        Label::PartialStick,
        "partial-stick",
        "a reduction along sticks of which the last one is not full",
        "pad the dimension to whole sticks with the neutral number of the reduction",
    ),
    refusal(
        Label::Window,
        "window",
        "a window that is no part of the view of its buffer",
        "tile other dimensions",
    ),
    refusal(
        Label::Layout,
        "layout",
        "an operand or a result whose device dimensions are not those of the other tensors, in their order",
        "give both one layout",
    ),
    refusal(
        Label::Broadcast,
        "broadcast",
        "a smaller operand of a difference of integers",
        "repeat the operand, or compute in f32",
    ),
];

/// An operation or a construct that is converted.
#[cfg(test)]
struct Form {
    /// The operation or construct.
    construct: &'static str,
    /// What it becomes.
    form: &'static str,
}

/// What is converted, for the page.
#[cfg(test)]
static FORMS: [Form; 15] = [
    Form {
        construct: "cores",
        form: "`grid = [n]`; one `ktdp.get_compute_tile_id` if n is above 1, decoded as `(id / inner) % div`",
    },
    Form {
        construct: "arguments",
        form: "the base address of the pool first, if there is one, then of each input and each result; in bytes",
    },
    Form {
        construct: "buffer",
        form: "one `ktdp.construct_memory_view` for each stage, of the whole buffer in the device layout",
    },
    Form {
        construct: "intermediate value",
        form: "in the pool, at its offset in bytes: a stage stores it, and the next one loads it",
    },
    Form {
        construct: "loop",
        form: "`scf.for` from 0 in steps of 1, without `iter_args`; windows are indices of access tiles",
    },
    Form {
        construct: "`add`, `sub`, `mul` of floats; `sub` of i32",
        form: "`linalg.add`, `linalg.sub`, `linalg.mul`",
    },
    Form {
        construct: "`add`, `sub`, `mul` of floats of several shapes",
        form: "`linalg.generic` with `arith.addf`, `arith.subf`, `arith.mulf`; a map with 0 for what is broadcast",
    },
    Form {
        construct: "`add`, `mul` of i32",
        form: "`linalg.generic` with `spyreop.addi32toi32`, `spyreop.muli32toi32`",
    },
    Form {
        construct: "`exp`, `sqrt`, `rsqrt`, `sigmoid`, `reciprocal`, `silu`, `realdiv`; of f16 `gelufwd`, `softplus`",
        form: "`linalg.generic` with the operation of `spyreop`",
    },
    Form {
        construct: "statistic as an operand",
        form: "a tile of one element, the head of the stick",
    },
    Form {
        construct: "`sum`, `max`, `min`, `prod`, `absmax` of whole dimensions of the device",
        form: "`linalg.reduce` into `tensor.empty`: the neutral number is the scheduler's",
    },
    Form {
        construct: "`sum`, `max`, `min`, `prod`, `absmax` along sticks",
        form: "`linalg.generic` that reduces the elements of sticks, and stores a stick for each result",
    },
    Form {
        construct: "`exx2`",
        form: "as a reduction along sticks, with `spyreop.exx2_fused` to `!spyreop.fp16_fused` or `fp32_fused`",
    },
    Form {
        construct: "`layernormscale`",
        form: "`spyreop.layernormscale_fused`, with `eps` in an attribute that the scheduler does not read",
    },
    Form {
        construct: "`layernormnorm`",
        form: "`spyreop.layernormnorm`; the mean is the head of the pair's stick, as a float",
    },
];

/// Returns the tables of a page, as markdown.
#[cfg(test)]
fn page() -> String {
    let mut text = String::from("| operation or construct | form |\n|---|---|\n");
    for row in &FORMS {
        text += &format!("| {} | {} |\n", row.construct, row.form);
    }
    text += "\n| label | refused | way out |\n|---|---|---|\n";
    for label in Label::ALL {
        let row = label.refusal();
        text += &format!("| `{}` | {} | {} |\n", row.name, row.programs, row.way_out);
    }
    text
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_page_has_the_table() {
        let page_file = include_str!("../../../../docs/Ktir.md");
        let page = page();
        assert!(
            page_file.contains(&page),
            "docs/Ktir.md should have\n{page}"
        );
    }

    /// Each label has a program in the tests, and the tests expect no other labels.
    #[test]
    fn each_label_has_a_test() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let file = root.join("test/Conversion/SpyreToKtir/upstream-refused.mlir");
        let text = std::fs::read_to_string(file).expect("the tests of refusals are there");
        let mut expected: Vec<&str> = text
            .lines()
            .filter(|line| line.contains("expected-error"))
            .filter_map(|line| Some(line.split_once("[ktir-upstream: ")?.1.split_once(']')?.0))
            .collect();
        expected.sort_unstable();
        expected.dedup();
        let mut labels: Vec<&str> = REFUSALS.iter().map(|row| row.name).collect();
        labels.sort_unstable();
        assert_eq!(expected, labels);
    }
}
