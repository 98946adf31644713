//! Checks that no operation is lost between a planned function, the tree that describes it, and the function of the
//! bundle.
//!
//! The function is counted by a walk that is independent of the construction of the tree: the device operations outside
//! of loops, and the ones of each loop with iterations. A difference is a bug of this pass, so the error has the counts
//! and does not blame the input.

use spyre_dialects::device_op::DeviceOp;
use spyre_dialects::names::CONSTANT;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Blk, Op, OpKind};
use spyre_sdsc::bundle::ParamBinding;
use spyre_sdsc::{Bundle, Node};

use super::error;
use super::function::Program;

/// The operations outside of loops, and then of every loop without its inner loops, in the order in which loops begin.
/// Loops without operations are left out, as the format has none.
#[derive(Debug, PartialEq, Eq)]
struct Blocks(Vec<usize>);

impl Blocks {
    fn of_function(body: Blk<'_>) -> Self {
        let mut blocks = Self(vec![0]);
        blocks.add_block(body, 0);
        blocks
    }

    fn add_block(&mut self, block: Blk<'_>, number: usize) {
        for op in ir::operations(block) {
            if DeviceOp::cast(op).is_some() {
                self.0[number] += 1;
            } else if ir::kind(op) == OpKind::For
                && ir::constant_operand(op, 1).is_none_or(|upper| upper > 0)
                && let Some(inner) = ir::body(op)
            {
                let opened = self.0.len();
                self.0.push(0);
                self.add_block(inner, opened);
                if self.0[opened..].iter().all(|count| *count == 0) {
                    self.0.truncate(opened);
                }
            }
        }
    }

    fn of_tree(tree: &[Node]) -> Self {
        let mut blocks = Self(vec![0]);
        blocks.add_tree(tree, 0);
        blocks
    }

    fn add_tree(&mut self, tree: &[Node], number: usize) {
        for node in tree {
            match node {
                Node::Op(_) => self.0[number] += 1,
                Node::Loop(spec) => {
                    self.0.push(0);
                    self.add_tree(&spec.body, self.0.len() - 1);
                }
                Node::Unimplemented { op } => unreachable!("'{op}' is an operation of the device"),
            }
        }
    }

    fn operations(&self) -> usize {
        self.0.iter().sum()
    }
}

/// Checks that the tree has the operations and the loops of the function.
///
/// # Errors
/// The counts differ.
pub(super) fn check_tree<'p>(
    kernel: Op<'p>,
    body: Blk<'p>,
    program: &Program<'p>,
) -> Result<(), Diagnostic<'p>> {
    let (function, tree) = (Blocks::of_function(body), Blocks::of_tree(&program.tree));
    if function == tree && program.locations.len() == tree.operations() {
        return Ok(());
    }
    let message = format!(
        "this is a bug of ours: the function has {} operations in {} loops, {:?}, and its tree {} in {}, {:?}, at {} places",
        function.operations(),
        function.0.len() - 1,
        function.0,
        tree.operations(),
        tree.0.len() - 1,
        tree.0,
        program.locations.len()
    );
    Err(error(kernel, message))
}

/// Checks that the parameters of the bundle's function have the constants of the kernel's arguments.
///
/// # Errors
/// One has another.
pub(super) fn check_constants<'p>(
    kernel: Op<'p>,
    built: Op<'p>,
    bundle: &Bundle,
) -> Result<(), Diagnostic<'p>> {
    for (number, param) in bundle.function().params.iter().enumerate() {
        let ParamBinding::Kernel(argument) = &param.binding else {
            continue;
        };
        let held = ir::argument_attribute(kernel, argument.get() as usize, CONSTANT);
        if ir::argument_attribute(built, number, CONSTANT) != held {
            let message = format!(
                "this is a bug of ours: parameter {number} of the bundle does not have the constant of argument {argument}"
            );
            return Err(error(kernel, message));
        }
    }
    Ok(())
}
