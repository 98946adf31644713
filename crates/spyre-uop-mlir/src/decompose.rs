//! `--uop-decompose`: elementwise operations in terms of others.
//!
//! The formulas of `spyre_uop::decompose` are instantiated with operations of the dialect.

use melior::Context;
use melior::ir::Attribute;
use melior::ir::operation::OperationLike;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, At, Op, Val};
use spyre_mlir_rt::pass::{Failed, OptionKind, PassOption, PassRun, PassStatistic, RustPass};
use spyre_ods::{OpBuilder, builtin, uop};
use spyre_uop::decompose::{self, Emit};
use spyre_uop::dtype::DType;
use spyre_uop::element;
use spyre_uop::op::{self, Elementwise, TensorType};
use spyre_uop::schema::Datum;
use spyre_uop::table::{Class, Row};

use super::attributes::{self, VALUE};
use super::{program, types};

const NAME: &str = "uop-decompose";

const KEEP: &str = "keep";

/// The name of the attribute of a function with operations from a decomposition. Rules that change the order of sums do
/// not apply to it.
pub(super) const DECOMPOSED: &str = "uop.decomposed";

/// `--uop-decompose`
pub static UOP_DECOMPOSE: RustPass = RustPass {
    argument: NAME,
    summary: "Make elementwise operations of others, as tinyspec defines them",
    description: include_str!("decompose.md"),
    anchor: builtin::MODULE,
    options: &[PassOption {
        name: KEEP,
        description: "operations that stay as they are, by their names in the dialect: exp2,log2",
        kind: OptionKind::List,
    }],
    statistics: &[PassStatistic {
        name: "decomposed",
        description: "Operations that were made of others",
    }],
    dialects: || vec![spyre_dialects::uop_dialect()],
    run,
};

fn run<'p>(run: &'p PassRun<'p>) -> Result<(), Failed> {
    let names = run.list(KEEP);
    let mut kept = Vec::new();
    for name in &names {
        let op = Elementwise::of_mnemonic(name).ok_or_else(|| {
            let message = format!("{NAME}: there is no elementwise operation 'uop.{name}'");
            Diagnostic::error(run.operation().location(), message)
        })?;
        kept.push(op);
    }
    let keep = |op: Elementwise, _: DType| kept.contains(&op);
    let functions = program::functions(run.operation());
    let block = ir::body(run.operation()).expect("a module has a block");
    for function in ir::operations(block).filter(|op| program::is_program(*op, &functions)) {
        let body = ir::function_body(function).expect("a program has a body");
        let mut is_decomposed = false;
        for op in ir::operations(body) {
            let row = Row::of_operation(ir::name(op));
            let Some(elementwise) = row.and_then(Row::elementwise) else {
                continue; // It is no elementwise operation.
            };
            if one(run.context(), op, elementwise, &keep)? {
                run.count("decomposed", 1);
                is_decomposed = true;
            }
        }
        if is_decomposed {
            let unit = Attribute::unit(run.context());
            ir::set_discardable_attribute(function, DECOMPOSED, unit);
        }
    }
    Ok(())
}

/// Replaces an operation by its decomposition, if it has one.
fn one<'p>(
    context: &'p Context,
    op: Op<'p>,
    elementwise: Elementwise,
    keep: decompose::Keep<'_>,
) -> Result<bool, Diagnostic<'p>> {
    let operands: Vec<Val<'p>> = op.operands().collect();
    let mut make = Make {
        builder: OpBuilder {
            context,
            at: At::Before(op),
            location: op.location(),
        },
    };
    let last = operands.last().expect("every operation has operands");
    let dtype = make.dtype(last);
    if !decompose::is_decomposable(elementwise, dtype) || keep(elementwise, dtype) {
        return Ok(false);
    }
    let replacement = decompose::emit(&mut make, keep, elementwise, &operands)?;
    ir::replace_all_uses(ir::result(op, 0).expect("it has a result"), replacement);
    ir::erase(op);
    Ok(true)
}

/// Builds operations of the dialect before another.
struct Make<'p> {
    builder: OpBuilder<'p>,
}

impl<'p> Make<'p> {
    /// Builds an operation with a result of the shape of its last operand.
    fn build(&self, op: &op::Op, operands: &[Val<'p>], dtype: DType) -> Val<'p> {
        let OpBuilder { context, .. } = self.builder;
        let last = operands.last().expect("every operation has operands");
        let ty = types::tensor(context, &self.tensor_type(dtype, *last));
        self.builder
            .op(attributes::parts(context, op, operands), ty)
    }

    fn tensor_type(&self, dtype: DType, like: Val<'p>) -> TensorType {
        let shape = spyre_construct::build::shape_of(like);
        let shape = shape.expect("the verifier has seen the extents");
        let shape = shape.into_iter().map(i64::cast_unsigned).collect();
        TensorType { dtype, shape }
    }
}

impl<'p> Emit for Make<'p> {
    type Value = Val<'p>;
    type Error = Diagnostic<'p>;

    fn dtype(&self, value: &Val<'p>) -> DType {
        let element = spyre_construct::build::element_of(*value);
        types::dtype(element).expect("the verifier has seen the element type")
    }

    fn constant_of(&self, value: &Val<'p>) -> Option<Datum> {
        let op = ir::defining_op(*value)?;
        let row = Row::of_operation(ir::name(op))?;
        let is_constant = row.class == Class::Constant;
        let splat = is_constant.then(|| ir::attribute(op, VALUE))?;
        let dtype = self.dtype(value);
        let bits = program::bits(dtype, attr::splat(splat?)?);
        Some(element::datum(dtype, bits))
    }

    fn constant(
        &mut self,
        dtype: DType,
        value: Datum,
        like: &Val<'p>,
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let OpBuilder { context, .. } = self.builder;
        let ty = self.tensor_type(dtype, *like);
        let splat = attributes::elements(context, &ty, &[element::constant(dtype, value)]);
        let ty = types::tensor(context, &ty);
        Ok(self.builder.op(uop::const_(splat), ty))
    }

    fn elementwise(
        &mut self,
        op: Elementwise,
        operands: &[Val<'p>],
    ) -> Result<Val<'p>, Diagnostic<'p>> {
        let last = operands.last().expect("every operation has operands");
        let dtype = if op.is_comparison() {
            DType::Bool
        } else {
            self.dtype(last)
        };
        Ok(self.build(&op::Op::Elementwise(op), operands, dtype))
    }

    fn cast(&mut self, to: DType, value: &Val<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        Ok(self.build(&op::Op::Cast(to), &[*value], to))
    }

    fn bitcast(&mut self, to: DType, value: &Val<'p>) -> Result<Val<'p>, Diagnostic<'p>> {
        Ok(self.build(&op::Op::Bitcast(to), &[*value], to))
    }
}
