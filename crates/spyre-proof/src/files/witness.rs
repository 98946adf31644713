//! Witnesses of addresses that differ.

use crate::claim::Witness;
use crate::expr::{Expr, Var};
use crate::program::ParamId;

use super::compare::{Comparison, Distance, start_key};
use super::decide::Values;
use super::tensor::Tensor;

impl Comparison<'_> {
    /// Returns the values for which an address differs, with both bytes, and the key that is likely at fault.
    pub(super) fn witness(
        &self,
        tensor: &Tensor,
        difference: &Expr,
        of: &Distance<'_>,
        values: &Values,
    ) -> Witness {
        let value = |var: Var| values.get(&var).copied();
        let byte = of.located.byte.eval(&value);
        let other = difference
            .eval(&value)
            .zip(byte)
            .and_then(|(by, byte)| byte.checked_add(by));
        let text = |byte: Option<i64>| {
            byte.map_or_else(
                || "too large a byte".to_owned(),
                |byte| format!("byte {byte}"),
            )
        };
        let key = self.culprit(tensor, difference, of, values);
        let message = format!(
            "{key} gives {} of {}, and the program has {}",
            text(other),
            of.located.buffer.space,
            text(byte)
        );
        Witness {
            message,
            ..self.instance(values)
        }
    }

    /// Returns the values of an instance as a witness, without a message.
    pub(super) fn instance(&self, values: &Values) -> Witness {
        let value = |var: Var| values.get(&var).copied();
        let statement = self.statement;
        let counters = statement
            .loops
            .iter()
            .map(|id| (*id, value(Var::Counter(*id)).unwrap_or(0)));
        let params = self.program.params.iter().enumerate().map(|(at, param)| {
            let k = value(Var::Param(ParamId::new(at)));
            param.granularity * k.unwrap_or(1)
        });
        let dims = 0..u32::try_from(statement.space.len()).expect("few dimensions");
        Witness {
            counters: counters.collect(),
            params: params.collect(),
            core: value(Var::Core),
            point: dims
                .map(|dim| value(Var::Point(dim)).unwrap_or(0))
                .collect(),
            ..Witness::default()
        }
    }

    /// Returns the key that determines the first part of an address that differs: the start of a core, its movement
    /// with loops, or the distance of elements along a dimension.
    fn culprit(
        &self,
        tensor: &Tensor,
        difference: &Expr,
        of: &Distance<'_>,
        values: &Values,
    ) -> String {
        let core = values.get(&Var::Core).copied().unwrap_or(0);
        let core_of = |var: Var| (var == Var::Core).then_some(core);
        let mut at = values.clone();
        for (var, value) in &mut at {
            match var {
                Var::Counter(_) | Var::Gathered(_) => *value = 0,
                Var::Point(dim) => {
                    *value = of.division.parts[*dim as usize]
                        .first
                        .eval(&core_of)
                        .unwrap_or(0)
                }
                _ => {}
            }
        }
        let differs = |at: &Values| difference.eval(&|var| at.get(&var).copied()) != Some(0);
        let start = start_key(tensor, usize::try_from(core).unwrap_or(0));
        if differs(&at) {
            return start;
        }
        for (var, value) in values {
            if matches!(var, Var::Counter(_)) {
                at.insert(*var, *value);
            }
        }
        if differs(&at) {
            return format!("{start}, which moves with loops,");
        }
        for axis in of.axes {
            let Some(dim) = axis
                .dim
                .and_then(|dim| Some((dim, of.division.matching[dim]?)))
            else {
                continue;
            };
            let var = Var::Point(u32::try_from(dim.1).expect("few dimensions"));
            at.extend(values.get(&var).map(|value| (var, *value)));
            if differs(&at) {
                let name = &self.operation.dims[dim.0].name;
                return format!(
                    "scheduleTree_/{}/layoutDimOrder_ with '{name}'",
                    tensor.index
                );
            }
        }
        format!("scheduleTree_/{}/layoutDimOrder_", tensor.index)
    }
}
