//! Scatters, with possibly equal indices.

use melior::ir::Type;
use melior::ir::operation::OperationLike;
use spyre_construct::build::element_of;
use spyre_dialects::attr;
use spyre_mlir_rt::diagnostic::Diagnostic;
use spyre_mlir_rt::ir::{self, Op};
use spyre_ods::arith;

use super::super::super::functions::Class;
use super::super::super::functions::class;
use super::super::emit::Binary;
use super::super::{Graph, error};

impl<'p> Graph<'p> {
    /// Converts `self[index[i, j]][j] op= src[i, j]`, as loops over the elements of the index.
    pub(super) fn scatter_reduce(&mut self, op: Op<'p>) -> Result<(), Diagnostic<'p>> {
        let [into, index, source] = [self.whole(op, 0)?, self.whole(op, 1)?, self.whole(op, 2)?];
        let args = op
            .attribute(super::attribute::CONSTANT_ARGS)
            .map(attr::elements);
        let number = args.ok().and_then(|args| attr::integer(*args.first()?));
        let number =
            number.ok_or_else(|| error(op, "the scatter has no dimension to scatter along"))?;
        let rank = self.extents(into).len();
        let dim = if number < 0 {
            number + i64::try_from(rank).unwrap_or(0)
        } else {
            number
        };
        let dim = usize::try_from(dim).ok().filter(|dim| *dim < rank);
        let dim = dim.ok_or_else(|| {
            let message =
                format!("a tensor of rank {rank} has no dimension {number} to scatter along");
            error(op, message)
        })?;
        let kind = self
            .argument(op, "reduce", usize::MAX)
            .and_then(attr::string);
        let kind = kind.unwrap_or_default();
        if self.flag(op, "include_self", usize::MAX) == Some(false) {
            return Err(error(
                op,
                "a scatter without the previous contents of its tensor is not converted",
            ));
        }
        let combine: Binary = match (kind.as_str(), class(element_of(into))) {
            ("sum", Class::Float) => arith::addf,
            ("sum", Class::Integer) => arith::addi,
            ("prod", Class::Float) => arith::mulf,
            ("prod", Class::Integer) => arith::muli,
            ("amax", Class::Float) => arith::maximumf,
            ("amax", Class::Integer) => arith::maxsi,
            ("amin", Class::Float) => arith::minimumf,
            ("amin", Class::Integer) => arith::minsi,
            _ => {
                return Err(error(
                    op,
                    format!("a scatter that combines by '{kind}' is not converted"),
                ));
            }
        };
        let elements = self.elements(op, &self.extents(index), &[into]);
        let (emit, so_far) = (elements.emit, elements.so_far[0]);
        let place = elements.element(index, &elements.places);
        let mut target = elements.places.clone();
        target[dim] = emit.op(arith::index_cast(place), Type::index(self.context));
        let element = elements.element(so_far, &target);
        let more = elements.element(source, &elements.places);
        let tensor = elements.with(so_far, &target, emit.same(combine(element, more)));
        let tensor = elements.end(&[tensor])[0];
        // The tensor is updated in place: the last result is its new value.
        let new = ir::results(op).last().expect("a scatter has the new value");
        self.values.insert(ir::value_key(new), tensor);
        Ok(())
    }
}
