//! `--spyre-propagate-layouts`: finds the layouts that every value may have.

use melior::ir::operation::OperationLike;
use spyre_analysis::strides;
use spyre_analysis::tensor::TensorTypes;
use spyre_dialects::attr;
use spyre_dialects::names::{CANDIDATES, HOST};
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir;
use spyre_mlir_rt::pass::{Failed, PassRun, PassStatistic, RustPass};
use spyre_ods::func;

use super::Function;
use super::analysis::{Node, NodeKind};

const NAME: &str = "spyre-propagate-layouts";

/// `--spyre-propagate-layouts`
pub static PROPAGATE_LAYOUTS: RustPass = RustPass {
    argument: NAME,
    summary: "Find the layouts that each value may have, and refuse programs that no layouts fit",
    description: DESCRIPTION,
    anchor: func::FUNC,
    options: &[],
    statistics: &[
        PassStatistic {
            name: "operations",
            description: "Operations with a result without a layout",
        },
        PassStatistic {
            name: "candidates",
            description: "Layouts that these results may have, together",
        },
    ],
    dialects: || vec![spyre_dialects::spyre_dialect()],
    run,
};

const DESCRIPTION: &str = r#"
Takes programs with layouts on all values, on some or on none. A result without a
layout gets the attribute `spyre.layout_candidates`: the layouts that it may have.
`--spyre-optimize-restickify` then chooses among them, and
`--spyre-insert-restickify` gives every value its layout. A value with a layout
keeps it. An argument of the function without a layout has the default one of its
shape.

The candidates follow from the rules of the operation (middle-end specification,
section 2.5):

| operation | candidates for the result |
|---|---|
| pointwise, `copy` | each dimension that an operand has on its stick, and the ones that users of the result want there; the layout of an operand that is indexed like the result is kept exactly |
| reduction | the same. When the dimension on the stick is reduced, the result has one element in each stick |
| matrix product | N on the stick; the left operand has K there and the right one N |
| cast | that of the operand, with sticks of the new size; a cast between f16 and f32 leaves another arrangement of the elements, and a cast back restores it; or another dimension on the stick, or one element in each, which has no order |
| comparison | as pointwise; a truth value is stored in the format of the compared elements |
| `topkvalue`, `topkindex` | that of the operand |
| `exx2` | the pair of each row alone in a stick, in the arrangement `exx2`; the last dimension of the input is on the stick |
| `layernormnorm` | the last dimension of the input on the stick; the operand that is a pair is a result of `exx2` |
| `spyre.permute`, reshapes, slices | the layout that follows from the layout of the source. Where the source can have a layout from which no readable one follows, also the layouts that follow from a copy of the source, with each dimension on the stick that gives one, and with one element in each stick if none does |
| insertions | the layout of the destination; where the window starts or ends inside a stick of it, a copy of the destination, unless it has uninitialised elements |
| `scf.for` | an iteration argument has the layout of its initial value |
| `spyre.fill` | the default one, and with each dimension on the stick that is wanted there; where one of one element is, one element in each stick as well |
| `spyre.empty` | the default one, with any dimension on the stick, one element in each stick, and the arrangements that casts and `exx2` of the function leave: it is not copied before its windows are written |

```mlir
// before
func.func @f(%a: tensor<128x256xf16>, %b: tensor<256x128xf16>) -> tensor<256x128xf16> {
  %t = spyre.permute %a [1, 0] : tensor<128x256xf16> to tensor<256x128xf16>
  %y = spyre.add %t, %b : tensor<256x128xf16>
  return %y : tensor<256x128xf16>
}
// after
#rows = #spyre.layout<(d0, d1) -> (d1 floordiv 64, d0, d1 mod 64)>
#cols = #spyre.layout<(d0, d1) -> (d0 floordiv 64, d1, d0 mod 64)>
func.func @f(%a: tensor<128x256xf16>, %b: tensor<256x128xf16>) -> tensor<256x128xf16> {
  %t = spyre.permute %a [1, 0] {spyre.layout_candidates = [#cols]}
    : tensor<128x256xf16> to tensor<256x128xf16>
  %y = spyre.add %t, %b {spyre.layout_candidates = [#cols, #rows]} : tensor<256x128xf16>
  return %y : tensor<256x128xf16>
}
```

Refused, at the operation, with the operand, the dimension on its stick, a way out and
a note at the producer of the operand: a reshape or a window that no layout describes;
an operand that would have to be restickified and cannot (it has another arrangement,
or no dimension that could go onto the stick); a layout that the program gives and
that has a dimension in several device dimensions, besides the one on the stick, of
which an OpSpec has one stride; operands of different arrangements, formats or
elements per stick; truth values of different formats; tensors of more dimensions than
the default layout takes; operations without a rule, among them `tensor.cast`, which
must not change layouts; dynamic extents. A function that has places already is left
as it is.
"#;

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let function = run.operation();
    if function.attribute(HOST).is_ok() {
        let message = "a function of the host has no layouts; spyre-run --on=card makes a bundle of each function of the device that \
                       it calls";
        Diagnostic::error(function.location(), format!("{NAME}: {message}")).emit();
        return Err(Failed);
    }
    let types = TensorTypes::new(run.context());
    strides::check_given(&types, run.operation(), NAME)?;
    let Some(function) = Function::analyse(run, NAME)? else {
        return Ok(());
    };
    if function.analysis.is_decided() {
        run.preserve_analyses();
        return Ok(());
    }
    for node in &function.analysis.nodes {
        let NodeKind::Value(value) = node.what else {
            continue;
        };
        if node.decided {
            continue;
        }
        // An argument has the default layout, and a value that a loop carries has the layout that it starts with.
        if ir::defining_op(value).is_none() {
            continue;
        }
        run.count("operations", 1);
        run.count("candidates", node.candidates.len());
        write(run, node);
    }
    Ok(())
}

/// Writes the candidates of an operation's result. A loop gets none, since it has the candidates of its initial values.
fn write<'p>(run: &'p PassRun<'p>, node: &Node<'p>) {
    if ir::kind(node.op) == ir::OpKind::For {
        return;
    }
    let layouts: Vec<_> = node
        .candidates
        .iter()
        .map(|candidate| attr::layout_attribute(run.context(), candidate.device.layout()))
        .collect();
    ir::set_discardable_attribute(node.op, CANDIDATES, attr::array(run.context(), &layouts));
}
