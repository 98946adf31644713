//! Products of matrices in groups: the experts of a mixture, with consecutive rows.

use melior::ir::operation::OperationLike;
use melior::ir::{Type, ValueLike};
use spyre_construct::build::element_of;
use spyre_construct::structured::map;
use spyre_index_expr::Expr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{Op, Val};
use spyre_ods::{arith, tensor};

use super::super::super::functions::Class;
use super::super::super::functions::class;
use super::super::emit::{Emit, Is};
use super::super::{Graph, error};
use super::mul_add;

impl<'p> Graph<'p> {
    /// Converts the product of matrices in groups. The third operand has the ends of the groups, along
    /// a dimension of one operand, where the other has a matrix for each group: the rows of the first
    /// one or the columns of the second one; or along the summed dimension of both. Rows and columns
    /// after the last group, which PyTorch does not write, are 0.
    pub(super) fn grouped_product(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        if op.operand_count() > 3 {
            return Err(error(
                op,
                "products in groups with a bias are not converted",
            ));
        }
        let (a, b) = (self.size(op, 0)?, self.size(op, 1)?);
        if let ([_, _, _], [_, _, _], 2) = (&a[..], &b[..], op.operand_count()) {
            let product = self.product(op, 0)?;
            return self.finish(op, product);
        }
        let refusal = || {
            error(
                op,
                format!("operands of extents {a:?} and {b:?} have no product in groups"),
            )
        };
        let ends = self.whole(op, 2).map_err(|_| refusal())?;
        let (count, inner) = match (&a[..], &b[..]) {
            ([_, k], [groups, rows, _]) => (groups.clone(), [k, rows]),
            ([groups, _, k], [rows, _]) => (groups.clone(), [k, rows]),
            ([_, k], [rows, _]) => {
                let count = Expr::product(&self.extents(ends));
                (count.map_err(|err| error(op, err))?, [k, rows])
            }
            _ => return Err(refusal()),
        };
        if inner[0] != inner[1] {
            return Err(refusal());
        }
        let count = self.fixed(op, &count)?;
        let is_one_each = matches!(&self.extents(ends)[..], [ends] if *ends == count);
        if !is_one_each || count < 1 || class(element_of(ends)) != Class::Integer {
            let ends = ends.r#type();
            let message = format!("{count} groups have ends of {ends}, not an integer for each");
            return Err(error(op, message));
        }
        let [a, b] = [self.whole(op, 0)?, self.whole(op, 1)?];
        let product = self.product_in_groups(op, [a, b], (ends, count));
        self.finish(op, product)
    }

    /// Builds the product of two matrices, where one operand or the result has a matrix for each group.
    fn product_in_groups(
        &self,
        op: Op<'p>,
        [a, b]: [Val<'p>; 2],
        (ends, count): (Val<'p>, i64),
    ) -> Val<'p> {
        let context = self.context;
        let ty = self.computed(element_of(a));
        let (left, right) = (self.extents(a), self.extents(b));
        let product = |emit: Emit<'p>, a: Val<'p>, b: Val<'p>, is_own: Val<'p>| {
            let [a, b] = [a, b].map(|value| emit.converted(value, ty, false));
            let (mul, _) = mul_add(ty);
            // A `select`, because an element of another group times 0 is NaN where it is infinite.
            emit.select(is_own, emit.same(mul(a, b)), emit.number(0.0, ty))
        };
        // The matrix of a group that may be after the last one, and whether it is not.
        let matrix = |emit: Emit<'p>, group: Val<'p>| {
            let last = emit.number(0.0, group.r#type());
            #[expect(clippy::cast_precision_loss, reason = "groups are few")]
            let number = emit.number(count as f64, group.r#type());
            let is_own = emit.is(Is::Less, group, number);
            let index = emit.select(is_own, group, last);
            (
                emit.op(arith::index_cast(index), Type::index(context)),
                is_own,
            )
        };
        let extract = |emit: Emit<'p>, of: Val<'p>, at: [Val<'p>; 3]| {
            emit.op(tensor::extract(of, &at), element_of(of))
        };
        match (left.len(), right.len()) {
            // Loops: rows, columns, and the summed dimension.
            (2, 3) => {
                let groups = self.groups(op, ends, &left[0]);
                let ins = [
                    (a, map(context, 3, &[0, 2])),
                    (groups, map(context, 3, &[0])),
                ];
                let shape = [&left[0], &right[2]].map(Expr::clone);
                self.summed(op, &ins, (&shape, 1), ty, &|emit, values| {
                    let (group, is_own) = matrix(emit, values[1]);
                    let at = [group, emit.loop_index(2), emit.loop_index(1)];
                    product(emit, values[0], extract(emit, b, at), is_own)
                })
            }
            (3, 2) => {
                let groups = self.groups(op, ends, &right[1]);
                let ins = [
                    (b, map(context, 3, &[2, 1])),
                    (groups, map(context, 3, &[1])),
                ];
                let shape = [&left[1], &right[1]].map(Expr::clone);
                self.summed(op, &ins, (&shape, 1), ty, &|emit, values| {
                    let (group, is_own) = matrix(emit, values[1]);
                    let at = [group, emit.loop_index(0), emit.loop_index(2)];
                    product(emit, extract(emit, a, at), values[0], is_own)
                })
            }
            // Loops: groups, rows, columns, and the summed dimension.
            _ => {
                let groups = self.groups(op, ends, &left[1]);
                let ins = [
                    (a, map(context, 4, &[1, 3])),
                    (b, map(context, 4, &[3, 2])),
                    (groups, map(context, 4, &[3])),
                ];
                let shape = [&count.into(), &left[0], &right[1]].map(Expr::clone);
                self.summed(op, &ins, (&shape, 1), ty, &|emit, values| {
                    let group = emit.loop_index(0);
                    let group = emit.op(arith::index_cast(group), values[2].r#type());
                    let is_own = emit.is(Is::Equal, group, values[2]);
                    product(emit, values[0], values[1], is_own)
                })
            }
        }
    }

    /// Builds the group of each of `count` places: the number of groups that end before it, or at it.
    fn groups(&self, op: Op<'p>, ends: Val<'p>, count: &Expr) -> Val<'p> {
        let ty = element_of(ends);
        let ins = [(ends, map(self.context, 2, &[1]))];
        self.summed(
            op,
            &ins,
            (std::slice::from_ref(count), 1),
            ty,
            &|emit, values| {
                let place = emit.op(arith::index_cast(emit.loop_index(0)), ty);
                let is_behind = emit.is(Is::GreaterEqual, place, values[0]);
                emit.converted(is_behind, ty, false)
            },
        )
    }
}
